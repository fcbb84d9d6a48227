"""Options and arguments that several commands share."""

from __future__ import annotations

from typing import Annotated

import typer

from ccviz.problem.rule_words import GRAMMAR

Data = Annotated[
    str,
    typer.Argument(
        help="File (CSV, Excel, Parquet, Arrow, .npy, 'n d k' text), name of a built-in data set, "
        "or '-' for CSV from standard input."
    ),
]
K = Annotated[int | None, typer.Option("-k", help="Number of clusters.")]
LinkFiles = Annotated[
    list[str] | None,
    typer.Option(
        "--links",
        help="File of links: lines 'ML i j' or 'CL i j', or JSON; '-' for standard input.",
    ),
]
SolverName = Annotated[
    str, typer.Option("--solver", help="Solver name; 'ccviz solvers' lists them.")
]
SolverOrAuto = Annotated[
    str,
    typer.Option(
        "--solver",
        help="Solver name ('ccviz solvers' lists them); 'auto' chooses one for the problem.",
    ),
]
Params = Annotated[
    list[str] | None, typer.Option("--param", help="Solver parameter NAME=VALUE; may be repeated.")
]
SizesText = Annotated[
    str | None,
    typer.Option(
        "--sizes",
        help="Cluster sizes: 'equal', N or A-B; one for all clusters, or one each, with commas.",
    ),
]
Outliers = Annotated[
    int, typer.Option(min=0, help="Points that may be left out; their label is -1.")
]
FixedCenters = Annotated[
    str,
    typer.Option(
        metavar="CENTRES",
        help="Centres of the first clusters, which do not move: a file with a row of numbers each, "
        "or the numbers with commas and a semicolon after each centre.",
    ),
]
Rules = Annotated[list[str] | None, typer.Option("--rule", help=f"A rule: {GRAMMAR}.")]
Columns = Annotated[
    str | None,
    typer.Option(help="Columns to use as features: A,B,...; all numeric ones by default."),
]
ClassColumn = Annotated[
    str | None,
    typer.Option(
        "--class-column",
        "--label",
        help="Column of the known classes, '' for none; used for scores only.",
    ),
]
NameColumn = Annotated[str | None, typer.Option(help="Column with the names of the points.")]
WeightColumn = Annotated[str | None, typer.Option(help="Column with the weights of the points.")]
MissingValues = Annotated[
    str | None,
    typer.Option(
        "--missing", help="Rows with missing values: 'drop' them, or fill in the column's 'median'."
    ),
]
Header = Annotated[
    bool | None,
    typer.Option(
        "--header/--no-header", help="Whether the first row of a CSV file holds the column names."
    ),
]
HeaderRow = Annotated[
    int | None,
    typer.Option(
        min=0,
        metavar="NUMBER",
        help="Line or row of the file that holds the column names; 0 if none does.",
    ),
]
Worksheet = Annotated[
    str | None, typer.Option(metavar="NAME", help="Worksheet of an Excel workbook.")
]
Scaling = Annotated[
    str,
    typer.Option(
        "--scale",
        help="Scaling of the features: 'none', 'standard' (z-scores), 'range' (0 to 1), 'learned' "
        "(weights from the links), or such weights: 'weights:0.5,2,1'.",
    ),
]
TimeLimit = Annotated[float | None, typer.Option(help="Stop after this number of seconds.")]
Gap = Annotated[
    float | None, typer.Option(help="Stop at this relative gap between objective and lower bound.")
]
NodeLimit = Annotated[int | None, typer.Option(help="Stop after this number of tree nodes.")]
Seed = Annotated[
    int, typer.Option(help="Random seed; the same seed and workers give the same run.")
]
Workers = Annotated[
    str, typer.Option(help="Number of worker processes, or the tcp:// address of a Dask scheduler.")
]
Threads = Annotated[
    int | None,
    typer.Option(help="Threads of a multithreaded solver; short for --param threads=N."),
]
JsonFile = Annotated[
    str | None,
    typer.Option("--json", help="Write the result as JSON to this file; - is standard output."),
]
LabelsFile = Annotated[
    str | None, typer.Option("--labels", help="Write the cluster of each point, one per line.")
]
TableFile = Annotated[
    str | None,
    typer.Option("--table", help="Write the input rows with cluster, distance and silhouette."),
]
ProfileFile = Annotated[
    str | None, typer.Option("--profile", help="Write a profile of each cluster, as .csv or .md.")
]
ReportFile = Annotated[str | None, typer.Option("--report", help="Write a report as HTML.")]
StartFrom = Annotated[
    str | None,
    typer.Option(
        "--start",
        help="Earlier run (id, name or 'last'): its clustering, and its proof where it holds.",
    ),
]
Name = Annotated[str, typer.Option(help="Name of the run in the archive.")]
Keep = Annotated[bool, typer.Option("--archive/--no-archive", help="Store the run in the archive.")]
Forecasts = Annotated[
    bool,
    typer.Option("--forecast", help="Only say how long a proof may take, by measured runs."),
]
Quiet = Annotated[
    bool,
    typer.Option("--quiet", "-q", help="Print errors only: no notice, no progress, no summary."),
]
