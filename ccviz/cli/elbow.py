"""`ccviz elbow`: how many clusters there are, under the links, with proved bounds beside."""

from __future__ import annotations

from dataclasses import asdict, fields
from typing import Annotated

import typer
from rich.table import Table
from threadpoolctl import threadpool_limits

from ccviz.cli.common import err, out, tell
from ccviz.cli.options import (
    ClassColumn,
    Columns,
    Data,
    Header,
    HeaderRow,
    LinkFiles,
    MissingValues,
    NameColumn,
    Params,
    Rules,
    Scaling,
    Seed,
    SizesText,
    SolverName,
    WeightColumn,
    Worksheet,
)
from ccviz.cli.progress import Progress
from ccviz.cli.reading import (
    build_problem,
    build_solver,
    find_data,
    read_rules,
    table_options,
)
from ccviz.cli.report import check_writable, output
from ccviz.data.csv_style import PLAIN_CSV
from ccviz.errors import ParameterError, UnfillableError
from ccviz.problem.reduction import with_rules
from ccviz.studies.elbow import COLUMNS, Step, findings, impossible, in_words, measure


def elbow(
    data: Data,
    k: Annotated[str, typer.Option("-k", help="Numbers of clusters, A-B.")] = "1-8",
    links: LinkFiles = None,
    solver: SolverName = "blp-kmeans",
    param: Params = None,
    sizes: SizesText = None,
    rule: Rules = None,
    columns: Columns = None,
    class_column: ClassColumn = None,
    name_column: NameColumn = None,
    weight_column: WeightColumn = None,
    missing: MissingValues = None,
    header: Header = None,
    header_row: HeaderRow = None,
    worksheet: Worksheet = None,
    scale: Scaling = "none",
    bound_time: Annotated[
        float, typer.Option(help="Seconds for the lower bound of each k; 0 for none.", min=0)
    ] = 10.0,
    references: Annotated[
        int, typer.Option(help="Sets of uniform points for the gap statistic.", min=0)
    ] = 5,
    seed: Seed = 0,
    out_file: Annotated[str | None, typer.Option("--out", help="Write the table as CSV.")] = None,
) -> None:
    """Sweep the number of clusters: objective, proved lower bound, silhouette, gap statistic."""
    check_writable(out_file)
    numbers = numbers_of(k)
    options = table_options(
        columns, class_column, name_column, weight_column, missing, header, header_row, worksheet
    )
    dataset = find_data(data, **options)
    for notice in dataset.notices:
        tell(notice)
    chosen = build_solver(solver, param or [])
    asked, keeps = read_rules(rule or []), chosen.supports.rules
    problems = [build_problem(dataset, each, links or [], sizes, scale) for each in numbers]
    steps = []
    with threadpool_limits(1), Progress(err) as progress:
        for problem in problems:
            progress.say(f"k = {problem.k}")
            try:
                ruled = with_rules(problem, asked, keeps)
            except UnfillableError:
                steps.append(impossible(problem.k))
                continue
            steps.append(
                measure(ruled, chosen, seed=seed, references=references, bound_time=bound_time)
            )
    if out_file is not None:
        with output(out_file) as file:
            file.write(_csv(steps).encode())
    if out_file != "-":
        out.print(_table(steps))
        for line in findings(steps):
            out.print(line, markup=False)


def numbers_of(text: str) -> range:
    """Return the numbers of clusters that ``A-B`` or ``A`` stand for."""
    low, _, high = text.partition("-")
    try:
        numbers = range(int(low), int(high or low) + 1)
    except ValueError:
        numbers = range(0)
    if not numbers or numbers[0] < 1:
        raise ParameterError(f"-k {text} is no range A-B of numbers from 1.")
    return numbers


def _table(steps: list[Step]) -> Table:
    table = Table(*COLUMNS, box=None, pad_edge=False)
    for step in steps:
        table.add_row(*in_words(step))
    return table


def _csv(steps: list[Step]) -> str:
    names = [each.name for each in fields(Step)]
    return PLAIN_CSV.table([names, *(asdict(step).values() for step in steps)])
