"""Writing a run while it goes on."""

import threading
import time

import numpy as np
import pytest

from ccviz import Problem, Run
from ccviz.errors import ArchiveError
from ccviz.events import Assigned, Finished, Noted, Record
from ccviz.runs import recorder as module
from ccviz.runs.recorder import Recorder
from tests.patience import PATIENCE_S, wait_until

PROBLEM = Problem(np.arange(4.0)[:, None], 2)


class RecordBuffer:
    """Puts made-up records into a recorder."""

    def __init__(self, archive):
        self.archive, self.run = archive, Run(PROBLEM)
        self.run_id = archive.create(PROBLEM, "sdp", {})
        self.recorder = Recorder(archive, self.run_id, self.run)

    def put(self, event):
        record = Record(self.run.seq + 1, 0.0, event)
        self.run.apply(record)
        self.recorder.put(record)

    def assign(self, count):
        for i in range(count):
            labels = np.array([0, 0, 1, 1])
            self.put(Assigned(iteration=i, labels=labels, objective=0.0, moved=0))

    @property
    def stored(self):
        return [record.seq for record in self.archive.records(self.run_id)]


@pytest.fixture
def tape(archive):
    return RecordBuffer(archive)


def test_a_record_is_readable_soon_without_another_coming(tape):
    with tape.recorder:
        tape.put(Noted(text="hello"))
        wait_until(lambda: tape.stored == [0])


def test_a_short_run_is_stored_whole(tape):
    with tape.recorder:
        tape.assign(5000)
    assert tape.stored == list(range(5000))


def test_the_summary_is_that_of_the_last_record(tape):
    with tape.recorder:
        tape.assign(3)
        tape.put(Finished(termination="stalled", message="Over."))
    info = tape.archive.info(tape.run_id)
    assert (info.termination, info.message, info.last_seq) == ("stalled", "Over.", 3)


def test_an_error_in_the_run_passes_and_what_was_put_is_stored(tape):
    def run():
        with tape.recorder:
            tape.assign(3)
            raise RuntimeError("oh dear")

    with pytest.raises(RuntimeError, match="oh dear"):
        run()
    assert tape.stored == [0, 1, 2]


@pytest.mark.parametrize("limit", ["_KEEP_RECORDS", "_KEEP_BYTES"])
def test_a_long_run_keeps_the_newest_assignment_of_a_batch_and_all_else(tape, monkeypatch, limit):
    monkeypatch.setattr(module, limit, 10)
    with tape.recorder:
        for _ in range(50):
            tape.assign(50)
            tape.put(Noted(text="kept"))
    kinds = [type(record.event) for record in tape.archive.records(tape.run_id)]
    assert kinds.count(Noted) == 50
    assert kinds.count(Assigned) < 2000
    assert tape.stored[-1] == 50 * 51 - 1
    assert tape.stored[-2] == 50 * 51 - 2  # the newest assignment is there


def test_what_cannot_be_dropped_waits_for_the_disk(tape, monkeypatch):
    monkeypatch.setattr(module, "_MOST_PENDING", 10)
    gate = threading.Event()
    append = tape.archive.append

    def slow(*args):
        gate.wait(PATIENCE_S)
        append(*args)

    monkeypatch.setattr(tape.archive, "append", slow)
    with tape.recorder:
        writer = threading.Thread(target=lambda: [tape.put(Noted(text="x")) for _ in range(50)])
        writer.start()
        wait_until(lambda: len(tape.recorder._pending) == 10)
        assert writer.is_alive()
        gate.set()
        writer.join(PATIENCE_S)
    assert tape.stored == list(range(50))


def test_a_run_that_is_deleted_ends_its_recorder(tape):
    def run():
        with tape.recorder:
            tape.archive.delete(tape.run_id)
            while True:
                tape.put(Noted(text="x"))
                time.sleep(0.001)

    with pytest.raises(ArchiveError, match="no run"):
        run()


def test_any_error_of_the_writer_ends_the_run_and_nobody_waits(tape, monkeypatch):
    monkeypatch.setattr(threading, "excepthook", lambda _: None)

    def run():
        with tape.recorder:
            while True:
                tape.put(Assigned(iteration=0, labels=np.array([{}]), objective=0.0, moved=0))

    with pytest.raises(ArchiveError, match="could not be stored"):
        run()


def test_a_paused_run_keeps_saying_that_it_is_there(tape, monkeypatch):
    monkeypatch.setattr(module, "_BEAT_S", 0.05)
    with tape.recorder:
        tape.put(Noted(text="x"))
        wait_until(lambda: tape.stored)
        before = tape.archive.info(tape.run_id).beat
        wait_until(lambda: tape.archive.info(tape.run_id).beat > before)
