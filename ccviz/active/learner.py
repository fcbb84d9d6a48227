"""`Learner`: asks about pairs, takes answers, and has a clustering at any time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

import msgspec
import numpy as np
from numpy.typing import ArrayLike

from ccviz.active.answers import Answer, Answers
from ccviz.active.cobras import Cobras
from ccviz.active.error_rate import FIRST, error_rate
from ccviz.active.fields import Fields
from ccviz.active.min_max import MinMax
from ccviz.active.npu import Npu
from ccviz.active.prototypes import Prototypes
from ccviz.active.random_pairs import RandomPairs
from ccviz.active.strategy import Pair, Strategy
from ccviz.arrays import IntArray, freeze
from ccviz.errors import CcvizError, ParameterError
from ccviz.events import Event, QuestionAnswered, QuestionAsked
from ccviz.problem.problem import Problem

STRATEGIES: tuple[type[Strategy], ...] = (Fields, Prototypes, Cobras, Npu, MinMax, RandomPairs)
"""Every way to choose questions, the default first."""

LEARNED = "learned"
"""In place of a share of wrong answers: it is worked out from the answers (`error_rate`)."""


class LearnerState(msgspec.Struct, frozen=True):
    """What a learner goes on from, together with the points: plain data, fit for JSON.

    Attributes
    ----------
    strategy : str
    k, seed : int
    noise : float or "learned"
    answers : tuple of (i, j, together, confidence)
    """

    strategy: str
    k: int
    seed: int
    noise: float | str
    answers: tuple[tuple[int, int, bool | None, float], ...]


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
        """Forget all answers but these; what was worked out from the points stays.

        Parameters
        ----------
        answers : iterable of Answer
        """
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
        """Tell about any pair, asked or not: a link that is known, or an answer to a batch.

        Parameters
        ----------
        i, j : int
        together : bool or None
        confidence : float

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

        Parameters
        ----------
        size : int
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

    Parameters
    ----------
    name : str

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
