"""A strategy of this project: ask about the point whose class decides most about the others.

At first the clusters of k-means in its own metric are assumed (`ccviz.active.own_metric`). Their
central points are asked about one by one, which says what classes there are; from then on, what is
known about a few points spreads to all the others through views of similarity that are judged by
the answers themselves (`ccviz.active.belief`). The next question is about the point with the
largest gain: its own class is uncertain, and it is much like many other points whose class is
uncertain (the fall of their variance if it were known, weighted by their entropy; compare Kapoor,
Grauman, Urtasun and Darrell, 2007, and the query selection of Zhu, Lafferty and Ghahramani, 2003).
It is compared with the classes in the order of their probability, so that one or two questions
suffice, and with the point of a class that is nearest to it, which is easiest to judge.

If answers may be wrong, a point is compared with the best known point of a class; answers on which
many others depend are confirmed (`ccviz.active.belief`), and a point that the other answers
contradict is asked about again.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from math import comb
from typing import ClassVar

import numpy as np

from ccviz.active.answers import Answer
from ccviz.active.belief import (
    Belief,
    Evidence,
    believe,
    joined_once,
    most_linked,
    parted_once,
    views,
)
from ccviz.active.own_metric import OwnMetric, Pieces, cut, own_metric
from ccviz.active.strategy import Pair, Strategy, nearest
from ccviz.arrays import FloatArray, IntArray

_VARIANCE = 0.05
"""Variance of a point whose class was answered without doubt."""
_DOUBT = 2.0
"""Variance added to a point whose answer is not trusted at all."""
_ASSUMED = 1.0
"""Variance of the central point of a cluster about which nothing was asked so far."""
_MAY_BE = 0.005
"""The assumed clusters are kept while errors alone contradict them as often with more than this
probability."""
_ROUGH = 0.2
"""Share of answers, beyond the expected errors, from which on the assumed clusters are no picture
at all."""
_CANDIDATES = 200
"""Number of least certain points among which the next question is chosen."""
_SLIGHT = 0.01
"""Least probability that other points leave to the class of an answered point."""
_ENOUGH = 0.01
"""No more questions are asked if no point's class is more uncertain than this."""
_AGAIN = 3
"""Largest number of answers about a point, beyond one per class."""


class Fields(Strategy):
    """Gaussian fields over several views of similarity."""

    name: ClassVar[str] = "fields"
    title: ClassVar[str] = "Gaussian fields"
    paper: ClassVar[str] = "ccviz; after Zhu, Lafferty and Ghahramani (2003)"

    _seen = -1
    _last: Belief | None = None

    def questions(self) -> Iterator[Pair]:
        """Yield the pair with the largest expected gain, until no pair has any."""
        while (pair := self._next()) is not None:
            yield pair

    def prepare(self) -> None:
        """Look at the points in every view: most of what the first answer takes."""
        _ = self._views

    def labels(self) -> IntArray:
        """Return (n,) int64 the clustering now: the likeliest class, as answered where it was."""
        if self._clusters_hold:
            return self._cluster
        belief = self._belief
        labels = belief.shown.argmax(axis=1)[self._pieces.of]
        labels[self._points] = self._answered(belief)
        return labels

    @property
    def _clusters_hold(self) -> bool:
        """Whether the assumed clusters are still the better picture.

        They are before the first answer; where answers may be wrong, also as long as no more of
        them are against the clusters than may well be wrong, or than are against the beliefs.
        """
        given = [answer for answer in self.answers.log if answer.together is not None]
        if not self.noise or not given:
            return not given
        against = _against(given, self._cluster)
        chance = sum(
            comb(len(given), wrong) * self.noise**wrong * (1 - self.noise) ** (len(given) - wrong)
            for wrong in range(against)
        )
        if 1 - chance > _MAY_BE or against >= (self.noise + _ROUGH) * len(given):
            return 1 - chance > _MAY_BE
        left_out = self._cluster.copy()
        left_out[self._points] = self._belief.left_out.argmax(axis=1)
        kept = set(self._points)
        given = [answer for answer in given if kept.issuperset(answer.pair)]
        return _against(given, self._cluster) < _against(given, left_out)

    def _answered(self, belief: Belief) -> IntArray:
        """Return the classes of the answered points: as answered, unless that is less likely."""
        classes = belief.evidence.classes[: belief.evidence.answered]
        points = self._points
        trust = np.array([self.answers.trust(point) for point in points])
        likely = np.maximum(belief.left_out, _SLIGHT)
        likely *= ((1 - trust) / max(likely.shape[1] - 1, 1))[:, None]
        place = np.arange(len(points))
        likely[place, classes] = np.maximum(belief.left_out[place, classes], _SLIGHT) * trust
        return likely.argmax(axis=1)

    def _next(self) -> Pair | None:
        for points in self.answers.unplaced:
            if (pair := self._compare(points[0])) is not None:
                return pair
        if self.noise and (pair := self._risky() or self._doubtful()) is not None:
            return pair
        point = self._point()
        return None if point is None else self._compare(point)

    def _compare(self, point: int) -> Pair | None:
        """Return the point and one of the likeliest class that it could belong to."""
        classes, order = self._classes, [0]
        if len(classes) > 1:
            share = self._belief.share[self._pieces.of[point], : len(classes)]
            order = np.argsort(-share, kind="stable").tolist()
        for number in order:
            members = classes[number]
            # Where answers are noisy, a class is represented by the point that is known best.
            members = [most_linked(self.answers, members)] if self.noise else members
            other = nearest(self.X, self.X[point], members)
            if any(self.ask(point, other)):
                return point, other
        return None

    def _point(self) -> int | None:
        """Return the point to ask about next, None if no question gains enough."""
        taken = set(self._points) | self.answers.aside
        unplaced = {point for points in self.answers.unplaced for point in points} | set(
            self._unassigned
        )
        for cluster in self._unasked:
            if (point := self._representative(cluster)) not in taken | unplaced:
                return point
        known = np.isin(self._pieces.representative, list(taken | unplaced))
        left = np.flatnonzero(~known)
        if not len(left) or self._is_clear(left):
            return None
        worth = self._worth(left)
        return int(self._pieces.representative[left[worth.argmax()]])

    def _is_clear(self, left: IntArray) -> bool:
        """Whether the classes of all these pieces are as good as known; if so, say it."""
        doubt = float(self._belief.doubt[left].max())
        if doubt < _ENOUGH:
            self.enough = (
                "whatever the answer, the clustering would hardly change: of no point is the "
                f"cluster in doubt by more than {doubt:.1%}."
            )
        return doubt < _ENOUGH

    def _worth(self, left: IntArray) -> FloatArray:
        """Return how much of the uncertainty would go if the class of each piece were known."""
        belief, worth = self._belief, np.zeros(len(left))
        entropy = belief.entropy
        some = np.argsort(-entropy[left], kind="stable")[:_CANDIDATES]
        candidates, rows = left[some], belief.evidence.rows
        mixed = np.tensordot(belief.weights, self._views[:, candidates], 1)
        known = np.tensordot(belief.weights, self._views[:, rows], 1)
        gram = known[:, rows] + np.diag(belief.evidence.variance)
        covariance = mixed - mixed[:, rows] @ np.linalg.solve(gram, known)
        own = np.maximum(covariance[np.arange(len(some)), candidates], 0.0)
        open_mass = (self._pieces.mass * entropy)[left]
        settled = (np.maximum(covariance[:, left], 0.0) ** 2) @ open_mass / (own + _VARIANCE)
        worth[some] = settled * entropy[candidates]
        return worth

    def _risky(self) -> Pair | None:
        """Return a pair that much rests on, and that a single answer decided."""
        if (pair := joined_once(self.answers, self._cluster, self.noise)) is not None:
            return pair
        classes = self._classes
        if len(classes) < 2:
            return None
        chosen = [most_linked(self.answers, points) for points in classes]
        share = self._belief.share[self._pieces.of[chosen], : len(classes)]
        return parted_once(self.answers, classes, share, self.noise)

    def _doubtful(self) -> Pair | None:
        """Return a pair that checks the answered point which the others contradict most."""
        classes = self._classes
        if len(classes) < 2:
            return None
        belief = self._belief
        for point in self._unassigned:
            if (pair := self._check(point, belief.share[self._pieces.of[point]])) is not None:
                return pair
        points, evidence = self._points, belief.evidence
        agrees = belief.left_out[np.arange(len(points)), evidence.classes[: len(points)]]
        for place in np.argsort(agrees, kind="stable").tolist():
            if agrees[place] > self.noise:
                return None
            if (pair := self._check(points[place], belief.left_out[place])) is not None:
                return pair
        return None

    def _check(self, point: int, share: FloatArray) -> Pair | None:
        """Return the point with one of the likeliest class that it was not yet compared with."""
        given = self.answers.about(point)
        if len(given) >= len(self._classes) + _AGAIN or point in self.answers.aside:
            return None
        met = {each for answer in given for each in (answer.i, answer.j)} | {point}
        likely = np.argsort(-share[: len(self._classes)], kind="stable").tolist()
        for number in likely[:2]:
            fresh = [other for other in self._classes[number] if other not in met]
            if fresh:
                return point, nearest(self.X, self.X[point], fresh)
        return None

    @property
    def _classes(self) -> list[list[int]]:
        """The classes known so far; before any answer, one central point is the first."""
        classes = self.answers.classes or [[self._by_centre[self._by_size[0]][0]]]
        return sorted(classes, key=len, reverse=True)[: self.k] if self.noise else classes

    @property
    def _points(self) -> list[int]:
        """The points of these classes, one class after another."""
        return [point for points in self._classes for point in points]

    @property
    def _unassigned(self) -> list[int]:
        """Points that are in none of k classes, by answers some of which must be wrong."""
        if not self.noise:
            return []
        kept = set(self._points)
        return [point for points in self.answers.classes for point in points if point not in kept]

    @property
    def _unasked(self) -> list[int]:
        """The assumed clusters without an answered point that may be classes yet."""
        asked = {int(self._cluster[point]) for point in self._points}
        room = max(self.k - len(self._classes), 0)
        return [cluster for cluster in self._by_size if cluster not in asked][:room]

    def _representative(self, cluster: int) -> int:
        """Return the most central point of a cluster without questions so far."""
        by_centre = self._by_centre[cluster]
        return next((p for p in by_centre if not self.answers.about(p)), by_centre[0])

    @property
    def _belief(self) -> Belief:
        if self._last is None or self._seen != len(self.answers.log):
            self._last, self._seen = self._believed(), len(self.answers.log)
        return self._last

    def _believed(self) -> Belief:
        classes, unasked = self._classes, self._unasked
        points = self._points
        number = [c for c, members in enumerate(classes) for _ in members]
        assumed = list(range(len(classes), len(classes) + len(unasked)))
        trust = np.array([self.answers.trust(point) for point in points])
        variance = _VARIANCE + _DOUBT * (1 - trust)
        evidence = Evidence(
            self._pieces.of[[*points, *map(self._representative, unasked)]],
            np.array(number + assumed, dtype=np.int64),
            np.append(variance, np.full(len(unasked), _ASSUMED)),
            len(points),
        )
        count = min(len(classes) + len(unasked) + 1, max(self.k, len(classes)))
        prior = self._prior(evidence, unasked, count)
        return believe(list(self._views), evidence, prior, self._pieces.mass)

    def _prior(self, evidence: Evidence, unasked: list[int], count: int) -> FloatArray:
        """Return the assumed clusters as classes, the less sure the more of them were asked about.

        Where classes are still to be found, the last column is for points unlike all known ones.
        """
        cluster = self._cluster[self._pieces.representative]
        met = np.zeros((self.k, count))
        np.add.at(met, (cluster[evidence.rows], evidence.classes), 1.0)
        known = (met + 0.3 / count) / (met.sum(axis=1, keepdims=True) + 0.3)
        share = len(unasked) / self.k
        return share * known[cluster] + (1 - share) / count

    @cached_property
    def _pieces(self) -> Pieces:
        return cut(self.X, self.seed)

    @cached_property
    def _views(self) -> FloatArray:
        some = self._pieces.representative
        own = self._own_metric.points[some]
        return np.array([*views(self.X[some], self.k, self.seed), *views(own, self.k, self.seed)])

    @cached_property
    def _own_metric(self) -> OwnMetric:
        return own_metric(self.X, self.k, self.seed)

    @property
    def _cluster(self) -> IntArray:
        """(n,) int64: the clusters that are assumed before any answer."""
        return self._own_metric.clusters

    @cached_property
    def _by_centre(self) -> list[list[int]]:
        """The points of each of these clusters, the most central first."""
        ordered = []
        for c in range(self.k):
            points = np.flatnonzero(self._cluster == c)
            away = self.X[points] - self.X[points].mean(axis=0) if len(points) else self.X[:0]
            ordered.append(points[np.argsort((away**2).sum(axis=1), kind="stable")].tolist())
        return ordered

    @cached_property
    def _by_size(self) -> list[int]:
        size = np.bincount(self._cluster, minlength=self.k)
        return [c for c in np.argsort(-size, kind="stable").tolist() if size[c]]


def _against(answers: list[Answer], labels: IntArray) -> int:
    """Return how many answers a clustering contradicts."""
    return sum(bool(labels[a.i] == labels[a.j]) != a.together for a in answers)
