from itertools import combinations
from pathlib import Path

import msgspec
import numpy as np
import pytest

from ccviz import Problem, start
from ccviz.events import IncumbentFound, NodeBranched, NodeOpened, NodePruned, Noted
from ccviz.verify import verify


@pytest.fixture(scope="module")
def proof():
    """A run with branching, its problem and its events."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(30, 2))
    pairs = rng.choice(30, size=(26, 2))
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    problem = Problem(X, 4, must_link=pairs[:6], cannot_link=pairs[6:])
    events = [record.event for record in start(problem, "sdp", tolerance=1e-5)]
    assert any(isinstance(event, NodeBranched) for event in events)
    return problem, events


def altered(events, kind, change, which=0):
    """Return the events with one of a kind changed."""
    places = [i for i, event in enumerate(events) if isinstance(event, kind)]
    at = places[which]
    return [*events[:at], change(events[at]), *events[at + 1 :]]


def bounded(event):
    return isinstance(event, NodePruned) and event.reason == "bound"


def test_a_finished_run_is_accepted(proof):
    verdict = verify(*proof)
    assert verdict.accepted
    assert verdict.sentence.startswith("proved within gap")
    assert verdict.gap <= 1e-5
    assert verdict.leaves == sum(isinstance(event, NodePruned) for event in proof[1])


@pytest.mark.parametrize("name", ["nonnegativity", "weights"])
@pytest.mark.parametrize("factor", [0.98, 1.02, -1.0])
def test_one_altered_multiplier_is_found(proof, name, factor):
    problem, events = proof
    leaf = next(i for i, event in enumerate(events) if bounded(event))

    def change(event):
        values = event.certificate[name].copy()
        values[np.abs(values).argmax()] *= factor
        return msgspec.structs.replace(event, certificate={**event.certificate, name: values})

    verdict = verify(problem, [*events[:leaf], change(events[leaf]), *events[leaf + 1 :]])
    assert not verdict.accepted
    assert str(events[leaf].node) in verdict.sentence


def test_a_changed_bound_is_found(proof):
    problem, events = proof
    changed = altered(
        events, NodePruned, lambda e: msgspec.structs.replace(e, lower_bound=e.lower_bound * 1.001)
    )
    assert "claims the bound" in verify(problem, changed).sentence


def test_a_missing_leaf_is_found(proof):
    problem, events = proof
    verdict = verify(problem, altered(events, NodePruned, lambda e: Noted(text="gone")))
    assert not verdict.accepted
    assert "still open" in verdict.sentence


def test_a_leaf_that_covers_something_else_is_found(proof):
    problem, events = proof
    flipped = altered(
        events, NodeOpened, lambda e: msgspec.structs.replace(e, together=not e.together), which=1
    )
    assert "do not cover" in verify(problem, flipped).sentence
    moved = altered(events, NodeOpened, lambda e: msgspec.structs.replace(e, pair=(0, 29)), which=1)
    assert "do not cover" in verify(problem, moved).sentence


def test_multipliers_of_a_node_that_is_not_above_are_refused(proof):
    problem, events = proof
    leaf = next(i for i, event in enumerate(events) if bounded(event))
    other = next(e.node for e in events if bounded(e) and e.node != events[leaf].node)
    certificate = {**events[leaf].certificate, "node": np.array([other])}
    changed = msgspec.structs.replace(events[leaf], certificate=certificate)
    verdict = verify(problem, [*events[:leaf], changed, *events[leaf + 1 :]])
    assert "not above" in verdict.sentence


def test_one_altered_label_is_found(proof):
    problem, events = proof

    def change(event):
        labels = event.labels.copy()
        labels[0] = (labels[0] + 1) % problem.k
        return msgspec.structs.replace(event, labels=labels)

    for which in range(sum(isinstance(event, IncumbentFound) for event in events)):
        assert not verify(problem, altered(events, IncumbentFound, change, which)).accepted


def test_a_leaf_called_infeasible_is_searched(proof):
    problem, events = proof
    lied = altered(
        events,
        NodePruned,
        lambda e: msgspec.structs.replace(e, reason="infeasible", certificate={}),
    )
    assert "a clustering exists" in verify(problem, lied).sentence


@pytest.mark.parametrize("k", [2, 3])
def test_infeasible_problems_are_verified(k):
    rng = np.random.default_rng(0)
    pairs = list(combinations(range(k + 1), 2))
    problem = Problem(rng.normal(size=(9, 2)), k, cannot_link=pairs)
    verdict = verify(problem, [record.event for record in start(problem, "sdp")])
    assert verdict.accepted
    assert verdict.sentence == "proved infeasible"


def test_infeasibility_without_a_clique_is_searched_to_the_end():
    wheel = [(i, (i + 1) % 7) for i in range(7)] + [(i, 7) for i in range(7)]
    problem = Problem(np.random.default_rng(0).normal(size=(9, 2)), 3, cannot_link=wheel)
    events = [record.event for record in start(problem, "sdp")]
    assert verify(problem, events).sentence == "proved infeasible"


def test_an_unfinished_run_is_not_a_proof(proof):
    problem, events = proof
    assert "still open" in verify(problem, events[: len(events) // 2]).sentence


def test_it_uses_no_code_of_the_solver():
    import ast

    import ccviz.verify

    tree = ast.parse(Path(ccviz.verify.__file__).read_text())
    modules = {
        node.module if isinstance(node, ast.ImportFrom) else node.names[0].name
        for node in ast.walk(tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
    }
    own = {name for name in modules if name.startswith("ccviz")}
    assert own == {"ccviz.events", "ccviz.problem"}
    assert {name.split(".")[0] for name in modules} - own - {"ccviz"} <= {
        "__future__",
        "collections",
        "dataclasses",
        "math",
        "numpy",
        "typing",
    }
