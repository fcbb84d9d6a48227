"""What proofs cost to check: both checkers on published instances of Piccialli et al. 2022.

    python benchmarks/proofs.py [--bench DIR] [--sets iris ...] [--seeds 0 1] [--alterations N]

Each instance is solved by ``sdp``, checked by `ccviz.proof.verify` and, from its run file, by
``tools/check_proof.py``; seconds are CPU seconds of one thread, each checker's beside the solver's
in the same run. With ``--alterations`` so many copies of every proof with one number of a
certificate changed are checked as well: an accepted one must not claim a bound above the clustering
that is known. A row is added as each instance ends; ``--table`` only writes the summary.
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

import msgspec  # noqa: E402
import numpy as np  # noqa: E402
from _rows import append_row, read_rows  # noqa: E402

from ccviz import Problem, start  # noqa: E402
from ccviz.events import Event, NodePruned  # noqa: E402
from ccviz.proof.verify import verify  # noqa: E402
from ccviz.runs.archive import Archive  # noqa: E402
from ccviz.runs.file import export_run  # noqa: E402
from ccviz.studies.suite import instances  # noqa: E402

sys.path.insert(0, str(Path(__file__).parents[1] / "tools"))
from check_proof import judge  # noqa: E402

RESULTS = Path(__file__).parent / "results"
SHARED = Path(__file__).parents[2] / "shared" / "bench"
BENCH = Path(os.environ.get("CCVIZ_BENCH", SHARED)) / "pc-sos-sdp"
GAP = 1e-4
FIELDS = ("instance", "n", "nodes", "gap", "solve_s", "first", "first_s", "second", "second_s",
          "altered", "accepted", "wrong")  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bench", type=Path, default=BENCH, help="the folder pc-sos-sdp")
    parser.add_argument("--sets", nargs="*", default=None)
    parser.add_argument("--seeds", nargs="*", default=None)
    parser.add_argument("--alterations", type=int, default=0)
    parser.add_argument("--out", type=Path, default=RESULTS / "proofs.csv")
    parser.add_argument("--table", action="store_true", help="only write the summary")
    options = parser.parse_args()
    if not options.table:
        start(Problem(np.random.default_rng(0).normal(size=(40, 2)), 3), "sdp").result()
        done = {row["instance"] for row in read_rows(options.out)}
        for row in read_rows(options.bench / "published.csv"):
            instance = f"{row['dataset']}/ml_{row['ml']}_cl_{row['cl']}_{row['seed']}"
            asked = options.sets is None or row["dataset"] in options.sets
            asked = asked and (options.seeds is None or row["seed"] in options.seeds)
            if asked and instance not in done:
                measure(instance, options)
    write_table(options.out)


def measure(name: str, options: argparse.Namespace) -> None:
    (instance,) = instances(options.bench, name)
    problem = instance.problem()
    began = time.process_time()
    stepper = start(problem, "sdp")
    records = list(stepper)
    solved = time.process_time()
    events = [record.event for record in records]
    verdict = verify(problem, events, GAP)
    first = time.process_time()
    with tempfile.TemporaryDirectory() as folder, Archive(Path(folder) / "runs") as archive:
        run_id = archive.create(problem, "sdp", {})
        archive.append(run_id, records, None)
        path = Path(folder) / "run.ccviz"
        export_run(archive, run_id, path)
        written = time.process_time()
        code, sentence = judge(path, GAP, nodes=100_000)
        second = time.process_time()
    accepted, wrong = altered(problem, events, options.alterations)
    row = {
        "instance": name,
        "n": problem.n,
        "nodes": stepper.result().nodes,
        "gap": f"{verdict.gap:.1e}",
        "solve_s": f"{solved - began:.2f}",
        "first": "accepted" if verdict.accepted else verdict.sentence,
        "first_s": f"{first - solved:.2f}",
        "second": "accepted" if code == 0 else sentence,
        "second_s": f"{second - written:.2f}",
        "altered": options.alterations,
        "accepted": accepted,
        "wrong": wrong,
    }
    append_row(options.out, row, FIELDS)
    print(*row.values(), file=sys.stderr, flush=True)


def altered(problem: Problem, events: list[Event], count: int) -> tuple[int, int]:
    """Return how many altered copies are accepted, and how many of these claim what is not so."""
    rng = np.random.default_rng(0)
    known = verify(problem, events, GAP).upper_bound
    leaves = [i for i, event in enumerate(events) if isinstance(event, NodePruned)]
    accepted = wrong = 0
    for _ in range(count):
        at = leaves[rng.integers(len(leaves))]
        changed = [*events[:at], with_one_changed(rng, events[at]), *events[at + 1 :]]
        verdict = verify(problem, changed, GAP)
        accepted += verdict.accepted
        wrong += verdict.accepted and verdict.lower_bound > known
    return accepted, wrong


def with_one_changed(rng: np.random.Generator, leaf: Event) -> Event:
    """Return a leaf with one number of its certificate changed, and its bound as if it were so."""
    assert isinstance(leaf, NodePruned)
    names = [name for name, array in leaf.certificate.items() if array.size]
    if not names:
        return msgspec.structs.replace(leaf, lower_bound=leaf.lower_bound * 1.01)
    name = names[rng.integers(len(names))]
    array = leaf.certificate[name].copy()
    at = tuple(rng.integers(side) for side in array.shape)
    array[at] = array[at] * rng.choice([-1, 0, 2]) + rng.choice([0, 1])
    return msgspec.structs.replace(
        leaf,
        lower_bound=leaf.lower_bound * rng.choice([1.0, 1.0001, 1.01]),
        certificate={**leaf.certificate, name: array},
    )


def write_table(source: Path) -> None:
    """Write totals a data set."""
    rows = read_rows(source)
    lines = [
        "# What proofs cost to check",
        "",
        "`sdp` on published instances, gap 1e-4; CPU seconds, one thread, all in one run. The",
        "first checker is `ccviz verify`, the second `tools/check_proof.py`. Altered: copies with",
        "one number of a certificate changed; wrong: accepted with a bound above the known",
        "clustering.",
        "",
        "| data set | instances | first accepts | second accepts | solving s | first s | second s "
        "| first / solving, most | altered | accepted | wrong |",
        "|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    names = list(dict.fromkeys(row["instance"].split("/")[0] for row in rows))
    groups = [(name, [r for r in rows if r["instance"].startswith(f"{name}/")]) for name in names]
    lines += [summary(name, members) for name, members in [*groups, ("**all**", rows)]]
    source.with_suffix(".md").write_text("\n".join(lines) + "\n")


def summary(name: str, rows: list[dict[str, str]]) -> str:
    def total(field: str) -> float:
        return sum(float(row[field]) for row in rows)

    ratio = max(float(row["first_s"]) / max(float(row["solve_s"]), 0.01) for row in rows)
    cells = (
        name,
        len(rows),
        sum(row["first"] == "accepted" for row in rows),
        sum(row["second"] == "accepted" for row in rows),
        *(f"{total(field):.1f}" for field in ("solve_s", "first_s", "second_s")),
        f"{ratio:.2f}",
        *(f"{total(field):.0f}" for field in ("altered", "accepted", "wrong")),
    )
    return "| " + " | ".join(map(str, cells)) + " |"


if __name__ == "__main__":
    main()
