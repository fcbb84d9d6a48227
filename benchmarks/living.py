"""Trees of the example problems, and prices of links: proofs that live with their links.

    python benchmarks/living.py [--only NAME ...] [--draws 3] [--table]

One thread, CPU seconds. An example problem is solved with the settings that it names, and its proof
is checked by `ccviz.proof.verify`. For prices 50 links are drawn from the classes of iris and wine,
5 or 10 % of them wrong; a draw whose links contradict one another is left out. The table has the
CPU time of one cold proof, of the first limits and of all proofs, and the number of wrong links
among the ten highest prices, with the number that chance would put there. A row is added as each
case ends; one that is in the table is not repeated. `--table` only writes the summary.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(name, "1")

from _rows import append_row, read_rows  # noqa: E402

from ccviz import Problem, solve  # noqa: E402
from ccviz.data import load, random_pairs  # noqa: E402
from ccviz.data.examples import EXAMPLES  # noqa: E402
from ccviz.errors import ContradictionError  # noqa: E402
from ccviz.proof.verify import verify  # noqa: E402
from ccviz.studies.link_prices import price_steps  # noqa: E402

RESULTS = Path(__file__).parent / "results"
TREES, PRICES = RESULTS / "living_trees.csv", RESULTS / "living_prices.csv"
SETS = ("iris", "wine")
LINKS = 50
TOP = 10


def main() -> None:
    """Measure what is not in the tables yet, and write the summary."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--only", nargs="*", default=[*SETS, *EXAMPLES])
    parser.add_argument("--draws", type=int, default=3)
    parser.add_argument("--table", action="store_true")
    asked = parser.parse_args()
    if not asked.table:
        warm_up()
        for name in asked.only:
            measure(name, asked.draws)
    (RESULTS / "living.md").write_text(summary(), encoding="utf-8")


def warm_up() -> None:
    """Compile the loops, which no clock shall count."""
    data = load("iris")
    drawn = random_pairs(data.truth, 10, seed=1)
    problem = Problem(data.X, 3, drawn.must_link, drawn.cannot_link)
    list(price_steps(solve(problem, "sdp").run))


def measure(name: str, draws: int) -> None:
    """Add the rows of a data set or of an example problem."""
    if name in EXAMPLES:
        if name not in {row["example"] for row in read_rows(TREES)}:
            append_row(TREES, tree(name))
        return
    known = {(row["set"], row["wrong"], row["seed"]) for row in read_rows(PRICES)}
    for wrong in (0.05, 0.1):
        for seed in range(draws):
            if (name, str(wrong), str(seed)) in known:
                continue
            try:
                append_row(PRICES, prices(name, wrong, seed))
            except ContradictionError:
                continue


def tree(name: str) -> dict[str, Any]:
    """Return the row of an example problem."""
    data = load(name)
    assert data.setup is not None
    problem = Problem(data.X, data.k, data.setup.must_link, data.setup.cannot_link)
    began = time.process_time()
    result = solve(problem, data.setup.solver, **data.setup.settings)
    cpu = time.process_time() - began
    verdict = verify(problem, [record.event for record in result.records()])
    return {
        "example": name, "n": problem.n, "k": problem.k, "links": EXAMPLES[name].links,
        "cuts": EXAMPLES[name].cuts, "status": result.status, "nodes": result.nodes,
        "cpu_s": round(cpu, 1), "verified": verdict.accepted,
    }  # fmt: skip


def prices(name: str, wrong: float, seed: int) -> dict[str, Any]:
    """Return the row of a draw of links."""
    data = load(name)
    drawn = random_pairs(data.truth, LINKS, wrong, seed)
    problem = Problem(data.X, data.k, drawn.must_link, drawn.cannot_link)
    began = time.process_time()
    run = solve(problem, "sdp").run
    cold = time.process_time() - began
    began, first = time.process_time(), 0.0
    steps = []
    for known in price_steps(run):
        steps.append(known)
        first = first or time.process_time() - began
    whole = time.process_time() - began
    last = steps[-1].rows
    is_wrong = [(data.truth[row.i] == data.truth[row.j]) != (row.kind == "must")
                for row in last]  # fmt: skip
    return {
        "set": name, "wrong": wrong, "seed": seed, "cold_s": round(cold, 2),
        "first_s": round(first, 2), "all_s": round(whole, 2), "proofs": len(steps) - 1,
        "proved": sum(row.is_proved for row in last), "links": len(last),
        "wrong_in_top": sum(is_wrong[:TOP]), "by_chance": round(TOP * sum(is_wrong) / LINKS, 2),
    }  # fmt: skip


def summary() -> str:
    """Return both tables as Markdown."""
    parts = (("Example problems with a tree", TREES), ("Prices of links", PRICES))
    lines = [
        line
        for title, path in parts
        if (rows := read_rows(path))
        for line in (f"# {title}", "", *_markdown(rows), "")
    ]
    return "\n".join(lines)


def _markdown(rows: list[dict[str, str]]) -> Iterator[str]:
    yield f"| {' | '.join(rows[0])} |"
    yield f"|{'---|' * len(rows[0])}"
    for row in rows:
        yield f"| {' | '.join(row.values())} |"


if __name__ == "__main__":
    main()
