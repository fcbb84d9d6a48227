"""S-MDEClust on the published instances: optimum reached, and time beside the exact solver's.

One run an instance and seed with the default settings (P = 20 and the paper's other parameters, our
local search). The table compares our time in all, and our time to the best, with the published
seconds of the exact solver (16 cores) in all: its time to its best, with which the paper of
S-MDEClust compares, is printed for no instance. On link files with seed 0 it also compares with the
authors' own program (`peers.csv`), both in all and to the best.
"""

from __future__ import annotations

import math
import statistics
from argparse import Namespace
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import _runner as runner
import numpy as np
from _memetic import HIT, measure, warm_up

from ccviz.solvers.s_mdeclust import SMdeClust
from ccviz.studies.suite import Instance, instances

PEERS = {
    (row["set"], int(row["ml"]), int(row["cl"])): row
    for row in runner.read_rows(Path(__file__).with_name("peers.csv"))
}
"""What others' programs took on link files with seed 0, by data set, must-links and cannot-links.

Measured once, in November 2026, with one thread on a two-core machine of the kind that our tables
come from; CPU seconds, gaps relative to the published optimum. ``smdeclust`` is the authors' own
program for S-MDEClust (github.com/pierlumanzu/s_mdeclust, variant SG, P = 20): one run, its seconds
in all and to its best. ``blp`` is a published program for BLP k-means: seconds a run, and the best
gap of up to 100 runs. On ecoli and ECG5000 both had HiGHS for a MILP solver, elsewhere Gurobi,
whose free licence these two exceed; so they cannot be run by every reader again.
"""

UNKNOWN = "vertebral"
"""Its link files are not those behind the published objectives."""


def peer_gap(row: runner.Row) -> float:
    return float(row["smdeclust_gap_pct"]) / 100


def cases(options: Namespace) -> Iterator[tuple[str, int, int, int, int, Instance]]:
    for each in instances(runner.SUITE):
        if each.dataset in (options.sets or [each.dataset]):
            yield each.dataset, each.ml, each.cl, each.seed, options.seed, each


def measured(options: Namespace, dataset: str, ml: int, cl: int, *case: Any) -> dict[str, object]:
    instance = case[-1]
    f = instance.published_f
    peer = PEERS.get((dataset, ml, cl))
    target = f * (1.0 + (peer_gap(peer) if peer else 0.0) + HIT)
    run = measure(instance.problem(), SMdeClust(), options.seed, target=target)
    return {
        "objective": f"{run.objective:.9g}", "published_f": f,
        "gap": f"{run.objective / f - 1.0:.2e}", "feasible": run.feasible,
        "time_s": f"{run.time_s:.3f}", "best_s": f"{run.best_s:.4f}",
        "target_s": f"{run.target_s:.4f}", "generations": run.generations,
        "local_searches": run.local_searches, "iterations": run.iterations,
        "published_time_s": instance.published_time_s,
    }  # fmt: skip


HEAD = """The last two columns: our seconds in all, and to our best, as shares of the exact
solver's published seconds in all. Its seconds to its best are not printed.

"""


def page(rows: runner.Rows) -> str:
    rows = sorted(rows, key=lambda row: row["dataset"].lower())
    names = dict.fromkeys(row["dataset"] for row in rows)
    groups = {name: [row for row in rows if row["dataset"] == name] for name in names}
    known = [row for row in rows if row["dataset"] != UNKNOWN]
    text = runner.markdown(
        "data set | runs | feasible | optimum reached | largest gap | CPU s, median "
        "| CPU s, most | to the best, median | local searches, median | in all, most "
        "| to the best, most",
        [summary(*each) for each in (groups | {"**all with a known optimum**": known}).items()],
    )
    return f"{HEAD}{text}\n{against_the_peer(rows)}"


def summary(name: str, rows: runner.Rows) -> list[object]:
    gaps, seconds, best, whole, searches = (
        np.array([float(row[column]) for row in rows])
        for column in ("gap", "time_s", "best_s", "published_time_s", "local_searches")
    )
    hits, known = int((gaps <= HIT).sum()), name != UNKNOWN
    return [
        name, len(rows), sum(row["feasible"] == "True" for row in rows),
        f"{hits} ({hits / len(rows):.1%})" if known else "-",
        f"{max(gaps):+.1e}" if known else "-",
        f"{np.median(seconds):.2f}", f"{max(seconds):.2f}", f"{np.median(best):.2f}",
        f"{np.median(searches):.0f}", f"{max(seconds / whole):.2%}", f"{max(best / whole):.2%}",
    ]  # fmt: skip


def against_the_peer(rows: runner.Rows) -> str:
    lines, factors = [], []
    for row in rows:
        name, ml, cl = row["dataset"], row["ml"], row["cl"]
        peer, ours = PEERS.get((name, int(ml), int(cl))), float(row["target_s"])
        if peer and (row["links"], row["seed"]) == ("0", "0") and not math.isnan(ours):
            whole, best = float(peer["smdeclust_s"]), float(peer["smdeclust_best_s"])
            own = float(row["time_s"])
            factors.append(best / ours)
            lines.append(
                [f"{name} {ml}/{cl}", f"{peer_gap(peer):.3%}", best, f"{ours:.3f}",
                 f"{best / ours:.0f}", whole, f"{own:.2f}", f"{whole / own:.0f}"]
            )  # fmt: skip
    table = runner.markdown(
        "instance | peer's gap | peer, to its best | ours, to the same | times faster "
        "| peer, in all | ours, in all | times faster",
        lines,
    )
    least, middle = min(factors), statistics.median(factors)
    return (
        f"CPU seconds until the peer's best objective, and in all:\n\n{table}\n"
        f"Least factor to the same objective: {least:.1f}; median {middle:.0f}.\n"
    )


if __name__ == "__main__":
    runner.run(
        __doc__, "memetic_published", ("dataset", "ml", "cl", "links", "seed"), cases, measured,
        page, warm_up=lambda: warm_up(SMdeClust()), seed=0, sets=[str],
    )  # fmt: skip
