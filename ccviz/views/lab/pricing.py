"""Prices of the links of the run that is shown, proved in a process of their own."""

from __future__ import annotations

from typing import ClassVar

from ccviz.errors import CcvizError
from ccviz.runs.run import Run
from ccviz.runs.schema import Study
from ccviz.solvers import Solver
from ccviz.studies.link_prices import check_priced
from ccviz.studies.price_table import Prices, decode_prices
from ccviz.studies.stored_prices import price_in_process
from ccviz.views.lab.background_study import BackgroundStudy
from ccviz.views.lab.sandboxed_call import SandboxedCall

_PROOF_S = 60.0
"""Time limit of one proof, in seconds."""

MOST_LINKS = 1000
"""Largest number of links that are priced on the page."""


class Pricing(BackgroundStudy):
    """The prices of the links of one run; `known` has type `Prices`."""

    study: ClassVar[Study] = "prices"

    def start(self) -> None:
        """Prove the prices of the run shown, from where an earlier proof of them ended.

        Raises
        ------
        CcvizError
            If there is no proof, or its links cannot be priced.
        """
        shot = self._player.shot
        if shot is None or not self.may_start:
            raise CcvizError("Prices need a proven optimum under links: run an exact solver.")
        many = _links(shot.run)
        if many > MOST_LINKS:
            raise CcvizError(f"{many:,} links are more than the {MOST_LINKS:,} that are priced.")
        self._begin_with()

    def _has_matter(self, run: Run) -> bool:
        return _links(run) > 0

    def _check(self, run: Run, solver: Solver) -> None:
        check_priced(run, solver)

    def _work(self, run_id: str, solver: Solver, budget_s: float) -> SandboxedCall:
        path = self._archive.path
        return SandboxedCall(
            price_in_process, (path, run_id, solver, _PROOF_S, budget_s), budget_s + 2 * _PROOF_S,
            self._quota.call_bytes, self._pool, writes=str(path.parent),
        )  # fmt: skip

    def _decoded(self, data: bytes, run: Run) -> Prices:
        return decode_prices(data, run)


def _links(run: Run) -> int:
    return len(run.problem.must_link) + len(run.problem.cannot_link)
