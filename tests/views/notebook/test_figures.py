"""Pictures for papers: each of them from whole runs, from odd ones, and as files."""

import sys
import xml.etree.ElementTree as ElementTree

import holoviews as hv
import numpy as np
import pytest

from ccviz import CcvizError, Problem, solve, start
from ccviz.events import (
    ColumnsPriced,
    CutsAdded,
    GenerationEnded,
    NodeOpened,
    PartBounded,
    PartsCut,
    ResidualsUpdated,
)
from ccviz.notebook import Plots
from ccviz.runs.run import Run
from ccviz.studies.price_table import LinkPrice
from tests.made_up import played, stamped


@pytest.fixture(scope="module")
def thirty():
    X = np.random.default_rng(0).normal(size=(30, 2))
    return Problem(X, 3, must_link=[(0, 1)], cannot_link=[(2, 3)])


@pytest.fixture(scope="module")
def solved(thirty):
    return solve(thirty, "ipc-kmeans", progress=False)


PRICED = [
    ColumnsPriced(
        node=0, iteration=at, columns=5, pool=20, best_reduced_cost=-1.0 / at, exact=True,
        master_objective=9.0, lower_bound=8.0 - 1.0 / at, duals=np.ones(3),
    )
    for at in (1, 2, 3)
]  # fmt: skip


SEPARATED = [
    CutsAdded(
        node=0, round=at, pair=0, triangle=triangle, clique=0, dropped=0, active=active,
        lower_bound=1.0,
    )
    for at, triangle, active in ((1, 5, 5), (2, 4, 9))
]  # fmt: skip

DIVIDED = [
    PartsCut(parts=3, part_of=np.array([0, 1, 2])),
    PartBounded(part=0, upper_bound=1.0, lower_bound=0.9, rounds=1),
    PartBounded(part=2, upper_bound=1.0, lower_bound=0.5, rounds=1),
]


def with_events(events):
    """Return the pictures of a run of made-up events."""
    run = Run(Problem([[0.0], [1.0], [5.0]], 2))
    records = stamped(run.problem, events)
    return Plots(run, lambda: records)


def generations(many, size=4):
    rng = np.random.default_rng(1)
    return [
        GenerationEnded(
            generation=at, objectives=rng.random(size) + 1.0, diversity=0.5,
            replaced=np.array([at % size]),
        )
        for at in range(many)
    ]  # fmt: skip


def iterations(many):
    return [
        ResidualsUpdated(
            iteration=at, primal_residual=10.0**-at, dual_residual=0.0, rho=1.0, fractional=0.1,
            violations=0, x=None,
        )
        for at in range(many)
    ]  # fmt: skip


def columns_of(overlay, label):
    return next(each for each in overlay if each.label == label)


def test_columns_residuals_and_populations_have_what_the_events_say():
    priced = with_events(PRICED).columns()
    assert columns_of(priced, "lower bound")["objective"].tolist() == [7.0, 7.5, 8.0 - 1 / 3]
    split = with_events(iterations(4)).residuals()
    assert columns_of(split, "primal residual")["residual"].tolist() == [1.0, 0.1, 0.01, 0.001]
    bred = with_events(generations(5)).population()
    assert len(columns_of(bred, "member")) == 20
    assert len(columns_of(bred, "best")) == 5


def test_cuts_parts_and_prices_have_what_was_found(tmp_path):
    cut = with_events(SEPARATED).cuts()
    assert columns_of(cut, "active cuts")["inequalities"].tolist() == [5.0, 9.0]
    assert [each.label for each in cut] == ["violated: triangle", "active cuts"]
    gaps = next(iter(with_events(DIVIDED).parts()))
    assert gaps["gap"].tolist() == pytest.approx([0.5, 0.1])
    prices = with_events([]).prices(
        [LinkPrice("must", 0, 1, 2.0, 3.0), LinkPrice("cannot", 1, 2, 0.0, np.inf)]
    )
    price = "price: rise of the optimum"
    assert [each[price].tolist() for each in prices if isinstance(each, hv.Points)] == [
        [2.0],
        [0.0],
    ]
    (cut + prices).save(tmp_path / "both.png", dpi=40)
    with pytest.raises(CcvizError, match="separated no cuts"):
        with_events(PRICED).cuts()
    with pytest.raises(CcvizError, match="no prices"):
        with_events([]).prices([])


def test_what_a_run_has_not_is_a_sentence(solved):
    for name, words in (
        ("tree", "no search tree"), ("matrix", "no matrix"), ("columns", "priced no columns"),
        ("residuals", "no residuals"), ("population", "no population"),
        ("parts", "no parts"),
    ):  # fmt: skip
        with pytest.raises(CcvizError, match=words):
            getattr(solved.plot, name)()
        if name not in ("tree", "matrix"):
            with pytest.raises(CcvizError, match="events of this run were not kept"):
                getattr(solved.run.plot, name)()


def test_a_race_names_each_run(thirty, solved):
    drawn = solved.plot.race(solve(thirty, "k-means", progress=False), solved.run)
    names = [each.label for each in drawn if each.label]
    assert names == ["ipc-kmeans (1)", "k-means", "ipc-kmeans (3)"]
    assert str(next(iter(solved.plot.race(against="nodes"))).kdims[0]) == "nodes"
    with pytest.raises(CcvizError, match="not 'depth'"):
        solved.plot.race(against="depth")


@pytest.mark.slow
def test_a_picture_is_saved_in_every_format(solved, tmp_path):
    picture = solved.plot.scatter()
    for kind, head in (("pdf", b"%PDF"), ("png", b"\x89PNG"), ("svg", b"<?xml")):
        picture.save(tmp_path / f"a.{kind}")
        assert (tmp_path / f"a.{kind}").read_bytes().startswith(head)
    drawn = ElementTree.parse(tmp_path / "a.svg").getroot()
    assert float(drawn.get("width").removesuffix("pt")) == pytest.approx(3.4 * 72, rel=0.05)
    words = {each.text for each in drawn.iter("{http://www.w3.org/2000/svg}text")}
    assert {"x0", "x1"} <= words  # text stays text
    before = (tmp_path / "a.svg").read_bytes()
    picture.save(tmp_path / "a.svg")
    assert (tmp_path / "a.svg").read_bytes() == before  # the same picture is the same file
    for wrong, sentence in (("a.html", "pdf, png, svg"), ("none/a.pdf", "cannot be written")):
        with pytest.raises(CcvizError, match=sentence):
            picture.save(tmp_path / wrong)
    assert hv.Store.current_backend == "bokeh"


@pytest.mark.slow
def test_composed_pictures_are_saved_too(solved, tmp_path):
    plot = solved.plot
    over = plot.bounds() * solved.plot.bounds("time")
    beside = (plot.scatter() + over + with_events(generations(3)).population()).cols(2)
    beside.save(tmp_path / "all.svg", width=5)
    drawn = ElementTree.parse(tmp_path / "all.svg").getroot()
    axes = [each for each in drawn.iter() if each.get("id", "").startswith("axes_")]
    assert len(axes) >= 3
    over.save(tmp_path / "over.png")
    assert hv.render(beside) is not None  # the browser has it as well


ODD = {
    "one point": lambda: start(Problem([[1.0, 2.0]], 1), "ipc-kmeans").result(),
    "no links, one feature": lambda: solve(Problem([[0.0], [1.0], [5.0]], 2), progress=False),
    "nothing has happened": lambda: Run(Problem([[0.0], [1.0], [5.0]], 2)),
    "left out": lambda: solve(
        Problem([[0.0], [0.1], [1.0], [1.1], [9.0]], 2, outliers=1), "k-means", progress=False
    ),
}  # fmt: skip


@pytest.mark.parametrize("odd", ODD.values(), ids=ODD)
def test_odd_runs_are_drawn(odd, tmp_path):
    run = odd()
    for name in ("scatter", "bounds", "race"):
        picture = getattr(run.plot, name)()
        picture.save(tmp_path / f"{name}.png", dpi=40)
        assert hv.render(picture) is not None


def test_a_stopped_run_is_drawn(thirty, tmp_path):
    stepper = start(thirty, "sdp", show_relaxation=True, tolerance=0.0)
    next(record for record in stepper if isinstance(record.event, NodeOpened))
    for name in ("scatter", "bounds", "tree"):
        getattr(stepper.plot, name)().save(tmp_path / f"{name}.png", dpi=40)


def test_a_single_event_is_drawn(tmp_path):
    for name, events in (
        ("columns", PRICED[:1]), ("residuals", iterations(1)), ("population", generations(1)),
    ):  # fmt: skip
        picture = getattr(with_events(events), name)()
        picture.save(tmp_path / f"{name}.png", dpi=40)
        assert hv.render(picture) is not None


def test_the_tree_and_the_matrix_are_saved(problem, tree_records, relaxation_records, tmp_path):
    for records, name in ((tree_records(41), "tree"), (relaxation_records, "matrix")):
        getattr(played(problem, records).plot, name)().save(tmp_path / f"{name}.png", dpi=40)


def test_without_matplotlib_the_sentence_says_what_to_install(solved, tmp_path, monkeypatch):
    monkeypatch.delitem(sys.modules, "ccviz.views.notebook.printing", raising=False)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(CcvizError, match="matplotlib, which is not installed"):
        solved.plot.scatter().save(tmp_path / "a.pdf")
