"""The phase that a node begins with."""

import numpy as np
import pytest

from ccviz.problem.blocks import contract
from ccviz.problem.problem import Problem
from ccviz.solvers.colgen import Colgen
from ccviz.solvers.colgen.instance import make_instance
from ccviz.solvers.colgen.params import Params
from ccviz.solvers.colgen.phases.facilities import FacilityGeneration, FacilityPhase
from ccviz.solvers.colgen.phases.opening import first_phase, inherited, over_facilities
from ccviz.solvers.colgen.phases.start import StartPhase
from ccviz.solvers.colgen.pricing.pricer import Pricer
from ccviz.solvers.colgen.state import NodeContext, NodeInput
from ccviz.solvers.search.tree import Task
from tests.solvers.colgen.phases.test_phases import OVER, generation  # noqa: F401


@pytest.mark.slow
def test_only_many_borders_in_few_dimensions_begin_over_facilities():
    rng = np.random.default_rng(0)
    cases = (2000, 2, 15, True), (2000, 2, 100, False), (2000, 4, 15, False), (600, 2, 2, False)
    for n, d, k, over in cases:
        problem = Problem(rng.normal(size=(n, d)), k)
        found = (rng.integers(k, size=n),)
        given = NodeInput(problem, Colgen(), Params(), Task(0))
        phase = first_phase(given, StartPhase(found))
        assert isinstance(phase, FacilityPhase) == over
        # Single blocks, which keep a master of columns feasible, are no use as facilities.
        assert (phase.state.columns.sum(axis=1) == 1).any() != over


def test_a_child_begins_over_facilities_at_the_duals_of_its_parents_bound(generation):  # noqa: F811
    problem = generation.context.problem
    parent = generation.run(4).columns_now
    blocks = contract(Problem(problem.X, problem.k, must_link=[(0, 1)]))
    child = over_facilities(inherited(blocks, parent), parent, OVER)
    assert isinstance(child, FacilityPhase)
    assert np.isclose(child.center.duals.sum(), parent.bound.duals.sum())
    assert child.center.cardinality_dual == -parent.bound.min_reduced_cost
    assert 0 < len(child.state.costs) < len(parent.costs) + 1
    pricer = Pricer((make_instance(blocks),))
    context = NodeContext(problem, Colgen(), OVER, Task(0), blocks, pricer, 1e-6, np.inf)
    ended = FacilityGeneration.of(context, child).run(3)
    assert ended.state.bound.value > 0.5 * parent.bound.value
