"""`ccviz elbow`: how many clusters there are, under the links, with proved bounds beside."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, fields
from typing import Annotated

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
    Outliers,
    Params,
    Rules,
    Scaling,
    Seed,
    SizesText,
    SolverName,
    WeightColumn,
    Worksheet,
)
from ccviz.cli.parameters import option
from ccviz.cli.progress import Progress
from ccviz.cli.reading import (
    build_problem,
    build_solver,
    find_data,
    read_rules,
    settled_scaling,
    table_options,
)
from ccviz.cli.report import check_writable, output
from ccviz.data.csv_style import PLAIN_CSV
from ccviz.errors import ParameterError, UnfillableError
from ccviz.problem.asked import AnyAsked
from ccviz.problem.problem import Problem
from ccviz.problem.reduction import with_rules
from ccviz.solvers import Solver
from ccviz.studies.elbow import bounded_by_more, find_elbow, findings, in_words
from ccviz.studies.elbow import columns as columns_of
from ccviz.studies.elbow_step import Step, bound, cluster, compare, impossible


def elbow(
    data: Data,
    k: Annotated[str, option("-k", help="Numbers of clusters, A-B.")] = "1-8",
    links: LinkFiles = None,
    solver: SolverName = "blp-kmeans",
    param: Params = None,
    sizes: SizesText = None,
    rule: Rules = None,
    outliers: Outliers = 0,
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
        float, option(help="Seconds to raise the lower bound of each k; 0 for none.", min=0)
    ] = 10.0,
    references: Annotated[
        int, option(help="Sets of uniform points for the gap statistic.", min=0)
    ] = 5,
    seed: Seed = 0,
    out_file: Annotated[str | None, option("--out", help="Write the table as CSV.")] = None,
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
    asked, keeps = read_rules(rule or [], dataset), chosen.supports.rules
    scaling = settled_scaling(dataset, numbers, links or [], scale)
    problems = [
        build_problem(dataset, each, links or [], sizes, scaling, outliers) for each in numbers
    ]
    ruled = {each.n_clusters: _ruled(each, asked, keeps) for each in problems}
    with threadpool_limits(1), Progress(err) as progress:
        steps = _sweep(ruled, chosen, seed, references, bound_time, progress)
    if out_file is not None:
        with output(out_file) as file:
            file.write(_csv(steps).encode())
    if out_file != "-":
        out.print(
            _table(steps, any(each is not None and each.must_keep for each in ruled.values()))
        )
        for line in findings(steps):
            out.print(line, markup=False)


def _ruled(problem: Problem, rules: Sequence[AnyAsked], keeps_rules: bool) -> Problem | None:
    """Return the problem with its rules; None where they forbid its number of clusters."""
    try:
        return with_rules(problem, rules, keeps_rules)
    except UnfillableError:
        return None


def _sweep(
    ruled: dict[int, Problem | None],
    solver: Solver,
    seed: int,
    references: int,
    bound_time: float,
    progress: Progress,
) -> tuple[Step, ...]:
    """Return what is known of each k: clusterings for all first, then a lower bound for each."""
    steps = {}
    for k, problem in ruled.items():
        progress.say(f"k = {k}: looking for a clustering")
        steps[k] = impossible(k) if problem is None else cluster(problem, solver, seed=seed)
    problems = {k: problem for k, problem in ruled.items() if problem is not None}
    for k, problem in problems.items() if references else ():
        progress.say(f"k = {k}: comparing with uniform points")
        steps[k] = compare(problem, steps[k], references, seed=seed)
    for k, problem in problems.items() if bound_time else ():
        progress.say(f"k = {k}: raising the bound")
        steps[k] = bound(problem, steps[k], bound_time, seed=seed)
    found = tuple(steps.values())
    return bounded_by_more(next(iter(problems.values())), found) if problems else found


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


def _table(steps: Sequence[Step], must_keep: bool) -> Table:
    table = Table(*columns_of(must_keep), box=None, pad_edge=False)
    elbow = find_elbow(steps)
    for step in steps:
        marked = elbow is not None and step.k == elbow.k
        table.add_row(*in_words(step, must_keep), style="bold" if marked else None)
    return table


def _csv(steps: Sequence[Step]) -> str:
    names = [each.name for each in fields(Step)]
    return PLAIN_CSV.table([names, *(asdict(step).values() for step in steps)])
