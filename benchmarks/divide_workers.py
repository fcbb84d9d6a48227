"""Divide and bound on many machines: what a Dask cluster costs, and what many workers would gain.

``--parts`` bounds parts one by one in this process and notes the CPU seconds of each and the bytes
that go to a worker and come back, in ``divide_parts.csv``: easy ones of Gaussians and hard ones of
Electric. ``--cluster`` runs the Gaussians on a local Dask cluster of 1, 2 and 4 workers. Client and
scheduler are one process here; their CPU seconds from the cut on, next to those of the parts, are
what the cluster costs. What they take while nothing is asked of them is measured first: it grows
with the time on the clock, of which a busy machine needs more, and not with the parts. Dask's
sampling of its own threads is off and its clocks tick twice a second, as `docs/cluster.md` advises.
``--table`` simulates 64 and 1,000 workers on as many parts as a million points have, times drawn
from those measured, and writes ``divide_workers.md``.
"""

from __future__ import annotations

import os
import pickle
import time
from collections.abc import Iterator

import _runner as runner
import numpy as np
from divide import points_of

from ccviz import Problem, start
from ccviz.arrays import FloatArray
from ccviz.events import PartsCut
from ccviz.problem.blocks import contract
from ccviz.solvers.common.seeding import plain_kmeans
from ccviz.solvers.divide.bounding import Effort, bound_part
from ccviz.solvers.divide.partition import Part, anticluster, take_parts

os.environ.setdefault("DASK_DISTRIBUTED__WORKER__PROFILE__ENABLED", "False")


os.environ.setdefault("DASK_DISTRIBUTED__ADMIN__TICK__INTERVAL", "500ms")


TOLERANCE, PART_SIZE, PARTS_EACH = 1e-3, 250, 40
HARD = 8  # parts of Electric
WORKERS, SIMULATED = (1, 2, 4), (1, 64, 1000)
POINTS = 20_000  # of the Gaussians on a cluster
IDLE_S = 5.0
MILLION = 4000  # parts of a million points
BANDWIDTH = 100e6  # bytes a second between a client and its workers


def gaussians(n: int) -> FloatArray:
    rng = np.random.default_rng(0)
    centers = 10.0 * np.array([[0.0, 0.0], [1.0, 0.0], [0.5, 0.9]])
    return centers[rng.integers(3, size=n)] + 2.5 * rng.normal(size=(n, 2))


def parts_of(X: FloatArray) -> list[Part]:
    problem = Problem(X, 3).centred()
    blocks = contract(problem)
    labels = plain_kmeans(problem.X, 3, 10).labels_.astype(np.int64)
    return take_parts(blocks, anticluster(blocks, labels, len(X) // PART_SIZE, 0, 0), labels)


def measure_clusters() -> None:
    import distributed

    for workers in WORKERS:
        with distributed.LocalCluster(
            n_workers=workers, threads_per_worker=1, dashboard_address=None
        ) as cluster:
            client = cluster.get_client()
            run_on(cluster.scheduler_address, 1500)  # every worker has its code loaded
            idle = idle_share()
            before = sum(client.run(time.process_time).values())
            mine, waited, parts, bound = run_on(cluster.scheduler_address, POINTS)
            theirs = sum(client.run(time.process_time).values()) - before
        row = {"workers": workers, "parts": parts, "lower_bound": f"{bound:.9g}"}
        row |= {"worker_cpu_s": f"{theirs:.2f}", "client_cpu_s": f"{mine:.2f}"}
        runner.append_row(CLUSTER, {**row, "idle_cpu_s": f"{idle * waited:.2f}"})


def idle_share() -> float:
    """Return the share of a core that client and scheduler take with nothing to do."""
    spent, since = time.process_time(), time.monotonic()
    time.sleep(IDLE_S)
    return (time.process_time() - spent) / (time.monotonic() - since)


def run_on(address: str, n: int) -> tuple[float, float, int, float]:
    """Return this process's CPU seconds and the clock's from the cut on, parts, and the bound."""
    problem = Problem(gaussians(n), 3)
    size = min(PART_SIZE, n // PARTS_EACH)
    stepper = start(problem, "divide", tolerance=TOLERANCE, workers=address, part_size=size)
    spent, since, parts = time.process_time(), time.monotonic(), 0
    for record in stepper:
        if isinstance(record.event, PartsCut):
            spent, since, parts = time.process_time(), time.monotonic(), record.event.parts
    spent, since = time.process_time() - spent, time.monotonic() - since
    return spent, since, parts, stepper.result().lower_bound


def simulated(seconds: FloatArray, moving: FloatArray, handling: float, workers: int) -> FloatArray:
    """Return when each part's answer has been taken up.

    As `ccviz.solvers.search.workforce.in_order` does it: at most twice as many parts as workers are
    out, and answers are taken up in their order, each for ``handling`` seconds of the client.

    `seconds` (t,): What each part takes its worker. `moving` (t,): What it takes to bring it there,
    and its answer back.
    """
    free = np.zeros(workers)
    taken = np.zeros(len(seconds))
    out = 2 * workers - 1
    for part, takes in enumerate(seconds):
        given_out = taken[part - out] if part >= out else 0.0
        worker = int(free.argmin())
        free[worker] = max(free[worker], given_out) + takes + moving[part]
        taken[part] = max(free[worker], taken[part - 1] if part else 0.0) + handling
    return taken


def asked_for(row: dict[str, str]) -> float:
    """Return the CPU seconds of client and scheduler beyond what they take idle."""
    return max(0.0, float(row["client_cpu_s"]) - float(row["idle_cpu_s"]))


def measure_parts(which: str, X: FloatArray, most: int | None) -> None:
    """Bound parts, the first one twice: compiled code is loaded with it."""
    effort = Effort(0.5 * TOLERANCE)
    parts = parts_of(X)[:most]
    bound_part(effort, parts[0])
    for part in parts:
        bound, spent = runner.timed(bound_part, effort, part)
        out, back = (len(pickle.dumps(value)) for value in (part, bound))
        row = {"set": which, "part": part.numbers[0], "rounds": bound.rounds}
        row |= {"cpu_s": f"{spent:.3f}", "bytes_out": out, "bytes_back": back}
        runner.append_row(PARTS, row)


PARTS, CLUSTER = (runner.RESULTS / f"divide_{name}.csv" for name in ("parts", "workers"))


def page() -> str:
    clusters, lines = runner.read_rows(CLUSTER), []
    for row in clusters:
        theirs, mine = float(row["worker_cpu_s"]), float(row["client_cpu_s"])
        names = ("workers", "parts", "worker_cpu_s", "client_cpu_s", "idle_cpu_s")
        shares = [percent(spent / theirs) for spent in (asked_for(row), mine)]
        lines.append([*(row[name] for name in names), *shares])
    handling = max(asked_for(row) / int(row["parts"]) for row in clusters)
    measured = runner.markdown(
        "workers | parts | CPU s of the workers | CPU s of client and scheduler "
        "| of them, idle as well | overhead beyond that | in all",
        lines,
    )
    simulated = runner.markdown(
        "parts like those of | workers | a part, s (mean, longest) | ideal, s | simulated, s "
        "| of the workers' time used | longest wait for a straggler, s | moved, MB",
        simulations(handling),
    )
    each = f"{MILLION:,} parts, {1000 * handling:.1f} ms of the client each:"
    return f"{measured}\n{each}\n\n{simulated}"


def percent(share: float) -> str:
    return f"{100 * share:.1f} %" if share > 0.0 else "too little to measure"


def simulations(handling: float) -> Iterator[list[str]]:
    rows = runner.read_rows(PARTS)
    for which in dict.fromkeys(row["set"] for row in rows):
        mine = [row for row in rows if row["set"] == which]
        drawn = np.random.default_rng(0).integers(len(mine), size=MILLION)
        seconds, out, back = (
            np.array([float(row[name]) for row in mine])[drawn]
            for name in ("cpu_s", "bytes_out", "bytes_back")
        )
        moved = out + back
        for workers in SIMULATED:
            taken = simulated(seconds, moved / BANDWIDTH, handling, workers)
            ideal, whole = seconds.sum() / workers, float(taken[-1])
            yield [
                which, f"{workers:,}", f"{seconds.mean():.2f}, {seconds.max():.2f}",
                f"{ideal:.1f}", f"{whole:.1f}", f"{100 * ideal / whole:.0f} %",
                f"{np.diff(taken).max():.2f}", f"{moved.sum() / 1e6:,.0f}",
            ]  # fmt: skip


if __name__ == "__main__":
    options = runner.parse(__doc__, parts=False, cluster=False, table=False)
    if options.parts:
        measure_parts("gaussians", gaussians(10_000), None)
        measure_parts("Electric", points_of("Electric")[0], HARD)
    if options.cluster:
        measure_clusters()
    if options.table:
        runner.write_page("divide_workers", page())
