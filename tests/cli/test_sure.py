"""`ccviz sure`: a line a point, the least sure first."""

import csv

import pytest


@pytest.fixture
def proved(ccviz, folder):
    (folder / "a.csv").write_text("x\n0\n1\n2\n5.4\n9\n10\n11\n")
    assert ccviz("solve", "a.csv", "-k", 2, "--solver", "sdp").code == 0


def test_the_point_between_comes_first(ccviz, folder, proved):
    done = ccviz("sure", "last", "--top", 1, "--rise", 20, "--out", "margins.csv")
    assert done.code == 0
    assert done.out.splitlines()[1].split()[0] == "3"
    assert "7 points proved to stay unless the cost rises by more than 20 %" in done.out
    with (folder / "margins.csv").open() as file:
        found = list(csv.DictReader(file))
    assert len(found) == 7
    assert all(float(row["lower"]) <= float(row["upper"]) for row in found)


def test_a_pair_has_a_margin_of_its_own(ccviz, proved):
    done = ccviz("sure", "last", "--pair", 0, 6)
    assert done.code == 0
    assert done.out.splitlines()[1].split()[:2] == ["0", "6"]
    assert ccviz("sure", "last", "--pair", 0, 6, "--out", "a.csv").code == 2


def test_a_run_without_a_bound_has_no_margins(ccviz):
    assert ccviz("solve", "iris", "--solver", "k-means").code == 0
    done = ccviz("sure", "last")
    assert done.code == 2
    assert "run an exact solver first" in done.sentence
