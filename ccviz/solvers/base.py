"""What a solver is: a frozen dataclass of parameters that yields events."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from math import inf
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np

from ccviz.arrays import IntArray
from ccviz.errors import ParameterError, UnsupportedError, quote
from ccviz.events import Event, Record
from ccviz.feasibility.packing import never as never
from ccviz.problem.blocks import contract, has_unweighted_blocks
from ccviz.problem.problem import Problem
from ccviz.problem.sums import sum_limits


@dataclass(frozen=True)
class Supports:
    """What a solver can honour.

    Attributes
    ----------
    hard, soft : bool
        Hard links are kept, soft links are weighed. Without ``hard`` a problem with hard links is
        taken all the same, and an answer that breaks one is no answer: the status is unknown.
    sizes : bool
        Cluster sizes are kept.
    rules : bool
        Anti-monotone constraints are kept.
    sums : bool
        Limits on the sum of a column in each cluster are kept.
    weights : bool
        The objective and the centres count the weights of points.
    weighted_sizes : bool
        Weights of points are supported together with cluster sizes.
    outliers : bool
        Points may be left out.
    fixed : bool
        Some centres may be given.
    neighbors : bool
        Every cluster is connected in the graph of neighbours.
    exact : bool
        Optimality can be proved.
    bounds : bool
        A lower bound is given.
    resume : bool
        A run that was broken off goes on from its events (``context.history``).
    start : bool
        A given clustering (``context.labels``) is where the first start begins, or the upper bound
        with which a proof begins.
    """

    hard: bool = True
    soft: bool = False
    sizes: bool = False
    rules: bool = False
    sums: bool = False
    weights: bool = False
    weighted_sizes: bool = False
    outliers: bool = False
    fixed: bool = False
    neighbors: bool = False
    exact: bool = False
    bounds: bool = False
    resume: bool = False
    start: bool = False

    def missing(self, problem: Problem) -> list[str]:
        """Return the names of the problem's constraints that are not supported."""
        fixed, sized = problem.fixed > 0, problem.limits_sizes
        weighted = problem.weights is not None and not fixed
        both = self.weights and self.sizes
        sums = sum_limits(problem)
        free = problem.fixed < problem.k or problem.is_soft
        bridges = self.neighbors and problem.neighbors is not None
        return [
            words
            for asked, can, words in (
                (problem.is_soft, self.soft, "soft links"),
                (sized, self.sizes, "cluster sizes"),
                (len(problem.rules) > len(sums), self.rules, "rules on clusters"),
                (bool(sums), self.sums, "limits on sums"),
                (weighted, self.weights, "weights of points"),
                (weighted and sized and both, self.weighted_sizes, "weights beside cluster sizes"),
                (problem.outliers > 0, self.outliers, "outliers"),
                (fixed, self.fixed, "fixed centres"),
                (
                    fixed and sized and free and self.fixed,
                    not self.exact,
                    "some centres fixed, or soft links, beside cluster sizes",
                ),
                (problem.neighbors is not None, self.neighbors, "neighbours"),
                (has_unweighted_blocks(problem), bridges, "constraints on points of weight 0"),
            )
            if asked and not can
        ]


@dataclass(frozen=True, eq=False)
class Context:
    """What the driver hands to a solver.

    Attributes
    ----------
    seed : int
        Seed of everything random in the run.
    workers : str
        ``"1"`` for the solver's own process, a number of local processes, or the address of a
        Dask scheduler (``tcp://...``).
    stop : callable
        Cheap; true once the run should end. Long loops look at it and return when it is true:
        the driver then says why the run ended.
    history : tuple of Record
        The records of the run so far when a run is resumed, otherwise empty.
    labels : (n,) int64 or None
        A clustering to begin with, which keeps every hard constraint.
    floor : float
        A lower bound that an earlier run proved.
    leaving : list of callable
        The driver calls what a solver puts here once a run is stopped. It returns the last events,
        with what a run that goes on needs.
    """

    seed: int = 0
    workers: str = "1"
    stop: Callable[[], bool] = never
    history: tuple[Record, ...] = ()
    labels: IntArray | None = None
    floor: float = -inf
    leaving: list[Callable[[], Iterable[Event]]] = field(default_factory=list)

    @property
    def rng(self) -> np.random.Generator:
        """A fresh generator from the seed; take it once."""
        return np.random.default_rng(self.seed)


def setting(
    default: Any,
    doc: str,
    *,
    low: float | None = None,
    high: float | None = None,
    choices: tuple[str, ...] | None = None,
    offered: Callable[[], tuple[str, ...]] | None = None,
    advanced: bool = False,
    label: str = "",
) -> Any:
    """Declare a solver's parameter: its default, its sentence, its range.

    ``--param`` of the command line, the form on the page and the docs read these.

    Parameters
    ----------
    doc : str
        One sentence.
    low, high : float, optional
        The least and the largest value allowed.
    choices : tuple of str, optional
        The values allowed.
    offered : callable, optional
        Returns those of ``choices`` that forms offer here, as some need packages.
    advanced : bool
        Whether forms fold it away.
    label : str, optional
        What forms call it; its name in words if empty.
    """
    about = {
        "doc": doc, "low": low, "high": high, "choices": choices, "offered": offered,
        "advanced": advanced, "label": label,
    }  # fmt: skip
    return field(default=default, metadata=about)


def offered(about: Mapping[str, Any], value: Any) -> list[str]:
    """Return the choices that a form offers, with its value among them; none for other settings.

    Parameters
    ----------
    about : mapping
        Metadata of the field.
    """
    choices = about["choices"] if about["offered"] is None else about["offered"]()
    return [each for each in about["choices"] or () if each in (*choices, value)]


GROUPS = ("Quick", "Exact, with proof", "Noisy links", "From the papers")
"""Kinds of solvers, as people choose among them."""


def label_of(name: str, *solvers: type[Solver]) -> str:
    """Return what people call a parameter: its label, or its name in words.

    Parameters
    ----------
    name : str
        Of a parameter, or of a limit.
    *solvers : type of Solver
        The first that has it says its label.
    """
    given = (each for solver in solvers for each in fields(solver) if each.name == name)
    label: str = next((each.metadata["label"] for each in given), "")
    return label or name.replace("_", " ").capitalize()


@dataclass(frozen=True)
class Solver:
    """Base of all solvers. A subclass is a frozen dataclass whose fields are each a `setting`.

    Attributes
    ----------
    name, title, paper : str
        Registry name, name for people, and the paper it follows.
    group : str
        Its section in lists of solvers, one of `GROUPS`.
    most_blocks, most_points : float
        Blocks of must-linked points, or points, beyond which a run would not fit into memory.
    keeps_float32 : bool
        Whether it works on points of float32 as they are; to others they are given as float64.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    paper: ClassVar[str]
    supports: ClassVar[Supports] = Supports()
    group: ClassVar[str] = "From the papers"
    most_blocks: ClassVar[float] = inf
    most_points: ClassVar[float] = inf
    keeps_float32: ClassVar[bool] = False

    def __post_init__(self) -> None:
        for each in fields(self):
            value = _read_setting(self.name, each, getattr(self, each.name))
            object.__setattr__(self, each.name, value)

    def steps(self, problem: Problem, context: Context) -> Iterator[Event]:
        """Yield the events of one run, `ccviz.events.Finished` last unless stopped.

        Parameters
        ----------
        context : Context
            Seed, workers, and when to stop.
        """
        raise NotImplementedError

    def check(self, problem: Problem, who_can: Callable[[Problem], str] | None = None) -> None:
        """Raise `UnsupportedError` if the problem asks for what this solver cannot do.

        Parameters
        ----------
        who_can : callable, optional
            Says in words which solvers can; `ccviz.solvers.check` hands in the registry's answer.

        Raises
        ------
        UnsupportedError
            The sentence says what it is.
        """
        missing = self.supports.missing(problem)
        if missing:
            what = " and ".join(missing)
            others = f"; {who_can(problem)}" if who_can else ""
            raise UnsupportedError(f"{self.name} cannot handle {what}{others}.")
        if problem.n > self.most_points:
            raise UnsupportedError(
                f"{self.name} works with matrices of a row and a column per point, and can take "
                f"{self.most_points:,} points; this problem has {problem.n:,}."
            )
        if problem.n > self.most_blocks and (s := contract(problem).s) > self.most_blocks:
            raise UnsupportedError(
                f"{self.name} works with matrices of a row and a column per block, and can take "
                f"{self.most_blocks:,} blocks; this problem has {s:,}."
            )


def _read_setting(solver: str, each: Any, value: Any) -> Any:
    if "doc" not in each.metadata:
        raise TypeError(f"{solver}: the parameter {each.name} is not declared by `setting(...)`.")
    where = f"{solver}: {each.name} = {quote(value)}"
    choices, low, high = (each.metadata[key] for key in ("choices", "low", "high"))
    kind = type(each.default)
    if not _is_a(kind, value):
        raise ParameterError(f"{where} is not {_KIND_WORDS[kind]}.")
    if choices is not None and value not in choices:
        raise ParameterError(f"{where} is not one of {', '.join(choices)}.")
    if low is not None and not value >= low:
        raise ParameterError(f"{where} is below {low:g}.")
    if high is not None and not value <= high:
        raise ParameterError(f"{where} is above {high:g}.")
    return kind(value)


def _is_a(kind: type, value: Any) -> bool:
    """Whether a value is of a parameter's type, or NumPy's scalar of that type."""
    if isinstance(value, bool | np.bool_):  # to Python these are numbers too
        return kind is bool
    if not isinstance(value, _KINDS[kind]):
        return False
    return kind is str or (abs(value) < _MOST_WHOLE if kind is int else is_finite(value))


def is_finite(value: Any) -> bool:
    """Return whether a number is one that a float can hold."""
    try:
        return math.isfinite(value)
    except OverflowError:  # a whole number of hundreds of digits
        return False


_MOST_WHOLE = 1 << 63


_KINDS: dict[type, Any] = {bool: bool, int: Integral, float: Real, str: str}
_KIND_WORDS = {
    bool: "true or false",
    int: "a whole number",
    float: "a finite number",
    str: "a text",
}


def parse_setting(solver: type[Solver], name: str, text: str) -> Any:
    """Return a parameter's value from text, as the command line and URLs give it.

    Parameters
    ----------
    name : str
        Of the parameter.

    Raises
    ------
    ParameterError
        If the solver has no such parameter or the text is not of its type.
    """
    known = {each.name: each for each in fields(solver)}
    if name not in known:
        raise ParameterError(
            f"{solver.name} has no parameter {name!r}; it has {', '.join(known) or 'none'}."
        )
    kind: Any = type(known[name].default)
    try:
        return _TRUTH[text.lower()] if kind is bool else kind(text)
    except (ValueError, KeyError):
        raise ParameterError(
            f"{solver.name}: {name} = {text!r} is not {_KIND_WORDS[kind]}."
        ) from None


_TRUTH = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
