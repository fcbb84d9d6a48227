"""What the work on one node takes from the person, apart from the search over all of them."""

from __future__ import annotations

from dataclasses import dataclass

from ccviz.solvers.base import setting


@dataclass(frozen=True)
class NodeSettings:
    """Settings of `advance`."""

    tolerance: float = setting(1e-4, "Relative gap that counts as solved.", low=0.0)
    round_iterations: int = setting(
        30,
        "Iterations between two rounds of cuts.",
        low=1,
        advanced=True,
        label="Iterations a round",
    )
    cuts_per_block: float = setting(
        15.0, "Most cuts added a round, as a multiple of the blocks.", low=0.0, advanced=True
    )
    cut_tolerance: float = setting(
        1e-4, "Least violation of a cut, relative to Z's diagonal.", low=0.0, advanced=True
    )
    patience: float = setting(
        8.0, "Branch if so many times the last gain would not do.", low=0.0, advanced=True
    )
    max_rounds: int = setting(
        300, "Most rounds at a node.", low=1, advanced=True, label="Most rounds"
    )
    backend: str = setting(
        "splitting",
        "What solves the relaxations.",
        choices=("splitting", "scs"),
        advanced=True,
        label="Relaxation solver",
    )
    show_relaxation: bool = setting(
        False, "Report the relaxation's matrix after every round.", advanced=True
    )
