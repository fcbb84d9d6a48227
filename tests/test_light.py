"""The core runs where what only extras bring is not installed."""

import json
import subprocess
import sys

import pytest

EXTRAS = ("cvxpy", "mcp", "openpyxl", "pandas", "panel", "pyarrow", "pydantic", "scs", "typer")
_WITHOUT = """
import sys

class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {blocked!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

sys.meta_path.insert(0, Blocked())
{code}
"""


def run_without(blocked, code, *args):
    """Run code in a process in which some packages cannot be imported."""
    script = _WITHOUT.format(blocked=blocked, code=code)
    return subprocess.run(
        [sys.executable, "-c", script, *args], capture_output=True, text=True, check=False
    )


CLI = "from ccviz.cli import main; sys.exit(main())"


def test_the_command_line_needs_no_extra(tmp_path):
    done = run_without(EXTRAS, CLI, "solve", "iris", "-k", "3", "--solver", "blp-kmeans",
                       "--no-archive", "--json", "-")  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["status"] == "feasible"


def test_a_run_is_solved_and_compared_with_its_truth_without_scikit_learn():
    code = """
from ccviz import solve
from ccviz.data.datasets import load
from ccviz import Problem
data = load("iris")
result = solve(Problem(data.X, 3, truth=data.truth), progress=False)
print(result.partition.scores["ari"] > 0.7, "sklearn" in sys.modules)
"""
    done = run_without(EXTRAS, code)
    assert done.stdout.split() == ["True", "False"], done.stderr


def test_solving_needs_little_of_scipy():
    unneeded = ("scipy.spatial", "scipy.special", "scipy.cluster", "scipy.optimize", "scs")
    code = f"""
from ccviz.cli import main
sys.argv[1:] = ["solve", "iris", "-k", "3", "--solver", "sdp", "--no-archive", "--quiet"]
try:
    main()
except SystemExit:
    print([name for name in {unneeded!r} if name in sys.modules])
"""
    done = run_without(EXTRAS, code)
    assert done.stdout.splitlines()[-1] == "[]", done.stderr


def test_a_limit_of_threads_reaches_the_blas_of_scipy():
    # Such a limit holds only for the libraries that are loaded.
    code = "import ccviz; print('scipy.linalg' in sys.modules)"
    assert run_without(EXTRAS, code).stdout.split() == ["True"]


def test_sizes_are_kept_beside_ortools():
    # It brings a HiGHS of its own, after which that of highspy cannot be loaded.
    code = """
from ccviz import ConstrainedKMeans
model = ConstrainedKMeans(2, size_min=2, random_state=0).fit([[0.0], [1.0], [2.0], [9.0]])
print(sorted(model.labels_.tolist()))
"""
    done = run_without((*EXTRAS, "highspy"), code)
    assert done.stdout.split("\n")[0] == "[0, 0, 1, 1]", done.stderr


def test_tools_for_an_agent_name_the_package_that_they_need(tmp_path):
    done = run_without(EXTRAS, CLI, "mcp", str(tmp_path))
    assert (done.returncode, done.stdout) == (2, "")
    said = "ccviz: there is no package mcp; pip install 'ccviz-lab[mcp]' brings it.\n"
    assert done.stderr == said


@pytest.mark.slow
def test_the_archive_needs_no_extra(tmp_path, monkeypatch):
    monkeypatch.setenv("CCVIZ_HOME", str(tmp_path))
    points = tmp_path / "points.csv"
    points.write_text("x,y\n0,0\n0,1\n5,5\n5,6\n")
    solved = run_without(EXTRAS, CLI, "solve", str(points), "-k", "2", "--solver", "rbba")
    assert solved.returncode == 0, solved.stderr
    listed = run_without(EXTRAS, CLI, "runs")
    assert "rbba" in listed.stdout, listed.stderr


@pytest.mark.parametrize(
    ("name", "content", "library"),
    [("points.parquet", b"PAR1....PAR1", "pyarrow"), ("points.xlsx", b"PK\x03\x04", "openpyxl")],
)
def test_a_file_that_needs_an_extra_names_it(tmp_path, name, content, library):
    file = tmp_path / name
    file.write_bytes(content)
    done = run_without(EXTRAS, CLI, "solve", str(file), "-k", "2", "--no-archive")
    assert done.returncode == 2
    words = " ".join(done.stderr.split())
    assert f"needs {library}: pip install 'ccviz-lab[tables]'" in words
