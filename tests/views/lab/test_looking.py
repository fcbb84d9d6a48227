"""A run that finds no clustering: the page says whether there is one, and what to change."""

from itertools import combinations

import numpy as np
import pytest

from ccviz.data.datasets import Dataset
from ccviz.problem.asked import AskedRule
from ccviz.views.draft import draft_of
from ccviz.views.lab.notice import said_of, verdict
from ccviz.views.link_table import Link
from tests.patience import tick_until


def asked(X, k, *rules, **columns):
    data = Dataset("loads", np.array(X, dtype=float), ("x",), **columns)
    return draft_of(data, k).with_rules([AskedRule.read(rule) for rule in rules])


def test_a_verdict_says_what_is_known_and_no_more():
    X = [[float(i)] for i in range(6)]
    good = asked(X, 2, "size<=3")
    assert verdict(good.problem, 1.0, 1.0).feasible is True
    assert "exists" in said_of(good, verdict(good.problem, 1.0, 1.0)).text
    bad = draft_of(good.data, 2).with_rules([AskedRule.read("diameter<=1")])
    found = verdict(bad.problem, 1.0, 2.0)
    assert found.feasible is False
    notice = said_of(bad, found)
    assert notice.text.startswith("No clustering can keep these links and rules:")
    assert notice.cures
    # The check leaves this rule out: that it finds a clustering says nothing of it.
    rules = [AskedRule.read("size<=3"), AskedRule("overlap(first)<=2", (0, 0, 0, 1, 1, 1))]
    assert verdict(draft_of(good.data, 2).with_rules(rules).problem, 1.0, 1.0).feasible is None
    # Without time nothing is claimed.
    none = verdict(good.problem, 0.0, 0.0)
    assert none.feasible is not False


@pytest.mark.slow
def test_a_run_that_finds_nothing_is_looked_into(session):
    """A greedy solver meets dead ends without end: four clusters cannot keep five points apart."""
    pairs = combinations(range(5), 2)
    session.edits.set_k(4)
    session.edits.add_links([Link("cannot", *pair) for pair in pairs])
    session.set_solver("cop-kmeans", n_init=100_000_000)
    session.edits.cancel()
    session.start()
    assert session.notice is None

    tick_until(session, lambda: session.notice is not None)
    assert session.runner.state == "running"
    assert session.notice.text.startswith("No clustering can keep these links:")
    assert session.notice.cures
