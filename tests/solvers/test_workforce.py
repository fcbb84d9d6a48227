import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from ccviz.errors import ParameterError
from ccviz.solvers.workforce import in_order, open_workforce
from tests.patience import wait_until


def blas_threads():
    import numpy as np  # noqa: F401
    from threadpoolctl import threadpool_info

    return [pool["num_threads"] for pool in threadpool_info()]


def broken():
    raise ValueError("no")


def test_one_worker_is_this_process():
    with open_workforce("1") as workforce:
        assert workforce.size == 1
        assert workforce.executor.submit(os.getpid).result() == os.getpid()
        with pytest.raises(ValueError, match="no"):
            workforce.executor.submit(broken)


def test_local_workers_are_other_processes_with_one_thread_each():
    with open_workforce("2") as workforce:
        assert workforce.size == 2
        assert workforce.executor.submit(os.getpid).result() != os.getpid()
        assert set(workforce.executor.submit(blas_threads).result()) == {1}


@pytest.mark.parametrize("workers", ["0", "-1", "many", "1.5", ""])
def test_nonsense_is_refused_in_words(workers):
    with pytest.raises(ParameterError, match="workers"), open_workforce(workers):
        pass


def test_a_scheduler_that_is_not_there_is_named():
    with (
        pytest.raises(ParameterError, match=r"tcp://127\.0\.0\.1:9"),
        open_workforce("tcp://127.0.0.1:9"),
    ):
        pass


PARENT = """
import os, time
from ccviz.solvers.workforce import in_order, open_workforce
if __name__ == "__main__":
    with open_workforce("2") as workforce:
        print(workforce.executor.submit(os.getpid).result(), flush=True)
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
    with open_workforce("2") as workforce:
        workforce.executor.submit(os.getpid).result()
        futures = [workforce.executor.submit(time.sleep, 120) for _ in range(3)]
        wait_until(futures[0].running)
        began = time.monotonic()
    assert time.monotonic() - began < 60


@pytest.mark.parametrize("workers", ["1", "2"])
def test_answers_come_in_the_order_of_the_tasks(workers):
    with open_workforce(workers) as workforce:
        answers = in_order(workforce, pow, [(base, 2) for base in range(6)], lambda: False)
        assert list(answers) == [0, 1, 4, 9, 16, 25]


def test_no_answer_comes_after_a_stop():
    stops = iter([False, False, False, True])
    with open_workforce("1") as workforce:
        answers = in_order(workforce, pow, [(i, 1) for i in range(9)], lambda: next(stops))
        assert list(answers) == [0, 1, 2]
