"""Margins of the points of the run that is shown, limited in a process of their own."""

from __future__ import annotations

from typing import ClassVar

from ccviz.errors import CcvizError
from ccviz.runs.run import Run
from ccviz.runs.schema import Study
from ccviz.solvers import Solver
from ccviz.studies.how_sure import check_margins
from ccviz.studies.margin_table import Margins, decode_margins
from ccviz.studies.stored_margins import margins_in_process
from ccviz.views.lab.background_study import BackgroundStudy
from ccviz.views.lab.sandboxed_call import SandboxedCall

_BOUND_S = 120.0
"""Time in seconds that the last bound may take."""

MOST_POINTS = 1000
"""Largest number of points whose margins are limited on the page."""


class Sureness(BackgroundStudy):
    """The margins of the points of one run; `known` has type `Margins`."""

    study: ClassVar[Study] = "margins"

    def start(self) -> None:
        """Limit the margins of the run shown, from where an earlier study of them ended.

        Raises
        ------
        CcvizError
            If there is no proof, or its margins cannot be limited.
        """
        if not self.may_start:
            raise CcvizError(
                "How sure a point is follows from a proven optimum of at most "
                f"{MOST_POINTS:,} points: run an exact solver."
            )
        self._begin_with()

    def _has_matter(self, run: Run) -> bool:
        return run.problem.n <= MOST_POINTS and run.problem.k > 1

    def _check(self, run: Run, solver: Solver) -> None:
        check_margins(run, solver)

    def _work(self, run_id: str, solver: Solver, budget_s: float) -> SandboxedCall:
        path = self._archive.path
        return SandboxedCall(
            margins_in_process, (path, run_id, solver, budget_s), budget_s + _BOUND_S,
            self._quota.call_bytes, self._pool, writes=str(path.parent),
        )  # fmt: skip

    def _decoded(self, data: bytes, run: Run) -> Margins:
        return decode_margins(data, run)
