"""Why a point is in its cluster, and why two points are apart or together, in words.

What a move costs, and what forbids it, is in `ccviz.studies.moves`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from ccviz.arrays import IntArray
from ccviz.data.datasets import Dataset
from ccviz.numbers import count, number
from ccviz.problem.partition import Partition
from ccviz.studies.moves import Move, Moves, Obstacle, Opposite
from ccviz.studies.rows import kept_links

_ROUNDING = 1e-9  # Difference of two costs, as a share of the cost, up to which it is none
_SHARE = 0.1  # Least share of a move's cost for which a feature is named
_MOST_FEATURES = 2
_MOST_OBSTACLES = 3
_MOST_WISHES = 100  # Broken soft links of a table that are explained, the heaviest first

MOST_EXPLAINED = 20_000
"""Points up to which tables have a sentence for each."""


@dataclass(frozen=True, eq=False)
class Why:
    """Sentences that say why points are in their clusters.

    Parameters
    ----------
    names : sequence of str, optional
        Of the points; numbers by default.
    features : sequence of str, optional
        Of the columns of the problem's points; without them none is named.
    called : mapping of int to str, optional
        Of clusters; one without is called by its number.
    """

    moves: Moves
    names: Sequence[str] = ()
    features: Sequence[str] = ()
    called: Mapping[int, str] = field(default_factory=dict)

    def of(self, point: int) -> str:
        """Return why a point is in its cluster.

        Raises
        ------
        CcvizError
            If there is no such point.
        """
        found = self.moves.of(point)
        if not found:
            return "There is no other cluster."
        words = [self.against(point, move) for move in found]
        if found[-1].obstacles:
            words.append("every other cluster is forbidden too")
        return self._sentence(point, "; ".join(words))

    def not_in(self, point: int, cluster: int, *, back: bool = False) -> str:
        """Return why a point is not in another cluster: what forbids it, or what it would cost.

        If it was there before, it would be ``back``.
        """
        move = self.moves.into(int(self.moves.block_of[point]), cluster)
        said, where = self.against(point, move), self.cluster(cluster)
        if back and not move.obstacles:
            said = f"back in {where} it{said.removeprefix(where)}"
        return self._sentence(point, said)

    def against(self, point: int, move: Move) -> str:
        """Return what a move costs and what forbids it, as a part of a sentence."""
        if not move.obstacles:
            return f"{self._priced(move)}{self._reason(point, move)}"
        if move.rise < 0.0:
            return f"{self._obstacles(move)} out of {self._priced(move)}"
        return f"{self._priced(move)}, and {self._obstacles(move)} out"

    def _sentence(self, point: int, said: str) -> str:
        tied = int((self.moves.block_of == self.moves.block_of[point]).sum()) - 1
        tail = f" (with {count(tied, 'point')} tied to it by must-links)" if tied else ""
        return f"{said[0].upper()}{said[1:]}{tail}."

    def _priced(self, move: Move) -> str:
        more = "less" if move.rise < 0.0 else "more"
        soft = f", {number(move.soft, 3)} of it for soft links" if move.soft > 0.0 else ""
        where = self.cluster(move.cluster)
        if move.obstacles and move.rise < 0.0:
            return f"{where} ({number(abs(move.rise), 3)} {more}{soft})"
        return f"{where} would cost {number(abs(move.rise), 3)} {more}{soft}"

    def _reason(self, point: int, move: Move) -> str:
        if move.rise < 0.0:
            return ", and nothing forbids it"
        if not self.features:
            return ""
        shares = self.moves.shares(point, move.cluster)[:_MOST_FEATURES]
        named = [
            f"{self.features[j]} {100.0 * share:.0f} %" for j, share in shares if share >= _SHARE
        ]
        return f" ({', '.join(named)})" if named else ""

    def _obstacles(self, move: Move) -> str:
        words = [self._named(each, move) for each in move.obstacles[:_MOST_OBSTACLES]]
        more = len(move.obstacles) - len(words)
        words += [f"{more} more"] if more else []
        words = [*(each.removesuffix(",") for each in words[:-2]), *words[-2:]]
        listed = f"{', '.join(words[:-1])} and {words[-1]}" if len(words) > 1 else words[0]
        return f"{listed} keep{'s' * (len(words) == 1)} it"

    def _named(self, obstacle: Obstacle, move: Move) -> str:
        given, at = self.moves.partition.problem.given, obstacle.at
        match obstacle.kind:
            case "cannot_link":
                return f"the cannot-link with {self.point(at)}"
            case "rule":
                return f"the rule {given.rules[at].text}"
            case "sizes":
                assert given.sizes is not None
                if at == move.cluster:
                    is_plain = move.rise >= 0.0 and len(move.obstacles) == 1
                    own = "its size" if is_plain else f"the size of {self.cluster(at)}"
                    return f"{own}, at most {given.sizes.upper[at]},"
                return f"the size of {self.cluster(at)}, at least {given.sizes.lower[at]},"
            case "neighbors":
                return f"{self.cluster(at)}, which would fall apart,"
            case _:
                return f"{self.cluster(at)}, which would be empty,"

    def pair(self, i: int, j: int, found: Opposite | None = None) -> str:
        """Return what it would cost to have two points together, or apart, and what forbids it.

        Parameters
        ----------
        found : Opposite, optional
            What is known of it; that of the cheapest move or exchange by default.

        Raises
        ------
        CcvizError
            If these are no two points.
        """
        known = self.moves.opposite(i, j) if found is None else found
        who = f"{self.point(i)} and {self.point(j)} {'together' if known.together else 'apart'}"
        if known.reason:
            return f"No clustering has {who}: {known.reason}"
        words = f"{who} would cost {self._between(known)}{self._way(known)}"
        alone = self.moves.nearest(i, j, known.together)
        if alone and alone[1].obstacles:
            words += f"; {self.point(alone[0])} alone: {self.against(*alone)}"
        return f"{words}."

    def _between(self, known: Opposite) -> str:
        low, high = (number(abs(limit), 3) for limit in (known.lower, known.upper))
        if known.upper == np.inf:
            return f"at least {low} more" if known.lower > 0.0 else "an amount that is not known"
        if abs(known.upper) <= _ROUNDING * self.moves.partition.objective:
            return "nothing more"
        if known.upper < 0.0:
            return f"at least {high} less"
        if low == high:
            return f"{high} more, proved"
        return f"{f'at least {low} and ' if known.lower > 0.0 else ''}at most {high} more"

    def _way(self, known: Opposite) -> str:
        if not known.moved or known.labels is None:
            return ""
        first, *others = map(self.point, known.moved)
        if others:
            return f" ({first} and {others[0]} change places)"
        return f" ({first} moves to {self.cluster(int(known.labels[known.moved[0]]))})"

    def full(self, point: int) -> str:
        """Return why a point is in its cluster, and why its heaviest broken soft link is broken."""
        return f"{self.of(point)} {self.wishes.get(point, '')}".rstrip()

    @cached_property
    def wishes(self) -> dict[int, str]:
        """Of each point why its broken soft link of the greatest weight is not kept.

        Of very many broken links only the heaviest have a sentence.
        """
        broken: list[tuple[float, int, int]] = []
        for links, kept in kept_links(self.moves.partition):
            lost = links.where(~kept & ~links.is_hard)
            broken += zip(lost.weights.tolist(), *lost.pairs.T.tolist(), strict=True)
        heaviest = sorted(broken, key=lambda each: -each[0])[:_MOST_WISHES]
        found: dict[int, str] = {}
        for _, i, j in heaviest:
            if i not in found or j not in found:
                words = self.pair(i, j)
                found = {i: words, j: words} | found
        return found

    def point(self, at: int) -> str:
        """Return the name of a point, or its number."""
        return self.names[at] if self.names else str(at)

    def cluster(self, at: int) -> str:
        """Return the name of a cluster, or its number."""
        return self.called.get(at) or f"cluster {at}"


def sentences(
    partition: Partition,
    data: Dataset,
    shown: IntArray | None = None,
    names: Mapping[int, str] | None = None,
    some: Sequence[int] | None = None,
) -> list[str]:
    """Return why each point of a table is in its cluster; nothing beyond `MOST_EXPLAINED` points.

    A point with broken soft links has a second sentence, on the heaviest of them.

    Parameters
    ----------
    partition : Partition
        As the solver numbers it: limits on sizes go by these numbers.
    data : Dataset
        With the names of points and features.
    shown : (n_points,) int, optional
        The same clusters by the numbers that people see.
    names : mapping of int to str, optional
        Of clusters, by these numbers.
    some : sequence of int, optional
        Points; all by default.
    """
    asked = range(partition.problem.n_points) if some is None else some
    if len(asked) > MOST_EXPLAINED:
        return []
    return [*map(why_of(partition, data, shown, names).full, asked)]


def why_of(
    partition: Partition,
    data: Dataset,
    shown: IntArray | None = None,
    names: Mapping[int, str] | None = None,
) -> Why:
    """Return what says why, by the names of a table.

    Parameters
    ----------
    shown : (n,) int64, optional
        Numbers of the clusters as people see them; -1 for points left out.
    names : mapping of int to str, optional
        Names of clusters, by these numbers.
    """
    own = partition.labels[: partition.problem.n_points].tolist()
    number = own if shown is None else shown.tolist()
    called = {j: (names or {}).get(c, f"cluster {c}") for j, c in zip(own, number, strict=True)}
    features = data.features if len(data.features) == partition.problem.d else ()
    return Why(Moves(partition), data.names, features, called)
