"""*Ask me*: one pair or set after another, and the clustering that the answers make likely.

The answers are the links of the draft, however they were made, and the pairs answered by
*unsure*, so undo and redo apply to them. The next question is computed in a thread: the first one
waits for k-means only, and the rest is prepared while the person reads it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass

import numpy as np
import param

from ccviz.active.answers import Answer
from ccviz.active.learner import LARGEST, LEARNED, Learner, next_set
from ccviz.arrays import FloatArray, IntArray
from ccviz.data.scaling import scale
from ccviz.errors import CcvizError
from ccviz.problem.partition import agreement
from ccviz.views.draft import Draft
from ccviz.views.link_table import Link

_AT_ONCE_S = 0.05
"""Time for a question to be computed before the page continues without it."""

PAIR, SEVERAL = 2, 5
"""Points of a question, as the page offers them."""

_NOISE = 0.1
"""The share of soft links that are expected to be wrong."""


@dataclass(frozen=True, eq=False)
class AskState:
    """State of the questions."""

    # The next question: two points, the one in question first, or a set; empty if there is none.
    points: tuple[int, ...]
    enough: str
    labels: IntArray  # (n,): The clustering now
    # questions, implied: Questions answered so far, and pairs that are known without having been
    # asked about.
    questions: int
    implied: int
    ari: float | None  # Agreement of the clustering with the known classes, where there are any


class Asking(param.Parameterized):
    """Questions about the points of a draft, from the first to *enough*."""

    active = param.Boolean(default=False)
    asked = param.Parameter(default=None)  # None while the next question is worked out
    # Points of a question: two, or a set of which some may not belong with the others.
    size = param.Integer(default=PAIR, bounds=(PAIR, LARGEST))
    # The points of the set asked about that are marked so far: they do not belong.
    odd = param.Parameter(default=())

    def __init__(self) -> None:
        super().__init__()
        self._learner: Learner | None = None
        self._X: FloatArray = np.zeros((0, 0))
        self._draft: Draft | None = None
        self._thread: ThreadPoolExecutor | None = None
        self._coming: Future[AskState] | None = None
        self._put: set[tuple[int, ...]] = set()
        self._again: Counter[Link] = Counter()
        self._labels: IntArray | None = None

    @property
    def points(self) -> tuple[int, ...]:
        """The question that waits for its answer; empty if there is none."""
        return self.asked.points if self.active and self.asked else ()

    @property
    def pair(self) -> tuple[int, int] | None:
        """The point in question and the one to compare it with, of a set too."""
        if not self.points:
            return None
        one, two = self.points[:2]
        return (two, one) if self.several else (one, two)

    @property
    def several(self) -> bool:
        """Whether that question is about a set."""
        return len(self.points) > PAIR

    @property
    def labels(self) -> IntArray | None:
        """(n,) int64: the clustering now; while the next question is worked out, the last one."""
        return self._labels if self.active else None

    @property
    def busy(self) -> bool:
        """Whether a question is worked out, so that `tick` must be called."""
        return self._coming is not None

    def begin(self, draft: Draft) -> None:
        """Ask about a draft, whose links are the known answers."""
        self.active = True
        self.follow(draft)

    def stop(self) -> None:
        """Ask no more; the answers stay."""
        self._coming = None
        self.param.update(active=False, asked=None, odd=())

    def forget(self) -> None:
        """Drop the question shown, since the points are about to change."""
        self._coming = self._labels = None
        self._show(None)

    def follow(self, draft: Draft) -> None:
        """Take a draft with other links: answers, or some of them undone."""
        if not self.active:
            return
        noise = 0.0 if draft.links.is_hard.all() else LEARNED
        thread = self._thread = self._thread or ThreadPoolExecutor(1, "ask")
        learner = self._learner
        if learner is None or not self._fits(learner, draft, noise):
            self._put, self._again, self._labels = set(), Counter(), None
            self._X = scale(draft.data.X, "range")
            learner = self._learner = Learner(self._X, draft.k, noise=noise)
        self._draft = draft
        put, again = frozenset(self._put), Counter(self._again)
        self._coming = thread.submit(_next, learner, self._X, self.size, draft, put, again)
        self._take(_AT_ONCE_S)

    def ask_about(self, size: int) -> None:
        """Ask about this number of points from now on; a new question replaces the open one."""
        self._put.discard(self.points)
        self.size = size
        if self._draft is not None:
            self.follow(self._draft)

    def takes_again(self, links: Iterable[Link], draft: Draft) -> list[Link]:
        """Count answers that are links already, and return the others.

        Links that may be wrong are asked for again where much rests on them; the draft has each
        of them once.
        """
        new = []
        for link in links:
            if link in draft.links:
                self._again[link] += 1
            else:
                new.append(link)
        if not new:
            self.follow(draft)
        return new

    def _fits(self, learner: Learner, draft: Draft, noise: float | str) -> bool:
        before = self._draft
        same = before is not None and before.data is draft.data and before.k == draft.k
        return same and learner.learns_noise == (noise == LEARNED)

    def tick(self) -> None:
        """Take the question that was waited for, once it is there."""
        self._take(0.0)

    def settle(self) -> AskState | None:
        """Wait for the question and return the state; None if no question is asked."""
        self._take(None)
        return self.asked

    def _take(self, seconds: float | None) -> None:
        coming = self._coming
        if coming is None:
            return
        wait([coming], seconds)
        if not coming.done():
            self._show(None)
            return
        self._coming = None
        try:
            asked = coming.result()
        except CcvizError:
            self.stop()
            raise
        if asked.points:
            self._put.add(asked.points)
        self._labels = asked.labels
        self._show(asked)
        if self._thread is not None and self._learner is not None:
            self._thread.submit(self._learner.prepare)

    def _show(self, asked: AskState | None) -> None:
        self.param.update(asked=asked, odd=())

    def close(self) -> None:
        """End the thread for good."""
        if self._thread is not None:
            self._thread.shutdown(wait=False, cancel_futures=True)
            self._thread = None
        self._coming = None


def _next(
    learner: Learner,
    X: FloatArray,
    size: int,
    draft: Draft,
    put: frozenset[tuple[int, ...]],
    again: Counter[Link],
) -> AskState:
    """Return the state of the questions; in a thread, which alone uses the learner."""
    answers = list(_answers(draft, again))
    learner.start_over(answers)
    points, labels, truth = _question(learner, X, size), learner.labels, draft.data.truth
    given = {frozenset((each.i, each.j)) for each in answers}
    unsure = set(map(frozenset, draft.unsure))

    def is_answered(put: tuple[int, ...]) -> bool:
        """Whether one of the points is linked with all others, or the first two are unsure."""
        return frozenset(put[:2]) in unsure or any(
            all(frozenset((hub, other)) in given for other in put if other != hub) for hub in put
        )

    return AskState(
        points=points,
        enough=learner.enough,
        labels=labels,
        questions=sum(map(is_answered, put)),
        implied=learner.answers.implied,
        ari=None if truth is None else agreement(truth, labels).get("ari"),
    )


def _question(learner: Learner, X: FloatArray, size: int) -> tuple[int, ...]:
    """Return the points to ask about; the pair where no more of its cluster are unknown."""
    pair = learner.question()
    if pair is None or size == PAIR:
        return pair or ()
    some = next_set(learner, X, size)
    return pair if some is None or len(some) == PAIR else some


def _answers(draft: Draft, again: Counter[Link]) -> Iterator[Answer]:
    for link in draft.links:
        sure = 1.0 if link.is_hard else 1.0 - _NOISE
        for _ in range(1 + again[link]):
            yield Answer(*link.pair, link.kind == "must", sure)
    for i, j in draft.unsure:
        yield Answer(i, j, None)
