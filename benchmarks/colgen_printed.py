"""Column generation as Babaki, Guns and Nijssen (2014) print it, beside ours.

    python benchmarks/colgen_printed.py [--sets NAME ...] [--table]

Link files of Piccialli et al. 2022: of each set the first one with the fewest links of both kinds
and the first with the most. Four ways: ours; the paper's pricing alone; the paper's pricing,
perturbation and Farkas pricing from no columns; the same from the best of 500 runs of COP-k-means.
Each has 10 CPU seconds on one thread, looked at between events. Columns are those that pricing
added, or facilities. A row is added as each case ends; one that is in the table is not repeated.
`--table` only writes the summary.
"""

from __future__ import annotations

import argparse
import os
import time
from pathlib import Path
from typing import Any

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(name, "1")

from _rows import append_row, read_rows  # noqa: E402

from ccviz import Problem, solve  # noqa: E402
from ccviz.events import ColumnsPriced  # noqa: E402
from ccviz.proof.verify import verify  # noqa: E402
from ccviz.runs.stepper import Stepper  # noqa: E402
from ccviz.solvers import make_solver  # noqa: E402
from ccviz.studies.suite import Instance, instances  # noqa: E402

RESULTS = Path(__file__).parent / "results"
TABLE = RESULTS / "colgen_printed.csv"
SHARED = Path(__file__).parents[2] / "shared" / "bench"
BENCH = Path(os.environ.get("CCVIZ_BENCH", SHARED)) / "pc-sos-sdp"
SETS = ("iris", "wine", "seeds")
LIMIT_S = 10.0
_PAPER = {"pricing": "printed", "stabilisation": "perturbation", "repair": "farkas"}
WAYS: dict[str, dict[str, Any]] = {
    "ours": {},
    "printed pricing": {"pricing": "printed"},
    "printed, no columns": {**_PAPER, "starts": 0},
    "printed, from COP": {**_PAPER, "first": "cop-kmeans", "starts": 500},
}


def main() -> None:
    """Measure what is not in the table yet, and write the summary."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--sets", nargs="*", default=SETS)
    parser.add_argument("--bench", type=Path, default=BENCH, help="the folder pc-sos-sdp")
    parser.add_argument("--table", action="store_true")
    asked = parser.parse_args()
    if not asked.table:
        solve(Problem([[0.0], [1.0], [2.0]], 2), "colgen", **WAYS["printed, no columns"])
        done = {(row["set"], row["file"], row["way"]) for row in read_rows(TABLE)}
        for name in asked.sets:
            for each in some(asked.bench, name):
                for way in WAYS:
                    if (name, each.name, way) not in done:
                        append_row(TABLE, measured(name, each, way))
    (RESULTS / "colgen_printed.md").write_text(summary(), encoding="utf-8")


def some(bench: Path, name: str) -> list[Instance]:
    """Return the first instance of a set with the fewest and with the most links of both kinds."""
    first: dict[int, Instance] = {}
    for each in instances(bench, f"{name}/*"):
        if each.ml and each.cl:
            first.setdefault(each.ml + each.cl, each)
    return [first[links] for links in sorted({min(first), max(first)})]


def measured(name: str, instance: Instance, way: str) -> dict[str, Any]:
    """Return the row of a case."""
    problem = instance.problem()
    began = time.process_time()

    def over(*_: object) -> str | None:
        return "time_limit" if time.process_time() - began > LIMIT_S else None

    result = Stepper(problem, make_solver("colgen", **WAYS[way]), 0, criteria=[over]).result()
    cpu = time.process_time() - began
    events = [record.event for record in result.records()]
    priced = [event for event in events if isinstance(event, ColumnsPriced)]
    proved = result.status == "optimal"
    return {
        "set": name, "file": instance.name, "n": problem.n, "k": problem.k,
        "links": instance.ml + instance.cl, "way": way, "status": result.status,
        "objective": f"{result.objective:.8g}", "lower_bound": f"{result.lower_bound:.8g}",
        "nodes": result.nodes, "rounds": len(priced),
        "columns": sum(event.columns for event in priced), "cpu_s": round(cpu, 2),
        "verified": verify(problem, events).accepted if proved else "",
    }  # fmt: skip


def summary() -> str:
    """Return the table as Markdown."""
    rows = read_rows(TABLE)
    shown = ("set", "n", "k", "links", "way", "status", "objective", "lower_bound", "nodes",
             "rounds", "columns", "cpu_s", "verified")  # fmt: skip
    files = len({(row["set"], row["file"]) for row in rows})
    lines = ["# Column generation as printed", "",
             f"{files} link files, {LIMIT_S:.0f} CPU seconds each, one thread.", "",
             f"| {' | '.join(shown)} |", f"|{'---|' * len(shown)}"]  # fmt: skip
    lines += [f"| {' | '.join(row[key] for key in shown)} |" for row in rows]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
