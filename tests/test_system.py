"""What only POSIX systems have is behind one door, and can be done without."""

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

import ccviz

PACKAGE = Path(ccviz.__file__).parent
ON_THE_PAGE = (
    "tests/app/test_journeys.py::test_two_points_are_linked_and_the_best_clustering_is_proved",
    "tests/app/test_journeys.py::test_a_table_comes_in_and_its_rows_go_home_with_their_clusters",
    "tests/app/test_upload.py::test_a_table_of_several_parts_shows_its_share_and_opens_its_sheet",
    "tests/app/test_runs.py::test_limits_end_a_run_which_goes_on_from_the_table",
    "tests/app/test_runs.py::test_runs_wait_in_a_queue",
)
MODULES = {"fcntl", "grp", "pwd", "resource", "termios", "tty"}
CALLS = {
    "os": {"fork", "getpgid", "getsid", "getuid", "kill", "killpg", "nice", "waitid", "waitpid"},
    "signal": {"SIGALRM", "SIGKILL", "SIGUSR1", "alarm", "setitimer"},
}
NAMES = {f"{module}.{name}" for module, names in CALLS.items() for name in names}
DOORS = {"system.py", "runs/fork_server.py"}
"""The second one runs on Linux alone."""

LACKING = """
import sys

class Lacking:
    def find_spec(self, name, path=None, target=None):
        if name in ("fcntl", "grp", "pwd", "resource", "termios"):
            raise ModuleNotFoundError(name)

sys.meta_path.insert(0, Lacking())
for name in ("fcntl", "resource", "pwd", "grp", "termios"):
    sys.modules.pop(name, None)
"""


def posix_only(tree):
    """Yield what a module uses that only POSIX systems have."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (each.name for each in node.names if each.name in MODULES)
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            names = CALLS.get(node.module or "", set())
            yield from (each.name for each in node.names if each.name in names)
            if node.module in MODULES:
                yield node.module
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            yield from {f"{node.value.id}.{node.attr}"} & NAMES


def test_only_the_door_uses_what_only_posix_has():
    found = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        name = path.relative_to(PACKAGE).as_posix()
        used = sorted(set(posix_only(ast.parse(path.read_text(encoding="utf-8")))))
        if used and name not in DOORS:
            found[name] = used
    assert found == {}


def portable(code, *, home):
    """Run code in a process without POSIX's modules."""
    return subprocess.run(
        [sys.executable, "-c", LACKING + code],
        env=os.environ | {"CCVIZ_PORTABLE": "1", "CCVIZ_HOME": str(home)},
        capture_output=True, text=True, check=False,
    )  # fmt: skip


@pytest.mark.slow
def test_every_module_is_imported_without_posix(tmp_path):
    modules = [
        ".".join(["ccviz", *path.relative_to(PACKAGE).with_suffix("").parts])
        for path in sorted(PACKAGE.rglob("*.py"))
        if path.name not in ("__main__.py", "__init__.py", "fork_server.py")
    ]
    code = f"import importlib\nfor name in {modules}: importlib.import_module(name)\n"
    done = portable(code, home=tmp_path)
    assert done.returncode == 0, done.stderr


@pytest.mark.slow
def test_a_run_is_spawned_killed_and_kept_without_posix(tmp_path):
    code = """
import numpy as np
from ccviz import Problem
from ccviz.runs.archive import Archive
from ccviz.runs.job import Job
from ccviz.solvers import make_solver

problem = Problem(np.arange(8.0).reshape(4, 2), 2)
with Archive(sys.argv[1]) as archive:
    for solver in (make_solver("k-means"), make_solver("cop-kmeans", n_init=100_000_000)):
        job = Job.start(archive, problem, solver)
        while archive.info(job.run_id).last_seq < 0:
            pass
        if solver.name == "cop-kmeans":
            job.kill()
        job.wait()
        info = archive.info(job.run_id)
        print(info.state, info.termination)
"""
    path = tmp_path / "runs.sqlite"
    done = portable(f"sys.argv = ['', {str(path)!r}]\n" + code, home=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["finished", "converged", "finished", "interrupted"]


@pytest.mark.slow
@pytest.mark.browser
@pytest.mark.timeout(1800)
def test_the_page_works_without_posix():
    """What starts, stops and joins processes: runs, uploads, limits of runs and their queue."""
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *ON_THE_PAGE],
        cwd=PACKAGE.parent,
        env=os.environ | {"CCVIZ_PORTABLE": "1"}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout
