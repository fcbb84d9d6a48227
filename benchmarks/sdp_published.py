"""The exact solver on the published instances of Piccialli et al. 2022, with their seconds beside.

All instances, unless some sets and seeds are named; one thread. The seconds are CPU seconds, so
that what else the machine does counts little. Every proof is checked by `ccviz.proof.verify` after
the clock has stopped.
"""

from __future__ import annotations

import os
import resource
import time
from argparse import Namespace
from collections.abc import Iterator
from typing import Any

import _runner as runner
import numpy as np

from ccviz import Problem, start
from ccviz.events import Event, NodeBounded, NodeBranched, NodePruned
from ccviz.proof.verify import verify
from ccviz.studies.suite import instances

SMALL = ("iris", "wine", "seeds", "connectionist", "glass", "heart")
LARGE = ("vertebral", "accent", "ecoli", "ECG5000", "computers")


def root_of(records: list[Any], objective: float) -> tuple[float, float]:
    """Return the root's gap to the final objective and the time it took."""
    bound, ended = 0.0, 0.0
    for record in records:
        event: Event = record.event
        if isinstance(event, NodeBounded | NodePruned | NodeBranched) and event.node == 0:
            bound, ended = max(bound, event.lower_bound), record.time_s
    return max(0.0, 1.0 - bound / objective), ended


def cases(options: Namespace) -> Iterator[tuple[str, str, str, str, runner.Row]]:
    for row in runner.read_rows(runner.SUITE / "published.csv"):
        seeds = options.seeds or [int(row["seed"])]
        if row["dataset"] in options.sets and int(row["seed"]) in seeds:
            yield row["dataset"], row["ml"], row["cl"], row["seed"], row


def measure(options: Namespace, dataset: str, *links: Any) -> dict[str, Any]:
    ml, cl, seed, row = links
    (instance,) = instances(runner.SUITE, f"{dataset}/ml_{ml}_cl_{cl}_{seed}")
    problem = instance.problem()
    began = sum(os.times()[:4])  # with those of children that have ended
    stepper = start(problem, "sdp", workers=options.workers, time_limit=options.time_limit)
    records = list(stepper)
    result = stepper.result()
    cpu_s = sum(os.times()[:4]) - began
    checked = time.perf_counter()
    verdict = verify(problem, [record.event for record in records])
    verify_s = time.perf_counter() - checked
    root_gap, root_time = root_of(records, result.objective)
    child = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    return {
        "k": row["k"], "n_blocks": result.n_blocks, "status": result.status,
        "objective": f"{result.objective:.9g}", "lower_bound": f"{result.lower_bound:.9g}",
        "gap": f"{result.gap:.2e}", "root_gap": f"{root_gap:.2e}",
        "root_time_s": f"{root_time:.2f}", "nodes": result.nodes, "time_s": f"{result.time_s:.2f}",
        "cpu_s": f"{cpu_s:.2f}", "verified": verdict.accepted, "verify_s": f"{verify_s:.2f}",
        "peak_mib": f"{runner.peak_mib() + 2 * child:.0f}", "published_f": row["f"],
        "published_root_gap_pct": row["gap0_pct"], "published_nodes": row["nodes"],
        "published_time_s": row["time_s"], "speedup": f"{float(row['time_s']) / cpu_s:.1f}",
        "f_difference": f"{result.objective / float(row['f']) - 1.0:+.1e}",
    }  # fmt: skip


def page(rows: runner.Rows) -> str:
    """Return totals a data set and the rows that miss a target."""
    groups = {name: [row for row in rows if row["dataset"] == name] for name in SMALL + LARGE}
    groups |= {
        "**six small sets**": [row for row in rows if row["dataset"] in SMALL],
        "**five larger sets**": [row for row in rows if row["dataset"] in LARGE],
        "**all**": rows,
    }
    text = runner.markdown(
        "data set | instances | proved | verified | nodes | published nodes "
        "| CPU seconds, one core | published seconds, 16 cores | faster",
        [summary(name, members) for name, members in groups.items() if members],
    )
    return "\n".join([text, *doubts(rows)]) + "\n"


def summary(name: str, rows: runner.Rows) -> list[object]:
    seconds, published, nodes, published_nodes = (
        sum(float(row[column]) for row in rows)
        for column in ("cpu_s", "published_time_s", "nodes", "published_nodes")
    )
    proved, verified = (
        sum(row[column] == value for row in rows)
        for column, value in (("status", "optimal"), ("verified", "True"))
    )
    counts = [name, len(rows), proved, verified, f"{nodes:.0f}", f"{published_nodes:.0f}"]
    return [*counts, f"{seconds:.1f}", f"{published:.0f}", f"{published / seconds:.0f}x"]


def doubts(rows: runner.Rows) -> Iterator[str]:
    """Yield what is not proved, and whose objective differs from the published f."""
    yield from ("The link files of vertebral are not those behind its published f.", "")
    for row in rows:
        label = f"{row['dataset']} {row['ml']}/{row['cl']} seed {row['seed']}"
        if row["status"] != "optimal" or row["verified"] != "True":
            yield f"- {label}: {row['status']}, gap {row['gap']}."
        difference = float(row["f_difference"])
        if not -1e-4 <= difference <= 1e-5:
            yield f"- {label}: objective differs from the published f by {difference:+.1e}."


def warm_up() -> None:
    points = np.random.default_rng(0).normal(size=(40, 2))
    start(Problem(points, 3, cannot_link=[(0, 1)]), "sdp").result()


if __name__ == "__main__":
    runner.run(
        __doc__, "sdp_published", ("dataset", "ml", "cl", "seed"), cases, measure, page,
        warm_up=warm_up, sets=SMALL + LARGE, seeds=[int], workers="1", time_limit=1800.0,
    )  # fmt: skip
