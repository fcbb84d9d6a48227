"""What the views of a solver's inner life remember of its events."""

import msgspec
import numpy as np

from ccviz.events import GenerationEnded, Record
from ccviz.views.frames.exact import ColumnsLog, ResidualsLog
from ccviz.views.frames.heuristic import PopulationLog


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
