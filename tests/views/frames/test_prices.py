"""Prices as the list and the plot show them."""

from dataclasses import replace

import numpy as np
import pytest

from ccviz import Problem, solve
from ccviz.studies.link_prices import price_steps
from ccviz.views.frames.prices import NO_PRICES, legend_words, price_list, price_words
from ccviz.views.link_table import Link, LinkTable

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
