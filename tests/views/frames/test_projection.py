import numpy as np
import pytest

from ccviz.data.scaling import scale
from ccviz.errors import CcvizError
from ccviz.views.frames.projection import Projection, axis_names

X = np.array([[0.0, 0.0, 7.0], [2.0, 1.0, 7.0], [4.0, 2.0, 7.0], [6.0, 3.0, 7.0]])
FEATURES = ("a", "b", "c")


def test_scalings():
    assert scale(X, "none") is X
    standard = scale(X, "standard")
    assert np.allclose(standard.mean(axis=0), 0)
    assert np.allclose(standard.std(axis=0), [1, 1, 0])
    assert np.ptp(scale(X, "range"), axis=0).tolist() == [1, 1, 0]


def test_a_feature_is_drawn_as_it_is():
    values, weights, origin = Projection(X, FEATURES).axis("b")
    assert values.tolist() == ((X - origin) @ weights).tolist() == X[:, 1].tolist()


def test_the_first_component_has_all_the_variance_of_a_line():
    drawn, weights, origin = Projection(X, FEATURES).axis("PC 1")
    assert drawn.tolist() == ((X - origin) @ weights).tolist()
    assert np.isclose(drawn.var(), X.var(axis=0).sum())
    assert drawn[-1] > drawn[0]


def test_many_rows_are_sampled_from_one_end_to_the_other():
    rng = np.random.default_rng(0)
    many = rng.random((500_000, 12), np.float32)
    many[450_000:, 7] += 30.0  # only the last rows show this direction
    _, weights, origin = Projection(many, [f"x{i}" for i in range(12)]).axis("PC 1")
    assert abs(weights[7]) > 0.999
    assert np.allclose(origin, many.mean(axis=0, dtype=np.float64))


def test_an_unknown_axis_is_a_sentence():
    assert axis_names(FEATURES) == ["a", "b", "c", "PC 1", "PC 2", "PC 3", "Map 1", "Map 2"]
    with pytest.raises(CcvizError, match="there is no axis 'd'"):
        Projection(X, FEATURES).axis("d")


@pytest.mark.parametrize("few", [X[:1], X[:, :1], X[:1, :1], np.full((4, 3), 0.1)])
def test_one_point_one_feature_and_constants_have_an_axis(few):
    projection = Projection(few, FEATURES[: few.shape[1]])
    values, *_ = projection.axis("PC 1")
    assert values.shape == (len(few),)
    assert np.isfinite(values).all()
    assert projection.title("PC 1", values).startswith("PC 1")
