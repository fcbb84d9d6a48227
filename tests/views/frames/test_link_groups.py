from ccviz.views.draft import group_links
from ccviz.views.frames.link_groups import entries
from ccviz.views.link_table import Link


def listed(links):
    return [entry.words() for entry in entries(links)]


def test_the_must_links_of_a_group_are_one_entry():
    links = [Link("must", 7, 9), *group_links("must", [5, 3, 8, 1, 12]), Link("cannot", 0, 1)]
    assert listed(links) == ["0 – 1", "5 points: 1 …", "7 – 9"]
    group = list(entries(links))[1]
    assert set(group.links) == set(group_links("must", [5, 3, 8, 1, 12]))


def test_pairs_that_somebody_made_stay_pairs():
    chain = [Link("must", 0, 1), Link("must", 1, 2)]
    star = [Link("must", 0, 1), Link("must", 0, 2), Link("must", 0, 3), Link("must", 0, 4)]
    apart = [Link("cannot", at, at + 1) for at in range(5)]
    for links in (chain, star, apart):
        assert len(listed(links)) == len(links)


def test_groups_of_other_weights_are_others():
    links = [*group_links("must", range(5)), *group_links("must", range(4, 9), 0.5)]
    assert [len(entry.links) for entry in entries(links)] == [4, 4]


def test_points_have_their_names():
    links = group_links("must", range(4))
    names = ["ant", "bee", "cow", "dog"]
    assert next(entries(links)).words(names) == "4 points: ant …"
