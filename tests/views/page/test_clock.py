from itertools import pairwise

from ccviz.views.page.script import with_rests


def ticks_of(calls, lasts, pause):
    """Return when a tick that lasts some seconds begins, if it is called after each pause."""
    time, ticks = 0.0, []

    def tick():
        nonlocal time
        ticks.append(time)
        time += lasts

    resting = with_rests(tick, lambda: time)
    for _ in range(calls):
        resting()
        time += pause
    return ticks


def test_a_tick_rests_as_long_as_it_took():
    ticks = ticks_of(18, lasts=0.5, pause=0.14)  # a period of 0.14 s, which the ticks overrun
    assert len(ticks) == 5
    assert all(later - before >= 1.0 for before, later in pairwise(ticks))


def test_a_quick_tick_is_never_left_out():
    assert len(ticks_of(20, lasts=0.02, pause=0.12)) == 20
