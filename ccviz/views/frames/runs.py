"""Past runs as rows of a table."""

from __future__ import annotations

import math
from dataclasses import dataclass

from ccviz.runinfo import RunInfo
from ccviz.solvers import SOLVERS
from ccviz.views.frames.numbers import number, percent, seconds

COLUMNS = ("Run", "Data", "Solver", "State", "WCSS", "Gap", "Nodes", "Time", "ARI", "Broken")
_RESUMABLE = frozenset(solver.name for solver in SOLVERS if solver.supports.resume)


@dataclass(frozen=True)
class RunRow:
    """A run in the table: what its cells say, and by what they are sorted."""

    id: str
    cells: tuple[str, ...]
    keys: tuple[str | float, ...]
    resumable: bool


def run_row(info: RunInfo) -> RunRow:
    """Return the row of a run."""
    state: str = info.status if info.state == "finished" else info.state
    if info.termination == "failed":
        state = "broke off"
    ari = math.nan if info.ari is None else info.ari
    broken = math.nan if info.violations is None else info.violations
    cells: tuple[str, ...] = (
        info.name, info.dataset, info.solver, state, number(info.objective), percent(info.gap),
        f"{info.nodes:,}" if info.nodes else "–", seconds(info.time_s),
        "–" if math.isnan(ari) else f"{ari:.3f}",
        "–" if math.isnan(broken) else f"{broken:,}",
    )  # fmt: skip
    numbers: tuple[float, ...] = (info.objective, info.gap, info.nodes, info.time_s, ari, broken)
    keys: list[str | float] = [*cells[:4], *map(_last_if_missing, numbers)]
    unfinished = info.state == "lost" or info.termination not in (None, "proved", "converged")
    return RunRow(info.id, cells, tuple(keys), unfinished and info.solver in _RESUMABLE)


def _last_if_missing(value: float) -> float:
    return value if math.isfinite(value) else 1e300
