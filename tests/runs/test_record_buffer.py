import numpy as np

from ccviz.events import Assigned, Finished, IncumbentFound, Record, Started
from ccviz.runs.stepper import RecordBuffer


def records(many):
    labels = np.zeros(1000, dtype=np.int64)
    yield Started(solver="s", settings={}, seed=0, n=1000, d=1, k=1, n_blocks=1000)
    for at in range(many):
        yield Assigned(iteration=at, labels=labels, objective=1.0, moved=0)
    yield IncumbentFound(labels=labels)
    yield Finished(termination="converged")


def taped(many, **limits):
    tape = RecordBuffer(**limits)
    for seq, event in enumerate(records(many)):
        tape.append(Record(seq, 0.0, event))
    return tape.records()


def test_a_short_run_is_kept_whole():
    assert [record.seq for record in taped(5)] == list(range(8))


def test_of_a_long_run_what_lasts_is_kept_and_some_of_what_passes():
    kept = taped(500, most_bytes=100_000)
    seqs = [record.seq for record in kept]
    assert seqs == sorted(seqs)
    assert seqs[0] == 0
    assert seqs[-2:] == [501, 502]
    assert 4 < len(kept) <= 16
