from dataclasses import replace

import numpy as np
import pytest

from ccviz import Problem, solve
from ccviz.data.datasets import Dataset
from ccviz.studies.link_prices import price_steps
from ccviz.views.draft import Draft, group_links
from ccviz.views.frames.links import (
    LINKS_DRAWN,
    NO_PRICES,
    Lines,
    entries,
    legend_words,
    lines,
    many_broken,
    opacity,
    price_list,
    price_words,
    widths,
)
from ccviz.views.frames.scatter import plane
from ccviz.views.link_table import Link, LinkTable

X = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 4.0], [1.0, 4.0]])
LINKS = (Link("must", 0, 1), Link("must", 0, 2, 3.0), Link("cannot", 1, 3))


@pytest.fixture
def draft():
    """Return the corners of a box with three links."""
    return Draft(Dataset("box", X, ("a", "b")), 2, links=LinkTable.of(LINKS))


def test_lines_join_their_points(draft):
    must = lines(draft, "must", plane(draft, "a", "b"))
    assert must.x1.tolist() == [1, 0]
    assert must.y1.tolist() == [0, 4]
    assert must.soft.tolist() == [False, True]
    assert list(must.names) == ["must-link 0-1", "must-link 0-2"]
    assert not must.broken.any()


def test_broken_links_by_kind(draft):
    where, labels = plane(draft, "a", "b"), np.array([0, 0, 1, 0])
    assert lines(draft, "must", where, labels).broken.tolist() == [False, True]
    assert lines(draft, "cannot", where, labels).broken.tolist() == [True]
    pair = np.array([LINKS[2].pair])
    assert many_broken(pair, LINKS[2].kind, labels) == 1
    assert many_broken(pair, LINKS[2].kind, None) == 0


def test_a_point_without_a_cluster_breaks_nothing(draft):
    labels = np.array([0, -1, -1, -1])
    where = plane(draft, "a", "b")
    assert not lines(draft, "must", where, labels).broken.any()
    assert not lines(draft, "cannot", where, labels).broken.any()


def test_links_can_be_faint_or_only_those_that_are_broken():
    frame = Lines(
        *np.zeros((4, 2)), np.array([True, False]), np.array([False, True]), ["a", "b"],
        np.array([0.0, 1.0]),
    )  # fmt: skip
    seen = {drawn: opacity(frame, drawn).tolist() for drawn in LINKS_DRAWN.values()}
    assert seen["all"] == [1.0, 1.0]
    assert 0 < seen["faded"][0] < 0.5
    assert seen["broken"] == [1.0, 0.0]
    assert seen["near"] == [0.0, 0.0]
    assert seen["price"] == [1.0, 1.0]
    assert widths(frame, "all").tolist() == [2.0, 1.0]
    assert widths(frame, "price").tolist() == [1.0, 9.0]


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


POINTS = np.array([[0.0], [1.0], [2.0], [9.0], [10.0], [11.0]])


@pytest.fixture(scope="module")
def steps():
    links = [(0, 1), (1, 2), (0, 2), (2, 3)]
    return list(price_steps(solve(Problem(POINTS, 3, links, [(0, 4)]), "sdp").run))


def test_the_wrong_link_is_drawn_widest_and_its_limits_are_said(steps):
    known = price_list(steps[-1], steps[-1].problem)
    links = LinkTable.of_pairs([(2, 3), (0, 1), (3, 5)], [(0, 4)])
    assert known.shares(links).tolist() == [1.0, 0.0, 0.0, 0.0]
    assert known.words == "5 of 5 prices proved"
    wrong = known.of([Link("must", 0, 1), Link("must", 2, 3)])
    assert price_words(wrong).endswith("proved.")
    assert "imply it" in price_words(known.of([Link("must", 0, 1)]))
    assert known.of([Link("must", 3, 5)]) is None
    assert "wide lines" in legend_words(known)


def test_an_estimate_has_two_limits_and_an_edit_is_said(steps):
    first = steps[0]
    known = price_list(first, replace(first.problem, cannot_link=[]))
    assert "before your last edit" in known.words
    open_one = next(row for row in first.rows if not row.is_proved)
    assert " at least " in price_words(open_one)


def test_without_prices_no_line_is_wide():
    assert price_list(None, Problem(POINTS, 2)) is NO_PRICES
    assert NO_PRICES.shares(LinkTable.of_pairs([(0, 1)], [])).tolist() == [0.0]
    assert "no prices" in legend_words(NO_PRICES)
