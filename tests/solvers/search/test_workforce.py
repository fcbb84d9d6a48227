import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from ccviz import Problem, start
from ccviz.errors import ParameterError, WorkersLostError
from ccviz.events import Finished
from ccviz.solvers.base import never
from ccviz.solvers.search import workforce
from ccviz.solvers.search.workforce import (
    DaskWorkers,
    Processes,
    SerialExecutor,
    Workforce,
    in_order,
    open_workforce,
)
from tests.patience import wait_until


def blas_threads():
    import numpy as np  # noqa: F401
    from threadpoolctl import threadpool_info

    return [pool["num_threads"] for pool in threadpool_info()]


def broken():
    raise ValueError("no")


def test_one_worker_is_this_process():
    with open_workforce("1") as force:
        assert force.size == 1
        assert force.result(force.submit(os.getpid), never) == os.getpid()
        with pytest.raises(ValueError, match="no"):
            force.submit(broken)


def test_local_workers_are_other_processes_with_one_thread_each():
    with open_workforce("2") as force:
        assert force.size == 2
        assert force.result(force.submit(os.getpid), never) != os.getpid()
        assert set(force.result(force.submit(blas_threads), never)) == {1}


@pytest.mark.parametrize("workers", ["0", "-1", "many", "1.5", "", "9" * 5000])
def test_nonsense_is_refused_in_words(workers):
    with pytest.raises(ParameterError, match="workers"), open_workforce(workers):
        pass


@pytest.mark.slow
def test_a_scheduler_that_is_not_there_is_named():
    pytest.importorskip("distributed")
    with (
        pytest.raises(ParameterError, match=r"tcp://127\.0\.0\.1:9"),
        open_workforce("tcp://127.0.0.1:9"),
    ):
        pass


PARENT = """
import os, time
from ccviz.solvers.base import never
from ccviz.solvers.search.workforce import open_workforce
if __name__ == "__main__":
    with open_workforce("2") as force:
        print(force.result(force.submit(os.getpid), never), flush=True)
        time.sleep(60)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="needs SIGKILL")
def test_workers_die_with_a_killed_parent(tmp_path):
    script = tmp_path / "parent.py"
    script.write_text(PARENT)
    parent = subprocess.Popen([sys.executable, str(script)], stdout=subprocess.PIPE, text=True)
    worker = int(parent.stdout.readline())
    assert is_alive(worker)
    parent.send_signal(signal.SIGKILL)
    parent.wait()
    parent.stdout.close()
    wait_until(lambda: not is_alive(worker))


def is_alive(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_what_is_in_hand_at_the_end_is_not_waited_for():
    with open_workforce("2") as force:
        force.result(force.submit(os.getpid), never)
        futures = [force.submit(time.sleep, 3600).future for _ in range(3)]
        wait_until(futures[0].running)


def squared(base, stop=never):
    return base**2


def heard(stop):
    return stop()


@pytest.mark.parametrize("workers", ["1", "2"])
def test_answers_come_in_the_order_of_the_tasks(workers):
    with open_workforce(workers) as force:
        answers = in_order(force, squared, [(base,) for base in range(6)], lambda: False)
        assert list(answers) == [0, 1, 4, 9, 16, 25]


def test_no_answer_comes_after_a_stop():
    stops = iter([False, False, False, True])
    with open_workforce("1") as force:
        answers = in_order(force, squared, [(i,) for i in range(9)], lambda: next(stops))
        assert list(answers) == [0, 1, 4]


def test_a_task_in_this_process_gets_the_stop():
    with open_workforce("1") as force:
        assert list(in_order(force, heard, [()], lambda: False)) == [False]


def named_once(folder, name):
    """Say which process has the task, and wait to be let go."""
    (folder / name).write_text(str(os.getpid()))
    while not (folder / "go").exists():
        time.sleep(0.01)
    return name


needs_sigkill = pytest.mark.skipif(sys.platform == "win32", reason="needs SIGKILL")


@pytest.mark.slow
@needs_sigkill
def test_what_a_killed_worker_had_is_given_out_again(tmp_path):
    with open_workforce("2") as force:
        handles = [force.submit(named_once, tmp_path, name) for name in "abc"]
        wait_until(lambda: (tmp_path / "a").exists() and (tmp_path / "a").read_text())
        victim = int((tmp_path / "a").read_text())
        os.kill(victim, signal.SIGKILL)
        wait_until(handles[0].future.done)  # the pool has noticed
        (tmp_path / "go").touch()
        late = force.submit(named_once, tmp_path, "d")
        answers = [force.result(each, never) for each in (*handles, late)]
        assert answers == ["a", "b", "c", "d"]
        assert int((tmp_path / "a").read_text()) != victim
        assert force.size == 2


@pytest.mark.slow
def test_a_task_that_kills_every_worker_ends_in_a_sentence():
    with open_workforce("2") as force:
        handle = force.submit(os._exit, 1)
        with pytest.raises(WorkersLostError, match="Worker processes were lost"):
            force.result(handle, never)


def test_losses_in_a_row_leave_fewer_processes_and_then_none():
    backend = Processes(8)
    counts = []
    for losses in range(9):
        pool = backend.open(losses)
        if pool is None:
            break
        counts.append(pool._max_workers)
        backend.close()
    assert counts == [8, 8, 4, 2, 1, 1]


class Deaf(SerialExecutor):
    """Takes tasks, and never answers."""

    def submit(self, fn, /, *args, **kwargs):
        return Future()


class Replaced:
    """A backend whose workers were replaced without an exception of their futures."""

    size, what, losses, refusals = 2, "Deaf workers", (), ()

    def open(self, losses):
        self.opened = losses
        return SerialExecutor() if losses else Deaf()

    def has_changed(self):
        return not self.opened

    def close(self):
        pass


def test_tasks_that_the_backend_no_longer_knows_are_submitted_again():
    force = Workforce(Replaced(), ask_s=0.0)
    handles = [force.submit(abs, -each) for each in (1, 2)]
    assert [force.result(each, never) for each in handles] == [1, 2]


HELD = threading.Event()


def waits(base):
    """Wait for this process's leave: Dask's workers of the test are its threads."""
    HELD.wait()
    return base


class DiesOnce(ProcessPoolExecutor):
    """Loses a worker before the first task, and is then replaced by what does not."""

    def submit(self, work, /, *task):
        super().submit(os._exit, 1)
        return super().submit(work, *task)


@pytest.fixture
def dying(monkeypatch):
    """Have the first pool lose a worker; return how many pools there were."""
    pools = []

    def make(*about, **more):
        pools.append((ProcessPoolExecutor if pools else DiesOnce)(*about, **more))
        return pools[-1]

    monkeypatch.setattr(workforce, "Pool", make)
    return pools


def tangled_run(workers):
    X = np.random.default_rng(0).normal(size=(18, 2))
    links = [(i, j) for i in range(18) if (j := (7 * i + 3) % 18) > i]
    leafy = {"tolerance": 1e-6, "max_rounds": 2, "cuts_per_block": 0.5}
    return start(Problem(X, 4, cannot_link=links), "sdp", workers=workers, **leafy)


def story_of(stepper):
    return [
        (type(event).__name__, getattr(event, "node", None), getattr(event, "lower_bound", None))
        for event in (record.event for record in stepper)
    ]


@pytest.mark.slow
def test_a_run_that_loses_a_worker_takes_the_same_way(dying):
    disturbed = tangled_run(2)
    told = story_of(disturbed)
    assert len(dying) == 2
    assert disturbed.run.status == "optimal"
    assert told == story_of(tangled_run(2))


def test_a_run_without_workers_ends_in_a_sentence_with_what_it_found(dying, monkeypatch):
    open_pool = Processes.open
    monkeypatch.setattr(Processes, "open", lambda *way: None if way[1] else open_pool(*way))
    stepper = tangled_run(2)
    *_, last = stepper
    assert isinstance(last.event, Finished)
    assert last.event.termination == "failed"
    assert last.event.message == (
        "Worker processes were lost, again and again or for good. "
        "What was found before is kept and the run can go on."
    )
    assert stepper.run.incumbent is not None
    assert 0 < stepper.run.lower_bound < stepper.run.objective


@pytest.mark.slow
def test_a_scheduler_that_comes_back_gets_its_tasks_again_and_one_that_does_not_is_named():
    distributed = pytest.importorskip("distributed")

    def cluster(port=0):
        return distributed.LocalCluster(
            n_workers=1, threads_per_worker=2, processes=False, dashboard_address=None,
            protocol="tcp", scheduler_port=port, host="127.0.0.1",
        )  # fmt: skip

    gone = cluster()
    address = gone.scheduler_address
    with closing(Workforce(DaskWorkers(address, return_s=2.0))) as force:
        handles = [force.submit(waits, base) for base in range(2)]
        gone.close()
        back = cluster(int(address.rpartition(":")[2]))
        HELD.set()
        assert [force.result(each, never) for each in handles] == [0, 1]
        back.close()
        with pytest.raises(WorkersLostError, match=f"The Dask scheduler at {address} or its w"):
            force.result(force.submit(waits, 2), never)


LOSE_IT = """
import gc, os, signal
from multiprocessing import resource_tracker
from ccviz.solvers.search.workforce import Processes

if __name__ == "__main__":
    pool = Processes(1)
    assert pool.open(0).submit(abs, -3).result() == 3
    tracker = resource_tracker._resource_tracker._pid
    os.kill(tracker, signal.SIGKILL)
    os.waitid(os.P_PID, tracker, os.WEXITED | os.WNOWAIT)
    pool.close()
    del pool
    gc.collect()
    print("closed")
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no resource tracker")
def test_a_killed_tracker_writes_no_traceback(tmp_path):
    script = tmp_path / "lose_it.py"
    script.write_text(LOSE_IT)
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, check=True)
    assert done.stdout == "closed\n"
    assert "KeyError" not in done.stderr
    assert "Traceback" not in done.stderr
