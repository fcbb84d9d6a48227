import io
import json
import shlex
from urllib.parse import parse_qsl, unquote

import numpy as np
import pytest
from click.testing import CliRunner

from ccviz.cli import app
from ccviz.data.datasets import Dataset, load
from ccviz.data.link_files import links_text
from ccviz.errors import CcvizError
from ccviz.problem.asked import AskedEither, AskedRule
from ccviz.runs.archive import Archive
from ccviz.views.lab.importing import Importing
from ccviz.views.lab.personal_archive import KeptDrafts
from ccviz.views.lab.runner import RunQueue
from ccviz.views.lab.session import Session
from ccviz.views.link_table import Link
from ccviz.views.person import Person
from ccviz.views.share.address import apply_query, query, reload_query
from ccviz.views.share.code import as_command, as_model, as_python
from ccviz.views.share.project import csv_text


@pytest.fixture
def open_session(tmp_path):
    """Return a maker of sessions over one archive."""
    with Archive(tmp_path / "runs.sqlite") as archive:
        yield lambda: Session(archive, RunQueue(), load("iris"))


@pytest.fixture
def session(open_session):
    """Return a session with much changed."""
    session = open_session()
    session.edits.load(load("blobs", n=60), k=3)
    session.edits.set_scaling("range")
    session.edits.add_links([Link("must", 0, 5), Link("cannot", 3, 10, 2.5, "50 % a*b, c")])
    session.set_solver("blp-kmeans", max_iter=7)
    session.seed = 11
    return session


def reopened(open_session, address):
    """Return another session that an address has made."""
    other = open_session()
    apply_query(other, dict(parse_qsl(address, keep_blank_values=True)))
    return other


def command_run(session):
    """Run the command of a session, and return its words and what it writes."""
    words = [*shlex.split(as_command(session))[1:], "--json", "-", "--no-archive"]
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 0, done.output
    return words, json.loads(done.stdout)


def test_an_address_makes_the_same_session(session, open_session):
    other = reopened(open_session, query(session))
    assert other.notice is None
    assert np.array_equal(other.draft.X, session.draft.X)
    assert (other.draft.k, other.draft.links) == (session.draft.k, session.draft.links)
    assert [link.source for link in other.draft.links] == ["", "50 % a*b, c"]
    assert (other.solver, other.seed) == (session.solver, session.seed)
    assert query(other) == query(session)


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"data": "atlantis"}, "no data set 'atlantis'"),
        ({"ml": "1-2", "sources": "2*R"}, "what 2 links come from, and has 1"),
        ({"k": "many"}, "k = 'many'"),
        ({"k": "151"}, "k = 151"),
        ({"ml": "3"}, "'3' for a link"),
        ({"ml": "0-5", "cl": "0-5"}, "contradicts"),
        ({"x": "height"}, "no axis 'height'"),
        ({"solver": "oracle"}, "no solver 'oracle'"),
        ({"solver": "blp-kmeans", "set.max_iter": "-1"}, "max_iter = -1"),
        ({"scaling": "upwards"}, "no scaling 'upwards'"),
        ({"limit.node_limit": "few"}, "limit.node_limit = 'few'"),
    ],
)
def test_a_bad_address_is_a_sentence(open_session, values, words):
    session = open_session()
    apply_query(session, values)
    assert words in session.notice.text


def test_a_file_that_is_called_like_a_data_set_is_a_file(open_session):
    session = open_session()
    session.edits.load(Dataset("wine", np.eye(4), ("a", "b", "c", "d")))
    with pytest.raises(CcvizError, match="do not fit into an address"):
        query(session)
    assert "read_data('wine.csv')" in as_python(session)
    assert "solve wine.csv" in as_command(session)


def run_lines(session):
    """Return what the Python lines of a session make."""
    scope: dict = {}
    exec("\n".join(line for line in as_python(session).splitlines() if "print" not in line), scope)
    return scope


def test_the_python_lines_make_the_same_run(session):
    session.edits.remove_links([Link("cannot", 3, 10, 2.5)])
    session.edits.add_links([Link("cannot", 3, 10)])
    session.edits.set_sizes("10-30, 10-30, 5-40")
    session.time_limit = 9.0
    scope = run_lines(session)
    assert scope["problem"].asks_the_same(session.draft.problem)
    assert scope["result"].solver == "blp-kmeans"
    assert scope["result"].seed == 11
    settings = scope["result"].run.started.settings
    assert settings["max_iter"] == 7


def test_soft_links_travel_too(session):
    session.set_solver("bh-kmeans")
    assert run_lines(session)["problem"].asks_the_same(session.draft.problem)


def test_data_of_ones_own_are_read_from_the_file_that_is_saved(session, tmp_path, monkeypatch):
    X = np.random.default_rng(0).normal(size=(20, 2)) / 3
    session.edits.load(Dataset("mine", X, ("a, b", "c"), np.arange(20) % 2, ("yes", "no")), 2)
    session.set_solver("blp-kmeans")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.csv").write_text(csv_text(session.draft.data), encoding="utf-8")
    scope = run_lines(session)
    assert scope["problem"].asks_the_same(session.draft.problem)
    assert scope["data"].features == ("a, b", "c")
    assert sorted(scope["data"].classes) == ["no", "yes"]


def test_the_command_line(session):
    session.edits.set_scaling("standard")
    session.param.update(time_limit=5.0, gap_limit=0.01, node_limit=40)
    session.edits.set_sizes("10-30, 10-30, 20")
    assert as_command(session) == (
        "ccviz solve blobs.csv -k 3 --solver blp-kmeans --seed 11 --scale standard "
        "--links links.txt --sizes 10-30,10-30,20 --time-limit 5 --gap 0.01 "
        "--node-limit 40 --param max_iter=7"
    )
    session.edits.load(load("moons"))
    assert as_command(session).startswith("ccviz solve moons -k 2 ")


def test_the_command_line_makes_the_same_run(session, tmp_path, monkeypatch):
    session.edits.load(load("iris"))
    session.edits.set_scaling("standard")
    session.edits.add_links([Link("must", 0, 60), Link("cannot", 3, 100)])
    session.edits.set_sizes("40-60, 40-60, 40-60")
    problem = session.draft.problem
    monkeypatch.chdir(tmp_path)
    text = links_text(problem.must_link, problem.cannot_link)
    (tmp_path / "links.txt").write_text(text, encoding="utf-8")
    assert command_run(session)[1]["objective"] == run_lines(session)["result"].objective


def test_a_table_of_ones_own_is_read_again_as_it_was_decided(session, tmp_path, monkeypatch):
    content = b"id;x;y;town;note\n7;1,5;2;Rom;a\n3;2,5;;Wien;a\n5;3,25;9;Rom;b\n9;4,5;1;Wien;b\n"
    importing = Importing(session)
    importing.read_file("mine.csv", content)
    importing.take_as({"town": "feature", "note": "class"})
    importing.missing = "drop"
    importing.load()
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.csv").write_bytes(content)
    scope = run_lines(session)
    assert scope["problem"].asks_the_same(session.draft.problem)
    assert scope["data"].names == ("7", "5", "9")
    words, found = command_run(session)
    options = "--columns x,y,town --class-column note --name-column id --missing drop"
    assert words[2:10] == options.split()
    assert found["objective"] == scope["result"].objective


def test_points_of_many_features_are_read_without_naming_each(session, tmp_path, monkeypatch):
    file = io.BytesIO()
    np.save(file, np.random.default_rng(0).random((40, 30), np.float32))
    importing = Importing(session)
    importing.read_file("points.npy", file.getvalue())
    importing.load()
    monkeypatch.chdir(tmp_path)
    (tmp_path / "points.npy").write_bytes(file.getvalue())
    assert "data = read_table('points.npy')\n" in as_python(session)
    scope = run_lines(session)
    assert scope["problem"].asks_the_same(session.draft.problem)
    words, found = command_run(session)
    assert words[:4] == ["solve", "points.npy", "-k", str(session.draft.k)]
    assert found["objective"] == scope["result"].objective


@pytest.mark.parametrize(
    ("solver", "words"),
    [("sdp", "PSD=True"), ("colgen", "columns"), ("blp-kmeans", "boolean=True")],
)
def test_the_model_of_a_solver_is_code_after_that_of_the_run(open_session, solver, words):
    session = open_session()
    session.edits.add_links([Link("must", 0, 5), Link("cannot", 3, 10)])
    session.set_solver(solver)
    code = as_model(session)
    compile(code, solver, "exec")
    assert code.startswith(as_python(session))
    assert words in code


LIMITS = {"time_limit": 1234.5678, "gap_limit": 1.2345678e-5, "node_limit": 1_234_567}


def test_an_address_keeps_every_digit(session, open_session):
    session.edits.add_links([Link("must", 1, 6, 0.1234567), Link("cannot", 4, 12, 1e-7)])
    session.param.update(**LIMITS)
    other = reopened(open_session, query(session))
    assert set(other.draft.links) == set(session.draft.links)
    assert {name: getattr(other, name) for name in LIMITS} == LIMITS


def test_the_command_line_keeps_every_digit(session, tmp_path, monkeypatch):
    session.edits.load(load("iris"))
    session.param.update(**LIMITS)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CCVIZ_HOME", str(tmp_path / "home"))
    done = CliRunner().invoke(app, [*shlex.split(as_command(session))[1:], "--json", "-"])
    assert done.exit_code == 0, done.output
    with Archive(tmp_path / "home" / "runs.sqlite") as archive:
        [info] = archive.runs()
    limits = {name.replace("gap_limit", "gap"): value for name, value in LIMITS.items()}
    assert info.limits.given == limits


def test_whole_numbers_are_said_as_such(session):
    session.edits.set_scaling("none")
    session.time_limit = 5.0
    session.edits.add_links([Link("must", 0, 5, 1.0)])
    assert "ml=0-5*1&cl=3-10*2.5&" in unquote(query(session))
    assert "--time-limit 5 " in as_command(session)


def stored_run(session, termination="interrupted"):
    run_id = session.archive.create(session.draft.problem, "sdp", {}, dataset="blobs")
    session.archive.finish(run_id, termination, "It ended.")
    return run_id


def test_the_way_back_names_the_theme_where_the_system_has_another(session):
    assert "theme" not in reload_query(session)
    session.prefers_dark = True
    assert dict(parse_qsl(reload_query(session)))["theme"] == "light"
    session.dark = True
    assert "theme" not in reload_query(session)


def test_the_way_back_has_the_problem_the_run_and_the_theme(session, open_session):
    session.dark = True
    session.open_run(run_id := stored_run(session))
    asked = dict(parse_qsl(reload_query(session)))
    assert asked.pop("theme") == "dark"
    assert asked["run"] == run_id
    other = open_session()
    apply_query(other, asked)
    assert other.player.run_id == run_id
    assert other.draft.links == session.draft.links
    assert other.notice.text == (
        f"The page has come back. The run {run_id} was stopped, and what it had found is kept. "
        "Under Runs it can go on."
    )


def test_data_of_ones_own_come_back_with_their_run(open_session):
    session = open_session()
    session.edits.load(Dataset("mine", np.arange(12.0).reshape(6, 2), ("a", "b")), 2)
    assert reload_query(session) == ""
    session.open_run(run_id := stored_run(session, "converged"))
    assert reload_query(session) == f"run={run_id}"
    other = open_session()
    apply_query(other, {"run": run_id})
    assert np.array_equal(other.draft.X, session.draft.X)
    assert other.notice.text.endswith(f"The run {run_id} has ended: It ended.")


@pytest.mark.parametrize(
    ("tick", "words"),
    [(None, "goes on."), (-1e9, "was broken off, and what it had found is kept. Under Runs")],
)
def test_who_comes_back_hears_whether_the_run_goes_on(open_session, tick, words):
    session = open_session()
    archive = session.archive
    run_id = archive.create(session.draft.problem, "sdp", {})
    if tick is not None:
        archive._set(run_id, {"tick": tick})
    apply_query(session, {"run": run_id})
    assert f"The run {run_id} {words}" in session.notice.text
    assert session.player.playing == (tick is None)


ODD = "odd; name (of a run): 2>=1"


@pytest.fixture
def ruled(session):
    """Return the session with rules, one of which names a clustering."""
    known = tuple([0, 1, 2] * 20)
    session.edits.adopt(
        session.draft.with_rules(
            [
                AskedRule("diameter<=1.2"),
                AskedRule(f"difference({ODD})>=4", known),
                AskedRule("sum(my people)>=5%", tuple([0.1, 1.0, 2.0] * 20)),
                AskedEither((AskedRule("size<=25"), AskedRule(f"overlap({ODD})<=9", known))),
            ]
        )
    )
    return session


def test_an_address_has_the_rules_and_the_clustering_that_they_name(ruled, open_session):
    other = reopened(open_session, query(ruled))
    assert other.notice is None
    assert other.draft.rules == ruled.draft.rules
    assert query(other) == query(ruled)
    other.draft.problem.rules[0].alternatives(other.draft.problem)


@pytest.mark.parametrize(
    ("rules", "words"),
    [
        ("diameter<=x", "a number of at least 0"),
        ("size<=3;beauty>=1", "is not diameter<=D"),
        ("overlap(there:00Z)<=3", "letters that are no labels"),
        ("overlap(there:001)<=3", "a clustering of 3 points, but there are 150"),
        ("sum(there:1,x)<=3", "values that are no numbers"),
        ("apart(there:1,1.5)", "values that are no whole numbers"),
        ("sum(there:1,-2)<=3", "is below 0 in row 1"),
        ("overlap(there)<=3", "There is no run 'there'"),
        ("size<=3 or size>=2", "cannot be joined by 'or'"),
    ],
)
def test_rules_of_an_address_that_are_none_change_nothing(open_session, rules, words):
    session = open_session()
    before = session.draft
    apply_query(session, {"rules": rules})
    assert words in session.notice.text
    assert session.draft is before


def test_an_address_has_room_for_many_words(session, open_session):
    rules = [AskedRule("overlap(first)<=9", tuple(range(60)))]
    rules += [AskedRule("together(my team)", tuple(max(0, i - 3) for i in range(60)))]
    rules += [AskedRule("apart(photo)=2.5", tuple(i // 2 for i in range(60)))]
    session.edits.adopt(session.draft.with_rules(rules))
    other = reopened(open_session, query(session))
    assert other.draft.rules == session.draft.rules == tuple(rules)


def test_code_and_command_have_the_rules(ruled):
    ruled.set_solver("colgen")
    names: dict = {}
    lines = as_python(ruled).splitlines()
    exec("\n".join(line for line in lines if "solve(" not in line and "print" not in line), names)
    assert names["problem"].asks_the_same(ruled.draft.problem)
    assert names["problem"].rules == ruled.draft.keeping.rules
    words = shlex.split(as_command(ruled))
    assert [words[at + 1] for at, word in enumerate(words) if word == "--rule"] == [
        "diameter<=1.2", f"difference({ODD})>=4", "sum(my people)>=5%",
        f"size<=25 or overlap({ODD})<=9",
    ]  # fmt: skip


@pytest.mark.parametrize(("sizes", "lower", "upper"), [
    ("equal", (37, 37, 37, 37), (38, 38, 38, 38)), ("30-50", (30,) * 4, (50,) * 4),
])  # fmt: skip
def test_sizes_may_be_equal_or_one_for_all(open_session, sizes, lower, upper):
    session = open_session()
    apply_query(session, {"k": "4", "sizes": sizes})
    assert (session.draft.lower, session.draft.upper) == (lower, upper)


LONG = "9" * 5000


@pytest.mark.parametrize("text", [LONG, f"-{LONG}", f"{LONG}-{LONG}", f"1e{LONG}", f"size>={LONG}"])
@pytest.mark.parametrize(
    "name",
    ["k", "n", "seed", "sizes", "ml", "rules", "limit.node_limit", "limit.gap", "set.max_iter",
     "run"],
)  # fmt: skip
def test_thousands_of_digits_are_refused_and_change_nothing(open_session, name, text):
    session = open_session()
    before = query(session)
    apply_query(session, {"data": "blobs", "solver": "k-means", "seed": "3", name: text})
    if session.notice is not None:  # a limit with thousands of digits is none: infinite
        assert len(session.notice.text) < 600
        assert query(session) == before
    else:
        assert name == "limit.gap"


def test_an_unknown_run_changes_nothing(session):
    before = query(session)
    apply_query(session, {"data": "wine", "k": "7", "limit.gap": "0.5", "run": "sdp-none"})
    assert query(session) == before
    assert session.notice.text == "There is no run 'sdp-none' that this page can open."


def test_the_run_of_another_person_is_refused_like_an_absent_one(open_session):
    archive = open_session().archive
    other, person = (Person(browser) for browser in ("a", "b"))
    theirs = stored_run(Session(archive, RunQueue(), load("iris"), other))
    session = Session(archive, RunQueue(), load("iris"), person)
    sentences = []
    for run_id in (theirs, "sdp-none"):
        apply_query(session, {"run": run_id})
        sentences.append(session.notice.text.replace(run_id, "RUN"))
    assert sentences[0] == sentences[1]
    assert "/" not in sentences[0]
    with pytest.raises(CcvizError, match="in this archive"):
        session.archive.find("nothing")


def test_an_address_keeps_what_was_done_to_an_example_problem(open_session):
    one, other = open_session(), open_session()
    apply_query(one, {"data": "ring_around_ring"})
    assert (len(one.draft.links), one.solver.cuts) == (12, "none")
    first = one.draft.links[0]
    one.edits.remove_links([first])
    apply_query(other, dict(parse_qsl(query(one), keep_blank_values=True)))
    assert other.draft.links == one.draft.links
    assert len(other.draft.links) == 11
    one.edits.remove_links(list(one.draft.links))
    apply_query(other, dict(parse_qsl(query(one), keep_blank_values=True)))
    assert len(other.draft.links) == 0
    assert "--links links.txt" in as_command(one)


def own_table():
    return Dataset("mine", np.arange(12.0).reshape(6, 2), ("a", "b"))


def test_an_own_table_and_its_edits_come_back_with_the_page_to_its_own_browser(open_session):
    session, drafts = open_session(), KeptDrafts()
    session.person = Person(browser="one")
    session.edits.load(own_table(), 2)
    session.edits.add_links([Link("must", 0, 5)])
    session.set_solver("cop-kmeans")
    asked = dict(parse_qsl(reload_query(session, drafts)))
    other, stranger = open_session(), open_session()
    other.person, stranger.person = session.person, Person(browser="two")
    apply_query(other, asked, drafts)
    assert other.notice is None
    assert other.draft is session.draft
    assert other.solver == session.solver
    apply_query(stranger, asked, drafts)
    assert "in the browser that made it" in stranger.notice.text
    assert stranger.draft.data.name == "iris"


NEAR = "petal length (cm), petal width (cm)"


@pytest.mark.parametrize(
    ("asked", "text", "command", "wrong", "sentence"),
    [
        ("sizes", "40-60, 40-60, 50", "--sizes 40-60,40-60,50", "few", "'few' is not a size"),
        ("outliers", 3, "--outliers 3", "many", "no whole number"),
        ("fixed_centers", "5.1, 3.5, 1.4, 0.2", "--fixed-centers '5.1, 3.5, 1.4, 0.2'", "here",
         "numbers with commas"),
        ("neighbors", f"knn:5 of {NEAR}", f"--neighbors knn:5 --at '{NEAR}'", "/etc/passwd",
         "delaunay, and '/etc/passwd' is none."),  # no file is read for a page
    ],
)  # fmt: skip
def test_address_code_and_command_have_what_is_asked(
    open_session, asked, text, command, wrong, sentence
):
    session = open_session()
    session.edits.set_scaling("standard")
    getattr(session.edits, f"set_{asked}")(text)
    other = reopened(open_session, query(session))
    assert other.draft.problem.asks_the_same(session.draft.problem)
    given: dict = {}
    exec(as_python(session).split("result =")[0], given)
    assert given["problem"].asks_the_same(session.draft.problem)
    assert command in as_command(session)
    apply_query(other, {asked: wrong})
    assert sentence in other.notice.text


def test_links_after_a_run_come_back_with_it(session, open_session):
    session.open_run(run_id := stored_run(session))
    session.edits.add_links([Link("cannot", 1, 2)])
    other = reopened(open_session, reload_query(session))
    assert other.player.run_id == run_id
    assert other.draft.links == session.draft.links
    assert len(other.draft.links) == 3
