"""Settings of the work on one node of the tree of `sdp`."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING

from ccviz.distribution import install_command
from ccviz.errors import UnsupportedError
from ccviz.solvers.base import setting

if TYPE_CHECKING:
    from ccviz.solvers.relaxation.engine import RoundParams

SPLITTING = "splitting"
CONIC = {
    "cvxpy": "cvxpy", "clarabel": "clarabel", "scs": "scs", "mosek": "mosek", "copt": "coptpy",
    "cvxopt": "cvxopt", "sdpa": "sdpap",
}  # fmt: skip
"""Conic solvers that cvxpy may call, and their modules; ``cvxpy`` leaves the choice to it."""


def installed() -> tuple[str, ...]:
    """Return the solvers of the relaxations that can be used here."""
    if find_spec("cvxpy") is None:
        return (SPLITTING,)
    return (SPLITTING, *(name for name, module in CONIC.items() if find_spec(module) is not None))


@dataclass(frozen=True)
class NodeSettings:
    """Settings of `ccviz.solvers.sdp.node.advance`."""

    tolerance: float = setting(1e-4, "Relative gap at which the run ends.", low=0.0)
    cuts: str = setting(
        "all",
        "Cuts added: `paper` leaves out wide 2-partition inequalities, and `none` adds no cuts.",
        choices=("all", "paper", "none"),
    )
    round_iterations: int = setting(
        30,
        "Iterations of the relaxation solver between two rounds of cuts.",
        low=1,
        advanced=True,
        label="Iterations per round",
    )
    cuts_per_block: float = setting(
        15.0,
        "Largest number of cuts added in a round, as a multiple of the blocks.",
        low=0.0,
        advanced=True,
    )
    cut_tolerance: float = setting(
        1e-4,
        "Least violation of a cut, relative to the mean of Z's diagonal.",
        low=0.0,
        advanced=True,
    )
    patience: float = setting(
        8.0,
        "Branch when `patience` more rounds at the current rate would not close the gap.",
        low=0.0,
        advanced=True,
    )
    max_rounds: int = setting(
        300, "Largest number of rounds at a node.", low=1, advanced=True, label="Most rounds"
    )
    backend: str = setting(
        SPLITTING,
        "Solver of the relaxations: `splitting` is ADMM; the others are conic solvers, called by "
        "cvxpy, and `cvxpy` is the one that it prefers.",
        choices=(SPLITTING, *CONIC),
        offered=installed,
        advanced=True,
        label="Relaxation solver",
    )
    show_relaxation: bool = setting(
        False, "Report the relaxation's matrix after every round.", advanced=True
    )

    @property
    def rounds(self) -> RoundParams:
        """Parameters of a node's rounds."""
        # Imported here: compiled code is not for the process that only draws.
        from ccviz.solvers.relaxation.engine import RoundParams

        return RoundParams(
            iterations=self.round_iterations,
            cuts_per_block=self.cuts_per_block,
            cut_tolerance=self.cut_tolerance,
            patience=self.patience,
            cuts=self.cuts,  # type: ignore[arg-type]
        )

    def check_backend(self) -> None:
        """Raise `UnsupportedError` if the solver of the relaxations is not installed."""
        if self.backend == SPLITTING or self.backend in (found := installed()):
            return
        if "cvxpy" not in found:
            raise UnsupportedError(
                f"the backend {self.backend!r} needs cvxpy: {install_command('conic')} brings it."
            )
        raise UnsupportedError(
            f"the backend {self.backend!r} is not installed; cvxpy finds {', '.join(found[2:])}."
        )
