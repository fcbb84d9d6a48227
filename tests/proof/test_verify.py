from itertools import combinations
from pathlib import Path

import msgspec
import numpy as np
import pytest

import ccviz
from ccviz import Problem, start
from ccviz.events import IncumbentFound, NodeOpened, NodePruned, Noted
from ccviz.problem.rules import Either, MaxOverlap, MaxSize, SoftCannotLink
from ccviz.proof.verify import verify


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


def test_a_run_without_a_tree_proves_nothing():
    problem = Problem([[0.0], [1.0], [5.0]], 2)
    verdict = verify(problem, [record.event for record in start(problem, "blp-kmeans")])
    assert not verdict.accepted
    assert "has no search tree; only those of sdp, colgen and divide" in verdict.sentence


def test_an_unfinished_run_is_not_a_proof(proof):
    problem, events = proof
    assert "still open" in verify(problem, events[: len(events) // 2]).sentence


def replaced_array(events, leaf, name, change):
    """Return the events with an array of a leaf's certificate changed."""
    event = events[leaf]
    values = event.certificate[name].copy()
    certificate = {**event.certificate, name: change(values)}
    changed = msgspec.structs.replace(event, certificate=certificate)
    return [*events[:leaf], changed, *events[leaf + 1 :]]


def test_a_finished_run_of_column_generation_is_accepted(column_proof):
    verdict = verify(*column_proof, gap=1e-6)
    assert verdict.accepted, verdict.sentence
    assert verdict.gap <= 1e-6
    assert verdict.trusted == 0
    assert verdict.leaves == sum(isinstance(event, NodePruned) for event in column_proof[1])


@pytest.mark.parametrize("place", [0, 7, 20, -1])
@pytest.mark.parametrize("factor", [0.999, 1.001, -1.0])
def test_one_altered_dual_is_found(column_proof, place, factor):
    problem, events = column_proof

    def change(values):
        size = np.abs(values)
        large = np.flatnonzero(size > 1e-3 * size.max())  # a tiny one may be any
        values[large[place]] *= factor
        return values

    for leaf in (i for i, event in enumerate(events) if isinstance(event, NodePruned)):
        verdict = verify(problem, replaced_array(events, leaf, "duals", change))
        assert not verdict.accepted
        assert str(events[leaf].node) in verdict.sentence


def test_a_dual_altered_with_all_that_is_said_of_it_is_found_by_pricing(column_proof):
    problem, events = column_proof
    leaves = [i for i, event in enumerate(events) if isinstance(event, NodePruned)]
    leaf = min(leaves, key=lambda i: events[i].lower_bound)
    more = 0.01 * events[leaf].certificate["duals"][0]

    def change(values):
        values[0] += more
        return values

    lied = replaced_array(events, leaf, "duals", change)
    lied = replaced_array(lied, leaf, "least", lambda values: values - more / problem.k)
    assert "overlooks a cluster" in verify(problem, lied, gap=0.0).sentence


def test_a_least_value_that_is_not_is_found(column_proof):
    problem, events = column_proof
    leaves = [i for i, event in enumerate(events) if isinstance(event, NodePruned)]
    leaf = min(leaves, key=lambda i: events[i].lower_bound)
    raised = replaced_array(events, leaf, "least", lambda values: values * 0.99)
    certificate = events[leaf].certificate
    least = certificate["least"][0] / 4.0 ** certificate["unit"][0]  # in the unit of the points
    bound = events[leaf].lower_bound - 0.01 * problem.k * least
    raised[leaf] = msgspec.structs.replace(raised[leaf], lower_bound=bound)
    assert "overlooks a cluster" in verify(problem, raised, gap=0.0).sentence


def test_leaves_and_labels_of_column_generation_are_checked(column_proof):
    problem, events = column_proof

    def relabelled(event):
        labels = event.labels.copy()
        labels[0] = (labels[0] + 1) % problem.k
        return msgspec.structs.replace(event, labels=labels)

    for which in range(sum(isinstance(event, IncumbentFound) for event in events)):
        assert not verify(problem, altered(events, IncumbentFound, relabelled, which)).accepted
    gone = altered(events, NodePruned, lambda e: Noted(text="gone"))
    assert "still open" in verify(problem, gone).sentence
    flipped = altered(
        events, NodeOpened, lambda e: msgspec.structs.replace(e, together=not e.together), which=1
    )
    assert "do not cover" in verify(problem, flipped).sentence
    infeasible = altered(
        events, NodePruned, lambda e: msgspec.structs.replace(e, reason="infeasible")
    )
    assert "too low for that" in verify(problem, infeasible).sentence


RULES = (MaxSize(5), Either((MaxOverlap((0, 1, 2, 3), 2), SoftCannotLink(((4, 5), (6, 7)), 1))))


def test_rules_are_verified():
    X = np.random.default_rng(2).normal(size=(12, 2))
    problem = Problem(X, 3, must_link=[(0, 1)], rules=RULES)
    events = [record.event for record in start(problem, "colgen")]
    verdict = verify(problem, events)
    assert verdict.accepted, verdict.sentence
    labels = next(e.labels for e in reversed(events) if isinstance(e, IncumbentFound))
    smaller = MaxSize(int(np.bincount(labels).max()) - 1)
    narrower = Problem(X, 3, must_link=[(0, 1)], rules=(smaller, *RULES))
    assert "breaks a rule" in verify(narrower, events).sentence


def test_rules_that_leave_nothing_are_verified_by_their_duals():
    X = np.random.default_rng(0).normal(size=(9, 2))
    problem = Problem(X, 2, rules=(MaxSize(4),))
    events = [record.event for record in start(problem, "colgen")]
    assert verify(problem, events).sentence == "proved infeasible"
    leaf = next(i for i, event in enumerate(events) if isinstance(event, NodePruned))
    halved = replaced_array(events, leaf, "duals", lambda values: 0.01 * values)
    halved = replaced_array(halved, leaf, "least", lambda values: 0.01 * values)
    assert not verify(problem, halved).accepted


def test_a_search_beyond_the_work_allowed_is_named_and_not_accepted(column_proof):
    verdict = verify(*column_proof, gap=1e-6, work=1e-5)
    assert verdict.trusted > 0
    assert not verdict.accepted
    assert verdict.sentence.startswith("no proof yet")
    assert "more work than is allowed" in verdict.sentence


def refused(problem, events, words, **options):
    verdict = verify(problem, events, **options)
    assert verdict.accepted is False
    assert verdict.sentence == f"no proof: {words}."


def test_the_gap_is_that_of_both_bounds(proof, divided_proof):
    for (problem, events), gap in ((proof, 1e-3), (divided_proof, 2e-3)):
        verdict = verify(problem, events, gap)
        assert verdict.accepted
        asked = (verdict.upper_bound - verdict.lower_bound) / verdict.upper_bound
        assert verdict.gap == pytest.approx(asked, rel=1e-6)
        assert 0.0 < verdict.gap <= gap
        assert verdict.sentence == f"proved within gap {verdict.gap:.2g}"


def test_a_clustering_that_costs_nothing_has_no_gap():
    problem = Problem([[0.0], [0.0], [1.0], [1.0]], 2, cannot_link=[(0, 2)])
    verdict = verify(problem, [record.event for record in start(problem, "sdp")])
    assert verdict.accepted
    assert (verdict.upper_bound, verdict.gap) == (0.0, 0.0)


def test_what_cannot_be_verified_says_so(divided_proof):
    of_parts = "rules cannot be verified of a run that was divided"
    plain, events = divided_proof
    n, k = plain.n, plain.k
    ruled = Problem(plain.X, k, rules=(MaxSize(n),))
    refused(ruled, events, of_parts)


def test_a_run_without_a_clustering_proves_nothing_of_one(proof, divided_proof):
    for problem, events in (proof, divided_proof):
        bare = [event for event in events if not isinstance(event, IncumbentFound)]
        refused(problem, bare, "the run has no clustering")


def test_what_a_clustering_claims_is_computed_again(proof):
    problem, events = proof
    (first, *_) = (event for event in events if isinstance(event, IncumbentFound))
    claimed = 0.5 * first.objective
    lied = altered(events, IncumbentFound, lambda e: msgspec.structs.replace(e, objective=claimed))
    words = f"a clustering claims {claimed:.9g}, but its labels give {first.objective:.9g}"
    refused(problem, lied, words)


@pytest.mark.parametrize("name", ["points", "kind", "weights"])
def test_a_certificate_is_whole(proof, name):
    problem, events = proof
    leaf = next(i for i, event in enumerate(events) if bounded(event))
    kept = {key: value for key, value in events[leaf].certificate.items() if key != name}
    lacking = msgspec.structs.replace(events[leaf], certificate=kept)
    words = f"leaf {events[leaf].node} lacks its {name}"
    refused(problem, [*events[:leaf], lacking, *events[leaf + 1 :]], words)


def test_it_uses_no_code_of_the_solvers():
    import ast

    welcome = {
        "__future__", "collections", "dataclasses", "fractions", "functools", "hashlib",
        "itertools", "math", "numbers", "numpy", "typing",
    }  # fmt: skip
    # Limits on sums are known by their types; nothing else is used of their module.
    sums = {"ImpliedMax", "ImpliedMin", "MaxSum", "MinSum", "SumLimit"}
    asked = {"ccviz.events", "ccviz.problem.problem", "ccviz.errors"}

    def strangers(path):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import | ast.ImportFrom):
                name = node.module if isinstance(node, ast.ImportFrom) else node.names[0].name
                if name == "ccviz.problem.sums":
                    known = {each.name for each in node.names} <= sums
                elif name.startswith("ccviz"):
                    known = name in asked or name.startswith("ccviz.proof.")
                else:
                    known = name.split(".")[0] in welcome
                if not known:
                    yield f"{path.name} imports {name}"

    checker = sorted((Path(ccviz.__file__).parent / "proof").glob("*.py"))
    assert len(checker) > 5
    assert not [stranger for path in checker for stranger in strangers(path)]
