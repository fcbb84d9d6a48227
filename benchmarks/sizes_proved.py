"""Proofs under cluster sizes: the eleven sets of Piccialli et al. (2022), with and without links.

    python benchmarks/sizes_proved.py [--bench DIR] [--only SET ...] [--sizes equal classes]
                                      [--links none 25+25 100+0] [--files 0 1 2] [--cpu-limit 60]

`sdp` to a gap of 1e-4, one thread, CPU seconds: all sets in equal sizes, and the six with labels in
the sizes of their classes. ``--links`` names how many must-links and cannot-links a published file
has; sets without such files are left out. A row is added as each run ends; a run that is in the
table is not repeated. Every proof is checked by `ccviz.proof.verify` after the clock has stopped.
Beside it is the bound of the same time without sizes, which holds with them too. Where links and
sizes cannot all be kept the row has a smallest conflict. `--table` only writes the summary.
"""

from __future__ import annotations

import argparse
import csv
import os
import sys
from collections.abc import Iterator
from pathlib import Path

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(name, "1")

import numpy as np  # noqa: E402
from _cpu_clock import timed  # noqa: E402
from _proved import proved  # noqa: E402
from _rows import append_row, done_keys, read_rows  # noqa: E402

from ccviz import Problem, solve  # noqa: E402
from ccviz.data.link_files import read_links_file  # noqa: E402
from ccviz.errors import CcvizError  # noqa: E402
from ccviz.feasibility.conflict import Conflict, explain_conflict  # noqa: E402

RESULTS = Path(__file__).parent / "results"
BENCH = Path(os.environ.get("CCVIZ_BENCH", Path(__file__).parents[2] / "shared" / "bench"))
CLUSTERS = {
    "iris": 3, "wine": 3, "seeds": 3, "glass": 6, "connectionist": 2, "heart": 2, "vertebral": 2,
    "accent": 6, "ecoli": 8, "ECG5000": 5, "computers": 3,
}  # fmt: skip
TOLERANCE = 1e-4
_EXPLAIN_S = 60.0
"""Time limit in seconds of the search for a smallest conflict."""
KEY = ("set", "sizes", "links", "file")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bench", type=Path, default=BENCH, help="the folder of the instances")
    parser.add_argument("--only", nargs="*", choices=CLUSTERS, default=list(CLUSTERS))
    parser.add_argument("--sizes", nargs="*", default=["equal", "classes"])
    parser.add_argument("--links", nargs="*", default=["none"])
    parser.add_argument("--files", nargs="*", type=int, default=[0])
    parser.add_argument("--cpu-limit", type=float, default=60.0)
    parser.add_argument("--out", type=Path, default=RESULTS / "sizes_proved.csv")
    parser.add_argument("--table", action="store_true", help="only write the summary")
    options = parser.parse_args()
    if not options.table:
        warm_up()
        done = done_keys(options.out, KEY)
        for instance in instances(options):
            if instance not in done:
                measure(instance, options)
    write_table(options.out)


def warm_up() -> None:
    """Load compiled code once, as a long-lived process has it."""
    points = np.random.default_rng(0).normal(size=(60, 2))
    for sizes in (None, [20, 20, 20], [10, 20, 30]):
        solve(Problem(points, 3, cannot_link=[(0, 1)], sizes=sizes), "sdp", progress=False)


def instances(options: argparse.Namespace) -> Iterator[tuple[str, str, str, str]]:
    """Yield set, kind of sizes, number of links and file of each instance."""
    labelled = class_sizes(options.bench)
    for links in options.links:
        for which in options.only:
            for kind in options.sizes if which in labelled else {"equal"} & {*options.sizes}:
                for file in [0] if links == "none" else options.files:
                    if links == "none" or links_file(which, links, file, options.bench).exists():
                        yield which, kind, links, str(file)


def links_file(which: str, links: str, file: int | str, bench: Path) -> Path:
    """Return the published file of a number of must-links and one of cannot-links."""
    must, cannot = links.split("+")
    folder = bench / "pc-sos-sdp" / "constraints" / which
    return folder / f"ml_{must}_cl_{cannot}_{file}.txt"


def class_sizes(bench: Path) -> dict[str, list[int]]:
    """Return the sizes of the classes of the sets that have labels."""
    with (bench / "sizes" / "class_sizes.csv").open(newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["source"] == "pc-sos-sdp"]
    return {row["set"]: [int(size) for size in row["sizes"].split()] for row in rows}


def problem_of(instance: tuple[str, str, str, str], bench: Path) -> tuple[Problem, Problem]:
    """Return an instance, and the same without sizes."""
    which, kind, links, file = instance
    X = np.loadtxt(bench / "pc-sos-sdp" / "data" / f"{which}.txt", skiprows=1)
    n, k = len(X), CLUSTERS[which]
    sizes = class_sizes(bench)[which] if kind == "classes" else equal_sizes(n, k)
    given = {}
    if links != "none":
        found = read_links_file(links_file(which, links, file, bench), n)
        given = {"must_link": found.must_link, "cannot_link": found.cannot_link}
    return Problem(X, k, sizes=sizes, **given), Problem(X, k, **given)


def equal_sizes(n: int, k: int) -> list[int]:
    """Return k sizes that differ by at most one."""
    return [n // k + (cluster < n % k) for cluster in range(k)]


def measure(instance: tuple[str, str, str, str], options: argparse.Namespace) -> None:
    try:
        problem, free = problem_of(instance, options.bench)
    except CcvizError as impossible:
        print(*instance, impossible, file=sys.stderr, flush=True)
        return
    conflict, seconds = timed(explain_conflict, problem, _EXPLAIN_S)
    if conflict is not None:
        add_row(instance, problem, infeasible(conflict, seconds), options.out)
        return
    cells, seconds = proved(problem, "sdp", TOLERANCE, options.cpu_limit, gap=1.0)
    without, _ = proved(free, "sdp", TOLERANCE, max(1.0, seconds), gap=1.0)
    objective, bound = float(cells["objective"]), lower_bound_of(without)
    cells["gap_without_sizes"] = f"{(objective - bound) / objective:.2e}"
    add_row(instance, problem, cells, options.out)


def infeasible(conflict: Conflict, seconds: float) -> dict[str, str]:
    """Return the cells of constraints that cannot all be kept."""
    return {
        "objective": "",
        "status": "infeasible",
        "gap": "",
        "verified_gap": conflict.reason,
        "cpu_s": f"{seconds:.1f}",
        "verify_s": "",
        "gap_without_sizes": "",
    }


def add_row(
    instance: tuple[str, str, str, str], problem: Problem, cells: dict[str, str], out: Path
) -> None:
    """Add a row to the table."""
    fields = {**dict(zip(KEY, instance, strict=True)), "n": problem.n, "k": problem.k, **cells}
    append_row(out, fields)
    print(*fields.values(), file=sys.stderr, flush=True)


def lower_bound_of(cells: dict[str, str]) -> float:
    """Return the lower bound of a run from its objective and its gap."""
    return float(cells["objective"]) * (1.0 - float(cells["gap"]))


def write_table(source: Path) -> None:
    lines = [
        "| set | n, k | sizes | links | objective | status | gap | checked gap | CPU seconds "
        "| gap of the bound without sizes |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for row in read_rows(source):
        links = "none" if row["links"] == "none" else f"{row['links']}, file {row['file']}"
        names = ("objective", "status", "gap", "verified_gap", "cpu_s", "gap_without_sizes")
        cells = [row["set"], f"{row['n']}, {row['k']}", row["sizes"], links]
        lines.append("| " + " | ".join([*cells, *(row[name] for name in names)]) + " |")
    source.with_suffix(".md").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
