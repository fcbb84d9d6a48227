"""The checker and `tools/check_proof.py`, held against each other."""

import ast
import sys
from dataclasses import replace
from pathlib import Path

import msgspec
import numpy as np
import pytest

from ccviz import Problem, start
from ccviz.events import IncumbentFound, NodePruned, PartBounded, PartsCut, ProofKept
from ccviz.problem.asked import read_asked
from ccviz.problem.partition import Partition
from ccviz.problem.reduction import with_rules
from ccviz.proof.verify import verify
from tests.enumeration import least_objective
from tests.made_up import events_of
from tests.seeds import seeds

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("solver", ["sdp", "colgen"])
@pytest.mark.parametrize("k", [1, 2, 3])
def test_both_accept_honest_runs(both, solver, k):
    for seed in range(3):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(9, 2)) * 10.0 ** rng.integers(-60, 60) + 10.0 ** rng.integers(-9, 9)
        problem = Problem(X, k, must_link=[(0, 1)], cannot_link=[(2, 3)] if k > 1 else [])
        events = events_of(problem, solver)
        both.accept(problem, events)


@pytest.mark.parametrize("solver", ["sdp", "colgen"])
@pytest.mark.parametrize("price", [(), (0.3,)])
def test_both_accept_runs_with_weights(both, solver, price):
    for seed in range(4):
        rng = np.random.default_rng(seed)
        X, far = rng.normal(size=(9, 2)) * 10.0 ** rng.integers(-3, 3), [(90.0, 90.0)]
        weights = np.append(10.0 ** rng.uniform(-2, 2, 9), 0.0)[:, None] * [1.0, 7.0]
        problem = Problem(
            np.concatenate([X, far]), 3, [(0, 1)], [(2, 3), (4, 5, *price)],
            weights=weights[:, seed % 2],
        )  # fmt: skip
        events = events_of(problem, solver)
        both.accept(problem, events, exact=(False, True))
        doubled = replace(problem, weights=2.0 * problem.weights)
        both.refuse(doubled, events)


def test_both_take_distances_between_the_places_of_a_rule(both):
    """Income is the feature; places, or few points, are what a cluster is limited by."""
    rng = np.random.default_rng(0)
    place = {"lon": 24.0 + rng.random(9), "lat": 60.0 + rng.random(9) / 2.0}
    rule = read_asked("diameter(lon,lat)<=25 or size<=2", column=place.__getitem__)
    problem = with_rules(Problem(rng.normal(size=(9, 1)), 4), [rule], True)
    run = start(problem, "colgen")
    events = [record.event for record in run]
    assert run.result().status == "optimal"
    both.accept(problem, events)
    wider = read_asked("diameter(lon,lat)<=90 or size<=2", column=place.__getitem__)
    easier = with_rules(Problem(problem.X, 4), [wider], True)
    both.refuse(easier, events)


_COINCIDE = with_rules(
    Problem([[1.0], [1.0]], 1), [read_asked("difference(c)>=2", lambda _: np.array([0, 0]))], True
)


@pytest.mark.parametrize(
    ("problem", "solver", "status"),
    [
        (_COINCIDE, "colgen", "infeasible"),
        (Problem([[0.0], [1.0], [0.0]], 2, must_link=[(2, 1, 2e-9)]), "sdp", "optimal"),
        (
            Problem(
                [[1e4], [1.0], [10001.0], [0.0]], 3, cannot_link=[(0, 1), (0, 3), (1, 2), (2, 3)]
            ),
            "sdp", "optimal",
        ),
        (Problem([[1e3], [1000.003], [0.0]], 2, weights=[1e9, 1.0, 1.0]), "sdp", "optimal"),
    ],
    ids=["all points coincide", "light link", "far apart", "weights of 1e9 to 1"],
)  # fmt: skip
def test_both_accept_proofs_whose_costs_are_tiny_beside_the_data(both, problem, solver, status):
    settings = {} if problem.weights is None else {"divide_from": 4}
    run = start(problem, solver, **settings)
    events = [record.event for record in run]
    assert run.result().status == status
    both.accept(problem, events, exact=(False, True))


@pytest.mark.parametrize("seed", seeds(6, 60))
def test_both_accept_proofs_with_links_heavier_than_all_costs(both, seed):
    """They are broken or not: their weights must take no digits of the costs either way."""
    rng = np.random.default_rng(seed)
    for _ in range(5):
        n, k = int(rng.integers(3, 8)), int(rng.integers(1, 3))
        must, cannot = (
            [
                (*rng.choice(n, 2, replace=False).tolist(), 10.0 ** rng.integers(-2, 16))
                for _ in range(3)
            ]
            for _ in range(2)
        )
        problem = Problem(rng.integers(0, 4, (n, 2)), k, must, cannot)
        run = start(problem, "colgen", seed=seed)
        events, optimum = [record.event for record in run], least_objective(problem)
        assert run.result().status == "optimal"
        assert run.result().lower_bound <= optimum * (1.0 + 1e-9)
        assert run.result().objective == pytest.approx(optimum)
        both.accept(problem, events, exact=(False, True))


def test_both_accept_parts_with_weights(both):
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(c, 0.2, size=(20, 2)) for c in (0.0, 3.0, 6.0)])
    problem = Problem(X, 3, weights=rng.random(60) * (rng.random(60) < 0.9))
    events = events_of(problem, "divide", part_size=15)
    assert any(isinstance(event, PartsCut) for event in events)
    verdict, sentence = both.accept(problem, events, 0.1)
    assert float(sentence.split()[-1]) == pytest.approx(verdict.gap, rel=0.05)


def test_both_accept_trees(second, proof):
    assert second(*proof)[0]


def test_both_accept_parts(second, both, divided_proof):
    problem, events = divided_proof
    verdict, sentence = both.accept(problem, events, 2e-3)
    assert float(sentence.split()[-1]) == pytest.approx(verdict.gap, rel=0.02)
    assert not second(problem, [e for e in events if not isinstance(e, PartsCut)], 2e-3)[0]


def test_both_accept_parts_that_were_merged_and_branched(both, tree_proof):
    problem, events = tree_proof
    bounds = [event for event in events if isinstance(event, PartBounded)]
    assert any(event.merged for event in bounds)
    assert any(event.leaves for event in bounds)
    verdict, sentence = both.accept(problem, events, 0.09)
    assert float(sentence.split()[-1]) == pytest.approx(verdict.gap, rel=0.05)


@pytest.fixture
def kinds(monkeypatch):
    """Return what makes a small proof of each kind that the format has, by kind."""
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    from _alterations_proofs import proofs

    makes = [make for make in proofs() if make.kind != "tree of parts"]
    lifted = [make for make in makes if make.kind == "sizes"][1]  # two classes of sizes
    return {make.kind: make for make in reversed(makes)} | {"lifted": lifted}


def arrays_of(events):
    return {
        name
        for event in events
        if isinstance(event, NodePruned | PartBounded)
        for name in event.certificate
    }


@pytest.mark.slow
def test_both_accept_every_kind_of_proof(second, kinds):
    seen = set()
    for kind, make in kinds.items():
        proof = make()
        seen |= arrays_of(proof.events)
        verdict = verify(proof.problem, proof.events, proof.gap)
        proved, sentence = second(proof.problem, proof.events, proof.gap)
        assert verdict.accepted, (kind, verdict.sentence)
        assert proved, (kind, sentence)
        assert not second(proof.problem, proof.events, 1e-12)[0] or "infeasible" in sentence
    assert seen >= {
        "nonnegativity", "weights", "duals", "taken", "case_zone", "node", "unit", "lifted",
        "must_prices", "cannot_prices",
    }  # fmt: skip


def test_whole_numbers_prove_as_much_as_doubles(second, kinds):
    for kind in ("sdp", "divide", "soft links", "weights"):
        proof = kinds[kind]()
        proved, sentence = second(proof.problem, proof.events, proof.gap, exact=True)
        assert proved, sentence
        plain = second(proof.problem, proof.events, proof.gap)[1]
        gaps = [float(each.split()[-1]) for each in (sentence, plain)]
        assert gaps[0] == pytest.approx(gaps[1], rel=0.05)
        assert not second(proof.problem, proof.events, 1e-12, exact=True)[0]


DUALS = ("duals", "rules", "places", "zones", "duals under sizes or soft links", "weights")


@pytest.mark.slow
@pytest.mark.parametrize("kind", DUALS)
def test_duals_alone_are_proved_in_whole_numbers(second, kinds, kind):
    for seed in (0, 3):
        proof = replace(kinds[kind], seed=seed)()
        proved, sentence = second(proof.problem, proof.events, proof.gap, exact=True)
        assert proved, sentence
        assert not second(proof.problem, proof.events, 1e-12, exact=True)[0]


def raised(event):
    """Return a leaf that claims more, all of its duals being a little higher."""
    if not isinstance(event, NodePruned) or "duals" not in event.certificate:
        return event
    more = 1e-3 * np.abs(event.certificate["least"][0])
    duals = event.certificate["duals"] + more
    unit = float(event.certificate.get("unit", [0.0])[0])
    return msgspec.structs.replace(
        event,
        certificate={**event.certificate, "duals": duals},
        lower_bound=event.lower_bound + more * len(duals) * 4.0**-unit,
    )


@pytest.mark.parametrize("kind", DUALS[:4])
def test_exact_arithmetic_finds_duals_that_claim_too_much(second, kinds, kind):
    proof = kinds[kind]()
    events = [*map(raised, proof.events)]
    proved, sentence = second(proof.problem, events, proof.gap, exact=True)
    assert not proved
    assert "overlooks a cluster" in sentence or "above the clustering" in sentence


def test_exact_arithmetic_finds_altered_multipliers(second, kinds):
    proof = kinds["sdp"]()

    def changed(event, factor):
        if not isinstance(event, NodePruned) or "nonnegativity" not in event.certificate:
            return event
        values = event.certificate["nonnegativity"] * np.float32(factor)
        certificate = {**event.certificate, "nonnegativity": values}
        return msgspec.structs.replace(event, certificate=certificate)

    for factor in (0.9, 1.1, -1.0):
        events = [changed(event, factor) for event in proof.events]
        assert not second(proof.problem, events, exact=True)[0]


PARTS_OF_THE_SECOND = (
    "check_proof", "check_file", "check_bounds", "check_clusters", "check_every",
    "check_search",
)  # fmt: skip


@pytest.mark.parametrize("name", PARTS_OF_THE_SECOND)
def test_the_second_is_numpy_and_the_standard_library_in_short_files(name):
    source = (ROOT / "tools" / f"{name}.py").read_text()
    nodes = [each for each in ast.walk(ast.parse(source)) if isinstance(each, ast.Import)]
    froms = [each for each in ast.walk(ast.parse(source)) if isinstance(each, ast.ImportFrom)]
    names = {each.names[0].name for each in nodes} | {each.module for each in froms}
    assert names <= {*sys.stdlib_module_names, "numpy", *PARTS_OF_THE_SECOND}
    assert len(source.splitlines()) <= 600


@pytest.mark.parametrize("seed", range(3))
def test_exact_arithmetic_proves_bounds_under_sizes(second, kinds, seed):
    """Equal sizes, two classes of sizes (lifted certificates) and ranges of them."""
    make = kinds["sizes"]
    proof = replace(make, seed=seed)()
    seen = arrays_of(proof.events)
    assert ("lifted" in seen) == (seed == 1)
    for exact in (False, True):
        assert second(proof.problem, proof.events, exact=exact)[0]
        assert not second(proof.problem, proof.events, 1e-12, exact=exact)[0]
    narrow = Problem(proof.problem.X, 3, sizes=[8, 5, 5] if seed != 1 else [6, 6, 4])
    assert not second(narrow, proof.events)[0]


def test_a_kept_proof_needs_its_constraints(second, kinds):
    proof = kinds["kept"]()
    pairs = proof.problem.must_link.pairs
    fewer = Problem(proof.problem.X, 3, must_link=pairs[1:])
    assert "kept link is not given" in second(fewer, proof.events)[1]
    (kept,) = (event for event in proof.events if isinstance(event, ProofKept))
    twice = [kept if event is kept else event for event in proof.events[:-1]] + [kept]
    assert "more than one proof" in second(proof.problem, [*twice, proof.events[-1]])[1]
    empty = msgspec.structs.replace(kept, events=kept.events[:1])
    events = [empty if event is kept else event for event in proof.events]
    assert "no search tree" in verify(proof.problem, events).sentence
    assert "no search tree" in second(proof.problem, events)[1]
    sized = msgspec.structs.replace(kept, lower=np.full(3, 2), upper=np.full(3, 20))
    events = [sized if event is kept else event for event in proof.events]
    assert "sizes that are not given" in second(proof.problem, events)[1]
    assert not verify(proof.problem, events).accepted


@pytest.mark.parametrize(
    ("low", "high", "right"),
    [
        ([2, 3], [5, 6], True),
        ([1, 3], [5, 9], True),
        ([2, 4], [5, 6], False),
        ([2, 3], [4, 6], False),
    ],
)
def test_sizes_of_an_earlier_proof_are_wider(check_proof, low, high, right):
    run = object.__new__(check_proof.Run)
    run.sizes, other = (np.array([2, 3]), np.array([5, 6])), (np.array(low), np.array(high))
    assert run.wider(None) is None
    if right:
        assert run.wider(other) is other
    else:
        with pytest.raises(ValueError, match="not wider"):
            run.wider(other)
    run.sizes = None
    with pytest.raises(ValueError, match="not given"):
        run.wider(other)


def test_a_leaf_lacks_links_of_the_problem_only(check_proof):
    run = object.__new__(check_proof.Run)
    run.rows, run.soft, run.links = np.zeros((4, 1)), [([2, 3], False, 1)], [([0, 1], True)]
    less = run.without({"without_must": np.array([[1, 0]]), "without_cannot": np.array([[3, 2]])})
    assert (less.links, less.soft) == ([], [])
    for name, pair in (("must", [0, 2]), ("cannot", [0, 1]), ("must", [0, 9])):
        with pytest.raises(ValueError, match="it lacks a link that is none"):
            run.without({f"without_{name}": np.array([pair])})


def test_the_gap_is_for_the_checker_to_say(second, both, proof):
    problem, events = proof
    loose = events_of(problem, "sdp", tolerance=0.9)
    for run, gap in ((loose, 1e-4), (events, 1e-9)):
        assert verify(problem, run, gap).sentence.startswith("no proof: the gap is")
        assert not second(problem, run, gap)[0]
    both.accept(problem, loose, 0.9)


@pytest.fixture
def altered(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    from _alterations import altered

    return altered


@pytest.fixture
def soft_proof(kinds):
    made = kinds["soft links"]()
    return made.problem, made.events


@pytest.fixture
def class_proof(kinds):
    made = kinds["duals under sizes or soft links"]()
    return made.problem, made.events


@pytest.fixture
def weighted_proof(kinds):
    made = kinds["weights"]()
    return made.problem, made.events


ALTERED = ["proof", "column_proof", "divided_proof", "tree_proof", "soft_proof", "class_proof"]
ALTERED += ["weighted_proof"]


@pytest.mark.parametrize("name", ALTERED)
@pytest.mark.parametrize("count", [12, pytest.param(100, marks=pytest.mark.slow)])
def test_no_alteration_proves_what_is_not_so(second, altered, request, name, count):
    problem, events = request.getfixturevalue(name)
    gap = {"divided_proof": 2e-3, "tree_proof": 0.09}.get(name, 1e-4)
    truth = verify(problem, events, gap)
    rng = np.random.default_rng(0)
    accepted = 0
    for _ in range(count):
        run = altered(rng, problem, events)
        verdict = verify(problem, run, gap, work=0.1)
        assert verdict.accepted or verdict.sentence.startswith("no proof")
        if verdict.accepted:
            accepted += 1
            assert verdict.lower_bound <= truth.upper_bound
            assert verdict.upper_bound >= truth.lower_bound
        if second(problem, run, gap)[0]:
            # It does not look at what is claimed; what is proved is so all the same.
            found = [event for event in run if isinstance(event, IncumbentFound)]
            best = min(Partition(problem, event.labels).objective for event in found)
            assert best <= truth.upper_bound / (1.0 - 1.01 * gap)
    assert accepted < count
    assert accepted or count < 100  # a few may all do harm
