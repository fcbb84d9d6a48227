import csv
import math
from dataclasses import replace

import msgspec
import numpy as np
import pytest

from ccviz import Problem
from ccviz.events import (
    BoundImproved,
    Finished,
    GenerationEnded,
    IncumbentFound,
    PartBounded,
    PartsCut,
    Record,
    TreeKept,
)
from ccviz.runs.archive import Archive
from ccviz.runs.info import summarise
from ccviz.runs.run import Run
from ccviz.runs.stop import Limits
from ccviz.views.frames.bounds import bounds, lane, race
from ccviz.views.frames.clusters import comparison
from ccviz.views.frames.exact import LEAST_GAP, ColumnsLog, PartsLog, ResidualsLog
from ccviz.views.frames.heuristic import PopulationLog
from ccviz.views.frames.tables import COLUMNS, Wanted, run_names, run_row, run_table
from tests.made_up import played


@pytest.fixture
def info(tmp_path):
    """Return what the archive knows about a small finished run."""
    problem = Problem([[0.0], [1.0], [4.0]], 2)
    with Archive(tmp_path / "runs.sqlite") as archive:
        run_id = archive.create(problem, "blp-kmeans", {}, dataset="line", name="first")
        events = [IncumbentFound(labels=np.array([0, 0, 1])), Finished(termination="converged")]
        records = [Record(seq, 0.1 * seq, event) for seq, event in enumerate(events)]
        archive.append(run_id, records, summarise(played(problem, records)))
        return archive.info(run_id)


def cells_of(info, **known):
    """Return the cells of a run about which this is known, by their columns."""
    return dict(zip(COLUMNS, run_row(replace(info, **known)).cells, strict=True))


def test_a_row_says_what_the_run_has_come_to(info):
    cells = cells_of(info)
    assert cells["Run"] == "first, blp-kmeans"
    assert cells["Objective"] == "0.5"
    assert cells["Proof"] == "feasible"
    assert cells["Time"] == "100 ms"
    assert run_row(info).may == ("open", "rename", "delete")


def test_runs_are_searched_and_sorted_by_their_cells(info):
    rows = [
        run_row(replace(info, name=name, objective=objective))
        for name, objective in (("second", 4.0), ("third", math.inf), ("first", 2.5))
    ]
    at = COLUMNS.index("Objective")
    assert [row.name for row in Wanted(column=at).of(rows)] == ["first", "second", "third"]
    down = Wanted(column=at, down=True).of(rows)
    assert [row.name for row in down] == ["second", "first", "third"]
    assert [row.name for row in Wanted("KMEANS sec").of(rows)] == ["second"]
    assert Wanted("line nothing").of(rows) == []


def test_the_objective_has_one_name_in_the_table_and_in_the_comparison(info):
    soft = replace(info, objective=79.1462)  # with the price of broken soft links: not the WCSS
    cell = cells_of(soft)["Objective"]
    [measured] = [row for row in comparison([soft], [None]) if cell in row.cells]
    assert measured.name == "Objective"


def test_what_is_proved_stands_in_one_cell(info):
    for known, proof in (
        ({"status": "optimal", "gap": 1e-9}, "optimal"),
        ({"gap": 0.032}, "gap 3.20 %"),
        ({"gap": 0.032, "termination": None, "tick": -math.inf}, "lost, gap 3.20 %"),
        ({"status": "infeasible"}, "infeasible"),
        ({"solver": "sdp", "termination": "failed"}, "failed"),
    ):
        assert cells_of(info, **known)["Proof"] == proof


def test_what_was_asked_stands_in_the_row(info):
    asked = ("k", "Links", "Scaling")
    for links, scaling, shown in ((12, "range", ["2", "12", "range"]), (None, "", ["2", "–", "–"])):
        cells = cells_of(info, links=links, scaling=scaling)
        assert [cells[name] for name in asked] == shown


def test_what_is_missing_has_no_key_to_sort_by(info):
    keys = dict(zip(COLUMNS, run_row(info).keys, strict=True))
    assert keys["Objective"] == 0.5
    assert keys["Proof"] is None
    assert keys["ARI"] is None


def test_a_run_that_broke_off_can_go_on_where_its_solver_can(info):
    assert "resume" in run_row(replace(info, solver="sdp", termination="failed")).may
    assert "resume" not in run_row(replace(info, termination="failed")).may


def test_the_solver_is_said_once(info):
    assert run_row(info).name == "first"
    assert cells_of(info, name="blp-kmeans-ab12")["Run"] == "blp-kmeans-ab12"


def test_the_table_of_runs_goes_elsewhere_with_every_digit(info):
    named = replace(info, name="a|b")
    head, row = run_table([named], "csv").splitlines()
    assert head.startswith("name,dataset,n,d,k,scaling,links,solver,settings,seed,")
    assert row.startswith("a|b,")
    assert str(info.objective) in row
    unknown = replace(info, lower_bound=-math.inf, gap=math.inf, ari=math.nan, violations=None)
    cells = next(csv.DictReader(run_table([unknown], "csv").splitlines()))
    assert [cells[name] for name in ("lower_bound", "gap", "ari", "violations")] == [""] * 4
    assert run_table([named], "markdown").splitlines()[2].startswith("| a\\|b | ")


def test_runs_are_called_by_what_was_run_and_the_second_by_its_number(info):
    unnamed = [
        replace(info, id=word, name=word, created=at, links=8) for at, word in enumerate(("a", "b"))
    ]
    assert run_names([*unnamed[::-1], info]) == {
        "a": "line · blp-kmeans · 8 links",
        "b": "line · blp-kmeans · 8 links · 2nd",
        info.id: "first",
    }


def test_a_long_name_of_data_is_cut(info):
    run = replace(info, id="a", name="a", dataset="sales of the third quarter (final) (2)")
    assert run_names([run]) == {"a": "sales of the third quar… · blp-kmeans"}


def test_a_name_says_k_where_the_data_has_runs_of_several(info):
    runs = [replace(info, id=word, name=word, k=k) for word, k in (("a", 2), ("b", 3), ("c", 3))]
    assert list(run_names(runs).values()) == [
        "line · k = 2 · blp-kmeans",
        "line · k = 3 · blp-kmeans",
        "line · k = 3 · blp-kmeans · 2nd",
    ]


def test_names_say_in_what_runs_differ(info):
    given = [
        {"cuts": "all", "order": "best"}, {"cuts": "none", "order": "best"},
        {"cuts": "none", "order": "depth"}, {"cuts": "none", "order": "depth"},
    ]  # fmt: skip
    runs = [
        replace(info, id=word, name=word, created=at, solver="sdp", settings=settings)
        for at, (word, settings) in enumerate(zip("abcd", given, strict=True))
    ]
    assert list(run_names(runs).values()) == [
        "line · sdp · cuts all · next node best",
        "line · sdp · cuts none · next node best",
        "line · sdp · cuts none · next node depth",
        "line · sdp · cuts none · next node depth · 2nd",
    ]
    limited = replace(runs[0], id="e", name="e", limits=Limits(60.0))
    assert run_names([runs[0], replace(limited, seed=runs[0].seed + 1)])["e"] == (
        f"line · sdp · seed {runs[0].seed + 1} · time limit 60"
    )


# --- What the views of a solver's inner life remember of its events -------------------------------


def fed(kind, records):
    log = kind()
    log.feed(records)
    return log


def test_a_row_a_round_with_nan_for_what_is_not_known(column_records):
    frame = fed(ColumnsLog, column_records).frame()
    assert frame.at.tolist() == list(range(1, 41))
    assert frame.exact.sum() == 8
    assert (np.diff(frame.master) < 0).all()
    assert np.isnan(frame.lower_bound).tolist() == [True] * 4 + [False] * 36
    assert np.isnan(frame.reduced_cost[-1])
    assert (frame.reduced_cost[:-1] > 0).all()


def test_prices_are_ordered_and_name_their_block(column_records):
    frame = fed(ColumnsLog, column_records).duals()
    newest = column_records[-2].event.duals
    assert (np.diff(frame.price) <= 0).all()
    assert (newest[frame.block] == frame.price).all()


def test_only_the_newest_rounds_are_shown(column_records):
    frame = fed(ColumnsLog, column_records[1:-1] * 20).frame()
    assert len(frame.at) == 600
    assert frame.at[-1] == 800


def test_each_generation_in_short_and_every_member(population_records):
    frame = fed(PopulationLog, population_records).frame()
    assert frame.generation.tolist() == list(range(60))
    assert (np.diff(frame.best) <= 0).all()
    assert (frame.best <= frame.mean).all()
    assert frame.diversity[0] == 0.5
    assert len(frame.objective) == 60 * 20
    assert frame.objective[frame.member_generation == 0].min() == frame.best[0]
    again = fed(PopulationLog, population_records[1:-1] * 2).frame()  # after a restart
    assert again.generation.tolist() == list(range(120))


def test_a_line_leads_from_the_loser_to_the_winner(population_records):
    frame = fed(PopulationLog, population_records).frame()
    came = sum((record.event.replaced >= 0).sum() for record in population_records[2:-1])
    assert len(frame.from_objective) == came
    assert (frame.to_objective < frame.from_objective).all()
    assert (frame.to_generation == frame.from_generation + 1).all()


def test_the_mean_of_equals_is_no_less_than_they():
    equals = np.full(20, 77.18124957327115)
    assert equals.mean() < equals.min()  # by rounding
    ended = GenerationEnded(
        generation=0, objectives=equals, diversity=0.0, replaced=np.full(20, -1)
    )
    frame = fed(PopulationLog, [Record(0, 0.0, ended)]).frame()
    assert frame.mean == frame.best


def test_long_runs_show_their_newest_members(population_records):
    frame = fed(PopulationLog, population_records[1:-1] * 10).frame()
    assert len(frame.objective) == 4000
    assert len(frame.generation) == 600


def test_a_row_an_iteration_and_no_zero_on_a_logarithmic_axis(residual_records):
    frame = fed(ResidualsLog, residual_records).frame()
    assert frame.iteration.tolist() == list(range(200))
    assert (np.diff(frame.primal) < 0).all()
    assert frame.violations[0] == 12
    record = residual_records[1]
    event = msgspec.structs.replace(record.event, primal_residual=0.0)
    frame = fed(ResidualsLog, [msgspec.structs.replace(record, event=event)]).frame()
    assert np.isnan(frame.primal[0])


def test_long_runs_are_thinned_with_their_ends(residual_records):
    frame = fed(ResidualsLog, residual_records[1:-1] * 20).frame()
    assert len(frame.iteration) == 800
    assert frame.iteration[[0, -1]].tolist() == [0, 3999]


def test_x_is_ordered_by_cluster_and_turns_binary(residual_records, labels):
    early, late = (fed(ResidualsLog, residual_records[:end]).relaxed() for end in (3, 200))
    assert early.image.shape == (40, 3)
    assert set(np.unique(late.image)) == {0, 255}
    assert 0 < early.image[0].max() < 255
    assert late.image.argmax(axis=1).tolist() == np.sort(labels).tolist()


# --- Bounds ---------------------------------------------------------------------------------------


def test_steps_reach_the_present_and_unknown_is_nan():
    run = Run(Problem([[0.0], [1.0], [4.0]], 2))
    events = [BoundImproved(lower_bound=0.1), IncumbentFound(labels=np.array([0, 0, 1]))]
    for seq, event in enumerate(events):
        run.apply(Record(seq, 1.0 + seq, event))
    run.time_s = 5.0
    frame = bounds(run)
    assert frame.at.tolist() == [1.0, 2.0, 5.0]
    assert frame.lower.tolist() == [0.1, 0.1, 0.1]
    assert np.isnan(frame.upper[0])
    assert frame.upper[1:].tolist() == [0.5, 0.5]
    assert np.allclose(frame.gap[1:], 0.8)
    assert bounds(run, "nodes").at.tolist() == [0, 0, 0]
    assert len(bounds(None).at) == 0


def test_the_heights_worth_seeing_leave_out_the_first_clusterings():
    run = Run(Problem([[0.0], [1.0], [4.0], [40.0]], 2))
    assert bounds(run).heights is None
    labels = [np.array([0, 1, 1, 1]), np.array([0, 0, 0, 1])]
    run.apply(Record(0, 1.0, IncumbentFound(labels=labels[0])))
    worst = run.objective
    assert bounds(run).heights == (worst, worst)
    for seq, event in enumerate(
        [IncumbentFound(labels=labels[1]), BoundImproved(lower_bound=run.objective / 200)], start=1
    ):
        run.apply(Record(seq, 1.0 + seq, event))
    low, high = bounds(run).heights
    assert low < run.lower_bound < run.objective < high < worst


def kept_with(lower):
    """Return an earlier run with these two lower bounds, 3 and 1 seconds before the edit."""
    return TreeKept(
        lower_bound=0.0, leaves=1, reopened=1, times=np.array([-3.0, -1.0]),
        nodes=np.array([0.0, 1.0]), upper=np.array([np.inf, 9.0]), lower=np.array(lower),
        edits=np.empty(0),
    )  # fmt: skip


def test_bounds_that_an_edit_has_made_too_high_are_left_out():
    for lower, at in (([0.1, 0.4], [-3.0, -1.0, 1.0, 1.0]), ([0.1, 8.0], [1.0, 1.0])):
        run = Run(Problem([[0.0], [1.0], [4.0]], 2))
        run.apply(Record(0, 0.0, kept_with(lower)))
        run.apply(Record(1, 1.0, IncumbentFound(labels=np.array([0, 0, 1]))))
        frame = bounds(run)
        assert frame.at.tolist() == at
        assert (len(frame.edits) > 0) == (at[0] < 0)


def test_the_bounds_of_earlier_runs_come_before_the_edit():
    run = Run(Problem([[0.0], [1.0], [4.0]], 2))
    kept = TreeKept(
        lower_bound=0.2, leaves=3, reopened=1, times=np.array([-3.0, -2.0, -1.0, 0.0]),
        nodes=np.array([0.0, 1.0, 3.0, 5.0]), upper=np.array([np.inf, 0.6, 0.6, 0.5]),
        lower=np.array([0.1, 0.1, 0.2, 0.2]), edits=np.array([-2.0]),
    )  # fmt: skip
    run.apply(Record(0, 0.0, kept))
    run.apply(Record(1, 1.0, IncumbentFound(labels=np.array([0, 0, 1]))))
    frame = bounds(run)
    assert frame.at.tolist() == [-3.0, -2.0, -1.0, 0.0, 1.0, 1.0]
    assert frame.lower.tolist() == [0.1, 0.1, 0.2, 0.2, 0.2, 0.2]
    assert frame.edits.tolist() == [-2.0, 0.0]
    assert bounds(run, "nodes").edits.tolist() == [1.0, 5.0]
    assert len(bounds(Run(run.problem)).edits) == 0


@pytest.fixture(scope="module")
def searched(problem, tree_records):
    return played(problem, tree_records(61))


def test_a_lane_is_the_runs_history_with_better_clusterings_marked(searched):
    frame = lane("one", searched)
    assert frame.upper[-1] == searched.objective
    assert np.nanmax(frame.lower) == searched.lower_bound
    assert (np.diff(frame.at) >= 0).all()
    assert frame.found.tolist() == [searched.objective]
    assert frame.found_at[0] > 0
    assert lane("one", searched, "nodes").at[-1] == 61


def test_a_closed_gap_is_no_number(problem, relaxation_records):
    run = played(problem, relaxation_records)
    run.lower_bound = run.objective
    run._remember()
    assert np.isnan(lane("one", run).gap[-1])


def test_runs_side_by_side(searched, problem):
    lanes = race([("one", searched), ("nothing yet", Run(problem))])
    assert [each.name for each in lanes] == ["one", "nothing yet"]
    assert len(lanes[1].at) == 0


# --- Parts ----------------------------------------------------------------------------------------


def log_of(events):
    log = PartsLog()
    log.feed(Record(at, 2.0 * at, event) for at, event in enumerate(events))
    return log


def cut(parts, shared=0):
    part_of = np.concatenate([np.arange(parts), np.full(shared, -1)])
    return PartsCut(parts=parts, part_of=part_of)


def bounded(part, lower, upper):
    return PartBounded(part=part, lower_bound=lower, upper_bound=upper, rounds=1)


def test_no_mosaic_before_the_points_are_cut():
    assert log_of([Finished(termination="proved")]).frame() is None


def test_a_tile_a_part_in_a_square():
    frame = log_of([cut(5, shared=2), bounded(0, 9.0, 10.0), bounded(3, 4.0, 4.0)]).frame()
    assert frame.gap.shape == (2, 3)
    assert frame.gap[0, 0] == pytest.approx(0.1)
    assert frame.gap[1, 0] == LEAST_GAP
    assert np.isnan(frame.gap).sum() == 4
    assert (frame.parts, frame.done, frame.cuts, frame.shared) == (5, 2, 1, 2)
    assert frame.to_go_s == pytest.approx(6.0)


def test_a_part_that_is_improved_counts_once_and_a_new_cut_begins_anew():
    events = [cut(2), bounded(1, 1.0, 2.0), bounded(1, 1.5, 2.0)]
    assert log_of(events).frame().done == 1
    frame = log_of([*events, cut(1)]).frame()
    assert (frame.parts, frame.done, frame.cuts) == (1, 0, 2)
    assert np.isnan(frame.to_go_s)


def test_merged_parts_have_one_gap():
    one = PartBounded(part=0, merged=(2,), lower_bound=9.0, upper_bound=10.0, rounds=1)
    frame = log_of([cut(4), bounded(0, 1.0, 2.0), one]).frame()
    assert frame.done == 2
    assert frame.gap[0, 0] == frame.gap[1, 0] == pytest.approx(0.1)
