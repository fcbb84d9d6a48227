import numpy as np

from ccviz.views.figures.parts import PartsFigure
from ccviz.views.frames.parts import Mosaic, told
from ccviz.views.palette import DARK, LIGHT

FRAME = Mosaic(
    gap=np.array([[0.1, np.nan], [1e-6, np.nan]]), parts=3, done=2, cuts=2, shared=1, to_go_s=7.0
)


def test_it_draws_a_tile_a_part_and_nothing_where_nothing_is():
    figure = PartsFigure(LIGHT)
    figure.show(FRAME)
    tiles = figure._tiles.data
    assert (tiles["width"], tiles["height"]) == ([2], [2])
    assert figure.plot.x_range.end == 2
    figure.show(None)
    assert figure._tiles.data["image"] == []
    figure.dress(DARK)
    assert figure._mapper.nan_color == DARK.paper


def test_words():
    words = "2 of 3 parts bounded, 1 point in all of them, cut 2 times, about 7 s to go"
    assert told(FRAME) == words
