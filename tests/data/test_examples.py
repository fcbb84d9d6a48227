import numpy as np
import pytest

from ccviz import Problem, start
from ccviz.data import load
from ccviz.data.datasets import EXAMPLES
from ccviz.events import IncumbentFound, NodeBranched


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_has_a_story_links_and_a_tree(name):
    data = load(name)
    setup = data.setup
    assert 30 <= len(data.X) <= 200
    assert data.notices == (setup.story,)
    assert len(setup.must_link) + len(setup.cannot_link) == EXAMPLES[name].links
    again = load(name).setup
    assert np.array_equal(again.must_link, setup.must_link)
    problem = Problem(data.X, data.k, setup.must_link, setup.cannot_link)
    events = [
        record.event for record in start(problem, setup.solver, node_limit=4, **setup.settings)
    ]
    assert any(isinstance(event, NodeBranched) for event in events)
    assert any(isinstance(event, IncumbentFound) for event in events)
