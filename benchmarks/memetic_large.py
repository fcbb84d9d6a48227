"""S-MDEClust beside restarts of BLP k-means and COP-k-means, on equal CPU time.

    python benchmarks/memetic_large.py [--bench DIR] [--only n500 n1000_k20 ...] [--seeds 0 1 2]

The 2-D instances with up to 10,000 links. Each method has 1 s of CPU time and 1 s more for every
10,000 points, and works on until they are over: populations follow each other, and so do restarts
from random points. An assignment of the methods that make them exactly ends after half a second
with its best. What a method needs to its next look at the clock it takes beyond; the table says how
much it used. Methods by name:

- ``default``: our s-mdeclust as it is.
- ``SG``: the authors' variant without mutation, as they run it (`ccviz.solvers.s_mdeclust`).
- ``BLP``, ``COP``: restarts of BLP k-means and COP-k-means.

The paper's own comparison, by the number of solutions processed, is in `papers_memetic.py`. A row
is added as each run ends; a benchmark that was stopped goes on where it was.
"""

from __future__ import annotations

import argparse
import math
import re
import time
from pathlib import Path

import numpy as np
from _cpu_clock import count_cpu_seconds
from _memetic import BENCH, RESULTS, warm_up
from _profiles import draw
from _rows import append_row, done_keys, read_rows

from ccviz import Problem
from ccviz.data.files import read_data
from ccviz.data.link_files import read_links_file
from ccviz.events import Restarted
from ccviz.problem.partition import Partition
from ccviz.runs.stepper import Stepper
from ccviz.runs.stop import Termination
from ccviz.solvers.base import Solver
from ccviz.solvers.blp_kmeans import BlpKMeans
from ccviz.solvers.cop_kmeans import CopKMeans
from ccviz.solvers.s_mdeclust import SMdeClust

MANY, STEP_LIMIT_S, SAME = 10**6, 0.5, 1e-9
AS_RUN = {
    "local_search": "blp-kmeans",
    "mutation": "off",
    "assignment": "greedy",
    "replacement": "at once",
    "offspring": "centres",
}
METHODS: dict[str, Solver] = {
    "default": SMdeClust(restarts=MANY),
    "SG": SMdeClust(**AS_RUN, restarts=MANY, step_limit=STEP_LIMIT_S),
    "BLP": BlpKMeans(MANY, 300, "random", STEP_LIMIT_S),
    "COP": CopKMeans(MANY, 300, "random"),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bench", type=Path, default=BENCH / "s-mdeclust")
    parser.add_argument("--only", nargs="*", default=[""], help="beginnings of instance names")
    parser.add_argument("--seeds", nargs="*", type=int, default=[0, 1, 2])
    parser.add_argument("--out", type=Path, default=RESULTS / "memetic_large.csv")
    count_cpu_seconds()
    options = parser.parse_args()
    for solver in (SMdeClust(), SMdeClust(**AS_RUN), BlpKMeans(), CopKMeans()):
        warm_up(solver)
    done = done_keys(options.out, ("instance", "method", "seed"))
    for path in in_order(options.bench):
        if not path.stem.startswith(tuple(options.only)):
            continue
        problem = read(path)
        for seed in options.seeds:
            for name, solver in METHODS.items():
                if (path.stem, name, str(seed)) not in done:
                    row = {"instance": path.stem, "method": name, "seed": seed}
                    append_row(options.out, row | measure(problem, solver, seed))
    rows = read_rows(options.out)
    options.out.with_suffix(".md").write_text(table(rows) + "\n", encoding="utf-8")
    print(table(rows))
    draw_profiles(rows, options.out.with_suffix(".png"))


def in_order(folder: Path) -> list[Path]:
    """Return the link files, small instances first."""
    return sorted(folder.glob("*.json"), key=lambda path: numbers(path.stem))


def numbers(name: str) -> tuple[int, ...]:
    """Return n, k and the number of links of an instance."""
    return tuple(int(number) for number in re.findall(r"\d+", name))


def read(path: Path) -> Problem:
    n, k, _ = numbers(path.stem)
    data = read_data(path.with_name(f"n{n}_k{k}.csv"))
    given = read_links_file(path, n)
    return Problem(data.X[:, :2], k, given.must_link, given.cannot_link)  # type: ignore[arg-type]


def measure(problem: Problem, solver: Solver, seed: int) -> dict[str, object]:
    """Run a solver until its CPU time is over."""
    began, limit = time.process_time(), 1.0 + problem.n / 10_000

    def over(*_: object) -> Termination | None:
        return "time_limit" if time.process_time() - began > limit else None

    stepper = Stepper(problem, solver, seed, criteria=[over])
    begun = sum(isinstance(record.event, Restarted) for record in stepper)
    found = stepper.result().partition
    return {
        "objective": f"{found.wcss if found else math.inf:.9g}",
        "cpu_s": f"{time.process_time() - began:.2f}",
        "begun": begun,
        "broken": broken(found),
    }


def broken(found: Partition | None) -> int:
    return found.violations.hard if found else 0


def table(rows: list[dict[str, str]]) -> str:
    names = list(METHODS)
    lines = [
        "Median objective of the seeds, and the CPU seconds used at most; inf where a seed found",
        "no clustering. In bold what is within 1e-9 of the best.",
        "",
        "| instance | seeds | " + " | ".join(f"{name} | s" for name in names) + " |",
        "|---|---|" + "---|---|" * len(names),
    ]
    grouped = medians(rows)
    for instance, cells in grouped.items():
        best = min(value for value, _, _ in cells.values())
        shown = [
            f"{mark(value, best)} | {seconds:.1f}"
            for value, seconds, _ in (cells[name] for name in names)
        ]
        seeds = cells[names[0]][2]
        lines.append(f"| {instance} | {seeds} | " + " | ".join(shown) + " |")
    return "\n".join([*lines, "", summary(rows, grouped)])


def mark(value: float, best: float) -> str:
    text = f"{value:.6g}"
    return f"**{text}**" if value <= best * (1 + SAME) else text


def medians(
    rows: list[dict[str, str]],
) -> dict[str, dict[str, tuple[float, float, int]]]:
    """Return median objective, most seconds and number of seeds by instance and method."""
    found: dict[str, dict[str, tuple[float, float, int]]] = {}
    for instance in sorted({row["instance"] for row in rows}, key=numbers):
        own = [row for row in rows if row["instance"] == instance]
        found[instance] = {
            name: (
                float(np.median([float(row["objective"]) for row in of])),
                max(float(row["cpu_s"]) for row in of),
                len(of),
            )
            for name in METHODS
            if (of := [row for row in own if row["method"] == name])
        }
    return {name: cells for name, cells in found.items() if len(cells) == len(METHODS)}


def summary(
    rows: list[dict[str, str]], grouped: dict[str, dict[str, tuple[float, float, int]]]
) -> str:
    first = {
        name: sum(
            cells[name][0] <= min(v for v, _, _ in cells.values()) * (1 + SAME)
            for cells in grouped.values()
        )
        for name in METHODS
    }
    places = ", ".join(f"{name} {count}" for name, count in first.items())
    none = {
        name: sum(row["method"] == name and row["objective"] == "inf" for row in rows)
        for name in METHODS
    }
    without = ", ".join(f"{name} {count}" for name, count in none.items())
    return (
        f"Best median of {len(grouped)} instances: {places}. Runs without any clustering: "
        f"{without}. {sum(int(row['broken']) for row in rows)} hard links broken."
    )


def draw_profiles(rows: list[dict[str, str]], target: Path) -> None:
    grouped = medians(rows)
    values = {name: np.array([cells[name][0] for cells in grouped.values()]) for name in METHODS}
    draw([("Objective, equal CPU time", values, 1.5)], target)


if __name__ == "__main__":
    main()
