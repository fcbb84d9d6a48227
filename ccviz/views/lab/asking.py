"""*Ask me*: one pair after another, and the clustering that the answers so far make likely.

The answers are the links of the draft, however they were made, and the pairs answered by
*unsure*, so undo and redo apply to them. The next question is computed in a thread: the first one
waits for k-means only, and the rest is prepared while the person reads it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass

import param

from ccviz.active.answers import Answer
from ccviz.active.learner import LEARNED, Learner
from ccviz.arrays import IntArray
from ccviz.data.scaling import scale
from ccviz.errors import CcvizError
from ccviz.views.draft import Draft
from ccviz.views.link_table import Link

_AT_ONCE_S = 0.05
"""Time for a question to be computed before the page continues without it."""

_NOISE = 0.1
"""The share of soft links that are expected to be wrong."""


@dataclass(frozen=True, eq=False)
class AskState:
    """State of the questions.

    Attributes
    ----------
    pair : (int, int) or None
        The next question, the point in question first; None if there is none.
    enough : str
        Why there is none, as a sentence.
    labels : (n,) int64
        The clustering now.
    questions, implied : int
        Pairs asked about so far, and pairs that are known without having been.
    ari : float or None
        Agreement of the clustering with the known classes, where there are any.
    """

    pair: tuple[int, int] | None
    enough: str
    labels: IntArray
    questions: int
    implied: int
    ari: float | None


class Asking(param.Parameterized):
    """Questions about the points of a draft, from the first to *enough*.

    Attributes
    ----------
    active : bool
    asked : AskState or None
        None while the next question is worked out.
    """

    active = param.Boolean(default=False)
    asked = param.Parameter(default=None)

    def __init__(self) -> None:
        super().__init__()
        self._learner: Learner | None = None
        self._draft: Draft | None = None
        self._thread: ThreadPoolExecutor | None = None
        self._coming: Future[AskState] | None = None
        self._put: set[frozenset[int]] = set()
        self._again: Counter[Link] = Counter()
        self._labels: IntArray | None = None

    @property
    def pair(self) -> tuple[int, int] | None:
        """The question that waits for its answer, if there is one."""
        return self.asked.pair if self.active and self.asked else None

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
        self.param.update(active=False, asked=None)

    def forget(self) -> None:
        """Drop the question shown, since the points are about to change."""
        self._coming = self._labels = None
        self.asked = None

    def follow(self, draft: Draft) -> None:
        """Take a draft with other links: answers, or some of them undone."""
        if not self.active:
            return
        noise = 0.0 if draft.links.is_hard.all() else LEARNED
        thread = self._thread = self._thread or ThreadPoolExecutor(1, "ask")
        learner = self._learner
        if learner is None or not self._fits(learner, draft, noise):
            self._put, self._again, self._labels = set(), Counter(), None
            points = scale(draft.data.X, "range")
            learner = self._learner = Learner(points, draft.k, noise=noise)
        self._draft = draft
        again = Counter(self._again)
        self._coming = thread.submit(_next, learner, draft, frozenset(self._put), again)
        self._take(_AT_ONCE_S)

    def says_again(self, link: Link, draft: Draft) -> bool:
        """Take an answer that is a link already, if its pair is asked about once more.

        Links that may be wrong are asked for again where much rests on them; the draft has each
        of them once.
        """
        if self.pair is None or set(self.pair) != set(link.pair) or link not in draft.links:
            return False
        self._again[link] += 1
        self.follow(draft)
        return True

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
            self.asked = None
            return
        self._coming = None
        try:
            asked = coming.result()
        except CcvizError:
            self.stop()
            raise
        if asked.pair is not None:
            self._put.add(frozenset(asked.pair))
        self._labels = asked.labels
        self.asked = asked
        if self._thread is not None and self._learner is not None:
            self._thread.submit(self._learner.prepare)

    def close(self) -> None:
        """End the thread for good."""
        if self._thread is not None:
            self._thread.shutdown(wait=False, cancel_futures=True)
            self._thread = None
        self._coming = None


def _next(
    learner: Learner, draft: Draft, put: frozenset[frozenset[int]], again: Counter[Link]
) -> AskState:
    """Return where the questions stand; in a thread, which alone uses the learner."""
    answers = list(_answers(draft, again))
    learner.start_over(answers)
    pair, labels, truth = learner.question(), learner.labels, draft.data.truth
    given = {frozenset((each.i, each.j)) for each in answers}
    return AskState(
        pair=pair,
        enough=learner.enough,
        labels=labels,
        questions=len(given & put),
        implied=learner.answers.implied,
        ari=None if truth is None else _agreement(truth, labels),
    )


def _agreement(truth: IntArray, labels: IntArray) -> float:
    from sklearn.metrics import adjusted_rand_score

    return float(adjusted_rand_score(truth, labels))


def _answers(draft: Draft, again: Counter[Link]) -> Iterator[Answer]:
    for link in draft.links:
        sure = 1.0 if link.is_hard else 1.0 - _NOISE
        for _ in range(1 + again[link]):
            yield Answer(*link.pair, link.kind == "must", sure)
    for i, j in draft.unsure:
        yield Answer(i, j, None)
