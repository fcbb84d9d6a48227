"""Commands of many runs: batch and elbow."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import fields, replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Annotated

from rich.table import Table
from threadpoolctl import threadpool_limits

from ccviz.cli.common import Progress, err, out, say
from ccviz.cli.parameters import (
    ANY_COLUMNS,
    NO_RULES,
    NOTHING_ASKED,
    Argument,
    Constraints,
    Data,
    NodeLimit,
    Outliers,
    Params,
    RuleOptions,
    Seed,
    TableColumns,
    TimeLimit,
    option,
)
from ccviz.cli.reading import (
    build_problem,
    build_solver,
    find_data,
    read_links,
    read_rules,
    settled_scaling,
)
from ccviz.cli.report import check_writable, output, table_of, write_csv
from ccviz.compiled import compiling_said
from ccviz.data.link_files import GivenLinks
from ccviz.data.scaling import dominated
from ccviz.errors import ArchiveError, ParameterError, ProblemError, UnfillableError
from ccviz.numbers import count, number, percent, seconds
from ccviz.problem.problem import Problem
from ccviz.problem.reduction import with_rules
from ccviz.runs.archive import Archive
from ccviz.runs.database import default_path
from ccviz.runs.info import RunInfo
from ccviz.runs.run import Run
from ccviz.runs.stepper import start
from ccviz.runs.stop import Limits
from ccviz.solvers import SOLVERS, Solver
from ccviz.studies.batch import carry_out, links_of, plan
from ccviz.studies.elbow import bounded_by_more, find_elbow, findings, in_words
from ccviz.studies.elbow import columns as columns_of
from ccviz.studies.elbow_step import (
    Step,
    bound,
    cluster,
    compare,
    from_neighbors,
    from_runs,
    impossible,
)
from ccviz.studies.suite import Instance, Row, RowFile, instances, measure
from ccviz.views.frames.tables import run_table

# --- `ccviz elbow`: how many clusters there are, under the links, with proved bounds beside -------


def elbow(
    data: Data,
    k: Annotated[str, option("-k", help="Numbers of clusters, A-B.")] = "1-8",
    asked: Constraints = NOTHING_ASKED,
    rules: RuleOptions = NO_RULES,
    outliers: Outliers = 0,
    columns: TableColumns = ANY_COLUMNS,
    solver: Annotated[
        str, option("--solver", help="Solver name; 'ccviz solvers' lists them.")
    ] = "blp-kmeans",
    param: Params = None,
    bound_time: Annotated[
        float, option(help="Seconds to raise the lower bound of each k; 0 for none.", min=0)
    ] = 10.0,
    references: Annotated[
        int, option(help="Sets of uniform points for the gap statistic.", min=0)
    ] = 5,
    time_limit: TimeLimit = None,
    seed: Seed = 0,
    out_file: Annotated[str | None, option("--out", help="Write the table as CSV.")] = None,
) -> None:
    """Sweep the number of clusters: objective, proved lower bound, silhouette, gap statistic.

    Each clustering is said on standard error when it is found. Those of the numbers beside it, and
    earlier runs in the archive, may have a better one. The time limit is that of the whole sweep,
    whose table then has the numbers and figures that are known.
    """
    check_writable(out_file)
    numbers = numbers_of(k)
    dataset = find_data(data, **columns.options(asked.weight_column, rules.texts))
    given = read_links(asked.links, dataset)
    for notice in (*dataset.notices, *(each.notice for each in given if each.notice)):
        say(notice)
    # The default solver keeps no neighbours.
    solver = "regions" if asked.neighbors and solver == "blp-kmeans" else solver
    chosen = build_solver(solver, param or [])
    ruled, keeps = read_rules(rules.texts, dataset), chosen.supports.rules
    asked = replace(asked, scale=settled_scaling(dataset, numbers, given, asked))

    def build(each: int) -> Problem | None:
        try:
            problem = build_problem(dataset, each, given, asked, outliers=outliers)
            return with_rules(problem, ruled, keeps)
        except UnfillableError:
            if len(numbers) == 1:
                raise
            return None  # sizes or rules forbid this number of clusters

    problems = {each: build(each) for each in numbers}
    until = math.inf if time_limit is None else time.monotonic() + time_limit
    with threadpool_limits(1), Progress(err) as progress:
        finder = chosen if param else solver  # by its name it has enough starts
        steps = _sweep(problems, finder, seed, references, bound_time, until, progress)
    if len(steps) < len(problems):
        say(f"the time limit was reached before k = {numbers[len(steps)]}.")
    names = [each.name for each in fields(Step) if each.name != "labels"]
    write_csv(out_file, names, ([getattr(step, name) for name in names] for step in steps))
    if out_file != "-":
        known = [each for each in problems.values() if each is not None]
        out.print(_table(steps, any(each.must_keep for each in known)))
        alone = dominated(known[0].X, dataset.features, _ALIKE) if known else ""
        for line in filter(None, (alone, *findings(steps))):
            out.print(line, markup=False)


_ALIKE = "With --scale standard all count alike."


def _sweep(
    ruled: dict[int, Problem | None],
    solver: str | Solver,
    seed: int,
    references: int,
    bound_time: float,
    until: float,
    progress: Progress,
) -> tuple[Step, ...]:
    """Return what is known of each k: clusterings for all first, then a lower bound for each.

    `until`: Time, by the monotonic clock, after which nothing is begun.
    """

    def left() -> float:
        return until - time.monotonic()

    steps: dict[int, Step] = {}
    for k, problem in ruled.items():
        if steps and left() <= 0.0:
            break
        progress.say(f"k = {k}: looking for a clustering")
        limit = None if until == math.inf else max(left(), 0.1)
        steps[k] = (
            impossible(k)
            if problem is None
            else cluster(problem, solver, seed=seed, time_limit=limit)
        )
        say(f"k = {k}: objective {number(steps[k].objective)}")
    problems = {k: each for k, each in ruled.items() if each is not None and k in steps}
    if left() > 0.0 and problems:
        progress.say("splitting and merging clusters")
        limit = None if until == math.inf else left() / len(problems)
        own = _from_archive(problems, [steps[k] for k in problems])
        joined = from_neighbors(problems, own, solver, seed=seed, time_limit=limit)
        steps |= {step.k: step for step in joined}
    for k, problem in problems.items() if references else ():
        progress.say(f"k = {k}: comparing with uniform points")
        if left() > 0.0:
            steps[k] = compare(problem, steps[k], references, seed=seed)
    for k, problem in problems.items() if bound_time else ():
        progress.say(f"k = {k}: raising the bound")
        if left() > 0.0:
            steps[k] = bound(problem, steps[k], min(bound_time, left()), seed=seed)
    found = tuple(steps.values())
    return bounded_by_more(next(iter(problems.values())), found) if problems else found


def _from_archive(problems: dict[int, Problem], steps: list[Step]) -> list[Step]:
    """Return the steps with what the archive's runs have better, where there is an archive."""
    if not default_path().is_file():
        return steps
    try:
        with Archive() as archive:
            return [from_runs(archive, problems[step.k], step) for step in steps]
    except ArchiveError as broken:
        say(f"earlier runs are not compared: {broken}")
        return steps


def numbers_of(text: str) -> range:
    """Return the numbers of clusters that ``A-B`` or ``A`` names."""
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
        marked = elbow is not None and elbow.is_sure and step.k == elbow.k
        table.add_row(*in_words(step, must_keep), style="bold" if marked else None)
    return table


# --- `ccviz batch`: these solvers, with these seeds, for these numbers of clusters ----------------


ALL = "all"
_COLUMNS = ("run", "links", "solver", "k", "seed", "status", "objective", "gap", "time", "broken",
            "ari")  # fmt: skip


def batch(
    data: Data,
    solver: Annotated[
        list[str], option("--solver", help="Name, once for each solver; 'all' takes all.")
    ],
    k: Annotated[str | None, option("-k", help="Numbers of clusters, A or A-B.")] = None,
    seeds: Annotated[int, option(help="How many seeds.", min=1)] = 3,
    seed: Seed = 0,
    asked: Constraints = NOTHING_ASKED,
    link_sets: Annotated[
        list[str] | None,
        option("--link-set", help="File of links beside --links: the runs are made for each."),
    ] = None,
    columns: TableColumns = ANY_COLUMNS,
    time_limit: TimeLimit = None,
    node_limit: NodeLimit = None,
    out_file: Annotated[
        str | None, option("--out", help="Write the runs as a table, .csv or .md.")
    ] = None,
) -> None:
    """Run every solver with every seed, k and set of links, into the archive, where supported."""
    check_writable(out_file)
    dataset = find_data(data, **columns.options(asked.weight_column))
    given = read_links(asked.links, dataset)
    of_sets = {name: read_links([name], dataset) for name in link_sets or []} or {"": []}
    files = chain(given, *of_sets.values())
    for notice in (*dataset.notices, *(each.notice for each in files if each.notice)):
        say(notice)

    numbers: Sequence[int | None] = [None] if k is None else numbers_of(k)
    asked = replace(asked, scale=settled_scaling(dataset, numbers, given, asked))

    def problem_of(own: list[GivenLinks], k: int | None, _keeps_rules: bool = False) -> Problem:
        return build_problem(dataset, k, [*given, *own], asked)

    sets = {name: partial(problem_of, own) for name, own in of_sets.items()}
    counts = [problem_of([], None).k if each is None else each for each in numbers]
    names = [kind.name for kind in SOLVERS] if ALL in solver else list(dict.fromkeys(solver))
    solvers = [build_solver(name, []) for name in names]
    cells, left_out = plan(sets, solvers, range(seed, seed + seeds), counts)
    for each in left_out:
        say(f"left out: {each}")
    if not cells:
        raise ProblemError("nothing is left to run.")
    found: list[RunInfo] = []
    with Archive() as archive, threadpool_limits(1), Progress(err) as progress:
        runs = carry_out(
            archive, cells, sets, Limits(time_limit, None, node_limit),
            dataset=dataset.name, scaling=asked.scale, watch=progress.show,
        )  # fmt: skip
        try:
            for info in runs:
                found.append(info)
                progress.title = f"{len(found)} of {len(cells)} runs,"
        finally:  # also of a batch that is broken off by Ctrl-C
            _print_runs(found, out_file)


def _print_runs(found: list[RunInfo], out_file: str | None) -> None:
    if out_file is not None:
        style = "markdown" if Path(out_file).suffix == ".md" else "csv"
        with output(out_file) as file:
            file.write(run_table(found, style).encode())  # type: ignore[arg-type]
    if out_file == "-":
        return
    out.print(table_of(_COLUMNS, map(_row, found)))


def _row(info: RunInfo) -> tuple[str, ...]:
    return (
        info.id, links_of(info) or count(info.links or 0, "link"), info.solver, str(info.k),
        str(info.seed), info.status, number(info.objective),
        percent(info.gap), seconds(info.time_s),
        "-" if info.violations is None else str(info.violations), number(info.ari, 4),
    )  # fmt: skip


# --- `ccviz bench`: a solver over a folder of benchmark instances ---------------------------------


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
    table = RowFile(out_file, Row)
    done = {(row.dataset, row.ml, row.cl, row.seed) for row in table.rows if row.solver == solver}
    left = [each for each in wanted if (each.dataset, each.ml, each.cl, each.seed) not in done]
    say(f"{len(wanted)} instances, {len(wanted) - len(left)} done before.")
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
