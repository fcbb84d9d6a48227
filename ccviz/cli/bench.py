"""`ccviz bench`: a solver over a folder of benchmark instances."""

from __future__ import annotations

from typing import Annotated

from threadpoolctl import threadpool_limits

from ccviz.cli.common import err, out, tell
from ccviz.cli.parameters import Argument, option
from ccviz.cli.progress import Progress
from ccviz.cli.reading import build_solver
from ccviz.numbers import number, percent
from ccviz.runs.kernel_clock import compiling_said
from ccviz.runs.run import Run
from ccviz.runs.stepper import start
from ccviz.studies.suite import Instance, Row, Table, instances, measure


def bench(
    suite: Annotated[str, Argument(help="Folder with data/ and constraints/DATASET/.")],
    out_file: Annotated[str, option("--out", help="CSV file; it goes on where it stopped.")],
    solver: Annotated[str, option(help="Name, see 'ccviz solvers'.")] = "blp-kmeans",
    param: Annotated[list[str] | None, option(help="A parameter, NAME=VALUE.")] = None,
    filter_: Annotated[str, option("--filter", help="Pattern on DATASET/ml_A_cl_B_SEED.")] = "*",
    time_limit: Annotated[float | None, option(help="Seconds an instance.")] = None,
    seed: Annotated[int, option(help="Of the solver.")] = 0,
    workers: Annotated[str, option(help="Processes, or tcp:// of a Dask scheduler.")] = "1",
) -> None:
    """Run a solver over every instance of a suite, a row as each ends."""
    chosen = build_solver(solver, param or [])
    wanted = instances(suite, filter_)
    table = Table(out_file)
    left = [each for each in wanted if (each, solver) not in table]
    tell(f"{len(wanted)} instances, {len(wanted) - len(left)} done before.")
    with threadpool_limits(1), Progress(err) as progress, compiling_said(progress.say):
        for number, instance in enumerate(left, 1):
            progress.title = f"{number} of {len(left)}: {instance.name},"
            stepper = start(
                instance.problem(), chosen, time_limit=time_limit, seed=seed, workers=workers
            )
            for state in measure(instance, stepper):
                if isinstance(state, Run):
                    progress.show(state)
                else:
                    table.add(state)
                    out.print(_line(instance, state), markup=False)


def _line(instance: Instance, row: Row) -> str:
    off = (row.objective - row.published_f) / row.published_f if row.published_f else float("nan")
    return (
        f"{instance.name:<32} {row.status:<10} {number(row.objective, 8):>12} "
        f"gap {percent(row.gap):<9} nodes {row.nodes:<5} {row.time_s:>9.3f} s"
        f"  published {number(row.published_time_s)} s, f {percent(off)} off"
    )
