"""The exact solver on the published instances of Piccialli et al. 2022, with their seconds beside.

    python benchmarks/sdp_published.py [--bench DIR] [--sets iris wine ...] [--seeds 0 1 2]

All instances, unless some sets and seeds are named; one thread. The seconds are CPU seconds, so
that what else the machine does counts little. A row is added as each instance ends; a run that was
stopped goes on where it was. Every proof is checked by `ccviz.proof.verify` after the clock has
stopped. `--table` only writes the summary.
"""

from __future__ import annotations

import argparse
import os
import resource
import sys
import time
from pathlib import Path
from typing import Any

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(name, "1")

import numpy as np  # noqa: E402
from _rows import append_row, read_rows  # noqa: E402

from ccviz import Problem, start  # noqa: E402
from ccviz.events import Event, NodeBounded, NodeBranched, NodePruned  # noqa: E402
from ccviz.proof.verify import verify  # noqa: E402
from ccviz.studies.suite import instances  # noqa: E402

SMALL = ("iris", "wine", "seeds", "connectionist", "glass", "heart")
LARGE = ("vertebral", "accent", "ecoli", "ECG5000", "computers")
RESULTS = Path(__file__).parent / "results"
SHARED = Path(__file__).parents[2] / "shared" / "bench"
BENCH = Path(os.environ.get("CCVIZ_BENCH", SHARED)) / "pc-sos-sdp"
FIELDS = (
    "dataset",
    "k",
    "ml",
    "cl",
    "seed",
    "n_blocks",
    "status",
    "objective",
    "lower_bound",
    "gap",
    "root_gap",
    "root_time_s",
    "nodes",
    "time_s",
    "cpu_s",
    "verified",
    "verify_s",
    "peak_mib",
    "published_f",
    "published_root_gap_pct",
    "published_nodes",
    "published_time_s",
    "speedup",
    "f_difference",
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bench", type=Path, default=BENCH, help="the folder pc-sos-sdp")
    parser.add_argument("--sets", nargs="*", default=[*SMALL, *LARGE])
    parser.add_argument("--seeds", nargs="*", type=int, default=None)
    parser.add_argument("--workers", default="1")
    parser.add_argument("--time-limit", type=float, default=1800.0)
    parser.add_argument("--out", type=Path, default=RESULTS / "sdp_published.csv")
    parser.add_argument("--table", action="store_true", help="only write the summary")
    options = parser.parse_args()
    if not options.table:
        warm_up(options.workers)
        for row in wanted(options):
            measure(row, options)
    write_table(options.out, options.out.with_suffix(".md"))


def wanted(options: argparse.Namespace) -> list[dict[str, str]]:
    """Return the instances asked for that have no row yet."""
    done = {key(row) for row in read_rows(options.out)}
    rows = read_rows(options.bench / "published.csv")
    return [
        row
        for row in rows
        if row["dataset"] in options.sets and key(row) not in done and is_asked(row, options.seeds)
    ]


def is_asked(row: dict[str, str], seeds: list[int] | None) -> bool:
    return seeds is None or int(row["seed"]) in seeds


def key(row: dict[str, str]) -> tuple[str, int, int, int]:
    return row["dataset"], int(row["ml"]), int(row["cl"]), int(row["seed"])


def warm_up(workers: str) -> None:
    """Load compiled code once, as a long-lived process has it."""
    points = np.random.default_rng(0).normal(size=(40, 2))
    start(Problem(points, 3, cannot_link=[(0, 1)]), "sdp", workers=workers).result()


def measure(row: dict[str, str], options: argparse.Namespace) -> None:
    dataset, ml, cl, seed = key(row)
    (instance,) = instances(options.bench, f"{dataset}/ml_{ml}_cl_{cl}_{seed}")
    problem = instance.problem()
    began = cpu_seconds()
    stepper = start(problem, "sdp", workers=options.workers, time_limit=options.time_limit)
    records = list(stepper)
    result = stepper.result()
    cpu_s = cpu_seconds() - began
    checked = time.perf_counter()
    verdict = verify(problem, [record.event for record in records])
    verify_s = time.perf_counter() - checked
    root_gap, root_time = root_of(records, result.objective)
    published = float(row["time_s"])
    fields: dict[str, Any] = {
        **{name: row[name] for name in ("dataset", "k", "ml", "cl", "seed")},
        "n_blocks": result.n_blocks,
        "status": result.status,
        "objective": f"{result.objective:.9g}",
        "lower_bound": f"{result.lower_bound:.9g}",
        "gap": f"{result.gap:.2e}",
        "root_gap": f"{root_gap:.2e}",
        "root_time_s": f"{root_time:.2f}",
        "nodes": result.nodes,
        "time_s": f"{result.time_s:.2f}",
        "cpu_s": f"{cpu_s:.2f}",
        "verified": verdict.accepted,
        "verify_s": f"{verify_s:.2f}",
        "peak_mib": f"{peak_mib():.0f}",
        "published_f": row["f"],
        "published_root_gap_pct": row["gap0_pct"],
        "published_nodes": row["nodes"],
        "published_time_s": row["time_s"],
        "speedup": f"{published / cpu_s:.1f}",
        "f_difference": f"{result.objective / float(row['f']) - 1.0:+.1e}",
    }
    append_row(options.out, fields, FIELDS)
    print(*(fields[name] for name in FIELDS), file=sys.stderr, flush=True)
    if not verdict.accepted:
        print(f"  {verdict.sentence}", file=sys.stderr, flush=True)


def root_of(records: list[Any], objective: float) -> tuple[float, float]:
    """Return the root's gap to the final objective and the time it took."""
    bound, ended = 0.0, 0.0
    for record in records:
        event: Event = record.event
        if isinstance(event, NodeBounded | NodePruned | NodeBranched) and event.node == 0:
            bound, ended = max(bound, event.lower_bound), record.time_s
    return max(0.0, 1.0 - bound / objective), ended


def cpu_seconds() -> float:
    """CPU seconds of this process and of its children that have ended."""
    return sum(os.times()[:4])


def peak_mib() -> float:
    """Most memory so far: this process, plus the largest of its children for each of two."""
    own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    child = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    return (own + 2 * child) / 1024


def write_table(source: Path, target: Path) -> None:
    """Write totals a data set and the rows that miss a target."""
    rows = read_rows(source)
    lines = [
        "| data set | instances | proved | verified | nodes | published nodes "
        "| CPU seconds, one core | published seconds, 16 cores | faster |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    groups = [(name, [row for row in rows if row["dataset"] == name]) for name in SMALL + LARGE]
    small = [row for row in rows if row["dataset"] in SMALL]
    large = [row for row in rows if row["dataset"] in LARGE]
    groups += [("**six small sets**", small), ("**five larger sets**", large), ("**all**", rows)]
    lines += [summary(name, members) for name, members in groups if members]
    lines += ["", *doubts(rows)]
    target.write_text("\n".join(lines) + "\n")


def summary(name: str, rows: list[dict[str, str]]) -> str:
    seconds = sum(float(row["cpu_s"]) for row in rows)
    published = sum(float(row["published_time_s"]) for row in rows)
    cells = (
        name,
        len(rows),
        sum(row["status"] == "optimal" for row in rows),
        sum(row["verified"] == "True" for row in rows),
        sum(int(row["nodes"]) for row in rows),
        sum(int(row["published_nodes"]) for row in rows),
        f"{seconds:.1f}",
        f"{published:.0f}",
        f"{published / seconds:.0f}x",
    )
    return "| " + " | ".join(map(str, cells)) + " |"


def doubts(rows: list[dict[str, str]]) -> list[str]:
    """Lines on instances whose objective differs from the published f, or that are not proved."""
    lines = ["The link files of vertebral are not those behind its published f.", ""]
    for row in rows:
        label = f"{row['dataset']} {row['ml']}/{row['cl']} seed {row['seed']}"
        if row["status"] != "optimal" or row["verified"] != "True":
            lines.append(f"- {label}: {row['status']}, gap {row['gap']}.")
        difference = float(row["f_difference"])
        if not -1e-4 <= difference <= 1e-5:
            lines.append(f"- {label}: objective differs from the published f by {difference:+.1e}.")
    return lines


if __name__ == "__main__":
    main()
