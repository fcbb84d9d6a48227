"""`Learner`: asks about pairs, takes answers, and has a clustering at any time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

import msgspec
import numpy as np
from numpy.typing import ArrayLike

from ccviz.active.answers import Answer, Answers
from ccviz.active.classic import Cobras, MinMax, Npu, RandomPairs
from ccviz.active.fields import Fields
from ccviz.active.own_metric import Prototypes
from ccviz.active.strategy import Pair, Strategy
from ccviz.arrays import FloatArray, IntArray, freeze
from ccviz.errors import CcvizError, ParameterError
from ccviz.events import Event, QuestionAnswered, QuestionAsked
from ccviz.problem.problem import Problem

__all__ = [
    "FIRST",
    "LEARNED",
    "STRATEGIES",
    "Learner",
    "LearnerState",
    "error_rate",
    "strategy_class",
]

# --- How many answers are wrong, learned from the answers themselves ------------------------------
#
# Answers contradict each other only where there are more than are needed to make the groups: a
# first answer about two points cannot be found out. Of m points in g groups, m - g answers join the
# groups, and one keeps each pair of groups apart. Each wrong one among the others leaves, as a
# rule, one answer broken. So the rate is about the broken answers over those that are more than
# needed, with a prior that counts like a few answers.


FIRST = 0.1
"""The rate before any answer: one in ten."""

_COUNTS_AS = 10.0
"""Answers that the first rate counts as."""

_MOST = 0.4
"""Highest rate: near one half, answers say nothing."""


def error_rate(answers: Answers) -> float:
    """Return the share of answers that are wrong, as far as they show; at most 0.4."""
    given = [answer for answer in answers.log if answer.together is not None]
    groups = [*answers.classes, *answers.unplaced]
    group_of = {point: number for number, points in enumerate(groups) for point in points}
    joining = len(group_of) - len(groups)
    parting = {
        frozenset((group_of[answer.i], group_of[answer.j]))
        for answer in given
        if not answer.together and answers.is_kept(answer)
    }
    more = max(0, len(given) - joining - len(parting))
    rate = (FIRST * _COUNTS_AS + len(answers.broken)) / (_COUNTS_AS + more)
    return min(rate, _MOST)


STRATEGIES: tuple[type[Strategy], ...] = (Fields, Prototypes, Cobras, Npu, MinMax, RandomPairs)
"""Every way to choose questions, the default first."""

LEARNED = "learned"
"""In place of a share of wrong answers: it is worked out from the answers (`error_rate`)."""


class LearnerState(msgspec.Struct, frozen=True):
    """What a learner goes on from, together with the points: plain data, fit for JSON."""

    strategy: str
    k: int
    seed: int
    noise: float | str
    answers: tuple[tuple[int, int, bool | None, float], ...]  # (i, j, together, confidence)


class Learner:
    """Learns a clustering by asking which pairs of points belong together.

    Parameters
    ----------
    X : (n, d) array of float
        Features are compared as they are; scale them first if their units differ.
    k : int
        Number of clusters.
    strategy : str
        The name of one of `STRATEGIES`.
    seed : int
        Same seed and same answers, same questions.
    noise : float or "learned"
        The share of answers that are expected to be wrong, below 0.5. Above 0, what other answers
        contradict is asked about again (by the strategy ``fields``). ``"learned"`` begins with 0.1
        and follows the answers.

    Attributes
    ----------
    answers : Answers
        What was answered, and what follows from it.
    events : list of Event
        `QuestionAsked` and `QuestionAnswered`, in the order of time.

    Raises
    ------
    ParameterError
        If there is no such strategy, or the noise is no share below 0.5.
    ProblemError
        If the points or k are of no use.

    Examples
    --------
    >>> from ccviz.active.learner import Learner
    >>> learner = Learner([[0.0], [0.1], [1.0], [1.1]], k=2)
    >>> i, j = learner.question()
    >>> learner.answer((i < 2) == (j < 2))
    >>> learner.labels.tolist() in ([0, 0, 1, 1], [1, 1, 0, 0])
    True
    """

    def __init__(
        self,
        X: ArrayLike,
        k: int,
        strategy: str = Fields.name,
        seed: int = 0,
        noise: float | str = 0.0,
    ) -> None:
        self._given = noise
        share = FIRST if noise == LEARNED else noise
        if isinstance(share, str) or not 0 <= share < 0.5:
            raise ParameterError(f"noise = {noise} is not a share below 0.5, nor '{LEARNED}'.")
        problem = Problem(X, k)  # type: ignore[arg-type]
        self.n, self.k = problem.n, problem.k
        self.answers = Answers(problem.k)
        self.events: list[Event] = []
        self._strategy = strategy_class(strategy)(
            problem.widened().X, problem.k, self.answers, seed, share
        )
        self._begin()

    def _begin(self) -> None:
        self._questions: Iterator[Pair] = self._strategy.questions()
        self._pending: Pair | None = None
        self._has_ended = False

    @property
    def noise(self) -> float:
        """The share of answers that are expected to be wrong, as given or as learned so far."""
        return self._strategy.noise

    @property
    def learns_noise(self) -> bool:
        """Whether that share follows the answers."""
        return self._given == LEARNED

    def _take(self, *answers: Answer) -> None:
        for answer in answers:
            sure = min(answer.confidence, 1 - self.noise)
            self.answers.add(replace(answer, confidence=sure))
        if self.learns_noise:
            self._strategy.noise = error_rate(self.answers)

    @property
    def asked(self) -> int:
        """How many questions were asked and answered."""
        asked = sum(isinstance(event, QuestionAsked) for event in self.events)
        return asked - (self._pending is not None)

    @property
    def labels(self) -> IntArray:
        """(n,) int64: the clustering now."""
        return freeze(self._strategy.labels().astype(np.int64))

    def question(self) -> Pair | None:
        """Return the next pair to ask about, None if no further question is useful.

        The first of the two is the point in question, the second one to compare it with. Until it
        is answered, it stays the same.
        """
        if self._pending is None:
            pair = next(self._questions, None)
            self._has_ended = pair is None
            if pair is not None:
                name = self._strategy.name
                self.events.append(QuestionAsked(number=self.asked + 1, pair=pair, strategy=name))
                self._pending = pair
        return self._pending

    @property
    def enough(self) -> str:
        """Why there is no question any more, as a sentence; empty as long as there may be one."""
        if not self._has_ended:
            return ""
        return f"no further question is useful: {self._strategy.enough}"

    def prepare(self) -> None:
        """Work out beforehand what the questions after the first one will need.

        It may run in its own thread while the first question is being answered.
        """
        self._strategy.prepare()

    def start_over(self, answers: Iterable[Answer] = ()) -> None:
        """Forget all answers but these; what was worked out from the points stays."""
        self.answers = self._strategy.answers = Answers(self.k)
        self.events = []
        if self.learns_noise:
            self._strategy.noise = FIRST
        self._take(*answers)
        self._begin()

    def answer(self, together: bool | None, confidence: float = 1.0) -> None:
        """Answer the question that was asked last.

        Parameters
        ----------
        together : bool or None
            None for *I don't know*: the point is left alone.
        confidence : float
            The probability that the answer is right, over 0.5 and up to 1.

        Raises
        ------
        CcvizError
            If no question is open.
        ParameterError
            If the confidence is no such probability.
        """
        if self._pending is None:
            raise CcvizError("no question is open: call question() first.")
        self.tell(*self._pending, together, confidence)

    def pass_over(self) -> None:
        """Close the question that is open without an answer about its pair, if there is one."""
        self._pending = None

    def tell(self, i: int, j: int, together: bool | None, confidence: float = 1.0) -> None:
        """Pass what is known of any pair, asked or not: a known link, an answer to a batch.

        Raises
        ------
        CcvizError
            If the two are not different points.
        ParameterError
            If the confidence is not over 0.5 and up to 1.
        """
        if not (0 <= i < self.n and 0 <= j < self.n and i != j):
            raise CcvizError(f"{i} and {j} are not two points of 0 to {self.n - 1}.")
        if not 0.5 < confidence <= 1:
            raise ParameterError(f"confidence = {confidence} is not over 0.5 and up to 1.")
        self._take(Answer(int(i), int(j), together, confidence))
        if self._pending is not None and {i, j} == set(self._pending):
            self._pending = None
        if self._has_ended:  # what is new may be a reason to ask again
            self._begin()
        implied = self.answers.implied
        self.events.append(
            QuestionAnswered(
                pair=(int(i), int(j)), together=together, confidence=confidence, implied=implied
            )
        )

    def batch(self, size: int) -> list[Pair]:
        """Return pairs to ask about at once, fewer if fewer are useful.

        Each is the next question if those before it are answered as the clustering now expects.
        The answers go to `tell`; nothing is asked by this.
        """
        ahead = self.resumed(self._strategy.X, self.state)
        pairs: list[Pair] = []
        while len(pairs) < size and (pair := ahead.question()) is not None:
            pairs.append(pair)
            labels = ahead.labels
            ahead.answer(bool(labels[pair[0]] == labels[pair[1]]))
        return pairs

    @property
    def state(self) -> LearnerState:
        """What `resumed` goes on from."""
        given = [event for event in self.events if isinstance(event, QuestionAnswered)]
        return LearnerState(
            strategy=self._strategy.name,
            k=self.k,
            seed=self._strategy.seed,
            noise=self._given,
            answers=tuple((*each.pair, each.together, each.confidence) for each in given),
        )

    @classmethod
    def resumed(cls, X: ArrayLike, state: LearnerState | Mapping[str, Any]) -> Learner:
        """Return a learner that knows the answers of another one.

        Parameters
        ----------
        X : (n, d) array of float
            The same points.
        state : LearnerState or dict
            Of `state`, perhaps by way of JSON.

        Raises
        ------
        CcvizError
            If the state is none, or does not fit the points.
        """
        try:
            read = msgspec.convert(state, LearnerState, from_attributes=True)
        except msgspec.ValidationError as broken:
            raise CcvizError(f"this is no learner's state: {broken}.") from None
        learner = cls(X, read.k, read.strategy, read.seed, read.noise)
        for i, j, together, confidence in read.answers:
            learner.tell(i, j, together, confidence)
        return learner


def strategy_class(name: str) -> type[Strategy]:
    """Return the strategy of a name.

    Raises
    ------
    ParameterError
        If there is none; the sentence lists the names.
    """
    for strategy in STRATEGIES:
        if strategy.name == name:
            return strategy
    names = ", ".join(strategy.name for strategy in STRATEGIES)
    raise ParameterError(f"there is no strategy {name!r}; there are {names}.")


# --- Questions over sets: which of some points do not belong with the others ----------------------
#
# One answer about m points gives m - 1 links. The set is around the next pair that the strategy
# asks about: points of one cluster now, far from each other and from what is known there, as they
# are the ones that may not belong.


LARGEST = 12
"""Points of a set at most: more are no question for a person."""


def next_set(learner: Learner, X: FloatArray, size: int) -> tuple[int, ...] | None:
    """Return the points of the next question over a set, None if no question is useful.

    `X` (n, d): The learner's points.
    """
    if not 2 <= size <= LARGEST:
        raise CcvizError(f"a question over {size} points: it may have from 2 to {LARGEST}.")
    pair = learner.question()
    if pair is None:
        return None
    point, other = pair
    labels, given = learner.labels, learner.answers
    inside = labels == labels[other]
    known = {each for answer in given.log for each in (answer.i, answer.j)} | {point, other}
    chosen = [other, point]
    # The squared distance to what is known of the cluster, as k-means++ draws by.
    near = np.flatnonzero(inside & np.isin(np.arange(len(X)), list(known)))
    away = _squares(X, [*near, other])
    away[~inside] = 0.0
    away[list(known)] = 0.0
    rng = np.random.default_rng(learner.asked)
    while len(chosen) < size and away.sum() > 0.0:
        chosen.append(int(rng.choice(len(X), p=away / away.sum())))
        away = np.minimum(away, _squares(X, chosen[-1:]))
    return tuple(chosen)


def _squares(X: FloatArray, places: Sequence[int]) -> FloatArray:
    """Return (n,) squared distances of the points to the nearest of some of them."""
    away = np.full(len(X), np.inf)
    for place in places:
        away = np.minimum(away, ((X - X[place]) ** 2).sum(axis=1))
    return away


def links_of(points: Sequence[int], odd: Sequence[int]) -> list[tuple[Pair, bool]]:
    """Return the pairs that an answer is about, and whether each is together.

    `odd`: Those of its points that do not belong with the others.
    """
    strange = [point for point in odd if point not in points]
    if strange:
        raise CcvizError(f"point {strange[0]} is not one of those asked about.")
    rest = [point for point in points if point not in odd]
    if not rest:
        raise CcvizError("no point is left that the others could belong with.")
    together = [((rest[0], point), True) for point in rest[1:]]
    return together + [((rest[0], point), False) for point in points if point in odd]


def tell_set(
    learner: Learner, points: Sequence[int], odd: Sequence[int], unsure: Sequence[int] = ()
) -> None:
    """Pass which points of a set do not belong, and of which that is not known."""
    known = [point for point in points if point not in unsure]
    for (i, j), together in links_of(known, odd) if known else ():
        learner.tell(i, j, together)
    for i, j in combinations(points, 2):
        if i in unsure or j in unsure:
            learner.tell(i, j, None)
    learner.pass_over()
