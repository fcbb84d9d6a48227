"""Sequences of edits, each proof started from the one before: no statement may be wrong."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ccviz import Problem, solve
from ccviz.errors import CcvizError
from ccviz.problem.partition import Partition
from ccviz.proof.verify import verify
from ccviz.views.frames.card import after_edit
from ccviz.views.lab.as_edited import Proof
from tests.enumeration import least_objective
from tests.seeds import EXHAUSTIVE

TOLERANCE = 1e-7
N, K = 9, 3

pairs = st.tuples(st.integers(0, N - 1), st.integers(0, N - 1)).filter(lambda ij: ij[0] < ij[1])
kinds = st.sampled_from(["must", "cannot"])
weights = st.floats(0.01, 20.0)
edits = st.one_of(
    st.tuples(st.just("add"), kinds, pairs),
    st.tuples(st.just("add"), kinds, pairs),
    st.tuples(st.just("soften"), st.integers(0, 9), weights),
    st.tuples(st.just("harden"), st.integers(0, 9)),
    st.tuples(st.just("remove"), st.integers(0, 9)),
    st.tuples(st.just("size"), st.integers(1, 2), st.integers(3, 5)),
    st.tuples(st.just("free")),
    st.tuples(st.just("undo")),
)


def edited(state, edit):
    """Return the links, by kind and points with their weights, and the sizes after an edit."""
    links, sizes = dict(state[0]), state[1]
    what, *rest = edit
    if what == "add":
        links[(rest[0], *rest[1])] = np.inf
    elif what == "size":
        sizes = (rest[0], rest[1])
    elif what == "free":
        sizes = None
    elif links:
        chosen = sorted(links)[rest[0] % len(links)]
        if what == "remove":
            del links[chosen]
        else:
            links[chosen] = rest[1] if what == "soften" else np.inf
    return links, sizes


def problem_of(X, state):
    """Return the problem of a state; None where its constraints contradict each other."""
    links, sizes = state
    must, cannot = (
        [(i, j, weight) for (kind, i, j), weight in links.items() if kind == wanted]
        for wanted in ("must", "cannot")
    )
    limits = None if sizes is None else (np.full(K, sizes[0]), np.full(K, sizes[1]))
    try:
        return Problem(X, K, must, cannot, sizes=limits)
    except CcvizError:
        return None


def check_statements(result, proofs, problem, optimum):
    """Check what is said of an edited problem before any run."""
    slack = 2.0 * TOLERANCE * optimum + 1e-12
    said = after_edit(result.run, problem)
    if said is not None and said.holding in ("proof", "bound"):
        assert result.lower_bound <= optimum
    if said is not None and said.holding == "proof" and result.status == "optimal":
        assert said.partition.objective <= optimum + slack
    for proof in proofs:
        if proof.answers(problem):
            assert Partition(problem, proof.labels).objective <= optimum + slack


def solvers(draw):
    """Return an exact solver, with cuts or without, and its settings."""
    name = draw(st.sampled_from(["sdp", "colgen"]))
    return name, {"cuts": draw(st.sampled_from(["all", "none"]))} if name == "sdp" else {}


sequences = st.lists(edits, min_size=3, max_size=7)


@settings(max_examples=4)
@given(st.integers(0, 2**16), st.composite(solvers)(), sequences)
def test_no_statement_is_wrong_over_a_sequence_of_edits(seed, solver, sequence):
    check_sequence(seed, solver, sequence)


@pytest.mark.slow
@pytest.mark.timeout(600)
@settings(max_examples=100 if EXHAUSTIVE else 40)
@given(st.integers(0, 2**16), st.composite(solvers)(), sequences)
def test_no_statement_is_wrong_over_many_sequences_of_edits(seed, solver, sequence):
    check_sequence(seed, solver, sequence)


def problems_of(X, sequence):
    """Yield the problem after each edit; one that contradicts itself is taken back."""
    past, state = [], ({}, None)
    for edit in sequence:
        if edit == ("undo",):
            state = past.pop() if past else state
        else:
            past.append(state)
            state = edited(state, edit)
        problem = problem_of(X, state)
        if problem is None:
            state = past.pop()
        else:
            yield problem


def check_sequence(seed, solver, sequence):
    """Solve after each edit, from the result before, and compare with all clusterings."""
    name, chosen = solver
    X = np.random.default_rng(seed).normal(size=(N, 2))
    result, proofs = None, []
    for problem in problems_of(X, sequence):
        optimum = least_objective(problem)
        if result is not None and np.isfinite(optimum):
            check_statements(result, proofs, problem, optimum)
        result = solve(problem, name, tolerance=TOLERANCE, start=result, **chosen)
        if np.isinf(optimum):
            assert result.status == "infeasible"
            result = None
            continue
        assert result.status == "optimal"
        assert result.objective == pytest.approx(optimum, rel=3 * TOLERANCE, abs=1e-12)
        assert result.lower_bound <= optimum
        assert verify(problem, [record.event for record in result.records()]).accepted
        proofs.append(Proof("", problem, result.labels))


@settings(max_examples=4)
@given(st.integers(0, 2**16), st.integers(2, 4), sequences)
def test_no_bound_of_parts_is_wrong_over_a_sequence_of_edits(seed, part_size, sequence):
    check_parts(seed, part_size, sequence)


@pytest.mark.slow
@pytest.mark.timeout(600)
@settings(max_examples=100 if EXHAUSTIVE else 40)
@given(st.integers(0, 2**16), st.integers(2, 4), sequences)
def test_no_bound_of_parts_is_wrong_over_many_sequences(seed, part_size, sequence):
    check_parts(seed, part_size, sequence)


def check_parts(seed, part_size, sequence):
    """Bound by parts after each edit, from the result before; soft links are left to others."""
    X = np.random.default_rng(seed).normal(size=(N, 2))
    result = None
    for problem in problems_of(X, sequence):
        if problem.is_soft:
            continue
        optimum = least_objective(problem)
        result = solve(problem, "divide", start=result, part_size=part_size, largest_part=5)
        assert result.lower_bound <= optimum
        if result.partition is None:
            assert np.isinf(optimum)
            result = None
            continue
        assert optimum <= result.objective * (1.0 + 1e-12)
        if np.isfinite(result.gap):
            events = [record.event for record in result.records()]
            assert verify(problem, events, gap=max(1e-4, 1.01 * result.gap)).accepted
