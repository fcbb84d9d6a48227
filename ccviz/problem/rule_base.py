"""What a rule is: a constraint on each cluster, and the kind in whose words it is asked for.

A constraint is anti-monotone if every part of a cluster that keeps it keeps it too (Babaki, Guns
and Nijssen 2014, section 2). Such a rule limits loads of the cluster: sums of weights of its points
and of pairs of its points; `Both` and `Either` join rules. A rule applies to every cluster of a
clustering. `ccviz.problem.rules` has the kinds.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import product
from typing import Any, ClassVar, Literal, Protocol, Self

import numpy as np

from ccviz.arrays import FloatArray, IntArray
from ccviz.errors import ProblemError
from ccviz.problem.links import Links

MOST_LINKS = 1_000_000
"""Most links that a rule is reduced to."""

MOST_ALTERNATIVES = 256
"""Most disjuncts of a problem's rules: pricing solves one subproblem for each."""

NO_PAIRS: IntArray = np.zeros((0, 2), dtype=np.int64)


class Points(Protocol):
    """What a rule reads of a `ccviz.Problem`, which is made after the rules."""

    @property
    def X(self) -> FloatArray:  # noqa: N802
        """(n, d) points."""

    @property
    def n(self) -> int:
        """Number of points."""

    @property
    def k(self) -> int:
        """Number of clusters."""

    @property
    def cannot_link(self) -> Links:
        """Cannot-links, of which a rule may limit the soft ones."""

    @property
    def given(self) -> Any:
        """The links, sizes and rules as given (`ccviz.problem.asked.Asked`)."""

    @property
    def outliers(self) -> int:
        """Points that may be left out."""

    @property
    def rules(self) -> tuple[Rule, ...]:
        """Rules in force."""


@dataclass(frozen=True, eq=False)
class Load:
    """A rule in normal form: the load of a cluster must not pass the limit.

    Attributes
    ----------
    weight : (n,) float64
        Weight of each point, at least 0.
    pairs : (p, 2) int64
        Pairs of points that weigh 1 when together.
    """

    limit: float
    weight: FloatArray
    pairs: IntArray

    @property
    def is_conflict(self) -> bool:
        """Whether the load only forbids its pairs to share a cluster."""
        return self.limit < 1 and not self.weight.any()

    def of(self, points: IntArray) -> float:
        """Return the load of a cluster given by the indices of its points.

        Parameters
        ----------
        points : (m,) int64
        """
        inside = np.zeros(len(self.weight), dtype=bool)
        inside[points] = True
        return float(self.weight[points].sum() + inside[self.pairs].all(axis=1).sum())


Alternatives = tuple[tuple[Load, ...], ...]
"""A rule in disjunctive normal form: a cluster must keep all loads of at least one tuple."""


@dataclass(frozen=True, eq=False)
class Reduction:
    """Links and sizes that are equivalent to a rule.

    Attributes
    ----------
    must_link, cannot_link : (m, 2) int64
    smallest, largest : int
        Fewest and most points of every cluster.
    weight : float
        Of each link: ``inf`` for hard links.
    """

    must_link: IntArray = field(default_factory=lambda: NO_PAIRS)
    cannot_link: IntArray = field(default_factory=lambda: NO_PAIRS)
    smallest: int = 1
    largest: int = np.iinfo(np.int64).max
    weight: float = np.inf


class Rule:
    """Base of all rules.

    Only `alternatives` or `reduction` is needed: a rule without the first has to become links or
    sizes, and one without the second is kept by the solvers that support rules. A limit on a sum
    (`ccviz.problem.sums.SumLimit`) needs neither: the solvers that support sums keep it.
    """

    parts_blocks: ClassVar[bool] = False
    """Whether `apart` has anything to say."""

    def alternatives(self, problem: Points) -> Alternatives:
        """Return the rule in disjunctive normal form over the problem's points.

        Bounds and proofs of `colgen` rest on it: it may only be that of an anti-monotone rule.

        Raises
        ------
        ProblemError
            If it names points that do not exist, or is not anti-monotone.
        """
        raise ProblemError(
            f"a {type(self).__name__} cannot be a part of another rule: parts of a cluster that "
            "keeps it may break it."
        )

    def allows(self, problem: Points, points: IntArray) -> bool:
        """Whether the cluster of these points keeps the rule.

        Parameters
        ----------
        points : (m,) int64
        """
        alternatives = self.alternatives(problem)
        return any(all(load.of(points) <= load.limit for load in loads) for loads in alternatives)

    def reduction(self, problem: Points, keeps_sizes: bool) -> Reduction | None:
        """Return links and sizes that are equivalent to it, None if it stays a rule.

        Parameters
        ----------
        keeps_sizes : bool
            Whether the solver keeps limits on size as rules.
        """
        return None

    def settled(self, problem: Points) -> Rule:
        """Return the rule as a solver is given it, if it stays one."""
        return self

    def check(self, problem: Points) -> None:
        """Raise `UnfillableError` if no clustering can keep it, as far as is seen at once."""

    def apart(self, problem: Points, block_of: IntArray) -> IntArray:
        """Return (m, 2) pairs of points that no cluster can hold under the rule, which stays.

        Parameters
        ----------
        block_of : (n,) int64
            Blocks of must-linked points.
        """
        return NO_PAIRS


@dataclass(frozen=True)
class _Joined(Rule):
    """Base of what joins rules."""

    rules: tuple[Rule, ...]

    def settled(self, problem: Points) -> Self:
        """Return it with its members as a solver is given them."""
        return type(self)(tuple(rule.settled(problem) for rule in self.rules))


@dataclass(frozen=True)
class Both(_Joined):
    """Every one of the rules holds."""

    def alternatives(self, problem: Points) -> Alternatives:
        """Return all ways to take an alternative of each rule."""
        return conjunction(problem, self.rules)

    def allows(self, problem: Points, points: IntArray) -> bool:
        """Whether the cluster of these points keeps every rule."""
        return all(rule.allows(problem, points) for rule in self.rules)


@dataclass(frozen=True)
class Either(_Joined):
    """At least one of the rules holds, cluster by cluster."""

    def alternatives(self, problem: Points) -> Alternatives:
        """Return the alternatives of all rules."""
        return tuple(loads for rule in self.rules for loads in rule.alternatives(problem))

    def allows(self, problem: Points, points: IntArray) -> bool:
        """Whether the cluster of these points keeps one of the rules."""
        return any(rule.allows(problem, points) for rule in self.rules)


def conjunction(problem: Points, rules: Iterable[Rule]) -> Alternatives:
    """Return the disjunctive normal form of several rules that must hold together.

    A cluster is allowed if it keeps all loads of one of the tuples.

    Raises
    ------
    ProblemError
        If there are more than `MOST_ALTERNATIVES` alternatives.
    """
    joined: Alternatives = ((),)
    for rule in rules:
        choices = rule.alternatives(problem)
        if len(joined) * len(choices) > MOST_ALTERNATIVES:
            raise ProblemError(
                f"the rules multiply out to more than {MOST_ALTERNATIVES} alternatives."
            )
        joined = tuple(ours + theirs for ours, theirs in product(joined, choices))
    return joined


def check_links(count: int, rule: str, links: str) -> None:
    """Check that a rule makes no more links than are kept.

    Parameters
    ----------
    rule, links : str
        What it limits, and what it makes.

    Raises
    ------
    ProblemError
    """
    if count > MOST_LINKS:
        raise ProblemError(
            f"the rule on the {rule} makes more than the {MOST_LINKS:,} {links} that are kept."
        )


@dataclass(frozen=True)
class RuleWords:
    """The parts of a rule's text.

    Attributes
    ----------
    kind : str
        Word and sign, as ``"diameter<="`` or ``"overlap()<="``.
    name : str
        Name of the known clustering or of the column, with a word of it or without, or empty.
    is_share : bool
        Whether the limit is a percentage.
    names_column : bool
        Whether the name is that of a column of numbers.
    called : tuple of str
        Words of a column by number, from 1, for sentences; empty where they are not known.
    """

    kind: str
    limit: float
    name: str = ""
    is_share: bool = False
    names_column: bool = False
    called: tuple[str, ...] = ()


class RuleKind:
    """Base of the kinds of rules: how one is written, read by people, made and measured.

    A kind gives all that is declared here, by its class; only `names` and what follows it have a
    value that fits most of them.
    """

    name: ClassVar[str]
    """Word and sign, as ``"diameter<="``, with ``()`` if a rule names something."""
    text: ClassVar[str]
    """The rule with letters for its parts, as ``"diameter<=D"``."""
    words: ClassVar[str]
    """The rule in words, with ``{limit}`` and ``{name}``."""
    label: ClassVar[str]
    """Words of the form on the page."""
    help_text: ClassVar[str]
    """A sentence for the form."""
    unit: ClassVar[str]
    """Unit of the limit; points and links are counted in whole numbers."""
    sample: ClassVar[str]
    """A rule on six points in two clusters, by which the table of solvers is made."""
    names: ClassVar[Literal["", "run", "column", "columns", "words"]] = ""
    """What a rule of the kind names: nothing, a run's clustering, a column of numbers, one or more
    such columns (``lon,lat``), or a column of words, alone or with one of its words
    (``gender=girl``)."""
    needs_limit: ClassVar[bool] = True
    """Whether a rule has a limit; one without may have a weight."""
    takes_share: ClassVar[bool] = False
    """Whether the limit may be a percentage: of the sum over all points, or of a cluster."""
    is_signed: ClassVar[bool] = False
    """Whether the limit may be below 0."""
    has_signed_values: ClassVar[bool] = False
    """Whether the values of the column may be below 0."""
    sample_links: ClassVar[tuple[tuple[int, int, float], ...]] = ()
    """Soft cannot-links beside the sample."""
    is_anti_monotone: ClassVar[bool] = True
    """Whether every part of a cluster that keeps such a rule keeps it too."""
    is_links: ClassVar[bool] = False
    """Whether it always becomes links, which some solvers break."""
    stored: ClassVar[tuple[type[Rule], ...]] = ()
    """Classes of the rules that stay in a problem, and in stored runs by their names."""

    def rule(self, words: RuleWords, known: Any) -> Rule:
        """Return the rule of this kind.

        Parameters
        ----------
        known : (n,) array
            Labels of the clustering, or values of the column, that it names; of several columns
            one after the other.
        """
        raise NotImplementedError

    def seen(self, problem: Points, words: RuleWords, known: Any) -> Any:
        """Return what a rule names as `found` takes it.

        Parameters
        ----------
        known : (n,) array
        """
        return known

    def found(self, problem: Points, labels: IntArray, known: Any) -> float:
        """Return the quantity that such a rule limits, as a clustering has it.

        Parameters
        ----------
        labels : (n,) int64
        known : any
            What `seen` returns.
        """
        raise NotImplementedError

    def limit(self, words: RuleWords, known: Any) -> float:
        """Return the limit of a rule of this kind.

        Parameters
        ----------
        known : (n,) array
        """
        return words.limit

    def measure(self, words: RuleWords) -> str:
        """Return the unit behind the limit and what is found, with a blank; empty if none is."""
        return ""

    @property
    def is_upper(self) -> bool:
        """Whether the limit is the most that is allowed."""
        return self.name.endswith("<=")

    @property
    def is_whole(self) -> bool:
        """Whether the limit is a whole number."""
        return self.unit in ("points", "links")

    def said(self, words: RuleWords) -> str:
        """Return a rule of this kind in words."""
        limit = f"{words.limit:,.6g}{' %' if words.is_share else self.measure(words)}"
        return self.words.format(limit=limit, name=words.name)

    def written(self, limit: str, name: str = "") -> str:
        """Return the text of a rule of this kind."""
        return f"{self.name.replace('()', f'({name})')}{limit}"
