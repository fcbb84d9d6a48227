"""Commands by click: the annotation of a function's parameter says which option or argument it is.

Typer does the same, but its newest version imports pydantic and makes a validator for each
option: 0.2 CPU seconds before a command begins.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from dataclasses import dataclass, is_dataclass
from types import NoneType
from typing import Annotated, Any, get_args, get_origin, get_type_hints

import click

from ccviz.errors import ParameterError, quote
from ccviz.problem.asked import GRAMMAR, linked_columns
from ccviz.problem.points import is_number


@dataclass(frozen=True)
class Argument:
    """An argument of a command, for ``Annotated``; ``help`` is its line in the help."""

    help: str


@dataclass(frozen=True)
class Option:
    """An option of a command, for ``Annotated``; `option` makes one."""

    # As on the command line, ``"--archive/--no-archive"`` for a switch; if there is none, the
    # parameter's name with dashes.
    names: tuple[str, ...]
    help: str
    min: int | float | None = None
    max: int | float | None = None
    metavar: str | None = None
    envvar: str | None = None  # Variable of the environment that is read where it is not given


def option(*names: str, help: str, **about: Any) -> Option:
    """Return the option of some names; `Option` has the rest."""
    return Option(names, help, **about)


def command(name: str, function: Callable[..., None]) -> click.Command:
    """Return the command that calls a function; the function's docstring is its help.

    A parameter that is a dataclass is a group of options: one for each field.
    """
    hints = get_type_hints(function, include_extras=True)
    groups: dict[str, Any] = {name: hint for name, hint in hints.items() if is_dataclass(hint)}
    made: list[click.Parameter] = []
    for parameter, default in _defaults(function).items():
        group = groups.get(parameter)
        members = {parameter: default} if group is None else _defaults(group)
        found = hints if group is None else get_type_hints(group, include_extras=True)
        made += [_parameter(each, found[each], given) for each, given in members.items()]

    def call(**values: Any) -> None:
        for parameter, group in groups.items():
            values[parameter] = group(**{each: values.pop(each) for each in _defaults(group)})
        function(**values)

    about = inspect.getdoc(function) or ""
    return _Command(name, callback=call, params=made, help=about, short_help=about.split("\n")[0])


def _defaults(function: Callable[..., Any]) -> dict[str, Any]:
    return {each.name: each.default for each in inspect.signature(function).parameters.values()}


class _Command(click.Command):
    """A command whose help lists the arguments."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the arguments, then the options."""
        arguments = [each for each in self.get_params(ctx) if isinstance(each, _Argument)]
        if arguments:
            with formatter.section("Arguments"):
                formatter.write_dl([(each.make_metavar(ctx), each.about) for each in arguments])
        super().format_options(ctx, formatter)


class _Argument(click.Argument):
    """An argument with a line for the help, which those of click have from 8.5 on."""

    def __init__(self, name: str, about: str, **given: Any) -> None:
        super().__init__([name], **given)
        self.about = about


def _parameter(name: str, hint: Any, default: Any) -> click.Parameter:
    """Return the parameter of a command, from that of its function."""
    kind, about = get_args(hint)
    if NoneType in get_args(kind):
        [kind] = set(get_args(kind)) - {NoneType}
    is_needed = default is inspect.Parameter.empty
    is_list = get_origin(kind) is list
    given: dict[str, Any] = {"required": is_needed}
    if is_list:
        [kind] = get_args(kind)
        given["callback"] = lambda context, parameter, values: list(values) or None
    elif not is_needed:
        given["default"] = default
    if isinstance(about, Argument):
        return _Argument(name, about.help, type=kind, nargs=-1 if is_list else 1, **given)
    names = about.names or (f"--{name.replace('_', '-')}",)
    if kind is not bool:
        given |= {"type": _type(kind, about), "multiple": is_list, "metavar": about.metavar}
    shown = default not in (None, "", ("", ""), False) and not is_needed
    return click.Option(
        [name, *names], help=about.help, show_default=shown, is_flag=kind is bool or None,
        envvar=about.envvar, show_envvar=about.envvar is not None, **given,
    )  # fmt: skip


def _type(kind: Any, about: Option) -> Any:
    """Return click's type of an option's value."""
    if get_origin(kind) is tuple:
        return get_args(kind)
    if about.min is None and about.max is None:
        return kind
    numbers: Any = click.IntRange if kind is int else click.FloatRange
    return numbers(about.min, about.max)


# --- Options and arguments that several commands share --------------------------------------------


Data = Annotated[
    str,
    Argument(
        help="File (CSV, Excel, Parquet, Arrow, .npy, 'n d k' text), name of a built-in data set, "
        "or '-' for CSV from standard input."
    ),
]
StoredRun = Annotated[str, Argument(help="Id, name or end of the id of a run, or 'last'.")]
LinkFiles = Annotated[
    list[str] | None,
    option(
        "--links",
        help="File of links: lines 'ML i j' or 'CL i j', a table with names, of wishes too, or "
        "JSON; '-' for standard input.",
    ),
]
Params = Annotated[
    list[str] | None, option("--param", help="Solver parameter NAME=VALUE; may be repeated.")
]
Outliers = Annotated[int, option(min=0, help="Points that may be left out; their label is -1.")]


WeightColumn = Annotated[str | None, option(help="Column with the weights of the points.")]


@dataclass(frozen=True)
class Constraints:
    """Options that say how points are compared, and what a clustering must keep beside rules."""

    links: LinkFiles = None
    soften: Annotated[
        list[str] | None,
        option(
            metavar="SOURCE=W",
            help="Make the hard links of a source, a comment or a file, soft, of this weight.",
        ),
    ] = None
    sizes: Annotated[
        str | None,
        option(
            help="Cluster sizes: 'equal', N or A-B; one for all clusters, or with commas one each."
        ),
    ] = None
    neighbors: Annotated[
        str,
        option(
            metavar="HOW",
            help="Which points are neighbours; every cluster is connected in their graph: knn:6, "
            "radius:2.5, radius:60km, delaunay, borders (of GeoJSON), or a file, of pairs or GAL.",
        ),
    ] = ""
    at: Annotated[
        str, option(metavar="COLUMNS", help="Columns of coordinates for --neighbors, as lon,lat.")
    ] = ""
    weight_column: WeightColumn = None
    scale: Annotated[
        str,
        option(
            help="Scaling of the features: 'none', 'standard' (z-scores), 'range' (0 to 1), "
            "'words' (z-scores, and a column of words counts as one feature), 'learned' (weights "
            "from the links), or such weights: 'weights:0.5,2,1'."
        ),
    ] = "none"


NOTHING_ASKED = Constraints()


@dataclass(frozen=True)
class RuleOptions:
    """Options of rules."""

    rule: Annotated[
        list[str] | None, option(help=f"A rule: {GRAMMAR}. 'ccviz rules' explains them.")
    ] = None
    together: Annotated[
        list[str] | None,
        option(
            metavar="COLUMN",
            help="Column whose equal rows share a cluster; COLUMN=W for soft links of that weight.",
        ),
    ] = None
    apart: Annotated[
        list[str] | None,
        option(
            metavar="COLUMN",
            help="Column of whose equal rows no two share a cluster; COLUMN=W for soft links.",
        ),
    ] = None

    @property
    def texts(self) -> list[str]:
        """The rules of all three options as texts."""
        if bare := next((text for text in self.rule or [] if text.strip().isidentifier()), None):
            raise ParameterError(
                f"the rule {quote(bare)} has no sign and limit. 'ccviz rules' lists the rules; in "
                "a shell they need quotes: --rule 'size>=2'."
            )
        found = list(self.rule or [])
        for kind, columns in (("together", self.together), ("apart", self.apart)):
            for each in columns or []:
                column, equals, weight = each.rpartition("=")
                has_weight = equals and is_number(weight)
                found.append(f"{kind}({column})={weight}" if has_weight else f"{kind}({each})")
        return found


NO_RULES = RuleOptions()


@dataclass(frozen=True)
class TableColumns:
    """Options that say how the rows and columns of a table are read."""

    columns: Annotated[
        str | None,
        option(
            help="Columns to use as features: A,B,...; all numeric ones by default; '' for none, "
            "where links alone decide."
        ),
    ] = None
    class_column: Annotated[
        str | None,
        option(
            "--class-column",
            "--label",
            help="Column of the known classes, '' for none; used for scores only.",
        ),
    ] = None
    name_column: Annotated[str | None, option(help="Column with the names of the points.")] = None
    missing: Annotated[
        str | None,
        option(help="Rows with missing values: 'drop' them, or fill in the column's 'median'."),
    ] = None
    header: Annotated[
        bool | None,
        option(
            "--header/--no-header",
            help="Whether the first row of a CSV file holds the column names.",
        ),
    ] = None
    header_row: Annotated[
        int | None,
        option(
            min=0,
            metavar="NUMBER",
            help="Line or row of the file that holds the column names; 0 if none does.",
        ),
    ] = None
    worksheet: Annotated[
        str | None, option(metavar="NAME", help="Worksheet of an Excel workbook.")
    ] = None
    unknown: Annotated[
        list[str] | None,
        option(metavar="WORD", help="Word that means a missing value or an unknown class."),
    ] = None
    skip_rows: Annotated[
        int | None,
        option(min=0, metavar="N", help="Rows to leave out below the names; units are found."),
    ] = None
    skip_last: Annotated[
        int | None,
        option(min=0, metavar="N", help="Last rows to leave out; a row of totals is found."),
    ] = None

    def options(
        self, weight_column: str | None = None, rules: Iterable[str] = ()
    ) -> dict[str, Any]:
        """Return the options of `read_table`; columns that links follow from are no features."""
        aside = linked_columns(rules) if self.columns is None else {}
        roles: dict[str | None, str] = dict.fromkeys(aside, "ignore")
        labels = next((name for name, kind in aside.items() if kind == "labels()"), None)
        if self.class_column is None and labels is not None:
            roles[labels] = "class"  # which scores and names of clusters go by
        roles |= {self.name_column: "name", weight_column: "weight"}
        options: dict[str, Any] = {
            "label": self.class_column,
            "missing": self.missing,
            "header": self.header if self.header_row is None else self.header_row,
            "worksheet": self.worksheet,
            "unknown": self.unknown or (),
            "skip_rows": self.skip_rows,
            "skip_last": self.skip_last,
            "roles": {column: role for column, role in roles.items() if column is not None},
        }
        if self.columns is not None:
            words = self.columns.split(",") if self.columns.strip() else []
            options["columns"] = [word.strip() for word in words]
        return options


ANY_COLUMNS = TableColumns()


TimeLimit = Annotated[float | None, option(help="Stop after this number of seconds.")]
Gap = Annotated[
    float | None, option(help="Stop at this relative gap between objective and lower bound.")
]
NodeLimit = Annotated[int | None, option(help="Stop after this number of tree nodes.")]
Seed = Annotated[int, option(help="Random seed; the same seed and workers give the same run.")]
Workers = Annotated[
    str, option(help="Number of worker processes, or the tcp:// address of a Dask scheduler.")
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
Quiet = Annotated[
    bool,
    option("--quiet", "-q", help="Print errors only: no notice, no progress, no summary."),
]
