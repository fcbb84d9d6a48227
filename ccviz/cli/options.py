"""Options and arguments that several commands share."""

from __future__ import annotations

from typing import Annotated

from ccviz.cli.parameters import Argument, option
from ccviz.problem.rule_words import GRAMMAR

Data = Annotated[
    str,
    Argument(
        help="File (CSV, Excel, Parquet, Arrow, .npy, 'n d k' text), name of a built-in data set, "
        "or '-' for CSV from standard input."
    ),
]
K = Annotated[int | None, option("-k", help="Number of clusters.")]
LinkFiles = Annotated[
    list[str] | None,
    option(
        "--links",
        help="File of links: lines 'ML i j' or 'CL i j', or JSON; '-' for standard input.",
    ),
]
SolverName = Annotated[str, option("--solver", help="Solver name; 'ccviz solvers' lists them.")]
SolverOrAuto = Annotated[
    str,
    option(
        "--solver",
        help="Solver name ('ccviz solvers' lists them); 'auto' chooses one for the problem.",
    ),
]
Params = Annotated[
    list[str] | None, option("--param", help="Solver parameter NAME=VALUE; may be repeated.")
]
SizesText = Annotated[
    str | None,
    option(
        "--sizes",
        help="Cluster sizes: 'equal', N or A-B; one for all clusters, or one each, with commas.",
    ),
]
Outliers = Annotated[int, option(min=0, help="Points that may be left out; their label is -1.")]
FixedCenters = Annotated[
    str,
    option(
        metavar="CENTRES",
        help="Centres of the first clusters, which do not move: a file with a row of numbers each, "
        "or the numbers with commas and a semicolon after each centre.",
    ),
]
Rules = Annotated[list[str] | None, option("--rule", help=f"A rule: {GRAMMAR}.")]
Columns = Annotated[
    str | None,
    option(help="Columns to use as features: A,B,...; all numeric ones by default."),
]
ClassColumn = Annotated[
    str | None,
    option(
        "--class-column",
        "--label",
        help="Column of the known classes, '' for none; used for scores only.",
    ),
]
NameColumn = Annotated[str | None, option(help="Column with the names of the points.")]
WeightColumn = Annotated[str | None, option(help="Column with the weights of the points.")]
MissingValues = Annotated[
    str | None,
    option(
        "--missing", help="Rows with missing values: 'drop' them, or fill in the column's 'median'."
    ),
]
Header = Annotated[
    bool | None,
    option(
        "--header/--no-header", help="Whether the first row of a CSV file holds the column names."
    ),
]
HeaderRow = Annotated[
    int | None,
    option(
        min=0,
        metavar="NUMBER",
        help="Line or row of the file that holds the column names; 0 if none does.",
    ),
]
Worksheet = Annotated[str | None, option(metavar="NAME", help="Worksheet of an Excel workbook.")]
Scaling = Annotated[
    str,
    option(
        "--scale",
        help="Scaling of the features: 'none', 'standard' (z-scores), 'range' (0 to 1), 'learned' "
        "(weights from the links), or such weights: 'weights:0.5,2,1'.",
    ),
]
TimeLimit = Annotated[float | None, option(help="Stop after this number of seconds.")]
Gap = Annotated[
    float | None, option(help="Stop at this relative gap between objective and lower bound.")
]
NodeLimit = Annotated[int | None, option(help="Stop after this number of tree nodes.")]
Seed = Annotated[int, option(help="Random seed; the same seed and workers give the same run.")]
Workers = Annotated[
    str, option(help="Number of worker processes, or the tcp:// address of a Dask scheduler.")
]
Threads = Annotated[
    int | None,
    option(help="Threads of a multithreaded solver; short for --param threads=N."),
]
JsonFile = Annotated[
    str | None,
    option("--json", help="Write the result as JSON to this file; - is standard output."),
]
LabelsFile = Annotated[
    str | None, option("--labels", help="Write the cluster of each point, one per line.")
]
TableFile = Annotated[
    str | None,
    option("--table", help="Write the input rows with cluster, distance and silhouette."),
]
ProfileFile = Annotated[
    str | None, option("--profile", help="Write a profile of each cluster, as .csv or .md.")
]
ReportFile = Annotated[str | None, option("--report", help="Write a report as HTML.")]
StartFrom = Annotated[
    str | None,
    option(
        "--start",
        help="Earlier run (id, name or 'last'): its clustering, and its proof where it holds.",
    ),
]
Name = Annotated[str, option(help="Name of the run in the archive.")]
Keep = Annotated[bool, option("--archive/--no-archive", help="Store the run in the archive.")]
Forecasts = Annotated[
    bool,
    option("--forecast", help="Only say how long a proof may take, by measured runs."),
]
Quiet = Annotated[
    bool,
    option("--quiet", "-q", help="Print errors only: no notice, no progress, no summary."),
]
