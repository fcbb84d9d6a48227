"""Limits on sums in the bound of `sdp`, row by row, against the same tree without them.

Points in the plane in three clusters, under limits on a sum, on counts, shares and means of random
columns, or sizes beside weights. Each problem is solved twice, one thread: with the rows, and with
bounds that leave the limits out. CPU seconds; a limit of nodes, so that no other process counts.
Every proof is checked by `ccviz verify`. The table is written to ``results/row_sums.md``.
"""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator
from unittest.mock import patch

import _runner as runner
import numpy as np

from ccviz import Problem, start
from ccviz.errors import ProblemError
from ccviz.problem.asked import read_asked
from ccviz.problem.reduction import with_rules
from ccviz.proof.verify import verify
from ccviz.solvers.start import leaving_out

K = 3
KINDS = {
    "sum from 28 to 40 %": ["sum(w)>=28%", "sum(w)<=40%"],
    "count of each word at most n / 4": ["count(g)<={quarter}"],
    "share of a word at least 40 %": ["share(g=1)>=40%"],
    "mean at most 1.2 times that of all": ["mean(w)<={mean}"],
    "sizes of about n / k, weights": [],
}
TITLES = (
    "limits | problems | proved, without | with | nodes, without | with | seconds, without | "
    "with | root bound, without (% of the optimum) | with"
)


def main() -> None:
    options = runner.parse(__doc__, points=14, seeds=[*range(6)], nodes=1000)
    solved(problem_of("sum from 28 to 40 %", 8, 0), "all", 50)  # compiles
    about = (
        f"`python benchmarks/row_sums.py`: {options.points} points in the plane, k = {K}, trees of "
        f"at most {options.nodes:,} nodes, medians; unproved runs count as they ended.\n\n"
    )
    table = runner.markdown(TITLES, (line(kind, options) for kind in KINDS))
    runner.write_page("row_sums", about + table)


def line(kind: str, options: Namespace) -> list[str]:
    """Return the row of the table of a kind of limits."""
    problems = [problem_of(kind, options.points, seed) for seed in options.seeds]
    found = [
        [solved(problem, sums, options.nodes) for sums in ("none", "all")]
        for problem in problems
        if problem is not None
    ]
    best = [min(run.objective for run, *_ in both) for both in found]
    cells = [kind, str(len(found))]
    cells += [str(sum(both[at][0].status == "optimal" for both in found)) for at in (0, 1)]
    cells += [f"{np.median([len(both[at][0].tree) for both in found]):.0f}" for at in (0, 1)]
    cells += [f"{np.median([both[at][1] for both in found]):.2f}" for at in (0, 1)]
    for at in (0, 1):
        share = [both[at][2] / cost for both, cost in zip(found, best, strict=True)]
        cells.append(f"{100 * np.median(share):.1f}")
    return cells


def solved(problem, sums, nodes):
    """Return the run with a kind of bound, its CPU seconds and the bound of its root."""
    given = leaving_out.leaving_out
    with patch.object(leaving_out, "leaving_out", lambda one, _: given(one, sums)):
        stepper = start(problem, "sdp", node_limit=nodes)
        records, taken = runner.timed(list, stepper)
    events = [record.event for record in records]
    if stepper.run.status == "optimal":
        verdict = verify(problem, events)
        assert verdict.accepted, verdict.sentence
    return stepper.run, taken, max(root_bounds(events), default=0.0)


def root_bounds(events) -> Iterator[float]:
    for event in events:
        bound = getattr(event, "lower_bound", np.inf)
        if getattr(event, "node", None) == 0 and np.isfinite(bound):
            yield bound


def problem_of(kind: str, n: int, seed: int) -> Problem | None:
    """Return a problem under a kind of limits; None where all points together break them."""
    rng = np.random.default_rng(seed)
    X, w, g = rng.normal(size=(n, 2)), rng.uniform(1, 9, n).round(1), rng.integers(0, 2, n)
    if not KINDS[kind]:
        sizes = ([n // K] * K, [-(-n // K) + 1] * K)
        return Problem(X, K, sizes=sizes, weights=rng.uniform(0.5, 3, n))
    parts = {"quarter": n // 4, "mean": f"{1.2 * w.mean():.1f}"}
    columns = {"w": w, "g": g}
    texts = [text.format(**parts) for text in KINDS[kind]]
    try:
        asked = [read_asked(text, column=columns.__getitem__) for text in texts]
        return with_rules(Problem(X, K), asked, keeps_rules=True)
    except ProblemError:
        return None


if __name__ == "__main__":
    main()
