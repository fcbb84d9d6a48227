"""Soft links in `tools/check_bounds.py`: no term is above what a clustering pays for them."""

import sys
from fractions import Fraction
from itertools import product

import msgspec
import numpy as np
import pytest

from ccviz import Partition, Problem, start
from ccviz.events import IncumbentFound, NodePruned, PartsCut, Started
from ccviz.proof.verify import verify
from tests.seeds import seeds

S, N = 5, 9
MASS = np.array([3.0, 1.0, 2.0, 1.0, 2.0])


@pytest.fixture
def check_bounds(check_proof):
    """Return the module ``tools/check_bounds.py``."""
    return sys.modules["check_bounds"]


def draw(module, seed, k):
    """Draw five blocks with soft links, two of them in conflict."""
    rng = np.random.default_rng(seed)
    ends = rng.integers(S, size=(12, 2)).tolist()
    weights = rng.exponential(1.0, 12).tolist()
    links = [
        (pair, bool(rng.random() < 0.5), Fraction(weight))
        for pair, weight in zip(ends, weights, strict=True)
    ]
    conflict = module.matrix_of(np.array([[0, 1]]), S)
    x = rng.normal(size=(S, 2))
    sums = np.array([[int(1e6 * each) for each in row] for row in x * MASS[:, None]], dtype=object)
    soft = module.Soft(links, range(S))
    blocks = module.Blocks(x, MASS, sums, 1, k, conflict, 0, 0)
    blocks.soft = soft
    return rng, links, blocks


def clusterings(blocks, k):
    """Yield the labels of the blocks in each clustering, and its Z."""
    for labels in product(range(k), repeat=S):
        label = np.array(labels)
        together = label[:, None] == label
        if len({*labels}) == k and not (blocks.conflict & together).any():
            yield label, together / np.bincount(label, MASS)[label]


def paid(links, label):
    return sum(float(w) for (i, j), same, w in links if (label[i] == label[j]) != same)


def share(rng, blocks, caps, pair, side):
    """Return a price up to a cap, as a double that is not above it."""
    return float(caps[pair][side]) * rng.choice([0.3, 0.7, 1.0 - 1e-12])


@pytest.mark.parametrize("exact", [False, True])
@pytest.mark.parametrize("k", [2, 3, 5])
@pytest.mark.parametrize("seed", seeds(6, 40))
def test_prices_for_any_sizes_are_below_the_penalty(check_bounds, seed, k, exact):
    rng, links, blocks = draw(check_bounds, seed, k)
    caps, constant = blocks.soft.caps(blocks.apart(np.inf))
    must = [pair for pair in caps if caps[pair][0]]
    cannot = [pair for pair in caps if caps[pair][1] for _ in range(2)]
    rows = np.array([(*pair, rng.integers(-1, S)) for pair in cannot]).reshape(-1, 3)
    scaled = (check_bounds.Exact if exact else check_bounds.Doubles)(blocks)
    certificate = {
        "must_pairs": np.array(must).reshape(-1, 2),
        "must_prices": np.array(
            [share(rng, blocks, caps, p, 0) / 2 * rng.uniform(-1, 1, S) for p in must]
        ).reshape(-1, S),
        "cannot_rows": rows,
        "cannot_members": rng.integers(0, 2, size=(len(rows), S)),
        "cannot_prices": np.array([share(rng, blocks, caps, p, 1) / 2 for p in cannot]),
    }
    (T, size), terms = blocks.soft.free(blocks, certificate, scaled, caps, 1)
    unit = float(scaled.multipliers(np.array([1.0]))[0])
    assert (np.array(size, float) >= abs(np.array(T, float)) * (1.0 - 1e-12)).all()
    for label, Z in clusterings(blocks, k):
        bound = ((np.array(T, float) * Z).sum() + sum(map(float, terms))) / unit
        assert bound + float(constant) <= paid(links, label) + 1e-9


@pytest.mark.parametrize("seed", seeds(6, 40))
def test_prices_for_given_sizes_are_the_penalty_or_below(check_bounds, seed):
    rng, links, blocks = draw(check_bounds, seed, 3)
    sizes = np.bincount([0, 1, 1, 2, 0], MASS)
    caps, constant = blocks.soft.caps(blocks.apart(sizes.max()))
    pairs = [pair for pair in caps if any(caps[pair])]
    prices = [share(rng, blocks, caps, p, 1) - share(rng, blocks, caps, p, 0) for p in pairs]
    certificate = {"soft_pairs": np.array(pairs).reshape(-1, 2), "soft_prices": np.array(prices)}
    (T, _), terms = blocks.soft.given(blocks, certificate, check_bounds.Doubles(blocks), caps)
    for label, Z in clusterings(blocks, 3):
        points = np.bincount(label, MASS)
        if sorted(points) == sorted(sizes):
            bound = (T * (Z * points[label])).sum() + sum(terms) + float(constant)
            assert bound <= paid(links, label) + 1e-9


@pytest.mark.parametrize(
    "name", ["must_prices", "cannot_prices", "soft_prices", "negative soft_prices"]
)
def test_prices_are_at_most_their_caps(check_bounds, name):
    blocks = draw(check_bounds, 0, 3)[2]
    blocks.soft = check_bounds.Soft([((0, 2), True, Fraction(1)), ((2, 3), False, 3)], range(S))
    caps, _ = blocks.soft.caps(blocks.apart(np.inf))

    def read(factor):
        scaled = check_bounds.Doubles(blocks)
        price = {"must_prices": np.full((1, S), -0.5), "cannot_prices": np.full(2, 1.5)}
        price |= {"soft_prices": np.full(1, 3.0), "negative soft_prices": np.full(1, -1.0)}
        given = {"must_pairs": [(0, 2)], "soft_pairs": [(0, 2) if "neg" in name else (2, 3)]}
        given |= {"cannot_rows": [(2, 3, 0), (2, 3, -1)], "cannot_members": np.ones((2, S))}
        prefix = name.split()[-1].split("_")[0]
        certificate = {n: np.array(a, int) for n, a in given.items() if n.startswith(prefix)}
        certificate[name.split()[-1]] = price[name] * factor
        if "soft" in name:
            return blocks.soft.given(blocks, certificate, scaled, caps)
        return blocks.soft.free(blocks, certificate, scaled, caps, 1)

    read(1.0)
    with pytest.raises(ValueError, match=r"above (its|their) cap"):
        read(1.0 + 2.0**-52)


X = np.array([[0.0, 0.0], [0.1, 0.3], [0.4, 0.1], [2.0, 2.0], [2.2, 1.9], [1.0, 1.2], [1.1, 0.8]])
LINKS = {
    "must_link": [(0, 5, 0.4), (3, 6, 0.3), (1, 2, 0.2)],
    "cannot_link": [(0, 1, 0.6), (3, 4, 0.5), (5, 6, 0.4)],
}
SIZES = {"free": None, "ranges": ([2, 2], [5, 5]), "given": [3, 4], "equal": [3, 3]}


@pytest.fixture(scope="module", params=[(s, z) for s in ("sdp", "colgen") for z in SIZES])
def proved(request):
    solver, name = request.param
    points = X[:6] if name == "equal" else X
    links = {
        kind: [link for link in table if max(link[:2]) < len(points)]
        for kind, table in LINKS.items()
    }
    problem = Problem(points, 2, sizes=SIZES[name], **links)
    return problem, [record.event for record in start(problem, solver, tolerance=1e-6)]


def changed(events, kind, change):
    """Return the events with each of a kind changed."""
    return [
        msgspec.structs.replace(event, **change(event)) if isinstance(event, kind) else event
        for event in events
    ]


def test_both_accept_soft_links_and_no_smaller_gap_than_is_proved(proved, second, both):
    problem, events = proved
    both.accept(problem, events, 1e-5)
    assert not second(problem, events, 1e-15)[0]


def test_a_lighter_link_than_was_proved_with_is_refused(proved, both):
    problem, events = proved
    links = {
        kind: np.c_[table.pairs, 0.5 * table.weights]
        for kind, table in (("must_link", problem.must_link), ("cannot_link", problem.cannot_link))
    }
    both.refuse(Problem(problem.X, 2, sizes=problem.sizes, **links), events, 1e-5)


def test_a_clustering_that_leaves_its_penalty_out_is_refused(proved, second):
    problem, events = proved
    events = changed(
        events, IncumbentFound, lambda e: {"objective": Partition(problem, e.labels).wcss}
    )
    assert "a clustering claims" in verify(problem, events, gap=1e-5).sentence
    assert "claims another objective" in second(problem, events, 1e-5)[1]


def test_larger_duals_or_least_values_are_refused(proved, second):
    problem, events = proved
    for name, factor in (("duals", 1.01), ("least", 0.9), ("least", 1.1)):

        def scale(event, name=name, factor=factor):
            arrays = dict(event.certificate)
            if name in arrays:
                arrays = {n: arrays[n] for n in ("duals", "least", "node", "unit")}
                arrays[name] = arrays[name] * factor + 0.01
            return {"certificate": arrays}

        if any("duals" in e.certificate for e in events if isinstance(e, NodePruned)):
            assert not second(problem, changed(events, NodePruned, scale), 1e-5)[0]


def test_soft_links_of_a_cut_without_bounds_prove_nothing(proved, second):
    problem, events = proved
    cut = PartsCut(part_of=np.zeros(problem.n, dtype=np.int64), parts=1)
    kept = [event for event in events if isinstance(event, Started | IncumbentFound)]
    holds, sentence = second(problem, [*kept, cut, events[-1]])[:2]
    assert not holds
    assert "no proof" in sentence
