"""Proofs with soft links are checked: what a certificate may claim of them, and what not."""

import msgspec
import numpy as np
import pytest

from ccviz import Problem, start
from ccviz.events import NodePruned
from ccviz.proof.blocks import contract_plainly
from ccviz.proof.reading import FlawError
from ccviz.proof.rounding import unit_of
from ccviz.proof.soft import penalty_above, priced_terms, soft_caps, soft_terms
from ccviz.proof.verify import verify

X = np.array([[0.0, 0.0], [0.1, 0.3], [0.4, 0.1], [2.0, 2.0], [2.2, 1.9], [1.0, 1.2], [1.1, 0.8]])
MUST = [(0, 5, 0.4), (3, 6, 0.3), (1, 2, 0.2)]
CANNOT = [(0, 1, 0.6), (3, 4, 0.5), (5, 6, 0.4)]
SIZES = {"free": None, "ranges": ([2, 2], [5, 5]), "given": [3, 4]}


@pytest.fixture(scope="module", params=SIZES)
def proved(request):
    problem = Problem(X, 2, must_link=MUST, cannot_link=CANNOT, sizes=SIZES[request.param])
    events = [record.event for record in start(problem, "sdp", tolerance=1e-6)]
    assert verify(problem, events, gap=1e-5).accepted
    return problem, events


def altered(events, name, change):
    """Return the events with one array of each certificate changed, and whether any was."""
    found, any_changed = [], False
    for event in events:
        if isinstance(event, NodePruned) and name in event.certificate:
            certificate = dict(event.certificate)
            certificate[name] = change(np.array(certificate[name]))
            event = msgspec.structs.replace(event, certificate=certificate)
            any_changed = True
        found.append(event)
    return found, any_changed


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("must_prices", lambda a: a * 3.0), ("must_prices", lambda a: a[:, :-1]),
        ("must_pairs", lambda a: a[:, ::-1]), ("must_pairs", lambda a: a + 7),
        ("cannot_prices", lambda a: a * 3.0), ("cannot_prices", lambda a: -a),
        ("cannot_rows", lambda a: a + 9), ("cannot_members", lambda a: a + 1),
        ("soft_prices", lambda a: a * 3.0), ("soft_pairs", lambda a: a[:, ::-1]),
    ],
)  # fmt: skip
def test_altered_prices_are_refused(proved, name, change):
    problem, events = proved
    changed, is_changed = altered(events, name, change)
    if is_changed:
        assert not verify(problem, changed, gap=1e-5).accepted


def clusterings(problem):
    """Yield labels with every Z, its y, and what their soft links cost."""
    rng = np.random.default_rng(0)
    unit = unit_of(problem)
    for _ in range(60):
        labels = rng.integers(problem.k, size=problem.n)
        if len(set(labels.tolist())) < problem.k:
            continue
        together = labels[:, None] == labels
        yield labels, together / together.sum(axis=1), penalty_above(problem, unit, labels)


def caps_of(problem):
    """Return the caps at the root."""
    none = np.zeros((0, 2), dtype=np.int64)
    blocks = contract_plainly(problem, none, none)
    return soft_caps(problem, unit_of(problem), blocks, np.inf), blocks.mass


def test_terms_within_their_caps_are_below_what_every_clustering_pays():
    problem = Problem(X, 3, must_link=MUST, cannot_link=CANNOT)
    caps, mass = caps_of(problem)
    rng = np.random.default_rng(1)
    pairs, apart = np.argwhere(np.triu(caps.must)), np.argwhere(np.triu(caps.cannot))
    for labels, Z, paid in clusterings(problem):
        certificate = {
            "must_pairs": pairs,
            "must_prices": 0.5 * caps.must[*pairs.T][:, None] * rng.uniform(-1, 1, (len(pairs), 7)),
            "cannot_rows": np.column_stack([apart, rng.integers(-1, 7, len(apart))]),
            "cannot_members": rng.integers(0, 2, (len(apart), 7)),
            "cannot_prices": 0.99 * caps.cannot[*apart.T],
        }
        terms = soft_terms(caps, mass, certificate, 0, 1.0)
        assert float((terms.matrix * Z).sum()) + terms.gain <= paid * (1 + 1e-9), labels


def test_prices_of_given_sizes_are_what_clusterings_pay():
    problem = Problem(X[:6], 2, must_link=[(0, 5, 0.4)], cannot_link=[(0, 1, 0.6)])
    caps, mass = caps_of(problem)
    certificate = {
        "soft_pairs": np.array([[0, 5], [0, 1]]),
        "soft_prices": np.array([-caps.must[0, 5], caps.cannot[0, 1]]),
    }
    terms = priced_terms(caps, mass, certificate, 0, 3.0)
    for labels, Z, paid in clusterings(problem):
        if np.bincount(labels).tolist() == [3, 3]:
            assert float((terms.matrix * Z).sum()) + terms.gain == pytest.approx(paid)


def test_a_price_above_the_cap_is_a_flaw():
    problem = Problem(X, 3, must_link=MUST)
    caps, mass = caps_of(problem)
    certificate = {"must_pairs": np.array([[0, 5]]), "must_prices": np.full((1, 7), 0.6)}
    with pytest.raises(FlawError, match="above its weight"):
        soft_terms(caps, mass, certificate, 0, 1.0)


def test_soft_links_of_a_decided_pair_are_a_constant():
    problem = Problem(X, 3, must_link=MUST, cannot_link=CANNOT)
    unit = unit_of(problem)
    blocks = contract_plainly(problem, np.array([[0, 1]]), np.array([[3, 6]]))
    caps = soft_caps(problem, unit, blocks, np.inf)
    assert caps.constant == pytest.approx(unit.scaled(0.6 + 0.3))
    at = blocks.block_of
    assert caps.must[at[3], at[6]] == 0.0
    assert caps.must[at[0], at[5]] > 0.0
