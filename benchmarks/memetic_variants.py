"""The four variants of S-MDEClust, and what each of our additions brings.

``variants``: the paper's S, SM, SG and SMG as the authors run them, beside our default, on link
files of iris, accent and ECG5000. Performance profiles in objective, time, local searches and their
iterations (the paper's Figure 2). Where nothing mutates, the authors' code never assigns greedily,
so that its S and SG are one algorithm; ``SG, greedy means`` is the paper's text, where the local
search starts from the greedy membership.

``additions``: from the authors' SMG to our default, one step at a time, on the three data sets on
which a population misses the optimum most often. Mutation with probability 1 / g in generation g is
the authors', not an addition.
"""

from __future__ import annotations

import statistics
from argparse import Namespace
from collections.abc import Iterator
from functools import partial
from itertools import product
from typing import Any

import _runner as runner
import numpy as np
from _memetic import AS_RUN, HIT, measure, warm_up
from _profiles import draw

from ccviz.solvers.s_mdeclust import SMdeClust
from ccviz.studies.suite import Instance, instances

CODED = AS_RUN | {"restarts": 0}
SMG = CODED | {"mutation": "fading"}
STUDIES = {
    "variants": (
        ("iris", "accent", "ECG5000"),
        {
            "S": CODED | {"assignment": "exact"},
            "SM": SMG | {"assignment": "exact"},
            "SG": CODED,
            "SMG": SMG,
            "SG, greedy means": CODED | {"offspring": "means"},
            "default": {},
        },
    ),
    "additions": (
        ("glass", "accent", "ecoli"),
        {
            "authors' SG": CODED,
            "authors' SMG": SMG,
            "+ greedy means": SMG | {"offspring": "means"},
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


def cases(options: Namespace, study: str) -> Iterator[tuple[str, str, int, Instance]]:
    sets, variants = STUDIES[study]
    found = [each for each in instances(runner.SUITE) if each.dataset in sets]
    for seed, name, each in product(options.seeds, variants, found):
        if name in (options.variants or [name]) and each.seed in options.links:
            yield name, each.name, seed, each


def measured(study: str, _: Namespace, name: str, *case: Any) -> dict[str, object]:
    _name, seed, instance = case
    run = measure(instance.problem(), SMdeClust(**STUDIES[study][1][name]), seed)
    found = {"objective": f"{run.objective:.9g}"}
    found |= {"gap": f"{run.objective / instance.published_f - 1.0:.2e}"}
    found |= {
        "feasible": run.feasible,
        "time_s": f"{run.time_s:.3f}",
        "best_s": f"{run.best_s:.3f}",
    }
    return found | {"local_searches": run.local_searches, "iterations": run.iterations}


def page(rows: runner.Rows) -> str:
    lines = []
    for name in dict.fromkeys(row["variant"] for row in rows):
        own = [row for row in rows if row["variant"] == name]
        gap, seconds, searches, iterations = (
            [float(row[column]) for row in own]
            for column in ("gap", "time_s", "local_searches", "iterations")
        )
        hits = statistics.mean(each <= HIT for each in gap)
        gaps = f"{max(statistics.mean(gap), 0.0):.1e}", f"{max(gap):.1e}"
        counts = (f"{statistics.mean(each):.0f}" for each in (searches, iterations))
        seconds_mean = f"{statistics.mean(seconds):.2f}"
        lines.append([name, len(own), f"{hits:.1%}", *gaps, seconds_mean, *counts])
    return runner.markdown(
        "variant | runs | optimum reached | mean gap | largest gap | CPU s, mean "
        "| local searches, mean | their iterations, mean",
        lines,
    )


def draw_profiles(rows: runner.Rows) -> None:
    """Draw the profiles over the problems that every variant has run."""
    names = list(dict.fromkeys(row["variant"] for row in rows))
    runs = {(row["variant"], row["instance"], row["seed"]): row for row in rows}
    problems = sorted({key[1:] for key in runs if all((n, *key[1:]) in runs for n in names)})
    panels = [
        (title, {name: np.array([float(runs[name, *each][column]) for each in problems])
                 for name in names}, most)
        for title, column, most in (
            ("Objective", "objective", 1.0005), ("CPU time", "time_s", 30.0),
            ("Local searches", "local_searches", 20.0),
            ("Iterations of the local searches", "iterations", 20.0),
        )
    ]  # fmt: skip
    draw(panels, runner.RESULTS / "memetic_variants.png")


def main() -> None:
    options = runner.parse(
        __doc__, seeds=[0], links=[0, 1, 2], study=STUDIES, variants=[str], table=False
    )
    runner.count_cpu_seconds()
    for study in options.study:
        table = runner.RESULTS / f"memetic_{study}.csv"
        if not options.table:
            for settings in STUDIES[study][1].values():
                warm_up(SMdeClust(**settings))
            key, measure_one = ("variant", "instance", "seed"), partial(measured, study)
            runner.grow(table, key, cases(options, study), measure_one, options)
        runner.write_page(table, page(runner.read_rows(table)))
        if study == "variants":
            draw_profiles(runner.read_rows(table))


if __name__ == "__main__":
    main()
