import numpy as np

from ccviz.views.lab.state import Screen, inside, nearest

# A plot ten times as wide in data as it is high, on a square screen.
SCREEN = Screen((0.0, 100.0), (0.0, 10.0), 500.0, 500.0)


def test_nearest_on_the_screen_is_not_nearest_in_the_data():
    x, y = np.array([50.0, 53.0]), np.array([6.0, 5.0])
    at = (50.0, 5.0)
    assert np.hypot(x - at[0], y - at[1]).argmin() == 0  # 50 pixels away
    assert nearest(x, y, at, SCREEN) == 1  # 15 pixels away


def test_a_click_into_the_void_means_nothing():
    assert nearest(np.array([50.0]), np.array([5.0]), (60.0, 5.0), SCREEN) is None


def test_a_reversed_axis_is_as_good():
    screen = Screen((100.0, 0.0), (10.0, 0.0), 500.0, 500.0)
    assert nearest(np.array([50.0, 20.0]), np.array([5.0, 5.0]), (51.0, 5.0), screen) == 0


def test_a_line_goes_around_points():
    x, y = np.array([0.5, 1.5, 0.5, 0.9]), np.array([0.5, 0.5, 1.5, 0.95])
    triangle = [(0.0, 0.0), (1.0, 0.0), (0.0, 1.2)]
    assert inside(x, y, triangle).tolist() == [0]
    square = [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)]
    assert inside(x, y, square).tolist() == [0, 3]
