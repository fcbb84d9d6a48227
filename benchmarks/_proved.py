"""A run of an exact solver within CPU seconds, and what the checker says of it, as cells."""

from __future__ import annotations

from _cpu_clock import events_within, timed

from ccviz import Problem, start
from ccviz.proof.verify import verify


def proved(
    problem: Problem, solver: str, tolerance: float, cpu_limit: float, **check: float
) -> tuple[dict[str, str], float]:
    """Return the cells of a run and its CPU seconds; the checking has a clock of its own."""
    stepper = start(problem, solver, tolerance=tolerance)
    events, seconds = zip(*events_within(stepper, cpu_limit), strict=True)
    result = stepper.result()
    verdict, verify_s = timed(verify, problem, events, **check)
    cells = {
        "objective": f"{result.objective:.9g}",
        "status": result.status,
        "gap": f"{result.gap:.2e}",
        "verified_gap": f"{verdict.gap:.2e}" if verdict.accepted else verdict.sentence,
        "cpu_s": f"{seconds[-1]:.1f}",
        "verify_s": f"{verify_s:.1f}",
    }
    return cells, seconds[-1]
