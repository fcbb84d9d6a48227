import numpy as np

from ccviz.views.draft import ClusterName, names_by_cluster, with_name

LABELS = np.array([0, 0, 1, 1, 2, -1])


def test_a_name_goes_with_its_point():
    names = (ClusterName(0, "small"), ClusterName(4, "large"), ClusterName(5, "nowhere"))
    assert names_by_cluster(names, LABELS) == {0: "small", 2: "large"}
    assert names_by_cluster(names, 2 - LABELS) == {2: "small", 0: "large", 3: "nowhere"}


def test_both_names_are_said_of_two_in_one_cluster():
    names = (ClusterName(0, "small"), ClusterName(1, "round"))
    assert names_by_cluster(names, LABELS) == {0: "small + round"}


def test_a_new_name_takes_the_place_of_those_of_its_cluster():
    names = (ClusterName(0, "small"), ClusterName(2, "large"))
    assert with_name(names, LABELS, 1, "  tiny\n") == (names[1], ClusterName(1, "tiny"))
    assert with_name(names, LABELS, 1, " ") == names[1:]
