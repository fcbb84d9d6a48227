"""`ccviz solve`: cluster a data set."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, fields, replace
from math import inf
from pathlib import Path
from typing import Annotated, Any

import msgspec
from click.exceptions import Exit
from rich.table import Table

from ccviz.arrays import IntArray
from ccviz.cli.common import drive, enter, exit_code, out, say
from ccviz.cli.parameters import (
    ANY_COLUMNS,
    NO_RULES,
    NOTHING_ASKED,
    Argument,
    Constraints,
    Data,
    Gap,
    NodeLimit,
    Outliers,
    Params,
    Quiet,
    RuleOptions,
    Seed,
    TableColumns,
    TimeLimit,
    WeightColumn,
    Workers,
    option,
)
from ccviz.cli.reading import (
    AUTO,
    build_problem,
    build_with_k,
    choose_solver,
    find_data,
    last_clusters,
    read_k,
    read_links,
    read_rules,
    settled_scaling,
    with_setup,
    with_threads,
)
from ccviz.cli.report import NO_FILES, Files, report, save_files, table_of
from ccviz.data.datasets import Dataset
from ccviz.data.names import words_to_name
from ccviz.data.table import ROLE_WORDS
from ccviz.errors import ContradictionError, ProblemError, UnfillableError
from ccviz.feasibility.conflict import can_explain
from ccviz.feasibility.cure import explain
from ccviz.numbers import count, number
from ccviz.problem.asked import AnyAsked
from ccviz.problem.links import Repeated
from ccviz.problem.partition import Partition
from ccviz.problem.points import like_distances, repeated
from ccviz.problem.problem import Problem
from ccviz.problem.reduction import with_rules
from ccviz.problem.rule_base import RuleKind
from ccviz.problem.rules import RULE_KINDS
from ccviz.runs.archive import Archive
from ccviz.runs.earlier import Given, stored_run
from ccviz.runs.run import Result
from ccviz.runs.stepper import start
from ccviz.runs.stop import Limits
from ccviz.solvers import SOLVERS, Solver, solver_class
from ccviz.solvers.forecast import forecast
from ccviz.studies.choose_k import CHOICE_S
from ccviz.studies.least_change import placed, renamed

_MANY = 8
"""Number of clusters from which on one start is often far from the best."""

_MUCH_COMPILED = 1.0 / 3.0
"""Share of the time limit that compiling took, above which another run is advised."""


def solve(
    data: Data,
    k: Annotated[
        str | None,
        option(
            "-k",
            "--k",
            help="Number of clusters; 'least': the fewest with which everything can be kept, "
            "'free': the number that costs least under a least size.",
        ),
    ] = None,
    asked: Constraints = NOTHING_ASKED,
    links_repeated: Annotated[
        str,
        option(
            metavar="max|sum",
            help="Weight of a soft link that is given more than once: its greatest, or their sum.",
        ),
    ] = "max",
    rules: RuleOptions = NO_RULES,
    outliers: Outliers = 0,
    fixed_centers: Annotated[
        str,
        option(
            metavar="CENTRES",
            help="Centres of the first clusters, which do not move: a file with a row of numbers "
            "each, or the numbers with commas and a semicolon after each centre.",
        ),
    ] = "",
    columns: TableColumns = ANY_COLUMNS,
    solver: Annotated[
        str,
        option(
            help="Solver name ('ccviz solvers' lists them); 'auto' chooses one for the problem."
        ),
    ] = AUTO,
    param: Params = None,
    time_limit: TimeLimit = None,
    gap: Gap = None,
    node_limit: NodeLimit = None,
    seed: Seed = 0,
    workers: Workers = "1",
    threads: Annotated[
        int | None,
        option(help="Threads of a multithreaded solver; short for --param threads=N."),
    ] = None,
    start_from: Annotated[
        str | None,
        option(
            "--start",
            help="Earlier run (id, name or 'last'): its clustering, and its proof where it holds; "
            "or an earlier --table of these and other rows, matched by name, whose cluster numbers "
            "stay.",
        ),
    ] = None,
    files: Files = NO_FILES,
    name: Annotated[str, option(help="Name of the run in the archive.")] = "",
    archive: Annotated[
        bool, option("--archive/--no-archive", help="Store the run in the archive.")
    ] = True,
    forecast_only: Annotated[
        bool,
        option("--forecast", help="Only say how long a proof may take, by measured runs."),
    ] = False,
    quiet: Quiet = False,
) -> None:
    """Cluster a data set under links, sizes and rules.

    Exit code 0: a feasible clustering was found. 2: bad input. 3: proved infeasible. 4: none found,
    but not proved infeasible. 5: an error interrupted the run, 6: it was stopped by Ctrl-C or a
    signal; the best result so far is printed. 7: as 0, but the archive does
    not hold all of the run.
    """
    files.check()
    dataset = find_data(data, **columns.options(asked.weight_column, rules.texts))
    ruled = read_rules(rules.texts, dataset)
    number = read_k(k)
    given = read_links(asked.links, dataset)
    numbers = [] if isinstance(number, str) else [number]
    scaling = settled_scaling(dataset, numbers, given, asked)

    def build(k: int | None, limits: str | None) -> Problem:
        return build_problem(
            dataset, k, given, replace(asked, scale=scaling, sizes=limits),
            outliers=outliers, fixed_centers=fixed_centers, repeated=links_repeated,
        )  # fmt: skip

    problem, chosen_k = build_with_k(number, build, asked.sizes, ruled, time_limit or CHOICE_S)
    learned = [] if scaling == asked.scale else [f"features: --scale {scaling}"]
    learned += [each.notice for each in given if each.notice]
    again = [_by_name(each, dataset.names) for each in problem.repeated]
    alike = [*like_distances(dataset.X), *repeated(problem.X, problem.k)]
    mended = [*learned, *problem.corrections, *again, *alike, *chosen_k]
    solver, param = with_setup(dataset, solver, param or [])
    if forecast_only:
        print_forecasts(problem, ruled)
        return
    try:
        chosen, problem, why = choose_solver(solver, param, problem, ruled, time_limit)
    except (ContradictionError, UnfillableError) as refused:
        more = f" {_LEAST_K}" if isinstance(refused, UnfillableError) else ""
        cures = explain(problem, rules=ruled)[1]
        raise ProblemError(f"{refused} {cures.sentence}{more}") from None
    if threads is not None:
        chosen = with_threads(chosen, threads)
    limits = Limits(time_limit, gap, node_limit)
    begin, last = _beginning(start_from, dataset, problem, quiet)
    stepper = start(problem, chosen, seed=seed, workers=workers, start=begin, **limits.given)
    taken = [f"{chosen.name}. {why}"] if why else []
    for notice in (*taken, *dataset.notices, *mended):
        if not quiet:
            say(notice)
    kept, run_id = None, ""
    if archive:
        kept, run_id = enter(
            problem, chosen.name, asdict(chosen), seed=seed, workers=workers, limits=limits,
            dataset=dataset.name, name=name, scaling=scaling,
        )  # fmt: skip
    result, whole_id, compiling_s = drive(stepper, kept, run_id, quiet=quiet)
    if last is not None:
        result = _numbered_as(result, last, quiet)
    save_files(dataset, result, files)  # before the summary, whose reader may have ended
    report(problem, result, whole_id, files, quiet=quiet)
    if not quiet:
        _say_more(result, problem, chosen if why else None, time_limit, compiling_s)
    raise Exit(exit_code(result, is_lost=archive and not whole_id))


def _by_name(again: Repeated, names: Sequence[str]) -> str:
    """Return what is said of links given more than once, with the option for their weights."""
    summed = " --links-repeated sum adds the weights up." if len(again.links.soft) else ""
    return f"{again.words(names)}{summed}"


def _say_more(
    result: Result,
    problem: Problem,
    advised: Solver | None,
    time_limit: float | None,
    compiling_s: float,
) -> None:
    """Say why there is no clustering, or how a better one may be found."""
    if result.status == "infeasible":
        conflict, cures = explain(problem)
        if conflict:
            say(conflict.reason)
        if conflict or not can_explain(problem):
            say(cures.sentence)
    limit = time_limit or inf
    if result.termination == "time_limit" and compiling_s > _MUCH_COMPILED * limit:
        took = f"{number(min(compiling_s, limit), 3)} of {limit:g} s"
        say(f"{took} were compiling, which is once on this machine; run again.")
        return
    is_one = result.partition is not None and getattr(advised, "n_init", 0) == 1
    if advised is not None and is_one and problem.n_clusters >= _MANY:
        say(
            "this was one start; with many clusters more starts often find a better clustering: "
            f"--solver {advised.name} --param n_init=10."
        )


def _beginning(
    start_from: str | None, dataset: Dataset, problem: Problem, quiet: bool
) -> tuple[Given | None, IntArray | None]:
    """Return what a run begins with, and the clusters of an earlier table if it is one."""
    if start_from is None:
        return None, None
    if Path(start_from).is_file():
        last, gone = last_clusters(start_from, dataset, problem.n_clusters)
        if gone and not quiet:
            say(f"of {start_from}, {gone}.")
        return placed(problem, last), last
    stored = Archive()
    return stored_run(stored, stored.find(start_from)), None


def _numbered_as(result: Result, last: IntArray, quiet: bool) -> Result:
    """Return a result with the cluster numbers of an earlier table, and say how many rows moved."""
    if result.partition is None:
        return result
    problem = result.partition.problem
    labels = renamed(problem, result.partition.labels, last)
    if not quiet:
        old = last >= 0
        moved = int((labels != last)[old].sum())
        new = count(int((~old).sum()), "new row")
        say(f"{moved:,} of {count(int(old.sum()), 'row')} moved; {new}.")
    return replace(result, partition=Partition(problem, labels))


def print_forecasts(problem: Problem, asked: Sequence[AnyAsked]) -> None:
    """Print how long each solver that proves may take, those that were measured."""
    kinds = ((kind, with_rules(problem, asked, kind.supports.rules)) for kind in SOLVERS)
    found = [each for kind, given in kinds if (each := forecast(given, kind.name))]
    for each in found:
        out.print(f"{each.solver}: {each.words}")
    if not found:
        out.print("No run of a solver that proves bounds for this problem was measured.")


_LEAST_K = "With -k least the fewest clusters that can keep all are found."


# --- `ccviz describe` and `ccviz rules`: the columns of a table, the kinds of rules ---------------


def describe(
    data: Data, columns: TableColumns = ANY_COLUMNS, weight_column: WeightColumn = None
) -> None:
    """Say what a table has: points, columns with their roles, words that rules may name."""
    dataset = find_data(data, **columns.options(weight_column))
    n, d = dataset.X.shape
    out.print(f"{dataset.name}: {count(n, 'point')}, {count(d, 'feature')}")
    roles = dataset.origin.roles.items() if dataset.origin else ()
    rows = [(column, ROLE_WORDS[role]) for column, role in roles]
    plain = [(each, "feature") for each in dataset.features]
    out.print(table_of(("column", "role"), rows or plain))
    words = ", ".join(words_to_name(dataset)) or "none"
    out.print("\n".join([f"words for rules: {words}", *dataset.notices]))


def rules() -> None:
    """List the rules that --rule takes, with what each says of every cluster."""
    rows = [(kind.text, _meaning(kind), kind.help_text) for kind in RULE_KINDS.values()]
    out.print(table_of(("rule", "meaning", ""), rows))
    out.print("S may be a share, as 20%. 'A or B': every cluster keeps the one or the other.")
    out.print("In a shell a rule needs quotes: --rule 'size>=2'.")


def _meaning(kind: RuleKind) -> str:
    stem, _, limit = kind.text.rpartition("=")
    name = (stem or kind.text).partition("(")[2].partition(")")[0]
    return kind.words.format(name=name, limit=limit)


# --- `ccviz solvers`: the registry ----------------------------------------------------------------


_ABILITIES = ("hard", "soft", "sizes", "rules", "weights", "exact", "bounds", "resume")


def solvers(
    name: Annotated[str, Argument(help="Show the parameters of one solver.")] = "",
    json: Annotated[bool, option("--json", help="Print JSON, parameters included.")] = False,
) -> None:
    """List the solvers, their papers and what each supports, or the parameters of one."""
    if json:
        found = _as_json(solver_class(name)) if name else [_as_json(each) for each in SOLVERS]
        out.print(msgspec.json.format(msgspec.json.encode(found)).decode())
    else:
        out.print(_parameters(solver_class(name)) if name else _registry())


def _as_json(solver: type[Solver]) -> dict[str, Any]:
    """Return a solver as plain values."""
    parameters = [
        {"name": each.name, "default": each.default, "meaning": each.metadata["doc"],
         "choices": list(each.metadata["choices"] or ())}
        for each in fields(solver)
    ]  # fmt: skip
    return {
        "name": solver.name, "title": solver.title, "paper": solver.paper,
        "supports": asdict(solver.supports), "parameters": parameters,
    }  # fmt: skip


def _registry() -> Table:
    rows = (
        (each.name, each.title, each.paper)
        + tuple("yes" if getattr(each.supports, ability) else "-" for ability in _ABILITIES)
        for each in SOLVERS
    )
    return table_of(("name", "title", "paper", *_ABILITIES), rows)


def _parameters(solver: type[Solver]) -> Table:
    table = Table(
        "parameter", "default", "meaning", box=None, title=f"{solver.title}. {solver.paper}"
    )
    for each in fields(solver):
        choices = each.metadata["choices"]
        also = f" One of {', '.join(choices)}." if choices else ""
        table.add_row(each.name, str(each.default), f"{each.metadata['doc']}{also}")
    return table
