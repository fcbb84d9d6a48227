import pytest

from ccviz.errors import ParameterError
from ccviz.runs.stop import Limits


def test_those_that_hold_are_given_by_name():
    assert Limits().given == {}
    assert Limits(time_limit=1.5, node_limit=0).given == {"time_limit": 1.5, "node_limit": 0}


@pytest.mark.parametrize(
    "limit",
    [
        {"time_limit": -1}, {"time_limit": float("nan")}, {"gap": "small"}, {"node_limit": 1.5},
        {"node_limit": True},
    ],
)  # fmt: skip
def test_what_is_no_limit_is_refused_by_name(limit):
    (name,) = limit
    with pytest.raises(ParameterError, match=f"^{name} = .* of at least 0"):
        Limits(**limit)
