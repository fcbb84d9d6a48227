"""How sure the points are on the page: bounds in the background, a slider, and the plot."""

import re

import pytest

pytestmark = [pytest.mark.browser, pytest.mark.slow]


def test_points_that_might_leave_are_grey(lab_of, picture):
    lab = lab_of("?data=iris&k=3&solver=sdp&seed=1")
    lab.run()
    lab.room("Clusters")
    lab.press("How sure")
    lab.see(re.compile("points proved to belong here unless the cost may rise by more than 2 %"))
    lab.press("Stop bounds")
    picture(lab.page, "how-sure")
