"""Points in groups, as answers about pairs put them, even where the answers disagree.

Every pair has a vote: above 0 for together, below for apart, the larger the surer. Votes are
taken in turn, the surest first, and one that contradicts those before it is left out. Where that
happens, points change groups as long as the votes that are broken weigh less for it: a local search
for the grouping of least disagreement (correlation clustering; Bansal, Blum and Chawla, 2004). So
there is always a grouping, and what it implies rests on kept votes alone.
"""

from __future__ import annotations

from collections import defaultdict

Votes = dict[tuple[int, int], float]

_SWEEPS = 50  # far more than the votes of one person ever need
_CLOSE = 1e-9  # two weights that differ by rounding are the same


class Groups:
    """Groups of points, and which groups are known to be apart.

    Attributes
    ----------
    of : dict of int to int
        The group of each point that has been mentioned.
    members : dict of int to list of int
        The points of each group, groups in the order of their first mention.
    apart : dict of int to set of int
        The groups from which each is known to be apart.
    """

    def __init__(self) -> None:
        self.of: dict[int, int] = {}
        self.members: dict[int, list[int]] = {}
        self.apart: dict[int, set[int]] = {}

    def known(self, i: int, j: int) -> bool | None:
        """Return whether two points are together, None if nothing implies it.

        Parameters
        ----------
        i, j : int
        """
        a, b = self.of.get(i), self.of.get(j)
        if a is None or b is None:
            return None
        return True if a == b else (False if b in self.apart[a] else None)

    def put(self, i: int, j: int, together: bool) -> None:
        """Put two points together or apart.

        Parameters
        ----------
        i, j : int
        together : bool
        """
        a, b = self._group(i), self._group(j)
        if together:
            self.join(a, b)
        else:
            self.apart[a].add(b)
            self.apart[b].add(a)

    def join(self, a: int, b: int) -> None:
        """Make one of two groups, under the older one's number.

        Parameters
        ----------
        a, b : int
            Groups, not points.
        """
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

    Parameters
    ----------
    votes : dict of (i, j) to float
        None of weight 0.

    Returns
    -------
    Groups
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
