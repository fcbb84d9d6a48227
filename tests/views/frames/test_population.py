import numpy as np

from ccviz.events import GenerationEnded, Record
from ccviz.views.frames.population import PopulationLog


def log_of(records):
    log = PopulationLog()
    log.feed(records)
    return log


def test_each_generation_in_short(population_records):
    frame = log_of(population_records).frame()
    assert frame.generation.tolist() == list(range(60))
    assert (np.diff(frame.best) <= 0).all()
    assert (frame.best <= frame.mean).all()
    assert frame.diversity[0] == 0.5


def test_every_member_is_there(population_records):
    frame = log_of(population_records).frame()
    assert len(frame.objective) == 60 * 20
    first = frame.member_generation == 0
    assert frame.objective[first].min() == frame.best[0]


def test_a_line_leads_from_the_loser_to_the_winner(population_records):
    frame = log_of(population_records).frame()
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
    frame = log_of([Record(0, 0.0, ended)]).frame()
    assert frame.mean == frame.best


def test_long_runs_show_their_newest_members(population_records):
    frame = log_of(population_records[1:-1] * 10).frame()
    assert len(frame.objective) == 4000
    assert len(frame.generation) == 600


def test_generations_go_on_counting_after_a_restart(population_records):
    frame = log_of(population_records[1:-1] * 2).frame()
    assert frame.generation.tolist() == list(range(120))


def test_no_generation_yet():
    frame = PopulationLog().frame()
    assert len(frame.generation) == len(frame.objective) == len(frame.from_objective) == 0
