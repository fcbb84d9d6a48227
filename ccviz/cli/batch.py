"""`ccviz batch`: these solvers, with these seeds, for these numbers of clusters."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

from rich.table import Table
from threadpoolctl import threadpool_limits

from ccviz.cli.common import err, out, tell
from ccviz.cli.elbow import numbers_of
from ccviz.cli.options import (
    ClassColumn,
    Columns,
    Data,
    Header,
    HeaderRow,
    LinkFiles,
    MissingValues,
    NameColumn,
    NodeLimit,
    Scaling,
    Seed,
    SizesText,
    TimeLimit,
    WeightColumn,
    Worksheet,
)
from ccviz.cli.parameters import option
from ccviz.cli.progress import Progress
from ccviz.cli.reading import (
    build_problem,
    build_solver,
    find_data,
    settled_scaling,
    table_options,
)
from ccviz.cli.report import check_writable, output
from ccviz.errors import ProblemError
from ccviz.numbers import number, percent, seconds
from ccviz.problem.problem import Problem
from ccviz.runs.archive import Archive
from ccviz.runs.info import RunInfo
from ccviz.runs.limits import Limits
from ccviz.solvers import SOLVERS, Solver
from ccviz.studies.batch import carry_out, plan
from ccviz.views.frames.runs import run_table

ALL = "all"
_COLUMNS = ("run", "solver", "k", "seed", "status", "objective", "gap", "time", "broken", "ari")


def batch(
    data: Data,
    solver: Annotated[
        list[str], option("--solver", help="Name, once for each solver; 'all' takes all.")
    ],
    k: Annotated[str | None, option("-k", help="Numbers of clusters, A or A-B.")] = None,
    seeds: Annotated[int, option(help="How many seeds.", min=1)] = 3,
    seed: Seed = 0,
    links: LinkFiles = None,
    sizes: SizesText = None,
    columns: Columns = None,
    class_column: ClassColumn = None,
    name_column: NameColumn = None,
    weight_column: WeightColumn = None,
    missing: MissingValues = None,
    header: Header = None,
    header_row: HeaderRow = None,
    worksheet: Worksheet = None,
    scale: Scaling = "none",
    time_limit: TimeLimit = None,
    node_limit: NodeLimit = None,
    out_file: Annotated[
        str | None, option("--out", help="Write the runs as a table, .csv or .md.")
    ] = None,
) -> None:
    """Run every solver with every seed for every k, into the archive; skip unsupported runs."""
    check_writable(out_file)
    options = table_options(
        columns, class_column, name_column, weight_column, missing, header, header_row, worksheet
    )
    dataset = find_data(data, **options)
    for notice in dataset.notices:
        tell(notice)

    numbers: Sequence[int | None] = [None] if k is None else numbers_of(k)
    scaling = settled_scaling(dataset, numbers, links or [], scale)

    def problem_of(asked: int | None, _keeps_rules: bool = False) -> Problem:
        return build_problem(dataset, asked, links or [], sizes, scaling)

    counts = [problem_of(None).k if each is None else each for each in numbers]
    cells, left_out = plan(problem_of, _solvers(solver), range(seed, seed + seeds), counts)
    for each in left_out:
        tell(f"left out: {each}")
    if not cells:
        raise ProblemError("nothing is left to run.")
    found: list[RunInfo] = []
    with Archive() as archive, threadpool_limits(1), Progress(err) as progress:
        runs = carry_out(
            archive, cells, problem_of, Limits(time_limit, None, node_limit),
            dataset=dataset.name, scaling=scaling, watch=progress.show,
        )  # fmt: skip
        try:
            for info in runs:
                found.append(info)
                progress.title = f"{len(found)} of {len(cells)} runs,"
        finally:  # also of a batch that is broken off by Ctrl-C
            _tell(found, out_file)


def _solvers(names: list[str]) -> list[Solver]:
    asked = [kind.name for kind in SOLVERS] if ALL in names else list(dict.fromkeys(names))
    return [build_solver(name, []) for name in asked]


def _tell(found: list[RunInfo], out_file: str | None) -> None:
    if out_file is not None:
        style = "markdown" if Path(out_file).suffix == ".md" else "csv"
        with output(out_file) as file:
            file.write(run_table(found, style).encode())  # type: ignore[arg-type]
    if out_file == "-":
        return
    table = Table(*_COLUMNS, box=None, pad_edge=False)
    for info in found:
        table.add_row(*_row(info))
    out.print(table)


def _row(info: RunInfo) -> tuple[str, ...]:
    return (
        info.id, info.solver, str(info.k), str(info.seed), info.status, number(info.objective),
        percent(info.gap), seconds(info.time_s),
        "-" if info.violations is None else str(info.violations), number(info.ari, 4),
    )  # fmt: skip
