"""S-MDEClust beside restarts of BLP k-means and COP-k-means on the 2-D instances with many links.

    python benchmarks/memetic_large.py [--bench DIR] [--only n500 n1000_k20 ...] [--cpu 60]

The paper's comparison (section 4.2): P = 10, at most ten generations and 25 iterations a restart,
against 100 restarts from random points. A generation of ours is begun only if it should fit into
fewer iterations than the restarts of BLP k-means took; an iteration of ours is an assignment step
or a pass over the blocks by any of the three neighbourhoods.

Each method has so many CPU seconds an instance. Where BLP k-means could not end its 100 restarts
in them, its objective is that of the restarts it did end, and its iterations are those scaled up
(25 a restart if it ended none). A row is added as each instance ends; a benchmark that was stopped
goes on where it was. To give an instance more time, delete its row.
"""

from __future__ import annotations

import argparse
import re
import resource
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from _memetic import BENCH, RESULTS, warm_up
from _profiles import draw
from _rows import append_row, read_rows

from ccviz import Problem, start
from ccviz.data.files import read_data
from ccviz.data.link_files import read_links_file
from ccviz.events import Assigned, DeadEnded, GenerationEnded, Restarted
from ccviz.runs.stepper import Stepper
from ccviz.solvers.blp_kmeans import BlpKMeans
from ccviz.solvers.cop_kmeans import CopKMeans
from ccviz.solvers.s_mdeclust import SMdeClust

RESTARTS, ITERATIONS = 100, 25
MEMETIC = SMdeClust(population=10, generations=10, restarts=0)
STEP_LIMIT_S = 5.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bench", type=Path, default=BENCH / "s-mdeclust")
    parser.add_argument("--only", nargs="*", default=[""], help="beginnings of instance names")
    parser.add_argument("--cpu", type=float, default=60.0, help="seconds a method and instance")
    parser.add_argument("--out", type=Path, default=RESULTS / "memetic_large.csv")
    options = parser.parse_args()
    for solver in (MEMETIC, BlpKMeans(), CopKMeans()):
        warm_up(solver)
    done = {row["instance"] for row in read_rows(options.out)}
    for path in in_order(options.bench):
        if path.stem not in done and path.stem.startswith(tuple(options.only)):
            append_row(options.out, row_of(path, options.cpu))
    rows = read_rows(options.out)
    options.out.with_suffix(".md").write_text(table(rows) + "\n")
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


def row_of(path: Path, cpu: float) -> dict[str, object]:
    problem = read(path)
    blp = restarts(problem, BlpKMeans(RESTARTS, ITERATIONS, "random", STEP_LIMIT_S), cpu)
    ours = evolve(problem, scaled(blp["iterations"], blp["restarts"]), cpu)
    cop = restarts(problem, CopKMeans(RESTARTS, ITERATIONS, "random"), cpu)
    row: dict[str, object] = {"instance": path.stem}
    for name, found in (("ours", ours), ("blp", blp), ("cop", cop)):
        row |= {f"{name}_{key}": f"{value:.9g}" for key, value in found.items()}
    row["peak_mib"] = f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f}"
    return row


def restarts(problem: Problem, solver: BlpKMeans | CopKMeans, cpu: float) -> dict[str, float]:
    """Run restarts until they or the time are over; count those that ended."""
    began, begun, iterations, dead, stepper = time.process_time(), 0, 0, 0, start(problem, solver)
    ended = (0, 0)
    for event in events(stepper):
        if isinstance(event, Restarted):
            ended, begun = (begun, iterations), begun + 1
        iterations += isinstance(event, Assigned)
        dead += isinstance(event, DeadEnded)
        if time.process_time() - began > cpu:
            stepper.stop()
    if stepper.run.termination != "interrupted":
        ended = (begun, iterations)
    return {
        "objective": stepper.run.objective,
        "time_s": time.process_time() - began,
        "iterations": ended[1],
        "restarts": ended[0],
        "dead_ends": dead,
    }


def evolve(problem: Problem, budget: float, cpu: float) -> dict[str, float]:
    """Run generations as long as the next should fit into the iterations given."""
    began, before, last, stepper = time.process_time(), 0, None, start(problem, MEMETIC)
    for event in events(stepper):
        if isinstance(event, GenerationEnded):
            last, took, before = event, event.iterations - before, event.iterations
            over = time.process_time() - began > cpu
            if over or last.iterations + 1.1 * took >= budget:
                stepper.stop()
    assert last is not None
    return {
        "objective": stepper.run.objective,
        "time_s": time.process_time() - began,
        "iterations": last.iterations,
        "local_searches": last.local_searches,
        "hard_violations": stepper.result().partition.violations.hard,  # type: ignore[union-attr]
    }


def events(stepper: Stepper) -> Iterator[object]:
    for record in stepper:
        yield record.event


def table(rows: list[dict[str, str]]) -> str:
    rows = sorted(rows, key=lambda row: numbers(row["instance"]))
    header = (
        "instance",
        "ours: objective",
        "iterations",
        "local searches",
        "CPU s",
        "BLP k-means: objective",
        "iterations of 100 restarts",
        "restarts ended",
        "CPU s of those",
        "COP-k-means: objective",
    )
    lines = [" | ".join(header), " | ".join("---" for _ in header)]
    lines += [" | ".join(line(row)) for row in rows]
    return "\n".join([*(f"| {each} |" for each in lines), "", summary(rows)])


def line(row: dict[str, str]) -> list[str]:
    value = {key: float(number) for key, number in row.items() if key != "instance"}
    return [
        row["instance"],
        f"{value['ours_objective']:.6g}",
        f"{value['ours_iterations']:.0f}",
        f"{value['ours_local_searches']:.0f}",
        f"{value['ours_time_s']:.2f}",
        f"{value['blp_objective']:.6g}",
        f"{all_iterations(row, 'blp'):.0f}",
        f"{value['blp_restarts']:.0f}",
        f"{value['blp_time_s']:.1f}",
        f"{value['cop_objective']:.6g}",
    ]


def summary(rows: list[dict[str, str]]) -> str:
    better = fewer = broken = 0
    for row in rows:
        better += float(row["ours_objective"]) <= float(row["blp_objective"]) * (1 + 1e-9)
        fewer += float(row["ours_iterations"]) < all_iterations(row, "blp")
        broken += int(float(row["ours_hard_violations"]))
    most = max((float(row["peak_mib"]) for row in rows), default=0.0)
    return (
        f"Objective at most that of BLP k-means on {better} of {len(rows)} instances, fewer "
        f"iterations on {fewer}; {broken} hard links broken; at most {most:.0f} MiB of memory."
    )


def all_iterations(row: dict[str, str], method: str) -> float:
    return scaled(float(row[f"{method}_iterations"]), float(row[f"{method}_restarts"]))


def scaled(iterations: float, ended: float) -> float:
    """Return the iterations of 100 restarts, from those of the restarts that ended."""
    return RESTARTS * (iterations / ended if ended else ITERATIONS)


def draw_profiles(rows: list[dict[str, str]], target: Path) -> None:
    names = {"S-MDEClust": "ours", "BLP k-means": "blp", "COP-k-means": "cop"}

    def values(column: str) -> dict[str, np.ndarray]:
        return {
            title: np.array([float(row[f"{name}_{column}"]) for row in rows])
            for title, name in names.items()
        }

    iterations = values("iterations")
    for title, name in names.items():
        if name != "ours":
            iterations[title] = np.array([all_iterations(row, name) for row in rows])
    # Restarts that all ended dead are no answer, however few their iterations.
    iterations["COP-k-means"][np.isinf(values("objective")["COP-k-means"])] = np.inf
    draw([("Objective", values("objective"), 1.5), ("Iterations", iterations, 30.0)], target)


if __name__ == "__main__":
    main()
