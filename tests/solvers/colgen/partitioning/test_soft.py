"""Column generation under soft links: against brute force, its bounds and its certificates."""

import msgspec
import numpy as np
import pytest

from ccviz import Problem, start
from ccviz.errors import ContradictionError, ProblemError
from ccviz.events import NodePruned
from ccviz.proof.verify import verify
from tests.enumeration import feasible
from tests.seeds import seeds


def draw(seed):
    """Draw a small problem with hard and soft links and perhaps sizes; None if they contradict."""
    rng = np.random.default_rng(seed)
    k = int(rng.integers(2, 4))
    n = int(rng.integers(2 * k, 9))
    scale = 10.0 ** rng.integers(-3, 4)

    def links(hard, soft):
        pairs = [rng.choice(n, 2, replace=False).tolist() for _ in range(hard + soft)]
        weights = rng.exponential(size=soft) * scale**2 * rng.choice([0.1, 1.0, 5.0])
        return [*map(tuple, pairs[:hard]), *((*pairs[hard + i], w) for i, w in enumerate(weights))]

    sizes = None
    if rng.random() < 0.5:
        lower = rng.multinomial(n - k, np.ones(k) / k) + 1
        sizes = lower, lower + int(rng.integers(0, 2))
    must, cannot = (links(int(rng.integers(0, 2)), int(rng.integers(1, 4))) for _ in range(2))
    try:
        X = scale * rng.normal(size=(n, 2))
        return Problem(X, k, must_link=must, cannot_link=cannot, sizes=sizes)
    except (ContradictionError, ProblemError):
        return None


def by_duals(event):
    """Return a closed node's event without its semidefinite certificate."""
    if not isinstance(event, NodePruned):
        return event
    kept = {"duals", "least", "unit", "node", "witness"} & set(event.certificate)
    return msgspec.structs.replace(
        event, certificate={name: event.certificate[name] for name in kept}
    )


@pytest.mark.parametrize("seed", seeds(1, 60))
def test_it_agrees_with_brute_force_and_its_proofs_are_accepted(seed):
    for problem in filter(None, map(draw, range(6 * seed, 6 * seed + 6))):
        optimum = min((each.objective for each in feasible(problem)), default=np.inf)
        run = start(problem, "colgen", tolerance=1e-7)
        events = [record.event for record in run]
        result = run.result()
        if not np.isfinite(optimum):
            assert result.status == "infeasible"
        else:
            assert result.status == "optimal"
            assert result.objective == pytest.approx(optimum, rel=2e-7, abs=1e-15)
            assert result.lower_bound <= optimum
            leaves = [each.lower_bound for each in events if isinstance(each, NodePruned)]
            assert min(leaves) <= optimum * (1 + 1e-9)
        assert verify(problem, events, gap=1e-5).accepted


def test_duals_alone_prove_and_altered_ones_do_not():
    X = np.random.default_rng(4).normal(size=(14, 2))
    soft = [(0, 1, 0.5), (2, 3, 1.0), (4, 9, 0.2), (5, 6, 3.0)]
    problem = Problem(X, 3, must_link=soft[::2], cannot_link=soft[1::2])
    events = [by_duals(record.event) for record in start(problem, "colgen")]
    assert verify(problem, events).accepted
    at = next(i for i, event in enumerate(events) if isinstance(event, NodePruned))
    leaf = events[at]
    duals, least = leaf.certificate["duals"], leaf.certificate["least"]
    for changed in (
        {"least": least + 0.05 * np.abs(least)},  # claims more than the leaf's bound
        {"duals": 1.2 * duals},
        {"duals": duals[1:]},
        {"least": np.append(least, least)},
    ):
        lied = msgspec.structs.replace(leaf, certificate={**leaf.certificate, **changed})
        assert not verify(problem, [*events[:at], lied, *events[at + 1 :]]).accepted, changed
