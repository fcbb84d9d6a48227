"""`ccviz solve`: cluster a data set."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

from click.exceptions import Exit

from ccviz.cli.common import exit_code, out, tell
from ccviz.cli.drive import drive, enter
from ccviz.cli.options import (
    ClassColumn,
    Columns,
    Data,
    FixedCenters,
    Forecasts,
    Gap,
    Header,
    HeaderRow,
    JsonFile,
    K,
    Keep,
    LabelsFile,
    LinkFiles,
    MissingValues,
    Name,
    NameColumn,
    NodeLimit,
    Outliers,
    Params,
    ProfileFile,
    Quiet,
    ReportFile,
    Rules,
    Scaling,
    Seed,
    SizesText,
    SolverOrAuto,
    StartFrom,
    TableFile,
    Threads,
    TimeLimit,
    WeightColumn,
    Workers,
    Worksheet,
)
from ccviz.cli.reading import (
    AUTO,
    build_problem,
    choose_solver,
    find_data,
    read_rules,
    settled_scaling,
    table_options,
    with_setup,
    with_threads,
)
from ccviz.cli.report import Files, report, take_home
from ccviz.feasibility.conflict import can_explain, explain_conflict
from ccviz.problem.asked import AnyAsked
from ccviz.problem.problem import Problem
from ccviz.problem.reduction import with_rules
from ccviz.runs.archive import Archive
from ccviz.runs.earlier import stored_run
from ccviz.runs.limits import Limits
from ccviz.runs.stepper import start
from ccviz.solvers import SOLVERS
from ccviz.solvers.forecast import forecast


def solve(
    data: Data,
    k: K = None,
    links: LinkFiles = None,
    solver: SolverOrAuto = AUTO,
    param: Params = None,
    sizes: SizesText = None,
    rule: Rules = None,
    outliers: Outliers = 0,
    fixed_centers: FixedCenters = "",
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
    gap: Gap = None,
    node_limit: NodeLimit = None,
    seed: Seed = 0,
    workers: Workers = "1",
    threads: Threads = None,
    start_from: StartFrom = None,
    json: JsonFile = None,
    labels: LabelsFile = None,
    table: TableFile = None,
    profile: ProfileFile = None,
    report_file: ReportFile = None,
    name: Name = "",
    archive: Keep = True,
    forecast_only: Forecasts = False,
    quiet: Quiet = False,
) -> None:
    """Cluster a data set under links, sizes and rules.

    Exit code 0: a feasible clustering was found. 2: bad input. 3: proved infeasible. 4: none found,
    but not proved infeasible. 5: an error interrupted the run, 6: it was stopped by Ctrl-C or a
    signal; the best result so far is printed. 7: as 0, but the archive holds
    only a part of the run.
    """
    files = Files(json, labels, table, profile, report_file)
    files.check()
    options = table_options(
        columns, class_column, name_column, weight_column, missing, header, header_row, worksheet
    )
    dataset = find_data(data, **options)
    scaling = settled_scaling(dataset, [k], links or [], scale)
    problem = build_problem(dataset, k, links or [], sizes, scaling, outliers, fixed_centers)
    learned = [] if scaling == scale else [f"features: --scale {scaling}"]
    mended = [*learned, *problem.notices]
    solver, param = with_setup(dataset, solver, param or [])
    asked = read_rules(rule or [], dataset)
    if forecast_only:
        print_forecasts(problem, asked)
        return
    chosen, problem, why = choose_solver(solver, param, problem, asked, time_limit)
    if threads is not None:
        chosen = with_threads(chosen, threads)
    limits = Limits(time_limit, gap, node_limit)
    begin = None
    if start_from is not None:
        stored = Archive()
        begin = stored_run(stored, stored.find(start_from))
    stepper = start(problem, chosen, seed=seed, workers=workers, start=begin, **limits.given)
    taken = [f"{chosen.name}. {why}"] if why else []
    for notice in (*taken, *dataset.notices, *mended):
        if not quiet:
            tell(notice)
    kept, run_id = None, ""
    if archive:
        kept, run_id = enter(
            problem, chosen.name, asdict(chosen), seed=seed, workers=workers, limits=limits,
            dataset=dataset.name, name=name, scaling=scaling,
        )  # fmt: skip
    result, whole_id = drive(stepper, kept, run_id, quiet=quiet)
    report(problem, result, whole_id, files, quiet=quiet)
    take_home(dataset, result, files)
    if result.status == "infeasible" and not quiet and can_explain(problem):
        explain(problem)
    raise Exit(exit_code(result, is_lost=whole_id != run_id))


def print_forecasts(problem: Problem, asked: Sequence[AnyAsked]) -> None:
    """Print how long each solver that proves may take, those that were measured."""
    kinds = ((kind, with_rules(problem, asked, kind.supports.rules)) for kind in SOLVERS)
    found = [each for kind, given in kinds if (each := forecast(given, kind.name))]
    for each in found:
        out.print(f"{each.solver}: {each.words}")
    if not found:
        out.print("No run of a solver that proves bounds for this problem was measured.")


def explain(problem: Problem) -> None:
    """Say which constraints cannot all be kept, and the fewest links to give up."""
    if conflict := explain_conflict(problem):
        tell(conflict.reason)
        if conflict.advice:
            tell(conflict.advice)
