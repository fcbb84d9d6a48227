"""What has been answered so far, and what follows from it for free."""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass
from math import comb

__all__ = ["Answer", "Answers"]

# --- Points in groups, as answers about pairs put them, even where the answers disagree -----------
#
# Every pair has a vote: above 0 for together, below for apart, the larger the surer. Votes are
# taken in turn, the surest first, and one that contradicts those before it is left out. Where that
# happens, points change groups as long as the votes that are broken weigh less for it: a local
# search for the grouping of least disagreement (correlation clustering; Bansal, Blum and Chawla,
# 2004). So there is always a grouping, and what it implies rests on kept votes alone.


Votes = dict[tuple[int, int], float]

_SWEEPS = 50  # far more than the votes of one person ever need
_CLOSE = 1e-9  # two weights that differ by rounding are the same


class Groups:
    """Groups of points, and which groups are known to be apart.

    `members`: The points of each group, groups in the order of their first mention.
    """

    def __init__(self) -> None:
        self.of: dict[int, int] = {}
        self.members: dict[int, list[int]] = {}
        self.apart: dict[int, set[int]] = {}

    def known(self, i: int, j: int) -> bool | None:
        """Return whether two points are together, None if nothing implies it."""
        a, b = self.of.get(i), self.of.get(j)
        if a is None or b is None:
            return None
        return True if a == b else (False if b in self.apart[a] else None)

    def put(self, i: int, j: int, together: bool) -> None:
        """Put two points together or apart."""
        a, b = self._group(i), self._group(j)
        if together:
            self.join(a, b)
        else:
            self.apart[a].add(b)
            self.apart[b].add(a)

    def join(self, a: int, b: int) -> None:
        """Make one of two groups, under the older one's number."""
        if a == b:
            return
        a, b = min(a, b), max(a, b)
        for point in self.members[b]:
            self.of[point] = a
        self.members[a] += self.members.pop(b)
        for other in self.apart.pop(b):
            self.apart[other].discard(b)
            self.apart[other].add(a)
            self.apart[a].add(other)

    def _group(self, point: int) -> int:
        if point not in self.of:
            group = self.of[point] = len(self.of)
            self.members[group] = [point]
            self.apart[group] = set()
        return self.of[point]


def group(votes: Votes) -> Groups:
    """Return the groups that the votes make.

    `votes` (i, j): None of weight 0.
    """
    groups, contradicted = Groups(), False
    for (i, j), weight in sorted(votes.items(), key=lambda vote: -abs(vote[1])):
        if groups.known(i, j) in (None, weight > 0):
            groups.put(i, j, weight > 0)
        else:
            contradicted = True
    return _kept(votes, _least_broken(votes, dict(groups.of))) if contradicted else groups


def _least_broken(votes: Votes, place: dict[int, int]) -> dict[int, int]:
    """Move point after point to where fewer votes are broken, until no move helps."""
    heard: dict[int, list[tuple[int, float]]] = defaultdict(list)
    for (i, j), weight in votes.items():
        heard[i].append((j, weight))
        heard[j].append((i, weight))
    fresh = len(place)
    for _ in range(_SWEEPS):
        moved = False
        for point, others in heard.items():
            worth: dict[int, float] = defaultdict(float, {place[point]: 0.0})
            for other, weight in others:
                worth[place[other]] += weight
            worth[fresh] = 0.0  # by itself
            best = max(worth, key=worth.__getitem__)
            if worth[best] > worth[place[point]] + _CLOSE:
                place[point], moved = best, True
                fresh += best == fresh
        if not moved:
            break
    return place


def _kept(votes: Votes, place: dict[int, int]) -> Groups:
    """Return the groups by those votes only that agree with every point's place."""
    groups = Groups()
    for (i, j), weight in votes.items():
        if (place[i] == place[j]) == (weight > 0):
            groups.put(i, j, weight > 0)
    return groups


_SUREST = 0.999  # a certain answer weighs as much as this; it could not be outvoted otherwise


@dataclass(frozen=True)
class Answer:
    """One answer about the points i and j.

    Attributes
    ----------
    together : bool or None
        None where the person asked does not know.
    confidence : float
        The probability that the answer is right, over 0.5 and up to 1.
    """

    i: int
    j: int
    together: bool | None
    confidence: float = 1.0

    @property
    def pair(self) -> tuple[int, int]:
        """The two points, the smaller first."""
        return min(self.i, self.j), max(self.i, self.j)

    @property
    def weight(self) -> float:
        """The log-odds of together, 0 for an answer that says nothing."""
        if self.together is None:
            return 0.0
        sure = min(self.confidence, _SUREST)
        return math.log(sure / (1 - sure)) * (1 if self.together else -1)


class Answers:
    """The answers, and the groups of points that they make.

    Parameters
    ----------
    k : int
        Number of clusters: a point apart from all but one of k clusters is in that one.

    Attributes
    ----------
    log : list of Answer
        All of them, in the order of time.
    aside : set of int
        Points about which the person asked was unsure.
    """

    def __init__(self, k: int) -> None:
        self.k = k
        self.log: list[Answer] = []
        self.aside: set[int] = set()
        self._votes: Votes = {}
        self._grouped: Groups | None = Groups()
        self._by_point: dict[int, list[Answer]] = defaultdict(list)

    def add(self, answer: Answer) -> None:
        """Take one more answer."""
        self.log.append(answer)
        self._by_point[answer.i].append(answer)
        self._by_point[answer.j].append(answer)
        if answer.together is None:
            self.aside.add(answer.i)
            return
        self._votes[answer.pair] = self._votes.get(answer.pair, 0.0) + answer.weight
        self._grouped = None

    @property
    def classes(self) -> list[list[int]]:
        """Groups of points each of which is known to be apart from all the others."""
        groups = self._groups
        return [groups.members[number] for number in _apart_from_each_other(groups)]

    @property
    def unplaced(self) -> list[list[int]]:
        """The other groups: it is not known whether they are part of some class."""
        groups = self._groups
        classes = set(_apart_from_each_other(groups))
        return [points for number, points in groups.members.items() if number not in classes]

    def known(self, i: int, j: int) -> bool | None:
        """Return whether two points are together, None if no answer implies it."""
        return self._groups.known(i, j)

    def vote(self, i: int, j: int) -> float:
        """Return the log-odds of together by the answers about this pair, 0 without any."""
        return self._votes.get((min(i, j), max(i, j)), 0.0)

    def about(self, point: int) -> list[Answer]:
        """Return the answers about one point."""
        return self._by_point.get(point, [])

    def trust(self, point: int) -> float:
        """Return the probability that some answer about a point is right and was kept."""
        wrong = 1.0
        for answer in self.about(point):
            if answer.together is not None and self.is_kept(answer):
                wrong *= 1 - min(answer.confidence, _SUREST)
        return 1 - wrong

    def is_kept(self, answer: Answer) -> bool:
        """Return whether the groups agree with an answer."""
        return self.known(answer.i, answer.j) == answer.together

    @property
    def broken(self) -> list[Answer]:
        """The answers with which the groups disagree."""
        given = (answer for answer in self.log if answer.together is not None)
        return [answer for answer in given if not self.is_kept(answer)]

    @property
    def implied(self) -> int:
        """How many pairs are known without having been asked about."""
        members, apart = self._groups.members, self._groups.apart
        together = sum(comb(len(points), 2) for points in members.values())
        between = sum(len(members[a]) * len(members[b]) for a in apart for b in apart[a]) // 2
        asked = sum(self.known(i, j) is not None for i, j in self._votes)
        return together + between - asked

    def links(self) -> tuple[list[tuple[int, int, float]], list[tuple[int, int, float]]]:
        """Return the answers as soft must-links and cannot-links ``(i, j, weight)``.

        A link weighs as much as the answers about its pair agree, 1 if they are certain.
        """
        certain = math.log(_SUREST / (1 - _SUREST))
        must: list[tuple[int, int, float]] = []
        cannot: list[tuple[int, int, float]] = []
        for (i, j), weight in self._votes.items():
            if weight:
                (must if weight > 0 else cannot).append((i, j, min(abs(weight) / certain, 1.0)))
        return must, cannot

    @property
    def _groups(self) -> Groups:
        """The groups, made when they are asked for: many answers may come at once."""
        if self._grouped is None:
            votes = {pair: weight for pair, weight in self._votes.items() if weight}
            self._grouped = group(votes)
            _join_the_last(self._grouped, self.k)
        return self._grouped


def _join_the_last(groups: Groups, k: int) -> None:
    """Put what is apart from all but one of k classes into that one."""
    classes = _apart_from_each_other(groups)
    if len(classes) != k:
        return
    for number in [each for each in groups.members if each not in classes]:
        left = [c for c in classes if c not in groups.apart[number]]
        if len(left) == 1:
            groups.join(left[0], number)
            classes[classes.index(left[0])] = min(left[0], number)  # the number it goes on under


def _apart_from_each_other(groups: Groups) -> list[int]:
    """Return groups that are apart from each other, older ones first."""
    found: list[int] = []
    for number in groups.members:
        if all(other in groups.apart[number] for other in found):
            found.append(number)
    return found
