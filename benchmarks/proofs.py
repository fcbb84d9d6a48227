"""What proofs cost to check: both checkers on published instances of Piccialli et al. 2022.

    python benchmarks/proofs.py [--bench DIR] [--sets iris ...] [--seeds 0 1] [--runs DIR]

Each instance is solved by ``sdp`` and its run checked by `ccviz.proof.verify` and, from its file,
by ``tools/check_proof.py``; seconds are CPU seconds of one thread. With ``--runs`` the run files
stay in a folder, and those that are there are not solved again: their seconds are in its
``solve.csv``. A row is added as each instance ends; ``--table`` only writes the summary. What
altered proofs come to is in ``alterations.py``.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from pathlib import Path

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(name, "1")

import numpy as np  # noqa: E402
from _rows import append_row, read_rows  # noqa: E402

from ccviz import Problem, start  # noqa: E402
from ccviz.events import NodeOpened  # noqa: E402
from ccviz.proof.verify import verify  # noqa: E402
from ccviz.runs.archive import Archive  # noqa: E402
from ccviz.runs.file import export_run, import_run  # noqa: E402
from ccviz.studies.suite import instances  # noqa: E402

sys.path.insert(0, str(Path(__file__).parents[1] / "tools"))
from check_proof import judge  # noqa: E402

RESULTS = Path(__file__).parent / "results"
SHARED = Path(__file__).parents[2] / "shared" / "bench"
BENCH = Path(os.environ.get("CCVIZ_BENCH", SHARED)) / "pc-sos-sdp"
GAP = 1e-4
FIELDS = ("instance", "n", "nodes", "gap", "solve_s", "first", "first_s", "second", "second_s")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bench", type=Path, default=BENCH, help="the folder pc-sos-sdp")
    parser.add_argument("--sets", nargs="*", default=None)
    parser.add_argument("--seeds", nargs="*", default=None)
    parser.add_argument("--runs", type=Path, default=None, help="where run files stay")
    parser.add_argument("--out", type=Path, default=RESULTS / "proofs.csv")
    parser.add_argument("--table", action="store_true", help="only write the summary")
    options = parser.parse_args()
    if not options.table:
        start(Problem(np.random.default_rng(0).normal(size=(40, 2)), 3), "sdp").result()
        done = {row["instance"] for row in read_rows(options.out)}
        with tempfile.TemporaryDirectory() as folder:
            for row in read_rows(options.bench / "published.csv"):
                instance = f"{row['dataset']}/ml_{row['ml']}_cl_{row['cl']}_{row['seed']}"
                asked = options.sets is None or row["dataset"] in options.sets
                asked = asked and (options.seeds is None or row["seed"] in options.seeds)
                if asked and instance not in done:
                    measure(instance, options, options.runs or Path(folder))
    write_table(options.out)


def measure(name: str, options: argparse.Namespace, runs: Path) -> None:
    path = runs / f"{name.replace('/', '__')}.ccviz"
    if not path.exists():
        solve(name, options.bench, path)
    solved = {row["instance"]: row["solve_s"] for row in read_rows(runs / "solve.csv")}
    with tempfile.TemporaryDirectory() as folder, Archive(Path(folder) / "runs") as archive:
        run_id = import_run(archive, path)
        problem = archive.problem(run_id)
        events = [record.event for record in archive.records(run_id)]
    began = time.process_time()
    verdict = verify(problem, events, GAP)
    first = time.process_time()
    proved, sentence = judge(path, GAP)
    second = time.process_time()
    row = {
        "instance": name,
        "n": problem.n,
        "nodes": sum(isinstance(event, NodeOpened) for event in events),
        "gap": f"{verdict.gap:.1e}",
        "solve_s": solved[name],
        "first": "accepted" if verdict.accepted else verdict.sentence,
        "first_s": f"{first - began:.2f}",
        "second": "accepted" if proved else sentence,
        "second_s": f"{second - first:.2f}",
    }
    append_row(options.out, row, FIELDS)
    print(*row.values(), file=sys.stderr, flush=True)


def solve(name: str, bench: Path, path: Path) -> None:
    (instance,) = instances(bench, name)
    problem = instance.problem()
    began = time.process_time()
    records = list(start(problem, "sdp"))
    seconds = time.process_time() - began
    with tempfile.TemporaryDirectory() as folder, Archive(Path(folder) / "runs") as archive:
        run_id = archive.create(problem, "sdp", {})
        archive.append(run_id, records, None)
        export_run(archive, run_id, path)
    append_row(path.parent / "solve.csv", {"instance": name, "solve_s": f"{seconds:.2f}"})


def write_table(source: Path) -> None:
    """Write totals a data set."""
    rows = read_rows(source)
    lines = [
        "# What proofs cost to check",
        "",
        "`sdp` on published instances, gap 1e-4; CPU seconds, one thread. The first checker is",
        "`ccviz verify`, the second `tools/check_proof.py`, which reads the run file as well.",
        "",
        "| data set | instances | first accepts | second accepts | solving s | first s | second s "
        "| first / solving, most | second / solving, most |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    names = list(dict.fromkeys(row["instance"].split("/")[0] for row in rows))
    groups = [(name, [r for r in rows if r["instance"].startswith(f"{name}/")]) for name in names]
    lines += [summary(name, members) for name, members in [*groups, ("**all**", rows)]]
    source.with_suffix(".md").write_text("\n".join(lines) + "\n")


def summary(name: str, rows: list[dict[str, str]]) -> str:
    def total(field: str) -> float:
        return sum(float(row[field]) for row in rows)

    def most(field: str) -> str:
        return f"{max(float(row[field]) / max(float(row['solve_s']), 0.01) for row in rows):.2f}"

    cells = (
        name,
        len(rows),
        sum(row["first"] == "accepted" for row in rows),
        sum(row["second"] == "accepted" for row in rows),
        *(f"{total(field):.1f}" for field in ("solve_s", "first_s", "second_s")),
        *(most(field) for field in ("first_s", "second_s")),
    )
    return "| " + " | ".join(map(str, cells)) + " |"


if __name__ == "__main__":
    main()
