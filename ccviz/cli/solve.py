"""`ccviz solve`: cluster a data set."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from ccviz.cli.common import exit_code, tell
from ccviz.cli.drive import drive, enter
from ccviz.cli.reading import (
    AUTO,
    build_problem,
    choose_solver,
    find_data,
    table_options,
    with_threads,
)
from ccviz.cli.report import Files, report, take_home
from ccviz.problem.rule_text import GRAMMAR
from ccviz.runs.limits import Limits
from ccviz.runs.stepper import start

Data = Annotated[
    str, typer.Argument(help="File (CSV, Excel, Parquet, Arrow, .npy, 'n d k' text) or data set.")
]
K = Annotated[int | None, typer.Option("-k", help="Number of clusters.")]
LinkFiles = Annotated[
    list[str] | None, typer.Option("--links", help="Links: 'ML i j' / 'CL i j' lines, or JSON.")
]
SolverName = Annotated[str, typer.Option("--solver", help="Name, see 'ccviz solvers'.")]
SolverOrAuto = Annotated[
    str,
    typer.Option(
        "--solver", help="Name, see 'ccviz solvers'; 'auto' takes what suits the problem."
    ),
]
Params = Annotated[
    list[str] | None, typer.Option("--param", help="A parameter of the solver, NAME=VALUE.")
]
SizesText = Annotated[
    str | None, typer.Option("--sizes", help="'equal', or A or A-B, one or joined by commas.")
]
Rules = Annotated[list[str] | None, typer.Option("--rule", help=f"A rule: {GRAMMAR}.")]
Columns = Annotated[str | None, typer.Option(help="The features: columns A,B,... and no others.")]
ClassColumn = Annotated[
    str | None,
    typer.Option(
        "--class-column", "--label", help="Column of the known classes, '' for none; only scored."
    ),
]
NameColumn = Annotated[str | None, typer.Option(help="Column of the points' names.")]
MissingValues = Annotated[
    str | None,
    typer.Option("--missing", help="Rows with missing values: 'drop' them, or fill in a 'median'."),
]
Header = Annotated[
    bool | None, typer.Option("--header/--no-header", help="Whether a CSV file names its columns.")
]
Scaling = Annotated[
    str,
    typer.Option("--scale", help="The features: 'none', 'standard' (mean 0, spread 1), 'range'."),
]
TimeLimit = Annotated[float | None, typer.Option(help="Seconds.")]
Gap = Annotated[float | None, typer.Option(help="Stop at this relative gap.")]
NodeLimit = Annotated[int | None, typer.Option(help="Stop after so many nodes.")]
Seed = Annotated[int, typer.Option(help="Same seed and number of workers, same run.")]
Workers = Annotated[str, typer.Option(help="Processes, or tcp:// address of a Dask scheduler.")]
Threads = Annotated[
    int | None,
    typer.Option(help="Threads of a solver that has them, instead of --param threads=N."),
]
JsonFile = Annotated[str | None, typer.Option("--json", help="Write the result; - is stdout.")]
LabelsFile = Annotated[str | None, typer.Option("--labels", help="Write a label a line.")]
TableFile = Annotated[
    str | None, typer.Option("--table", help="Write the rows with cluster, distance, silhouette.")
]
ProfileFile = Annotated[
    str | None, typer.Option("--profile", help="Write what marks the clusters, .csv or .md.")
]
ReportFile = Annotated[str | None, typer.Option("--report", help="Write a report in HTML.")]
Name = Annotated[str, typer.Option(help="Name of the run in the archive.")]
Keep = Annotated[bool, typer.Option("--archive/--no-archive", help="Keep the run.")]


def solve(
    data: Data,
    k: K = None,
    links: LinkFiles = None,
    solver: SolverOrAuto = AUTO,
    param: Params = None,
    sizes: SizesText = None,
    rule: Rules = None,
    columns: Columns = None,
    class_column: ClassColumn = None,
    name_column: NameColumn = None,
    missing: MissingValues = None,
    header: Header = None,
    scale: Scaling = "none",
    time_limit: TimeLimit = None,
    gap: Gap = None,
    node_limit: NodeLimit = None,
    seed: Seed = 0,
    workers: Workers = "1",
    threads: Threads = None,
    json: JsonFile = None,
    labels: LabelsFile = None,
    table: TableFile = None,
    profile: ProfileFile = None,
    report_file: ReportFile = None,
    name: Name = "",
    archive: Keep = True,
) -> None:
    """Cluster a data set under links and sizes.

    Exit code 0: a feasible clustering. 2: bad input. 3: proved infeasible. 4: none found, and none
    proved impossible. 5: the run broke off; what it found is told.
    """
    files = Files(json, labels, table, profile, report_file)
    files.check()
    options = table_options(columns, class_column, name_column, missing)
    dataset = find_data(data, header=header, **options)
    problem = build_problem(dataset, k, links or [], sizes, scale)
    mended = problem.notices
    chosen, problem, why = choose_solver(solver, param or [], problem, rule or [], time_limit)
    if threads is not None:
        chosen = with_threads(chosen, threads)
    limits = Limits(time_limit, gap, node_limit)
    stepper = start(problem, chosen, seed=seed, workers=workers, **limits.given)
    taken = [f"{chosen.name}. {why}"] if why else []
    for notice in (*taken, *dataset.notices, *mended):
        tell(notice)
    kept, run_id = None, ""
    if archive:
        kept, run_id = enter(
            problem, chosen.name, asdict(chosen), seed=seed, workers=workers, limits=limits,
            dataset=dataset.name, name=name, scaling=scale,
        )  # fmt: skip
    result = drive(stepper, kept, run_id)
    report(problem, result, run_id, files)
    take_home(dataset, result, files)
    raise typer.Exit(exit_code(result))
