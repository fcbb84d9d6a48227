import numpy as np

from ccviz.views.figures.overlays import density
from ccviz.views.lab.state import Screen

SCREEN = Screen((0.0, 4.0), (0.0, 2.0), 40.0, 20.0)
COLORS = ["#ff0000", "#0000ff"]


def channel(image, place):
    return (image >> (8 * place)) & 0xFF


def test_points_take_the_colours_of_their_clusters():
    rng = np.random.default_rng(0)
    x = np.concatenate([rng.uniform(0, 1, 4000), rng.uniform(3, 4, 4000)])
    y = rng.uniform(0, 2, 8000)
    labels = np.repeat([0, 1], 4000)
    image = density(x, y, labels, COLORS, SCREEN)
    assert image.shape == (20, 40)
    left, right, between = image[:, :8], image[:, -8:], image[:, 14:26]
    assert (channel(left, 0) > 200).all()
    assert (channel(left, 2) == 0).all()
    assert (channel(right, 2) > 200).all()
    assert (channel(between, 3) == 0).all()


def test_low_rows_come_first_and_what_is_out_of_view_is_left_out():
    image = density(np.full(9, 0.05), np.full(9, 0.05), np.zeros(9, int), COLORS, SCREEN)
    assert channel(image, 3)[0, 0] > 0
    assert (channel(image, 3)[10:] == 0).all()
    image = density(np.array([9.0]), np.array([1.0]), np.array([0]), COLORS, SCREEN)
    assert (channel(image, 3) == 0).all()
