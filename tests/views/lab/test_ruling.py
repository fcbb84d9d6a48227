"""Rules added by hand: what is taken, what is refused, and what carries them."""

import numpy as np

from ccviz.data.datasets import load
from ccviz.events import IncumbentFound
from ccviz.problem.rules import RULE_KINDS
from ccviz.runs.info import summarise
from ccviz.views.draft import Draft, draft_of_problem
from ccviz.views.frames.card import rule_rows
from ccviz.views.frames.scatter import plane
from ccviz.views.lab.loading import add_rule, drop_rule, runs_to_name
from ccviz.views.lab.notice import unable
from ccviz.views.lab.painter import with_points, without_points
from ccviz.views.link_table import Link
from tests.made_up import played, stamped

DIAMETER, SEPARATION = RULE_KINDS["diameter<="], RULE_KINDS["separation>="]
MOST, LEAST = RULE_KINDS["size<="], RULE_KINDS["size>="]
DIFFERENT, OVERLAP = RULE_KINDS["difference()>="], RULE_KINDS["overlap()<="]
SIMILAR, CONFLICTS = RULE_KINDS["outside()<="], RULE_KINDS["conflicts<="]
SUM_LEAST, SUM_MOST = RULE_KINDS["sum()>="], RULE_KINDS["sum()<="]


def remember(session, labels, name="first"):
    """Put a run with this answer into the archive."""
    problem, archive = session.draft.problem, session.archive
    records = stamped(problem, [IncumbentFound(labels=np.asarray(labels))])
    run_id = archive.create(problem, "blp-kmeans", {}, dataset=session.draft.data.name, name=name)
    archive.append(run_id, records, summarise(played(problem, records)))
    archive.finish(run_id, "converged", "It ended.")
    return run_id


def test_a_rule_is_an_edit_like_any_other(session):
    assert add_rule(session, DIAMETER, " 3.5 ") == ""
    assert [rule.text for rule in session.draft.rules] == ["diameter<=3.5"]
    assert len(session.draft.problem.cannot_link) > 100
    assert len(session.draft.given.cannot_link) == 0
    assert add_rule(session, DIAMETER, "3.5") == "This rule is there already."
    session.edits.undo()
    assert session.draft.rules == ()
    session.edits.redo()
    drop_rule(session, session.draft.rules[0])
    assert session.draft.rules == ()
    assert session.edits.can_undo


def test_a_limit_on_a_sum_names_a_column(session):
    column = session.draft.data.features[0]
    assert add_rule(session, SUM_LEAST, "20%", column) == ""
    assert add_rule(session, SUM_MOST, "20%", column).startswith("3 clusters with a sum of at most")
    (rule,) = session.draft.rules
    assert rule.text == f"sum({column})>=20%"
    assert rule.known == tuple(session.draft.data.X[:, 0].tolist())
    assert rule_rows((rule,), None)[0].words == f"at least 20 % of {column} a cluster"
    cannot = unable(session.draft)
    assert cannot["rbba"] == "no limits on sums"
    assert not {"blp-kmeans", "sdp", "colgen", "divide"} & set(cannot)


def test_what_is_refused_is_a_sentence_and_changes_nothing(session):
    before = session.draft
    for kind, limit, words in (
        (DIAMETER, "", "Type a number."),
        (DIAMETER, "wide", "a number of at least 0"),
        (MOST, "2.5", "a whole number of at least 0"),
        (MOST, "10", "the sizes add up to"),
        (LEAST, "60", "the sizes add up to"),
        (DIFFERENT, "3", "choose a run first"),
    ):
        said = add_rule(session, kind, limit)
        assert words.lower() in said.lower()
        assert session.draft is before
        assert (session.notice is not None) == (words == "the sizes add up to")
    session.edits.add_links([Link("must", 0, 140)])
    assert "contradicts" in add_rule(session, DIAMETER, "1")
    assert {0, 140} <= set(session.lit)


def test_a_refused_rule_comes_with_what_to_change(session):
    add_rule(session, MOST, "10")
    limit, clusters = session.notice.cures
    assert limit.sentence == "raise size<=10 to size<=50 (no less will do)"
    assert clusters.sentence == "take 15 clusters (14 will not do)"
    rules = session.notice.rules
    session.edits.cure(limit, rules)
    assert [rule.text for rule in session.draft.rules] == ["size<=50"]
    session.edits.undo()
    session.edits.cure(clusters, rules)
    assert [rule.text for rule in session.draft.rules] == ["size<=10"]
    assert session.draft.k == 15
    assert add_rule(session, MOST, "20") == ""
    assert session.notice is None


def test_another_answer_than_that_of_a_run(session):
    remember(session, np.repeat([0, 1, 2], 50))
    other = remember(session, np.tile([0, 1, 2], 50), name="second")
    session.edits.load(load("wine"))
    assert runs_to_name(session) == []
    session.edits.undo()
    assert [info.name for info in runs_to_name(session)] == ["second", "first"]
    assert add_rule(session, DIFFERENT, "10", other) == ""
    (rule,) = session.draft.rules
    assert rule.text == "difference(second)>=10"
    assert rule.known[:4] == (0, 1, 2, 0)
    cannot = unable(session.draft)
    assert "colgen" not in cannot
    assert cannot["sdp"] == "no rules on clusters"
    assert session.draft.problem.rules


def test_size_limits_suit_those_who_keep_sizes_or_rules(session):
    assert add_rule(session, MOST, "60") == ""
    cannot = unable(session.draft)
    assert not {"blp-kmeans", "colgen"} & set(cannot)
    assert cannot["ipc-kmeans"] == "no cluster sizes"
    assert add_rule(session, LEAST, "10") == ""
    assert unable(session.draft)["s-mdeclust"] == "no cluster sizes"


def test_a_run_brings_its_rules_back(session):
    session.edits.add_links([Link("cannot", 0, 3)])
    add_rule(session, DIAMETER, "3.5")
    add_rule(session, MOST, "90")
    for problem in (session.draft.problem, session.draft.keeping):
        back = draft_of_problem(problem, session.draft, "iris")
        assert back.rules == session.draft.rules
        assert back.links == session.draft.links
        assert back.lower == ()
        assert back.problem.asks_the_same(session.draft.problem)


def test_rows_say_what_holds(session):
    add_rule(session, DIAMETER, "3.5")
    rules = session.draft.rules
    assert rule_rows(rules, None)[0].verdict == ""
    run = session.archive.load(remember(session, np.tile([0, 1, 2], 50)))
    (row,) = rule_rows(rules, run.incumbent)
    assert row.words == "diameter at most 3.5"
    assert row.verdict.startswith("broken: 7.0")
    assert not row.holds


def test_painting_keeps_what_still_means_something(session):
    run = remember(session, np.repeat([0, 1, 2], 50))
    add_rule(session, MOST, "90")
    add_rule(session, OVERLAP, "40", run)
    draft: Draft = session.draft
    where = plane(draft, session.x_axis, session.y_axis)
    fewer = without_points(draft, where, [0, 149])
    assert [len(rule.known) for rule in fewer.rules] == [0, 148]
    assert fewer.problem.n == 148
    more = with_points(draft, where, np.zeros((1, 2)), 0)
    assert [rule.text for rule in more.rules] == ["size<=90"]


def test_a_rule_is_joined_to_one_that_is_there(session):
    run = remember(session, np.repeat([0, 1, 2], 50))
    add_rule(session, MOST, "60")
    add_rule(session, DIAMETER, "9")
    assert add_rule(session, OVERLAP, "40", run, place=0) == ""
    both = session.draft.rules
    assert [rule.text for rule in both] == ["size<=60 or overlap(first)<=40", "diameter<=9"]
    assert rule_rows(both, None)[0].words == (
        "at most 60 points a cluster, or at most 40 points shared with a cluster of first"
    )
    assert [row.can_join for row in rule_rows(both, None)] == [True, True]
    assert "colgen" not in unable(session.draft)
    assert unable(session.draft)["sdp"] == "no rules on clusters"

    said = add_rule(session, LEAST, "2", place=0)
    assert said.startswith("The rule 'size>=2' cannot be joined by 'or': parts of a cluster")
    assert session.draft.rules == both
    assert add_rule(session, MOST, "60", place=0) == "This rule is there already."
    session.edits.undo()
    assert [rule.text for rule in session.draft.rules] == ["size<=60", "diameter<=9"]


def test_rows_say_how_many_clusters_keep_none(session):
    add_rule(session, DIAMETER, "3.5")
    add_rule(session, MOST, "40", place=0)
    run = session.archive.load(remember(session, np.tile([0, 1, 2], 50)))
    (row,) = rule_rows(session.draft.rules, run.incumbent)
    assert (row.verdict, row.holds) == ("broken: 3 clusters with none of these", False)
    drop_rule(session, session.draft.rules[0])
    assert session.draft.rules == ()


def test_links_by_a_column_are_one_line_that_needs_no_number(session):
    apart, together = RULE_KINDS["apart()"], RULE_KINDS["together()"]
    assert add_rule(session, apart, "", "class") == (
        "50 points have 'setosa' in the column 'class', and no two of them may share a cluster, "
        "but there are 3 clusters."
    )
    assert "you give up apart(class), or take 50 clusters (49 will not do)." in session.notice.text
    assert add_rule(session, together, "", "class") == ""
    assert add_rule(session, apart, " 0.5 ", "class") == ""
    rows = rule_rows(session.draft.rules, None)
    assert [row.words for row in rows] == [
        "equal class together", "equal class apart, or 0.5 for each pair",
    ]  # fmt: skip
    assert not any(row.can_join for row in rows)
    assert len(session.draft.links) == 0
    assert len(session.draft.problem.cannot_link.soft) == 3 * 50 * 49 / 2
