from ccviz.data.datasets import load
from ccviz.views.draft import draft_of
from ccviz.views.frames.links import implied
from ccviz.views.link_table import Link


def draft(k, *links):
    return draft_of(load("iris"), k).with_links(links)


def test_a_chain_of_must_links_closes():
    found = implied(draft(3, Link("must", 1, 2), Link("must", 2, 3)), 9)
    assert found.links == (Link("must", 1, 3),)
    assert found.many == 1


def test_a_cannot_link_holds_for_the_whole_block():
    found = implied(draft(3, Link("must", 1, 2), Link("cannot", 2, 3)), 9)
    assert found.links == (Link("cannot", 1, 3),)


def test_with_two_clusters_enemies_of_one_point_are_friends():
    found = implied(draft(2, Link("cannot", 1, 2), Link("cannot", 2, 3)), 9)
    assert found.links == (Link("must", 1, 3),)
    assert implied(draft(3, Link("cannot", 1, 2), Link("cannot", 2, 3)), 9).many == 0


def test_soft_links_imply_nothing_and_many_are_counted_but_not_listed():
    soft = implied(draft(3, Link("must", 1, 2, 5.0), Link("must", 2, 3)), 9)
    assert soft.many == 0
    chain = [Link("must", i, i + 1) for i in range(20)]
    found = implied(draft(3, *chain), 4)
    assert len(found.links) == 4
    assert found.many == 21 * 20 // 2 - 20
