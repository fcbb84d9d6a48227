"""Column generation as Babaki, Guns and Nijssen (2014) print it, beside ours.

Link files of Piccialli et al. 2022: of each set the first one with the fewest links of both kinds
and the first with the most. Four ways: ours; the paper's pricing alone; the paper's pricing,
perturbation and Farkas pricing from no columns; the same from the best of 500 runs of COP-k-means.
Each has 10 CPU seconds on one thread, looked at between events. Columns are those that pricing
added, or facilities.
"""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator
from itertools import product
from typing import Any

import _runner as runner

from ccviz import Problem, solve
from ccviz.events import ColumnsPriced
from ccviz.proof.verify import verify
from ccviz.studies.suite import Instance, instances

LIMIT_S = 10.0
_PAPER = {"pricing": "printed", "stabilisation": "perturbation", "repair": "farkas"}
WAYS: dict[str, dict[str, Any]] = {
    "ours": {},
    "printed pricing": {"pricing": "printed"},
    "printed, no columns": {**_PAPER, "starts": 0},
    "printed, from COP": {**_PAPER, "first": "cop-kmeans", "starts": 500},
}


def cases(options: Namespace) -> Iterator[tuple[str, str, str, Instance]]:
    """Yield the first instance of a set with the fewest and with the most links of both kinds."""
    for name in options.sets:
        first: dict[int, Instance] = {}
        for each in instances(runner.SUITE, f"{name}/*"):
            if each.ml and each.cl:
                first.setdefault(each.ml + each.cl, each)
        for links, way in product(sorted({min(first), max(first)}), WAYS):
            yield name, first[links].name, way, first[links]


def measure(_: Namespace, name: str, file: str, way: str, instance: Instance) -> dict[str, Any]:  # noqa: ARG001
    problem = instance.problem()
    stepper = runner.stepper_within(problem, "colgen", LIMIT_S, **WAYS[way])
    result, cpu = runner.timed(stepper.result)
    events = [record.event for record in result.records()]
    priced = [event for event in events if isinstance(event, ColumnsPriced)]
    proved = result.status == "optimal"
    return {
        "n": problem.n, "k": problem.k, "links": instance.ml + instance.cl,
        "status": result.status, "objective": f"{result.objective:.8g}",
        "lower_bound": f"{result.lower_bound:.8g}", "nodes": result.nodes, "rounds": len(priced),
        "columns": sum(event.columns for event in priced), "cpu_s": round(cpu, 2),
        "verified": verify(problem, events).accepted if proved else "",
    }  # fmt: skip


def page(rows: runner.Rows) -> str:
    files = len({(row["set"], row["file"]) for row in rows})
    head = f"# Column generation as printed\n\n{files} link files, {LIMIT_S:.0f} CPU seconds each"
    shown = [{name: value for name, value in row.items() if name != "file"} for row in rows]
    return f"{head}, one thread.\n\n{runner.whole_table(shown)}"


def warm_up() -> None:
    solve(Problem([[0.0], [1.0], [2.0]], 2), "colgen", **WAYS["printed, no columns"])


if __name__ == "__main__":
    runner.run(
        __doc__, "colgen_printed", ("set", "file", "way"), cases, measure, page, warm_up=warm_up,
        sets=["iris", "wine", "seeds"],
    )  # fmt: skip
