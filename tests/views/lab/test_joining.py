"""A run that more than one page holds goes on until the last of them leaves."""

from ccviz.data.datasets import load
from ccviz.views.lab.runner import RunQueue
from ccviz.views.lab.session import Session
from tests.patience import wait_until


def test_a_page_that_is_loaded_again_holds_the_run_of_the_old_one(archive):
    queue = RunQueue(limit=1)
    old, new = (Session(archive, queue, load("iris")) for _ in range(2))
    old.set_solver("cop-kmeans", n_init=100_000_000)
    old.start()
    wait_until(lambda: old.tick() or (old.run is not None and old.run.labels is not None))
    run_id = old.runner.run_id
    new.playback.join(run_id)
    assert (new.runner.state, new.runner.run_id) == ("running", run_id)

    old.close()
    new.tick()
    assert new.runner.state == "running"
    assert archive.info(run_id).state == "running"
    assert len(queue) == 1

    new.playback.stop()
    wait_until(lambda: new.tick() or new.runner.state == "ended")
    assert archive.info(run_id).termination == "interrupted"
    assert len(queue) == 0
    new.close()


def test_a_run_that_no_page_holds_is_only_watched(archive):
    session = Session(archive, RunQueue(), load("iris"))
    assert not session.runner.join("elsewhere")
    assert session.runner.state == "idle"
    session.close()


def test_the_first_few_may_run_and_the_others_move_up():
    queue = RunQueue(limit=2)
    first, second, third, fourth = (queue.join() for _ in range(4))
    assert [ticket.waiting for ticket in (first, second, third, fourth)] == [0, 0, 1, 2]
    first.release()
    assert third.waiting == 0
    assert fourth.waiting == 1
    third.release()
    third.release()
    assert len(queue) == 2
