from itertools import pairwise

from ccviz.views.page.clock import with_rests


def test_a_tick_rests_as_long_as_it_took():
    time, ticks = 0.0, []

    def tick():
        nonlocal time
        ticks.append(time)
        time += 0.5

    resting = with_rests(tick, lambda: time)
    for _ in range(18):  # a period of 0.14 s, which the ticks overrun
        resting()
        time += 0.14
    assert len(ticks) == 5
    assert all(later - before >= 1.0 for before, later in pairwise(ticks))


def test_a_quick_tick_is_never_left_out():
    time, ticks = 0.0, []

    def tick():
        nonlocal time
        ticks.append(time)
        time += 0.02

    resting = with_rests(tick, lambda: time)
    for _ in range(20):
        resting()
        time += 0.12
    assert len(ticks) == 20
