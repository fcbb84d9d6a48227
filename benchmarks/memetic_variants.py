"""The four variants of S-MDEClust, and what each of our additions brings.

    python benchmarks/memetic_variants.py [--bench DIR] [--links 0 1 2] [--seeds 0]
        [--study variants|additions] [--variants SG ...]

``variants``: the paper's S, SM, SG and SMG as the authors run them, beside our default, on link
files of iris, accent and ECG5000. Performance profiles in objective, time, local searches and their
iterations (the paper's Figure 2). Where nothing mutates, the authors' code never assigns greedily,
so that its S and SG are one algorithm; ``SG, greedy means`` is the paper's text, where the local
search starts from the greedy membership.

``additions``: from the authors' SMG to our default, one step at a time, on the three data sets on
which a population misses the optimum most often. Mutation with probability 1 / g in generation g is
the authors', not an addition.

A row is added as each run ends; a benchmark that was stopped goes on where it was.
"""

from __future__ import annotations

import argparse
import statistics
from pathlib import Path

import numpy as np
from _cpu_clock import count_cpu_seconds
from _memetic import BENCH, RESULTS, measure, warm_up
from _profiles import draw
from _rows import append_row, done_keys, read_rows

from ccviz.solvers.s_mdeclust import SMdeClust
from ccviz.studies.suite import Instance, instances

HIT = 1e-5

AS_RUN = {
    "local_search": "blp-kmeans",
    "restarts": 0,
    "replacement": "at once",
    "offspring": "centres",
}
SMG = {"mutation": "fading", "assignment": "greedy"}

STUDIES = {
    "variants": (
        ("iris", "accent", "ECG5000"),
        {
            "S": {**AS_RUN, "mutation": "off", "assignment": "exact"},
            "SM": {**AS_RUN, "mutation": "fading", "assignment": "exact"},
            "SG": {**AS_RUN, "mutation": "off", "assignment": "greedy"},
            "SMG": {**AS_RUN, **SMG},
            "SG, greedy means": {
                **AS_RUN,
                "mutation": "off",
                "assignment": "greedy",
                "offspring": "means",
            },
            "default": {},
        },
    ),
    "additions": (
        ("glass", "accent", "ecoli"),
        {
            "authors' SG": {**AS_RUN, "mutation": "off", "assignment": "greedy"},
            "authors' SMG": {**AS_RUN, **SMG},
            "+ greedy means": {**AS_RUN, "offspring": "means"},
            "+ bred together": {"local_search": "blp-kmeans", "restarts": 0},
            "relocations for BLP k-means": {"local_search": "relocations", "restarts": 0},
            "+ ejections": {"local_search": "ejections", "restarts": 0},
            "+ chains": {"restarts": 0},
            "+ two restarts (default)": {},
            "default, exact assignment": {"assignment": "exact"},
            "default, mutation always": {"mutation": "always"},
            "default, mutation off": {"mutation": "off"},
        },
    ),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bench", type=Path, default=BENCH / "pc-sos-sdp")
    parser.add_argument("--seeds", nargs="*", type=int, default=[0])
    parser.add_argument(
        "--links", nargs="*", type=int, default=[0, 1, 2], help="seeds of the files"
    )
    parser.add_argument("--study", choices=tuple(STUDIES), nargs="*", default=list(STUDIES))
    parser.add_argument("--variants", nargs="*", default=None, help="only these")
    parser.add_argument("--out", type=Path, default=RESULTS)
    count_cpu_seconds()
    options = parser.parse_args()
    for study in options.study:
        path = options.out / f"memetic_{study}.csv"
        run_all(study, path, options)
        rows = read_rows(path)
        text = table(rows) + "\n"
        path.with_suffix(".md").write_text(text)
        print(text)
        if study == "variants":
            draw_profiles(rows, path.with_suffix(".png"))


def run_all(study: str, path: Path, options: argparse.Namespace) -> None:
    sets, variants = STUDIES[study]
    done = done_keys(path, ("variant", "instance", "seed"))
    chosen = [
        each
        for each in instances(options.bench)
        if each.dataset in sets and each.seed in options.links
    ]
    for seed in options.seeds:
        for name, settings in variants.items():
            if options.variants is not None and name not in options.variants:
                continue
            solver = SMdeClust(**settings)
            warm_up(solver)
            for instance in chosen:
                if (name, instance.name, str(seed)) not in done:
                    append_row(path, row_of(name, solver, instance, seed))


def row_of(name: str, solver: SMdeClust, instance: Instance, seed: int) -> dict[str, object]:
    run = measure(instance.problem(), solver, seed)
    return {
        "variant": name,
        "instance": instance.name,
        "seed": seed,
        "objective": f"{run.objective:.9g}",
        "gap": f"{run.objective / instance.published_f - 1.0:.2e}",
        "feasible": run.feasible,
        "time_s": f"{run.time_s:.3f}",
        "best_s": f"{run.best_s:.3f}",
        "local_searches": run.local_searches,
        "iterations": run.iterations,
    }


def table(rows: list[dict[str, str]]) -> str:
    lines = [
        "| variant | runs | optimum reached | mean gap | largest gap | CPU s, mean "
        "| local searches, mean | their iterations, mean |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for name in dict.fromkeys(row["variant"] for row in rows):
        own = [row for row in rows if row["variant"] == name]
        gap, seconds, searches, iterations = (
            [float(row[column]) for row in own]
            for column in ("gap", "time_s", "local_searches", "iterations")
        )
        hits = sum(each <= HIT for each in gap) / len(own)
        lines.append(
            f"| {name} | {len(own)} | {hits:.1%} | {max(statistics.mean(gap), 0.0):.1e} "
            f"| {max(gap):.1e} | {statistics.mean(seconds):.2f} "
            f"| {statistics.mean(searches):.0f} | {statistics.mean(iterations):.0f} |"
        )
    return "\n".join(lines)


def draw_profiles(rows: list[dict[str, str]], target: Path) -> None:
    """Draw the profiles over the problems that every variant has run."""
    names = list(dict.fromkeys(row["variant"] for row in rows))
    runs = {(row["variant"], row["instance"], row["seed"]): row for row in rows}
    problems = sorted({key[1:] for key in runs if all((n, *key[1:]) in runs for n in names)})

    def values(column: str) -> dict[str, np.ndarray]:
        return {
            name: np.array([float(runs[name, *each][column]) for each in problems])
            for name in names
        }

    panels = [
        ("Objective", values("objective"), 1.0005),
        ("CPU time", values("time_s"), 30.0),
        ("Local searches", values("local_searches"), 20.0),
        ("Iterations of the local searches", values("iterations"), 20.0),
    ]
    draw(panels, target)


if __name__ == "__main__":
    main()
