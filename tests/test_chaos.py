"""A few of the kills of `benchmarks/chaos.py`: no run is lost, and all end at the optimum."""

import sys

import pytest

from benchmarks.chaos import Stage, Tally, table


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="needs SIGKILL")
def test_runs_outlive_kills(tmp_path):
    stage = Stage(tmp_path, seed=0, size=18)
    for kind, kills in (("run", 1), ("pool worker", 1)):
        tally = stage.disturb(kind, kills)
        assert (tally.kills, tally.lost, tally.wrong) == (kills, 0, []), kind


def test_the_table_adds_up():
    rows = table({"run": Tally(3, 1, 3), "server": Tally(2, 1, 2, 1, ["elsewhere"])}).splitlines()
    assert rows[-1] == "| **all** | 5 | 2 | 5 | 1 | 1 |"
