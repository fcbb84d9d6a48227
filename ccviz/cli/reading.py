"""From the words on the command line to a problem and a solver."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, replace
from functools import partial
from math import inf
from pathlib import Path
from typing import Any

import numpy as np

from ccviz.arrays import FloatArray, IntArray
from ccviz.cli.parameters import Constraints
from ccviz.data import datasets
from ccviz.data.datasets import Dataset, encode_classes
from ccviz.data.learned_metric import learn_metric
from ccviz.data.link_files import (
    GivenLinks,
    Row,
    added_up,
    read_links_file,
    short_source,
    softened,
)
from ccviz.data.names import column_values
from ccviz.data.neighbors import neighbors_of
from ccviz.data.read_table import read_table
from ccviz.data.scaling import LEARNED, check_scaling, scale, scale_as, settled, weighted
from ccviz.data.table import Source, decode_text, read_bytes
from ccviz.errors import ParameterError, ProblemError, quote
from ccviz.problem.asked import AnyAsked, read_asked
from ccviz.problem.fixed_centers import read_centers, read_centers_text
from ccviz.problem.points import is_number
from ccviz.problem.problem import Problem
from ccviz.problem.reduction import with_rules
from ccviz.runs.archive import Archive
from ccviz.runs.run import Run
from ccviz.solvers import SOLVERS, Solver, make_solver, parse_setting, solver_class
from ccviz.solvers.advice import advice
from ccviz.studies.choose_k import FREE, LEAST, choose_k

# --- Data or links from standard input, which ``-`` names -----------------------------------------


NAME = "standard input"


def source_of(path: str) -> tuple[Source, str]:
    """Return what a reader takes for a path: the path and no name, or bytes and their name.

    `path`: ``-`` for standard input, which can be read once. Raises `ProblemError` if nothing comes
    from standard input.
    """
    if path != "-":
        return path, ""
    content = sys.stdin.buffer.read() if sys.stdin is not None else b""
    if not content:
        raise ProblemError(f"{NAME} is empty; '-' can be given once, for the data or the links.")
    return content, NAME


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


def read_links(links: Sequence[str] | None, dataset: Dataset) -> list[GivenLinks]:
    """Return the links of files."""
    return [read_links_file(source, len(dataset.X), name, dataset.names)
            for source, name in map(source_of, links or ())]  # fmt: skip


def build_problem(
    dataset: Dataset,
    k: int | None,
    files: Sequence[GivenLinks],
    asked: Constraints,
    *,
    outliers: int = 0,
    fixed_centers: str = "",
    repeated: str = "max",
) -> Problem:
    """Return the problem over a data set; without files of links it has the data set's own.

    `asked`: With a scaling as `settled_scaling` returns it. `repeated`: How the weights of a link
    that is given more than once count, ``max`` or ``sum``.
    """
    if repeated not in ("max", "sum"):
        raise ProblemError(f"--links-repeated is {repeated!r}, neither 'max' nor 'sum'.")
    scaling = asked.scale
    check_scaling(scaling, dataset.X.shape[1])
    k = dataset.k if k is None else k
    if k is None:
        raise ProblemError("the data do not say how many clusters there are; give it by -k.")
    setup = None if files else dataset.setup
    must_link: list[Row] = [] if setup is None else setup.must_link.tolist()
    cannot_link: list[Row] = [] if setup is None else setup.cannot_link.tolist()
    weights = _weights_of(asked.soften or (), [each for given in files for each in given.sources])
    for given in files:
        must_link += softened(given.must_link, given.must_sources, weights)
        cannot_link += softened(given.cannot_link, given.cannot_sources, weights)
    if repeated == "sum":
        must_link, cannot_link = added_up(must_link), added_up(cannot_link)
    return Problem(
        scale(dataset.X, scaling),
        k,
        must_link=must_link,  # type: ignore[arg-type]
        cannot_link=cannot_link,  # type: ignore[arg-type]
        sizes=asked.sizes,  # type: ignore[arg-type]
        truth=dataset.truth,
        weights=dataset.weights,
        outliers=outliers,
        fixed_centers=_centers(fixed_centers, dataset, scaling),
        neighbors=neighbors_of(dataset, asked.neighbors, asked.at, reads_files=True),
    )


def _weights_of(soften: Sequence[str], sources: Iterable[str]) -> dict[str, float]:
    """Return the weight for the links of each source that ``--soften`` names."""
    weights, known = {}, dict.fromkeys(sources)
    for each in soften:
        source, _, number = each.rpartition("=")
        weight = float(number) if is_number(number) else 0.0
        if not 0.0 < weight < inf:
            raise ParameterError(f"--soften {quote(each)} is not SOURCE=W, of a positive weight.")
        if short_source(source) not in known:
            listed = ", ".join(map(quote, known)) or "none"
            raise ParameterError(f"no link comes from {quote(source)}; the sources: {listed}.")
        weights[short_source(source)] = weight
    return weights


def read_k(text: str | None) -> int | str | None:
    """Return the number that ``-k`` gives, or the word by which it is chosen; None for none."""
    if text is None or text in (LEAST, FREE):
        return text
    try:
        return int(text)
    except ValueError:
        raise ParameterError(f"-k {quote(text)} is no number, nor 'least' or 'free'.") from None


def build_with_k(
    given: int | str | None,
    build: Callable[[int | None, str | None], Problem],
    sizes: str | None,
    rules: Sequence[AnyAsked],
    seconds: float,
) -> tuple[Problem, list[str]]:
    """Return the problem with the number of clusters that ``-k`` gives or asks for, with notices.

    `build`: Makes the problem of a number of clusters, None for the data's own, and of sizes.
    """
    if not isinstance(given, str):
        return build(given, sizes), []
    base = build(1, None)

    def sized(k: int) -> Problem:
        return replace(base, k=k, sizes=sizes)  # type: ignore[arg-type]

    found = choose_k(lambda k: with_rules(sized(k), rules, False), given, time_limit=seconds)
    return sized(found.k), [found.words]


def settled_scaling(
    dataset: Dataset,
    numbers: Sequence[int | None],
    files: Sequence[GivenLinks],
    asked: Constraints,
) -> str:
    """Return how features are scaled, with the weights themselves where they are to be found."""
    if asked.scale != LEARNED:
        return settled(asked.scale, dataset.X, dataset.features)
    if len(numbers) != 1:
        raise ParameterError(
            "--scale learned is for one number of clusters, since the weights depend on it: learn "
            "them by 'ccviz solve', and give what it prints here, as --scale weights:…"
        )
    problem = build_problem(dataset, numbers[0], files, Constraints(soften=asked.soften))
    return weighted(learn_metric(problem.X, problem.k, problem.must_link, problem.cannot_link))


def _centers(given: str, dataset: Dataset, scaling: str) -> FloatArray | None:
    """Return the centres of a file or a text, scaled as the points are; None for none."""
    if not given.strip():
        return None
    is_file = len(given) <= _LONGEST_NAME and Path(given).is_file()
    text = decode_text(read_bytes(given, given), f"{given}: ") if is_file else given
    n, d = dataset.X.shape
    return scale_as(
        read_centers(read_centers_text(text, dataset.features), n, d, n), dataset.X, scaling
    )


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


def last_clusters(path: str, dataset: Dataset, k: int) -> tuple[IntArray, str]:
    """Return (n,) the cluster of each row in an earlier table, matched by name, and what is gone.

    A new row has -1. The sentence names rows that are gone, and those whose cluster is; or it is
    empty.

    `path`: A table as ``--table`` writes it. Raises `ProblemError` if rows have no names, or one
    name is that of several rows, or none is in both tables.
    """
    origin = dataset.origin
    if not dataset.names or origin is None:
        raise ProblemError(f"rows are matched with {path} by name: say which by --name-column.")
    (called,) = (each.column for each in origin.decisions if each.role == "name")
    old = read_table(path, roles={called: "name"}, columns=[], label="")
    for names, where in ((dataset.names, dataset.name), (old.names, path)):
        twice = next((name for name, many in Counter(names).items() if many > 1), None)
        if twice is not None:
            raise ProblemError(f"{where}: several rows are called {twice!r}.")
    clusters = np.asarray(column_values(old, "cluster"))
    if clusters.dtype.kind != "f":
        raise ProblemError(f"{path}: the column 'cluster' holds no numbers.")
    known = {name: int(at) for name, at in zip(old.names, clusters, strict=True) if 0 <= at < k}
    labels = np.array([known.get(name, -1) for name in dataset.names])
    if labels.max() < 0:
        raise ProblemError(f"{path}: no row has a name of {dataset.name} and a cluster below {k}.")
    here = set(dataset.names)
    lost = [name for name in old.names if name not in here]
    homeless = [name for name in old.names if name in here and name not in known]
    said = [_listed("rows are gone", lost), _listed(f"rows had no cluster below {k}", homeless)]
    return labels, "; ".join(filter(None, said))


_MOST_LISTED = 5


def _listed(what: str, names: Sequence[str]) -> str:
    if not names:
        return ""
    more = len(names) - _MOST_LISTED
    tail = f" and {more} more" if more > 0 else ""
    return f"{what}: {', '.join(names[:_MOST_LISTED])}{tail}"


def read_rules(texts: Iterable[str], dataset: Dataset) -> list[AnyAsked]:
    """Return the rules of ``--rule`` options, with the clusterings and columns that they name."""
    column = partial(column_values, dataset)
    return [read_asked(text, _clustering, column) for text in texts]


def _clustering(name: str) -> IntArray:
    """Return the labels that a file holds, a label a line, or that a stored run found."""
    if Path(name).is_file():
        return encode_classes(decode_text(read_bytes(name, name), f"{name}: ").split())[0]
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
