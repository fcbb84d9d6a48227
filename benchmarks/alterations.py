"""Altered proofs, and whether a checker accepts what is not so.

    python benchmarks/alterations.py [--each N] [--proofs NAME ...]

Twenty proofs of ``sdp``, ``colgen`` and ``divide``, each altered in ``N`` ways: one event left
out, there twice, or changed in a field, in a number of an array, in all of one, in its shape or its
type. Both checkers look at each. What is accepted is wrong if it claims a bound above the known
clustering, or that there is none; most of what is accepted was changed where it does no harm. A
row is added as each proof ends; ``--table`` only writes the summary.
"""

from __future__ import annotations

import argparse
import math
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(name, "1")

import numpy as np  # noqa: E402
from _alterations import altered  # noqa: E402
from _rows import append_row, read_rows  # noqa: E402

from ccviz import Problem, start  # noqa: E402
from ccviz.events import Event, IncumbentFound  # noqa: E402
from ccviz.problem.partition import Partition  # noqa: E402
from ccviz.proof.verify import verify  # noqa: E402
from ccviz.runs.codec import encode_event, encode_problem  # noqa: E402
from ccviz.runs.file import write_frames  # noqa: E402

sys.path.insert(0, str(Path(__file__).parents[1] / "tools"))
from check_proof import judge  # noqa: E402

RESULTS = Path(__file__).parent / "results"
FIELDS = ("proof", "solver", "n", "k", "events", "altered", "first", "second", "wrong", "cpu_s")
SEEDS = {"sdp": 8, "colgen": 8, "divide": 4}
GAPS = {"sdp": 1e-4, "colgen": 1e-4, "divide": 5e-3}


@dataclass(frozen=True)
class Proof:
    """A finished run, and the gap within which it is one."""

    name: str
    solver: str
    problem: Problem
    events: list[Event]
    gap: float


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--each", type=int, default=500, help="alterations of each proof")
    parser.add_argument("--proofs", nargs="*", default=None)
    parser.add_argument("--out", type=Path, default=RESULTS / "alterations.csv")
    parser.add_argument("--table", action="store_true", help="only write the summary")
    options = parser.parse_args()
    if not options.table:
        done = {row["proof"] for row in read_rows(options.out)}
        wanted = options.proofs or [name for name, *_ in cases()]
        for name, solver, problem in cases():
            if name in wanted and name not in done:
                append_row(options.out, measure(name, solver, problem, options.each), FIELDS)
    write_table(options.out)


def cases() -> Iterator[tuple[str, str, Problem]]:
    """Yield seeded problems: some of them branch, some have few links, some many."""
    for solver, count in SEEDS.items():
        for seed in range(count):
            rng = np.random.default_rng(seed)
            n = 150 if solver == "divide" else int(rng.integers(16, 32))
            classes = rng.integers(3, size=n)
            spread = 6.0 if solver == "divide" else float(rng.choice([0.0, 1.0, 3.0]))
            X = spread * np.eye(3)[classes] + rng.normal(size=(n, 3))
            pairs = rng.integers(n, size=(int(rng.integers(2, 24)), 2))
            pairs = pairs[pairs[:, 0] != pairs[:, 1]]
            same = classes[pairs[:, 0]] == classes[pairs[:, 1]]
            links = {"must_link": pairs[same], "cannot_link": pairs[~same]}
            k = 3 if solver == "divide" else 3 + seed % 2  # what divide can close
            yield f"{solver} {seed}", solver, Problem(X, k, **links)


def measure(name: str, solver: str, problem: Problem, count: int) -> dict[str, Any]:
    settings = {"part_size": 50} if solver == "divide" else {}
    events = [record.event for record in start(problem, solver, **settings)]
    proof = Proof(name, solver, problem, events, GAPS[solver])
    began = time.process_time()
    known = known_cost(proof, events)
    honest = accepted(proof, events)
    if not all(costs is not None for costs in honest):
        raise SystemExit(f"{name}: the proof itself is not accepted by both: {honest}")
    rng = np.random.default_rng(0)
    bounds = [accepted(proof, altered(rng, events)) for _ in range(count)]
    row = {
        "proof": name,
        "solver": solver,
        "n": problem.n,
        "k": problem.k,
        "events": len(events),
        "altered": count,
        "first": sum(first is not None for first, _ in bounds),
        "second": sum(second is not None for _, second in bounds),
        "wrong": sum(b is not None and b > known for pair in bounds for b in pair),
        "cpu_s": f"{time.process_time() - began:.1f}",
    }
    print(*row.values(), file=sys.stderr, flush=True)
    return row


def known_cost(proof: Proof, events: list[Event]) -> float:
    """Return what the best of a run's clusterings costs, inf without any that keeps the links."""
    costs = [math.inf]
    for event in events:
        if isinstance(event, IncumbentFound):
            try:
                partition = Partition(proof.problem, event.labels)
            except (ValueError, IndexError, TypeError):
                continue
            if partition.violations.none_hard:
                costs.append(partition.wcss)
    return min(costs)


def accepted(proof: Proof, events: list[Event]) -> tuple[float | None, float | None]:
    """Return the bounds that the checkers accept, inf if there is to be no clustering at all."""
    verdict = verify(proof.problem, events, proof.gap, work=0.2)
    first = None
    if verdict.accepted:
        first = math.inf if verdict.sentence == "proved infeasible" else verdict.lower_bound
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "run.ccviz"
        write_run(path, proof.problem, events)
        proved, sentence = judge(path, proof.gap)
    if not proved:
        return first, None
    # It says within what gap of the optimum the best clustering of the run is.
    gap = float(sentence.split()[-1]) if sentence != "proved infeasible" else -math.inf
    return first, known_cost(proof, events) * (1.0 - 1.06 * gap - 1e-12)


def write_run(path: Path, problem: Problem, events: list[Event]) -> None:
    frames: list[Any] = [{"problem": encode_problem(problem)}]
    frames += [[i, 0.0, encode_event(event)] for i, event in enumerate(events)]
    with path.open("wb") as file:
        write_frames(file, frames)


def write_table(source: Path) -> None:
    rows = read_rows(source)
    lines = [
        "# Altered proofs",
        "",
        "Copies of proofs, each with one event left out, there twice or changed. The first checker",
        "is `ccviz verify`, the second `tools/check_proof.py`. *Accepted* are alterations that do",
        "no harm; *wrong* are those that claim a bound above the known clustering.",
        "",
        "| solver | proofs | altered | the first accepts | the second accepts | wrong |",
        "|---|---|---|---|---|---|",
    ]
    for solver in [*SEEDS, ""]:
        members = [row for row in rows if solver in ("", row["solver"])]
        sums = [sum(int(row[name]) for row in members) for name in FIELDS[5:9]]
        cells = [solver or "**all**", len(members), *(f"{each:,}" for each in sums)]
        lines.append("| " + " | ".join(map(str, cells)) + " |")
    source.with_suffix(".md").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
