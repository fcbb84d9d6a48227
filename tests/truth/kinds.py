"""Kinds of constraint: how each adds itself to a drawn problem, and which clusters it allows.

A drawn problem is plain numbers. What a kind allows is worked out here from those numbers alone, in
whole numbers and fractions, without code of ccviz. A new kind is one line in `KINDS`, and a new
kind of rule one line in `RULES`; `tests/truth/test_truth.py` names those that are missing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from itertools import combinations

import numpy as np

from ccviz import Problem
from ccviz.problem.asked import AnyAsked, AskedRule, joined
from ccviz.problem.reduction import with_rules

Rng = np.random.Generator
Part = tuple[str, str, tuple[float, ...]]
"""A rule: its kind, its limit as text, and what it names (labels or values of the points)."""


@dataclass(frozen=True)
class Drawn:
    """A problem as plain numbers, from which ccviz and the brute force make theirs."""

    X: tuple[tuple[float, ...], ...]
    k: int
    must_link: tuple[tuple[float, ...], ...] = ()
    cannot_link: tuple[tuple[float, ...], ...] = ()
    sizes: tuple[tuple[int, ...], tuple[int, ...]] | None = None
    weights: tuple[float, ...] | None = None
    outliers: int = 0
    fixed_centers: tuple[tuple[float, ...], ...] = ()
    neighbors: tuple[tuple[int, int], ...] | None = None
    truth: tuple[int, ...] | None = None
    rules: tuple[tuple[Part, ...], ...] = ()

    @property
    def n(self) -> int:
        return len(self.X)

    @property
    def given(self) -> dict:
        """Arguments of `ccviz.Problem`, without those that are as by default."""
        return {
            each.name: _listed(getattr(self, each.name))
            for each in fields(self)
            if each.name != "rules" and getattr(self, each.name) != each.default
        }

    @property
    def asked(self) -> list[AnyAsked]:
        return [joined(AskedRule(text_of(part), part[2]) for part in rule) for rule in self.rules]

    def problem(self, keeps_rules: bool = True) -> Problem:
        return with_rules(Problem(**self.given), self.asked, keeps_rules)

    def code(self) -> str:
        """Return Python that makes the problem."""
        given = dict(self.given)
        first = f"{given.pop('X')}, {given.pop('k')}"
        more = "".join(f", {name}={value}" for name, value in given.items())
        lines = ["from ccviz import Problem, solve", f"p = Problem({first}{more})"]
        if self.rules:
            lines.insert(0, "from ccviz.problem.asked import AskedRule, joined")
            lines.insert(1, "from ccviz.problem.reduction import with_rules")
            rules = [
                "joined([" + ", ".join(f"AskedRule({text_of(p)!r}, {p[2]})" for p in rule) + "])"
                for rule in self.rules
            ]
            lines.append(f"p = with_rules(p, [{', '.join(rules)}], True)")
        return "\n".join(lines).replace("inf", "float('inf')")

    def soft(self, kind: str) -> dict[tuple[int, int], float]:
        """Return the soft links of a kind: of a pair given twice, the larger weight."""
        found: dict[tuple[int, int], float] = {}
        for i, j, *weight in getattr(self, kind):
            pair = (int(min(i, j)), int(max(i, j)))
            found[pair] = max(found.get(pair, 0.0), weight[0] if weight else np.inf)
        return {pair: weight for pair, weight in found.items() if weight < np.inf}

    def hard(self, kind: str) -> list[tuple[int, int]]:
        return sorted({(int(min(i, j)), int(max(i, j))) for i, j, *w in getattr(self, kind)
                       if not w or w[0] == np.inf})  # fmt: skip


def _listed(value: object) -> object:
    """Return nested tuples as lists, but for links, which stay tuples."""
    if not isinstance(value, tuple):
        return value
    is_links = value and isinstance(value[0], tuple) and isinstance(value[0][0], int)
    return [each if is_links else _listed(each) for each in value]


PLACED = ("diameter()<=", "separation()>=")
"""Kinds of rules that name a longitude and a latitude."""


def text_of(part: Part) -> str:
    kind, limit, known = part
    named = "(lon,lat)" if kind in PLACED else "(V)"
    return f"{kind.replace('()', named if known else '')}{limit}"


# --- Rules ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class RuleOf:
    """A kind of rule: how its limit is drawn, and which clusters (g, n) bool keep it."""

    name: str
    draw: Callable[[Rng, Drawn], tuple[str, tuple[float, ...]]]
    allows: Callable[[Drawn, np.ndarray, str, tuple[float, ...]], np.ndarray]
    joins: bool = True  # whether it can stand in 'A or B'


def squares(drawn: Drawn) -> dict[tuple[int, int], Fraction]:
    """Return the squared distance of each pair."""
    X = [[Fraction(value) for value in row] for row in drawn.X]
    return {
        (i, j): sum(((a - b) ** 2 for a, b in zip(X[i], X[j], strict=True)), Fraction(0))
        for i, j in combinations(range(drawn.n), 2)
    }


def _distance(low: float, high: float) -> Callable[[Rng, Drawn], tuple[str, tuple[float, ...]]]:
    def draw(rng: Rng, drawn: Drawn) -> tuple[str, tuple[float, ...]]:
        """Return a limit that is a distance exactly, or lies clearly between two of them."""
        gaps = sorted(set(squares(drawn).values()) or {Fraction(1)})
        at = int(rng.uniform(low, high) * (len(gaps) - 1))
        near = float(gaps[at]) ** 0.5
        after = float(gaps[min(at + 1, len(gaps) - 1)]) ** 0.5
        for limit in (near, (near + after) / 2, 2 * after + 1):
            apart = [abs(gap - Fraction(limit) ** 2) for gap in gaps]
            if all(not gap or gap > Fraction(limit) ** 2 / 10**6 for gap in apart):
                return repr(limit), ()
        return repr(3 * after + 1), ()

    return draw


def _ways(known: tuple[float, ...]) -> dict[tuple[int, int], float]:
    """Return the km between each pair of places, as the haversine formula has them."""
    lon, lat = np.radians(np.reshape(known, (2, -1)))
    return {
        (i, j): 2 * 6371.0088 * np.arcsin(np.sqrt(
            np.sin((lat[i] - lat[j]) / 2) ** 2
            + np.cos(lat[i]) * np.cos(lat[j]) * np.sin((lon[i] - lon[j]) / 2) ** 2))
        for i, j in combinations(range(len(lon)), 2)
    }  # fmt: skip


def _km(low: float, high: float) -> Callable[[Rng, Drawn], tuple[str, tuple[float, ...]]]:
    def draw(rng: Rng, drawn: Drawn) -> tuple[str, tuple[float, ...]]:
        """Return a limit that lies clearly between two distances of places, some of them equal."""
        lon, lat = (
            rng.choice([-170, 179, 8, 8.5], drawn.n),
            rng.choice([-60, 0, 47, 48.25], drawn.n),
        )
        known = (*map(float, lon), *map(float, lat))
        ways = np.unique(np.round([0.0, *_ways(known).values()], 3))
        at = int(rng.uniform(low, high) * (len(ways) - 1))
        return f"{(ways[at] + [*ways, 2e4][at + 1]) / 2:.3f}", known

    return draw


def _farther(drawn: Drawn, inside: np.ndarray, limit: str, known: tuple) -> np.ndarray:
    far = [pair for pair, way in _ways(known).items() if way > float(limit)]
    return _none(inside, [inside[:, i] & inside[:, j] for i, j in far])


def _nearer(drawn: Drawn, inside: np.ndarray, limit: str, known: tuple) -> np.ndarray:
    near = [pair for pair, way in _ways(known).items() if way < float(limit)]
    return _none(inside, [inside[:, i] ^ inside[:, j] for i, j in near])


def _diameter(drawn: Drawn, inside: np.ndarray, limit: str, known: tuple) -> np.ndarray:
    most = Fraction(float(limit)) ** 2
    far = [pair for pair, square in squares(drawn).items() if square > most]
    return _none(inside, [inside[:, i] & inside[:, j] for i, j in far])


def _separation(drawn: Drawn, inside: np.ndarray, limit: str, known: tuple) -> np.ndarray:
    least = Fraction(float(limit)) ** 2
    near = [pair for pair, square in squares(drawn).items() if square < least]
    return _none(inside, [inside[:, i] ^ inside[:, j] for i, j in near])


def _none(inside: np.ndarray, broken: list[np.ndarray]) -> np.ndarray:
    return ~np.any([np.zeros(len(inside), dtype=bool), *broken], axis=0)


def _whole(low: Callable[[int, int], int], span: int) -> Callable:
    def draw(rng: Rng, drawn: Drawn) -> tuple[str, tuple[float, ...]]:
        return str(max(0, low(drawn.n, drawn.k) + int(rng.integers(span)))), ()

    return draw


def _of_run(low: int, high: int) -> Callable:
    def draw(rng: Rng, drawn: Drawn) -> tuple[str, tuple[float, ...]]:
        known = rng.integers(0, max(2, drawn.k), drawn.n)
        return str(int(rng.integers(low, high + 1))), tuple(map(int, known))

    return draw


def _shared(inside: np.ndarray, known: tuple[float, ...]) -> tuple[np.ndarray, np.ndarray]:
    """Return how many points each cluster shares with each known one (g, c), and their sizes."""
    member = np.array(known)[:, None] == np.unique(known)
    return inside.astype(int) @ member, member.sum(axis=0)


def _overlap(drawn: Drawn, inside: np.ndarray, limit: str, known: tuple) -> np.ndarray:
    return (_shared(inside, known)[0] <= int(limit)).all(axis=1)


def _difference(drawn: Drawn, inside: np.ndarray, limit: str, known: tuple) -> np.ndarray:
    shared, size = _shared(inside, known)
    return (shared <= np.maximum(size - int(limit), 1)).all(axis=1)


def _outside(drawn: Drawn, inside: np.ndarray, limit: str, known: tuple) -> np.ndarray:
    return (inside.sum(axis=1)[:, None] - _shared(inside, known)[0] <= int(limit)).any(axis=1)


def _conflicts(drawn: Drawn, inside: np.ndarray, limit: str, known: tuple) -> np.ndarray:
    pairs = drawn.soft("cannot_link")
    both = [inside[:, i] & inside[:, j] for i, j in pairs]
    return np.sum([np.zeros(len(inside), dtype=int), *both], axis=0) <= int(limit)


def _sum(low: float, high: float) -> Callable:
    def draw(rng: Rng, drawn: Drawn) -> tuple[str, tuple[float, ...]]:
        column = rng.integers(0, 9, drawn.n)
        share = rng.uniform(low, high) / drawn.k
        limit = f"{int(100 * share)}%" if rng.random() < 0.5 else str(int(share * column.sum()))
        return limit, tuple(map(float, column))

    return draw


def _sums(inside: np.ndarray, limit: str, known: tuple[float, ...]) -> tuple[np.ndarray, Fraction]:
    column = np.array([Fraction(value) for value in known], dtype=object)
    is_share = limit.endswith("%")
    most = Fraction(limit.rstrip("%"))
    sums = inside.astype(object) @ column
    return sums, most * sum(column) / 100 if is_share else most


def _sum_at_most(drawn: Drawn, inside: np.ndarray, limit: str, known: tuple) -> np.ndarray:
    sums, most = _sums(inside, limit, known)
    return np.array([value <= most for value in sums], dtype=bool)


def _sum_at_least(drawn: Drawn, inside: np.ndarray, limit: str, known: tuple) -> np.ndarray:
    sums, least = _sums(inside, limit, known)
    return np.array([value >= least for value in sums], dtype=bool)


def _words(limits: Callable[[int, int], list[str]]) -> Callable:
    def draw(rng: Rng, drawn: Drawn) -> tuple[str, tuple[float, ...]]:
        known = rng.integers(0, 3, drawn.n)  # 0 is no word
        return str(rng.choice(limits(drawn.n, drawn.k))), tuple(map(int, known))

    return draw


def _pairs(rng: Rng, drawn: Drawn) -> tuple[str, tuple[float, ...]]:
    return "", tuple(map(int, rng.integers(0, drawn.n, drawn.n)))


def _labels(rng: Rng, drawn: Drawn) -> tuple[str, tuple[float, ...]]:
    few = rng.integers(0, drawn.k + 1, drawn.n) * (rng.uniform(size=drawn.n) < 0.5)
    return "", tuple(map(int, few))


def _whole_words(drawn: Drawn, inside: np.ndarray, limit: str, known: tuple) -> np.ndarray:
    having, every = _having(inside, known), _having(np.ones((1, drawn.n), dtype=bool), known)
    return ((having == 0) | (having == every)).all(axis=1)


def _having(inside: np.ndarray, known: tuple[float, ...]) -> np.ndarray:
    """Return (g, w) how many points of each cluster have each word."""
    return inside.astype(int) @ (np.array(known)[:, None] == range(1, max(1, *known) + 1))


def _shares(inside: np.ndarray, limit: str, known: tuple[float, ...]) -> np.ndarray:
    """Return (g, w) the points with a word less the share of the cluster, as whole numbers."""
    share = Fraction(limit.rstrip("%")) / (100 if limit.endswith("%") else 1)
    size = inside.sum(axis=1).astype(object)[:, None]
    return share.denominator * _having(inside, known).astype(object) - share.numerator * size


def _true(kept: np.ndarray) -> np.ndarray:
    return kept.astype(bool).all(axis=1)


def _mean(sign: int) -> Callable:
    def draw(rng: Rng, drawn: Drawn) -> tuple[str, tuple[float, ...]]:
        column = rng.integers(-5, 6, drawn.n)
        limit = round(float(column.mean())) + sign * int(rng.integers(0, 4))
        return str(limit), tuple(map(float, column))

    return draw


def _excess(inside: np.ndarray, limit: str, known: tuple[float, ...]) -> np.ndarray:
    return inside.astype(object) @ np.array([Fraction(value) for value in known]) - Fraction(
        limit
    ) * inside.sum(axis=1).astype(object)


def _own_clusters(drawn: Drawn, inside: np.ndarray, limit: str, known: tuple) -> np.ndarray:
    few = (_having(inside, known) > 0).sum(axis=1) <= 1
    return few & _whole_words(drawn, inside, limit, known)


RULES = (
    RuleOf("diameter<=", _distance(0.5, 1.0), _diameter),
    RuleOf("separation>=", _distance(0.0, 0.4), _separation, joins=False),
    RuleOf("diameter()<=", _km(0.4, 1.0), _farther),
    RuleOf("separation()>=", _km(0.0, 0.4), _nearer, joins=False),
    RuleOf("size<=", _whole(lambda n, k: -(-n // k), 2),
           lambda _, inside, limit, __: inside.sum(axis=1) <= int(limit)),
    RuleOf("size>=", _whole(lambda n, k: n // k - 1, 2),
           lambda _, inside, limit, __: inside.sum(axis=1) >= int(limit), joins=False),
    RuleOf("overlap()<=", _of_run(1, 3), _overlap),
    RuleOf("difference()>=", _of_run(0, 2), _difference),
    RuleOf("outside()<=", _of_run(0, 2), _outside),
    RuleOf("conflicts<=", _whole(lambda n, k: 0, 2), _conflicts),
    RuleOf("sum()<=", _sum(1.05, 1.6), _sum_at_most),
    RuleOf("sum()>=", _sum(0.3, 0.9), _sum_at_least, joins=False),
    RuleOf("count()<=", _words(lambda n, k: ["2", "3"]),
           lambda _, inside, limit, known: (_having(inside, known) <= int(limit)).all(axis=1)),
    RuleOf("count()>=", _words(lambda n, k: ["0", "1"]),
           lambda _, inside, limit, known: (_having(inside, known) >= int(limit)).all(axis=1),
           joins=False),
    RuleOf("together()", _pairs, _whole_words, joins=False),
    RuleOf("apart()", _pairs,
           lambda _, inside, limit, known: (_having(inside, known) <= 1).all(axis=1), joins=False),
    RuleOf("labels()", _labels, _own_clusters, joins=False),
    RuleOf("share()<=", _words(lambda n, k: ["50%", "0.75", "66.7%"]),
           lambda _, inside, limit, known: _true(_shares(inside, limit, known) <= 0), joins=False),
    RuleOf("share()>=", _words(lambda n, k: ["10%", "0.2", "33.3%"]),
           lambda _, inside, limit, known: _true(_shares(inside, limit, known) >= 0), joins=False),
    RuleOf("mean()<=", _mean(1),
           lambda _, inside, limit, known: _true(_excess(inside, limit, known)[:, None] <= 0),
           joins=False),
    RuleOf("mean()>=", _mean(-1),
           lambda _, inside, limit, known: _true(_excess(inside, limit, known)[:, None] >= 0),
           joins=False),
)  # fmt: skip
"""The kinds of rules, as in `ccviz.problem.rules.RULE_KINDS`."""

_RULE = {rule.name: rule for rule in RULES}


def _keep_rules(drawn: Drawn, inside: np.ndarray) -> np.ndarray:
    """Return (g,) bool: whether a cluster keeps one part of each rule."""
    kept = np.ones(len(inside), dtype=bool)
    for rule in drawn.rules:
        kept &= np.any([keeps_part(drawn, inside, part) for part in rule], axis=0)
    return kept


def keeps_part(drawn: Drawn, inside: np.ndarray, part: Part) -> np.ndarray:
    return _RULE[part[0]].allows(drawn, inside, *part[1:])


# --- Kinds ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Kind:
    """A kind of constraint.

    ``add`` returns a drawn problem with it, ``allows`` which clusters (g, n) bool it permits. A
    kind with ``beside`` is refused beside others, so it is mostly drawn beside those alone.
    """

    name: str
    add: Callable[[Rng, Drawn], Drawn]
    allows: Callable[[Drawn, np.ndarray], np.ndarray] | None = None
    covers: tuple[str, ...] = ()  # parameters of Problem
    beside: tuple[str, ...] | None = None


def _pair(rng: Rng, n: int) -> tuple[int, int]:
    i, j = rng.choice(n, 2, replace=False).tolist()
    return i, j


def _linked(name: str, is_soft: bool) -> Callable[[Rng, Drawn], Drawn]:
    def add(rng: Rng, drawn: Drawn) -> Drawn:
        new = [
            (*_pair(rng, drawn.n), *([_price(rng, drawn)] if is_soft else []))
            for _ in range(rng.integers(1, 4))
        ]
        return replace(drawn, **{name: (*getattr(drawn, name), *new)})

    return add


def _price(rng: Rng, drawn: Drawn) -> float:
    """Return the weight of a soft link: a whole number, or near the scale of costs, or far off."""
    scale = float(sum(squares(drawn).values(), Fraction(0))) / drawn.n**2 or 1.0
    way = rng.random()
    if way < 0.4:
        return float(rng.integers(1, 20))
    power = rng.uniform(-2, 2) if way < 0.9 else rng.uniform(-9, 9)
    return float(f"{scale * 10.0**power:.3g}") or 1.0


def _both_ways(rng: Rng, drawn: Drawn) -> Drawn:
    i, j = _pair(rng, drawn.n)
    must, cannot = ((i, j, _price(rng, drawn)) for _ in range(2))
    if rng.random() < 0.5:
        cannot = (j, i, must[2])  # both weigh the same
    return replace(
        drawn, must_link=(*drawn.must_link, must), cannot_link=(*drawn.cannot_link, cannot)
    )


def _together(drawn: Drawn, inside: np.ndarray) -> np.ndarray:
    return _none(inside, [inside[:, i] ^ inside[:, j] for i, j in drawn.hard("must_link")])


def _apart(drawn: Drawn, inside: np.ndarray) -> np.ndarray:
    return _none(inside, [inside[:, i] & inside[:, j] for i, j in drawn.hard("cannot_link")])


def _sized(rng: Rng, drawn: Drawn) -> Drawn:
    """Add sizes: exact, that are equal or fit in one way only, or ranges, cluster by cluster."""
    n, k = drawn.n, drawn.k
    exact = rng.multinomial(n - k, np.ones(k) / k) + 1
    if rng.random() < 0.4:
        exact = np.array([n // k + (j < n % k) for j in range(k)])
    slack = rng.integers(0, 3, (2, k)) * (rng.random() < 0.6)
    low, high = np.maximum(exact - slack[0], 1), exact + slack[1]
    return replace(drawn, sizes=(tuple(map(int, low)), tuple(map(int, high))))


def _weighted(rng: Rng, drawn: Drawn) -> Drawn:
    """Add weights whose sums are exact: whole numbers, some 0, or some as large as 1e9."""
    weights = rng.integers(1, 6, drawn.n).astype(float)
    way = rng.random()
    if way < 0.2:
        weights[:] = rng.choice([3.0, 0.5, 1e9])
    elif way < 0.4:
        weights *= rng.random(drawn.n) < 0.7
    elif way < 0.55:
        weights[rng.random(drawn.n) < 0.4] *= 10.0 ** int(rng.integers(2, 10))
    if not weights.any():
        weights[0] = 1.0
    return replace(drawn, weights=tuple(weights.tolist()))


def _counting(drawn: Drawn, inside: np.ndarray) -> np.ndarray:
    """Return which clusters hold a point that counts."""
    if drawn.weights is None:
        return np.ones(len(inside), dtype=bool)
    return (inside & (np.array(drawn.weights) > 0.0)).any(axis=1)


def _left_out(rng: Rng, drawn: Drawn) -> Drawn:
    most = max(0, drawn.n - drawn.k)
    return replace(drawn, outliers=int(rng.integers(min(1, most), min(3, most) + 1)))


def _centred(rng: Rng, drawn: Drawn) -> Drawn:
    few = min(drawn.k, 3)
    rows = rng.choice(drawn.n, few if rng.random() < 0.5 else rng.integers(1, few + 1), False)
    centers = np.array(drawn.X)[rows] + rng.integers(-2, 3, len(drawn.X[0])) / 4
    if drawn.sizes is not None and rng.random() < 0.3:  # a given centre may have no points
        low, high = drawn.sizes
        drawn = replace(drawn, sizes=((0, *low[1:]), high))
    return replace(drawn, fixed_centers=tuple(map(tuple, centers.tolist())))


def _neighbouring(rng: Rng, drawn: Drawn) -> Drawn:
    """Add neighbours: a random tree with more pairs, or one that may lack some."""
    order, n = rng.permutation(drawn.n).tolist(), drawn.n
    pairs = {tuple(sorted((order[i], order[rng.integers(i)]))) for i in range(1, n)}
    if rng.random() < 0.2:
        pairs = {pair for pair in pairs if rng.random() < 0.8}
    pairs |= {pair for pair in combinations(range(n), 2) if rng.random() < 0.15}
    return replace(drawn, neighbors=tuple(sorted(pairs)))


def _bridged(rng: Rng, drawn: Drawn) -> Drawn:
    """Add neighbours of whom some, on the way between others, have weight 0."""
    drawn = _neighbouring(rng, drawn)
    weights = np.array(drawn.weights or rng.integers(1, 4, drawn.n), dtype=float)
    weights[rng.random(drawn.n) < rng.uniform(0.2, 0.6)] = 0.0
    if not weights.any():
        weights[rng.integers(drawn.n)] = 1.0
    return replace(drawn, weights=tuple(weights.tolist()))


def _joined_up(drawn: Drawn, inside: np.ndarray) -> np.ndarray:
    """Return which clusters are connected: the first point's mark spreads to all of them."""
    if drawn.neighbors is None:
        return np.ones(len(inside), dtype=bool)
    reached = inside & (np.cumsum(inside, axis=1) == 1)
    for _ in range(drawn.n):
        for i, j in drawn.neighbors:
            both = inside[:, i] & inside[:, j] & (reached[:, i] | reached[:, j])
            reached[both, i] = reached[both, j] = True
    return (reached == inside).all(axis=1)


def _classes(rng: Rng, drawn: Drawn) -> Drawn:
    return replace(drawn, truth=tuple(map(int, rng.integers(0, 3, drawn.n))))


def _ruled(*rules: RuleOf) -> Callable[[Rng, Drawn], Drawn]:
    """Return what adds a rule: that kind, or two or three of several joined by *or*."""

    def add(rng: Rng, drawn: Drawn) -> Drawn:
        few = rng.choice(len(rules), min(len(rules), int(rng.integers(2, 4))), replace=False)
        parts = tuple((rules[at].name, *rules[at].draw(rng, drawn)) for at in few)
        return replace(drawn, rules=(*drawn.rules, parts))

    return add


_LINKS = ("must-link", "cannot-link")
KINDS = (
    Kind("must-link", _linked("must_link", False), _together, ("must_link",)),
    Kind("cannot-link", _linked("cannot_link", False), _apart, ("cannot_link",)),
    Kind("soft must-link", _linked("must_link", True)),
    Kind("soft cannot-link", _linked("cannot_link", True)),
    Kind("contradictory soft links", _both_ways),
    Kind("sizes", _sized, None, ("sizes",)),
    Kind("weights", _weighted, _counting, ("weights",)),
    Kind("outliers", _left_out, None, ("outliers", "outliers_asked"),
         (*_LINKS, "diameter<=", "size<=")),
    Kind("fixed centres", _centred, None, ("fixed_centers", "fixed"),
         (*_LINKS, "soft must-link", "soft cannot-link", "contradictory soft links", "sizes")),
    Kind("neighbours", _neighbouring, _joined_up, ("neighbors",)),
    Kind("neighbours of weight 0", _bridged),
    Kind("classes", _classes, None, ("truth",)),
    *(Kind(rule.name, _ruled(rule)) for rule in RULES),
    Kind("A or B", _ruled(*(rule for rule in RULES if rule.joins)), _keep_rules,
         ("rules", "asked")),
)  # fmt: skip
"""The kinds. What the kinds of rules allow is with the last one, for all of them at once."""

_COLUMNS_ONLY = ("overlap()<=", "difference()>=", "outside()<=", "conflicts<=", "A or B")
"""Kinds that column generation alone takes, and so are drawn less often."""


# --- Points and whole problems --------------------------------------------------------------------


def _points(rng: Rng, n: int, d: int) -> np.ndarray:
    way = rng.integers(9)
    X = rng.integers(-3, 4, (n, d)).astype(float)
    if way == 0:  # on a line
        return rng.integers(0, 6, (n, 1)) * np.arange(1.0, d + 1.0)
    if way == 1:  # copies of a few
        return X[rng.integers(0, max(1, n // 2), n)]
    if way == 2:  # all in one place
        return np.repeat(X[:1], n, axis=0) if rng.random() < 0.3 else X
    if way == 3:
        return np.round(64 * rng.normal(size=(n, d))) / 64
    if way == 4:
        return X + rng.choice([1e3, 1e6])
    if way == 5:
        return np.ldexp(X, -int(rng.integers(5, 31)))
    if way == 6:  # two groups, far apart
        return X + (rng.random((n, 1)) < 0.5) * 10.0 ** int(rng.integers(1, 6))
    if way == 7:  # single points of other magnitudes
        return X * 10.0 ** rng.integers(-3, 4, (n, 1))
    return X


def draw(rng: Rng, most: int = 7) -> Drawn:
    """Return a problem of two to five kinds."""
    n = int(rng.integers(2, most + 1))
    k = int(np.clip(rng.choice([1, 2, 2, 2, 3, 3, 4, n - 1, n]), 1, n))
    X = _points(rng, n, int(rng.integers(1, 4)))
    drawn = Drawn(tuple(map(tuple, X.tolist())), k)
    for kind in _chosen(rng):
        drawn = kind.add(rng, drawn)
    return drawn


def _chosen(rng: Rng) -> Iterator[Kind]:
    count = int(rng.integers(2, 6))
    among = [kind for kind in KINDS if kind.name not in _COLUMNS_ONLY or rng.random() < 0.15]
    chosen = [among[at] for at in np.sort(rng.choice(len(among), count, replace=False))]
    narrow = next((kind for kind in chosen if kind.beside is not None), None)
    for kind in chosen:
        fits = narrow is None or kind is narrow or kind.name in (narrow.beside or ())
        if fits or rng.random() < 0.03:
            yield kind
