"""`ccviz verify`: check a run's proof."""

from __future__ import annotations

from typing import Annotated

from click.exceptions import Exit

from ccviz.cli.common import out
from ccviz.cli.parameters import Argument, option
from ccviz.errors import CcvizError
from ccviz.problem.problem import Problem
from ccviz.proof.budget import DEFAULT_WORK
from ccviz.proof.digest import problem_hash
from ccviz.proof.verdict import Verdict
from ccviz.proof.verify import DEFAULT_GAP
from ccviz.proof.verify import verify as check
from ccviz.runs.archive import Archive

NOT_ACCEPTED = 1
UNDECIDED = 2


def verify(
    run: Annotated[str, Argument(help="Id, name or end of the id of a run, or 'last'.")],
    gap: Annotated[
        float, option(min=0.0, help="Relative gap within which optimality is to be proved.")
    ] = DEFAULT_GAP,
    work: Annotated[
        float, option(min=0.0, help="Most work for searches; a unit is about a second.")
    ] = DEFAULT_WORK,
) -> None:
    """Check the proof of an exact run, with none of the solver's code.

    Exit code 0: proved within the gap asked for. 1: no proof, and why. 2: what was checked is
    right, but some of it needs more work than is allowed.
    """
    archive = Archive()
    run_id = archive.find(run)
    try:
        problem = archive.problem(run_id)
        events = [record.event for record in archive.records(run_id)]
    except CcvizError as broken:
        out.print(f"no proof: {broken}", markup=False)
        raise Exit(NOT_ACCEPTED) from None
    verdict = check(problem, events, gap, work)
    for line in (verdict.sentence, *_what(problem), *_bounds(verdict)):
        out.print(line, markup=False, soft_wrap=True)
    refused = UNDECIDED if verdict.trusted else NOT_ACCEPTED
    raise Exit(0 if verdict.accepted else refused)


def _what(problem: Problem) -> list[str]:
    """Say what the proof is of."""
    rules = f", {len(problem.rules)} rules" if problem.rules else ""
    return [
        f"problem: n = {problem.n}, d = {problem.d}, k = {problem.k}, "
        f"{len(problem.must_link)} must-links, {len(problem.cannot_link)} cannot-links{rules}",
        f"sha256: {problem_hash(problem)}",
    ]


def _bounds(verdict: Verdict) -> list[str]:
    if not verdict.accepted or verdict.upper_bound == float("inf"):
        return []
    return [
        f"the clustering costs at most {verdict.upper_bound!r}",
        f"every clustering costs at least {verdict.lower_bound!r}",
    ]
