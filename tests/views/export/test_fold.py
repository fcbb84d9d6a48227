"""What the script of a page shows at a moment is what Python folds up to there, event by event."""

import math

import numpy as np
import pytest

from ccviz import Problem, start
from ccviz.data.datasets import Dataset
from ccviz.events import DeadEnded, Finished, PartBounded, PartsCut
from ccviz.numbers import number, percent
from ccviz.runs.run import Run
from ccviz.views.draft import Draft, draft_of_problem
from ccviz.views.export.story import Play
from ccviz.views.frames.bounds import bounds
from ccviz.views.frames.card import card
from ccviz.views.frames.exact import (
    ColumnsLog,
    CutsLog,
    PartsLog,
    RelaxationLog,
    ResidualsLog,
    caption,
)
from ccviz.views.frames.heuristic import PopulationLog
from ccviz.views.frames.links import lines
from ccviz.views.frames.node import NodeLog, decision_words
from ccviz.views.frames.scatter import coloring, plane
from ccviz.views.frames.tables import sentence
from ccviz.views.frames.tree import Tree
from tests.made_up import stamped

pytestmark = pytest.mark.browser

_FRAMES = """() => ccviz.panels.map(({run}) => Array.from(run.times, (_, at) => ({
    said: run.said[at], card: card(run, at),
    bounds: bounds(run, at), byNodes: bounds(run, at, "nodes"),
    heights: worthSeeing(bounds(run, at)), cuts: cuts(run, at), columns: columns(run, at),
    duals: newest(run.duals, at), residuals: residuals(run, at), relaxed: newest(run.relaxed, at),
    population: population(run, at), matrix: matrixFrame(run, at), mosaic: newest(run.mosaic, at),
    scatter: scatter(run, at),
    broken: ["must", "cannot"].map((kind) => broken(run, kind, scatter(run, at).labels)),
    tree: run.tree && treeFrame(run, at), byDepth: run.tree && treeFrame(run, at, "depth"),
    nodes: run.tree && Array.from({length: upto(run.tree.opened, at)}, (_, row) => (
        {...nodeFrame(run, at, row), decision: decision(run.tree, row)})),
})))"""
_PLAIN = """(frames) => { const plain = (value) => ArrayBuffer.isView(value) ? Array.from(value)
    : Array.isArray(value) ? value.map(plain) : value && typeof value === "object"
    ? Object.fromEntries(Object.entries(value).map(([key, each]) => [key, plain(each)])) : value
    return plain((%s)()) }"""


LOGS = (CutsLog, ColumnsLog, ResidualsLog, PopulationLog, RelaxationLog, PartsLog, NodeLog)


class Live:
    """The frames of the live page, fed a record at a time."""

    def __init__(self, problem):
        self.run = Run(problem)
        self.draft = draft_of_problem(problem, Draft(Dataset("", problem.X, ("x0", "x1")), 3), "")
        self.plane = plane(self.draft, "x0", "x1")
        self.logs = {kind: kind() for kind in LOGS}
        self.tree = Tree(problem, most_shown=1 << 60)
        self.colors = None

    def feed(self, record):
        self.run.apply(record)
        for log in (*self.logs.values(), self.tree):
            log.feed([record])

    def __getitem__(self, kind):
        return self.logs[kind]


def same(shown, frame, *fields, **names):
    """Hold the columns of a shown frame against fields of one of Python's."""
    for name, field in (dict(zip(fields, fields, strict=True)) | names).items():
        wanted = np.asarray(getattr(frame, field), dtype=float)
        given = shown.get(name, [])
        assert np.array_equal(np.array(given, dtype=float), wanted, equal_nan=True), name


COLUMNS = {
    "cuts": (CutsLog, "at node pair active triangle clique round lower_bound"),
    "columns": (ColumnsLog, "at node columns pool reduced_cost exact master lower_bound"),
    "residuals": (ResidualsLog, "iteration primal dual rho fractional violations"),
}


def hold(shown, live):
    run = live.run
    hold_result(shown, run)
    for name, (log, fields) in COLUMNS.items():
        same(shown[name], live[log].frame(), *fields.split())
    duals = live[ColumnsLog].duals()
    if len(duals.block):
        assert shown["duals"]["block"] == duals.block.tolist()
        assert np.allclose(shown["duals"]["price"], duals.price, rtol=1e-6)
    hold_pictures(shown, live)
    hold_population(shown["population"], live[PopulationLog].frame())
    if shown["tree"]:
        hold_tree(shown, live)


def hold_result(shown, run):
    frame = card(run, with_scores=True)
    for name in ("status", "headline", "ending"):
        assert shown["card"][name] == getattr(frame, name)
    assert [tuple(row) for row in shown["card"]["rows"]] == list(frame.rows)
    assert [tuple(row) for row in shown["card"]["scores"]] == list(frame.scores)
    assert tuple(shown["card"]["sizes"]) == frame.sizes
    for against, name in (("time", "bounds"), ("nodes", "byNodes")):
        same(shown[name], bounds(run, against), "at", "upper", "lower", "gap")
    heights = bounds(run).heights
    assert shown["heights"] == (None if heights is None else pytest.approx(heights))


def hold_pictures(shown, live):
    labels = live.run.incumbent.labels if live.run.incumbent else None
    matrix, relaxed = live[RelaxationLog].frame(labels), live[ResidualsLog].relaxed()
    parts = live[PartsLog].frame()
    for name, frame in (("matrix", matrix), ("relaxed", relaxed), ("mosaic", parts)):
        assert (shown[name] is None) == (frame is None)
    if matrix is not None:
        assert shown["matrix"]["image"] == matrix.image.ravel().tolist()
        assert shown["matrix"]["edges"] == matrix.edges.tolist()
        assert shown["matrix"]["settled"] == pytest.approx(matrix.settled)
    if relaxed is not None:
        assert shown["relaxed"]["image"] == relaxed.image.ravel().tolist()
    if parts is not None:
        assert np.array_equal(shown["mosaic"]["gap"], parts.gap.ravel(), equal_nan=True)
        assert shown["mosaic"]["caption"] == caption(parts)


def hold_population(shown, frame):
    same(shown, frame, "generation", "best", "mean", "diversity")
    members = np.array(shown["members"], dtype=float).reshape(-1, 4).T
    for values, name in zip(
        members, ("member_generation", "objective", "member", "fresh"), strict=True
    ):
        assert np.array_equal(values, getattr(frame, name))
    moves = np.array(shown["moves"], dtype=float).reshape(-1, 4).T
    for values, name in zip(
        moves, ("from_generation", "from_objective", "to_generation", "to_objective"), strict=True
    ):
        assert np.array_equal(values, getattr(frame, name))


def hold_tree(shown, live):
    for name, axis in (("tree", "bound"), ("byDepth", "depth")):
        frame = live.tree.frame(live.run.tree, axis)
        same(shown[name], frame, y="y", bound="lower_bound")
        assert shown[name]["state"] == frame.state.tolist()
        assert shown[name]["total"] == frame.total
        upper = shown[name]["upper"]
        assert (math.inf if upper is None else upper) == frame.upper_bound
    run = live.run
    for row in shown["nodes"]:
        facts = live[NodeLog].frame(run, row["node"])
        assert (row["why"], row["state"], row["depth"]) == (facts.why, facts.state, facts.depth)
        assert row["decision"] == decision_words(run.tree[row["node"]])
        assert row["mustLink"] == facts.must_link.tolist()
        assert row["cannotLink"] == facts.cannot_link.tolist()
        assert row["taken"] == facts.taken.tolist()
        assert row["empty"] == facts.empty.tolist()
        assert row["time"] == facts.time_s.tolist()
        assert (
            np.maximum.accumulate([-math.inf, *row["bound"]])[1:].tolist()
            == facts.lower_bound.tolist()
        )


def hold_points(shown, live):
    """Colours follow those shown before, so this goes from the first moment to the last."""
    run = live.run
    frame = coloring(run, live.plane, live.colors)
    assert (shown["scatter"]["labels"] or [-1] * run.problem.n) == frame.labels.tolist()
    live.colors = live.colors if run.labels is None else frame.labels
    marks = np.column_stack([frame.centers, frame.center_labels]).ravel()
    assert np.allclose(shown["scatter"]["centers"], marks)
    for kind, given in zip(("must", "cannot"), shown["broken"], strict=True):
        labels = None if run.labels is None else frame.labels
        assert given == lines(live.draft, kind, live.plane, labels).broken.tolist()


def ring(record, met):
    """Return the point to be ringed: of a dead end, or of the last one of a run that found none."""
    if isinstance(record.event, DeadEnded):
        return record.event.point
    return met if isinstance(record.event, Finished) else -1


@pytest.fixture(scope="module")
def solved():
    """Return runs of solvers whose events are not made up."""
    X = np.random.default_rng(0).normal(size=(24, 2))
    truth = np.arange(24) % 3
    mixed = Problem(X, 3, [(0, 1), (2, 9)], [(0, 2), (5, 6, 0.5)], truth=truth)
    clique = [(i, j) for i in range(4) for j in range(i)]
    dead = Problem(X, 3, cannot_link=clique)

    def play(problem, solver, seed=0, **settings):
        records = list(start(problem, solver, seed=seed, **settings))
        return Play(solver, problem, records, len(records))

    return [
        play(mixed, "pck-means", n_init=1), play(dead, "cop-kmeans", n_init=2),
        play(mixed, "dils", seed=1, generations=40),
    ]  # fmt: skip


@pytest.fixture
def made_up(problem, play_of, request):
    """Return runs made by hand, one for each view of a solver's inner life."""
    names = ("relaxation", "column", "residual", "population")
    plays = [play_of(request.getfixturevalue(f"{name}_records"), name) for name in names]
    tree = play_of(request.getfixturevalue("tree_records")(21), "tree")
    cut = PartsCut(parts=3, part_of=np.where(np.arange(40) < 38, np.arange(40) % 3, -1))
    bounded = [PartBounded(part=at, lower_bound=9.0, upper_bound=10.0, rounds=1) for at in (2, 0)]
    places = play_of(request.getfixturevalue("place_records"), "places")
    return [*plays, tree, places, play_of(stamped(problem, [cut, *bounded]), "parts")]


@pytest.mark.slow
def test_every_moment_of_every_run_is_that_of_the_live_page(open_plays, made_up, solved):
    plays = [*made_up, *solved]
    for few in (plays[:4], plays[4:7], plays[7:]):
        page = open_plays(*few)
        for play, moments in zip(few, page.evaluate(_PLAIN % _FRAMES), strict=True):
            assert len(moments) == len(play.records)
            live, met = Live(play.problem), -1
            for record, shown in zip(play.records, moments, strict=True):
                live.feed(record)
                assert shown["said"] == sentence(record.event)
                hold(shown, live)
                hold_points(shown, live)
                met = record.event.point if isinstance(record.event, DeadEnded) else met
                assert shown["scatter"]["ring"] == ring(record, met)
        page.close()


def test_going_back_shows_what_was_shown(open_plays, play_of, tree_records):
    page = open_plays(play_of(tree_records(15)))
    forth = page.evaluate(_PLAIN % _FRAMES)
    back = page.evaluate(
        _PLAIN % _FRAMES.replace("Array.from(run.times, (_, at) =>", "Array.from(run.times, (_, "
        "place) => run.times.length - 1 - place).map((at) =>")
    )  # fmt: skip
    assert [moments[::-1] for moments in back] == forth


def test_numbers_are_written_as_python_does(open_plays, play_of, tree_records):
    page = open_plays(play_of(tree_records(3)))
    rng = np.random.default_rng(0)
    values = [0.0, 1.0, 999999.5, 1e12, 9.99999e-5, *(10 ** rng.uniform(-9, 15, 200)).tolist()]
    values += [-value for value in values[1:]]
    shares = [0.0, 1.0, *(10 ** rng.uniform(-9, 2, 200)).tolist()]
    for name, python, given in (("number", number, values), ("percent", percent, shares)):
        written = page.evaluate(f"(given) => given.map((each) => {name}(each))", given)
        assert written == [python(each) for each in given]
