"""The times of tests, and which of them are long."""

import os
import subprocess
import sys

import pytest

from tests.tiers import Stopwatch, is_long, seconds


def test_the_time_of_processes_is_counted_while_they_work_and_when_they_have_ended():
    watch = Stopwatch()
    work = "import time\nwhile time.process_time() < 0.4: pass\nprint(flush=True)\ninput()"
    with subprocess.Popen(
        [sys.executable, "-c", work], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as child:
        child.stdout.readline()
        assert watch.taken()[1] > 0.3
        child.communicate(b"\n")
    assert watch.taken()[1] > 0.3


@pytest.mark.parametrize(
    ("clock", "processor", "marks", "long"),
    [
        (6.0, 6.0, [], True),
        (60.0, 4.0, [], False),  # a busy machine
        (4.0, 60.0, [], False),  # many processes at once
        (16.0, 16.0, ["browser"], True),
        (14.0, 14.0, ["browser"], False),
    ],
)
def test_a_long_test_is_long_on_an_idle_machine(clock, processor, marks, long):
    test = {"test": "t", "clock": clock, "processor": processor, "marks": marks}
    assert seconds(test) == min(clock, processor)
    assert is_long(test) == long


@pytest.mark.slow
def test_the_end_of_a_run_names_the_long_tests_that_lack_the_mark(tmp_path):
    (tmp_path / "conftest.py").write_text(
        "from tests import tiers\ntiers.LONG_S = 0.2\n"
        "def pytest_configure(config):\n"
        "    config.addinivalue_line('markers', 'slow: long')\n"
        "    config.pluginmanager.register(tiers.Tiers(config))\n"
    )
    (tmp_path / "test_some.py").write_text(
        "import time, pytest\n"
        "def work():\n    end = time.process_time() + 0.4\n"
        "    while time.process_time() < end: pass\n"
        "@pytest.fixture\ndef own(): work()\n"
        "@pytest.fixture(scope='session')\ndef shared(): work()\n"
        "def test_long(own): pass\n"
        "def test_first(shared): pass\n"
        "@pytest.mark.slow\ndef test_marked(own): pass\n"
    )
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-c", os.devnull]
    run = subprocess.run(
        [*command, "--rootdir", str(tmp_path), str(tmp_path)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert run.returncode == 0, run.stdout + run.stderr
    named = run.stdout.partition("long tests without the mark 'slow'")[2]
    assert "test_long" in named
    assert "test_first" not in named
    assert "test_marked" not in named
    assert "3 tests, " in named
