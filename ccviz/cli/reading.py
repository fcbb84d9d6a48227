"""From the words on the command line to a problem and a solver."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

from ccviz.arrays import FloatArray, IntArray
from ccviz.cli.standard_input import source_of
from ccviz.data import datasets
from ccviz.data.datasets import Dataset, encode_classes
from ccviz.data.learned_metric import learn_metric
from ccviz.data.link_files import Link, read_links_file
from ccviz.data.named_column import column_values
from ccviz.data.read_table import read_table
from ccviz.data.scaling import LEARNED, check_scaling, scale, scale_as, weighted
from ccviz.errors import ParameterError, ProblemError
from ccviz.problem.asked import AnyAsked, read_asked
from ccviz.problem.fixed_centers import read_centers, read_centers_text
from ccviz.problem.problem import Problem
from ccviz.problem.reduction import with_rules
from ccviz.problem.sizes import read_sizes
from ccviz.runs.archive import Archive
from ccviz.runs.run import Run
from ccviz.solvers import SOLVERS, Solver, make_solver, parse_setting, solver_class
from ccviz.solvers.advice import advice

AUTO = "auto"
"""The solver that is advised for the problem."""
_LONGEST_NAME = 255
"""Characters of the longest name of a file."""


def find_data(data: str, **options: Any) -> Dataset:
    """Return a file's points, or those of a data set that comes with ccviz.

    The options are those of `read_table`; a data set that comes with ccviz needs none.
    """
    if data in datasets.NAMES and not Path(data).exists():
        return datasets.load(data)
    if data != "-" and not Path(data).suffix and not Path(data).exists():
        names = ", ".join(datasets.NAMES)
        raise ProblemError(f"{data!r} is neither a file nor a data set; the sets are {names}.")
    source, name = source_of(data)
    return read_table(source, name, **options)


def table_options(
    columns: str | None,
    label: str | None,
    name: str | None,
    weight: str | None,
    missing: str | None,
    header: bool | None,
    header_row: int | None,
    worksheet: str | None,
) -> dict[str, Any]:
    """Return the options of `read_table` from the words on the command line."""
    options: dict[str, Any] = {
        "label": label,
        "missing": missing,
        "header": header if header_row is None else header_row,
        "worksheet": worksheet,
    }
    if columns is not None:
        options["columns"] = [word.strip() for word in columns.split(",")]
    asked = {name: "name", weight: "weight"}
    options["roles"] = {column: role for column, role in asked.items() if column is not None}
    return options


def build_problem(
    dataset: Dataset,
    k: int | None,
    links: Sequence[str],
    sizes: str | None,
    scaling: str,
    outliers: int = 0,
    fixed_centers: str = "",
) -> Problem:
    """Return the problem over a data set; without files of links it has the data set's own."""
    check_scaling(scaling, dataset.X.shape[1])
    k = dataset.k if k is None else k
    if k is None:
        raise ProblemError("the data do not say how many clusters there are; give it by -k.")
    setup = None if links else dataset.setup
    must_link: list[Link] = [] if setup is None else setup.must_link.tolist()
    cannot_link: list[Link] = [] if setup is None else setup.cannot_link.tolist()
    for path in links:
        source, name = source_of(path)
        given = read_links_file(source, len(dataset.X), name)
        must_link += given.must_link
        cannot_link += given.cannot_link
    return Problem(
        scale(dataset.X, scaling),
        k,
        must_link=must_link,  # type: ignore[arg-type]
        cannot_link=cannot_link,  # type: ignore[arg-type]
        sizes=None if sizes is None else read_sizes(sizes, len(dataset.X), k),  # type: ignore[arg-type]
        truth=dataset.truth,
        weights=dataset.weights,
        outliers=outliers,
        fixed_centers=_centers(fixed_centers, dataset, scaling),
    )


def settled_scaling(
    dataset: Dataset, numbers: Sequence[int | None], links: Sequence[str], scaling: str
) -> str:
    """Return how features are scaled, with the weights themselves where they are to be learned.

    Parameters
    ----------
    dataset : Dataset
    numbers : sequence of int or None
        Numbers of clusters; None for that of the data set.
    links : sequence of str
        Files.
    scaling : str
        As it was asked for.
    """
    if scaling != LEARNED:
        return scaling
    if len(numbers) != 1:
        raise ParameterError(
            "--scale learned is for one number of clusters, since the weights depend on it: learn "
            "them by 'ccviz solve', and give what it prints here, as --scale weights:…"
        )
    problem = build_problem(dataset, numbers[0], links, None, "none")
    return weighted(learn_metric(problem.X, problem.k, problem.must_link, problem.cannot_link))


def _centers(given: str, dataset: Dataset, scaling: str) -> FloatArray | None:
    """Return the centres of a file or a text, scaled as the points are; None for none."""
    if not given.strip():
        return None
    is_file = len(given) <= _LONGEST_NAME and Path(given).is_file()
    text = Path(given).read_text(encoding="utf-8") if is_file else given
    n, d = dataset.X.shape
    return scale_as(read_centers(read_centers_text(text), n, d, n), dataset.X, scaling)


def with_setup(dataset: Dataset, solver: str, params: Sequence[str]) -> tuple[str, list[str]]:
    """Return solver and settings, those of an example problem where no solver was named."""
    if solver != AUTO or dataset.setup is None:
        return solver, list(params)
    own = [f"{name}={value}" for name, value in dataset.setup.settings.items()]
    return dataset.setup.solver, [*own, *params]


def choose_solver(
    name: str,
    params: Sequence[str],
    problem: Problem,
    asked: Sequence[AnyAsked],
    seconds: float | None = None,
) -> tuple[Solver, Problem, str]:
    """Return the solver, the problem with the rules as it keeps them, and why it was taken.

    The last is empty where the solver was named. What is advised depends on the time limit.
    """
    why = ""
    if name == AUTO:
        if params:
            raise ParameterError("--param is for one solver; say which by --solver.")
        asis, keeping = (with_rules(problem, asked, by_itself) for by_itself in (False, True))
        advised = advice(asis, keeping, seconds=seconds)
        name, why = advised.solver, advised.why
    solver = build_solver(name, params)
    if asked:
        problem = with_rules(problem, asked, solver.supports.rules)
    return solver, problem, why


def read_rules(texts: Iterable[str], dataset: Dataset) -> list[AnyAsked]:
    """Return the rules of ``--rule`` options, with the clusterings and columns that they name."""
    column = partial(column_values, dataset)
    return [read_asked(text, _clustering, column) for text in texts]


def _clustering(name: str) -> IntArray:
    """Return the labels that a file holds, a label a line, or that a stored run found."""
    if Path(name).is_file():
        return encode_classes(Path(name).read_text(encoding="utf-8").split())[0]
    archive = Archive()
    run_id = archive.find(name)
    run = Run(archive.problem(run_id))
    for record in archive.records(run_id):
        run.apply(record)
    if run.incumbent is None:
        raise ProblemError(f"the run {name} has no clustering to differ from.")
    return run.incumbent.labels[: run.problem.n_points]


def with_threads(solver: Solver, threads: int) -> Solver:
    """Return the solver with a number of threads, if it supports them."""
    if "threads" not in asdict(solver):
        having = ", ".join(each.name for each in SOLVERS if "threads" in asdict(each()))
        raise ParameterError(f"{solver.name} works by one thread; these have --threads: {having}.")
    return make_solver(solver.name, **{**asdict(solver), "threads": threads})


def build_solver(name: str, params: Iterable[str]) -> Solver:
    """Return a solver with parameters from ``NAME=VALUE`` words."""
    kind = solver_class(name)
    settings: dict[str, Any] = {}
    for param in params:
        key, equals, value = param.partition("=")
        if not equals:
            raise ParameterError(f"--param {param} is not NAME=VALUE.")
        settings[key] = parse_setting(kind, key, value)
    return make_solver(name, **settings)
