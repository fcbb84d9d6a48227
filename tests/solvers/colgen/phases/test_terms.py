"""The terms of a disjunction: refined and split."""

from ccviz.solvers.base import Context
from ccviz.solvers.colgen import Colgen
from ccviz.solvers.colgen.phases import disjunctions
from ccviz.solvers.colgen.phases.disjunctions import refined, split
from tests.solvers.colgen.phases.test_disjunctions import GAP, PARAMS, strip  # noqa: F401


def test_a_term_that_is_refined_is_no_worse_and_may_be_split(strip, monkeypatch):  # noqa: F811
    seen = []

    def noted(context, disjunction):
        seen.append((context, *split(context, disjunction)))
        return seen[-1][1:]

    monkeypatch.setattr(disjunctions, "split", noted)
    for _ in Colgen(tolerance=GAP).steps_with(PARAMS, strip, Context(seed=0)):
        if seen:
            break
    context, disjunction, _ = seen[0]
    assert not disjunction.is_ready
    after = refined(context, disjunction)
    worst = disjunction.worst.decisions
    (before,) = [term for term in disjunction.terms if term.decisions == worst]
    (there,) = [term for term in after.terms if term.decisions == worst]
    assert there.at is None
    assert there.increase >= before.increase
    assert there.min_reduced_cost <= before.min_reduced_cost
    own = there.duals[: len(disjunction.rows)]
    assert (own <= disjunction.caps * (1.0 + 1e-9)).all()
    assert after.increase >= disjunction.increase
    assert len(split(context, after)[0].terms) >= len(after.terms)
