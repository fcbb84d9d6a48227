"""The size of the project: a budget of files and lines for each package, raised only by a commit
that says why.
"""

import ast
import importlib.util
import re
import statistics
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

MOST_LINES = 600
MOST_SMALL = 20

# Files and lines of each package: what it has, and five percent.
BUDGET = {
    "ccviz, top level": (23, 3_250),
    "ccviz.active": (11, 2_600),
    "ccviz.cli": (12, 3_450),
    "ccviz.data": (17, 4_550),
    "ccviz.feasibility": (7, 2_000),
    "ccviz.problem": (17, 5_250),
    "ccviz.proof": (14, 4_050),
    "ccviz.runs": (22, 5_150),
    "ccviz.solvers": (123, 29_900),
    "ccviz.studies": (21, 4_600),
    "ccviz.views": (96, 25_000),
    "ccviz": (360, 89_000),
    "tests": (360, 54_300),
    "benchmarks": (96, 14_400),
}


@pytest.fixture(scope="module")
def size():
    """Load the tool that counts."""
    spec = importlib.util.spec_from_file_location("project_size", ROOT / "tools" / "size.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # where dataclasses look
    spec.loader.exec_module(module)
    return module


def body_lines(function: ast.FunctionDef) -> int:
    """Return how many lines a function's body has below its docstring."""
    body = function.body[ast.get_docstring(function) is not None :]
    return body[-1].end_lineno - body[0].lineno + 1 if body else 0


def test_no_package_is_over_its_budget(size):
    sizes = size.packages()
    over = {
        name: (sizes[name].files, sizes[name].lines)
        for name, (files, lines) in BUDGET.items()
        if sizes[name].files > files or sizes[name].lines > lines
    }
    assert not over, "a commit that raises a budget says why"


def test_the_budget_has_every_package(size):
    assert set(BUDGET) == set(size.packages())


def test_no_source_file_is_long(size):
    lengths = {path: size.read(path).lines for path in size.sources("ccviz")}
    assert not {str(path): lines for path, lines in lengths.items() if lines > MOST_LINES}


def test_functions_are_short(size):
    trees = [ast.parse(path.read_text("utf-8")) for path in size.sources("ccviz")]
    found = [node for tree in trees for node in ast.walk(tree)]
    functions = [node for node in found if isinstance(node, ast.FunctionDef)]
    assert statistics.median(map(body_lines, functions)) < 12


def test_few_small_modules_have_one_importer(size):
    assert len(size.small_modules()) <= MOST_SMALL


def test_the_page_has_the_sizes_of_now(size):
    """Within two percent: a line more is no reason to write the page again."""
    page = (ROOT / "docs" / "development.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| \**([\w., ]+?)\** \| ([\d,]+) \| ([\d,]+) \|", page, re.MULTILINE)
    shown = {name: [int(number.replace(",", "")) for number in each] for name, *each in rows}
    assert shown == {
        name: pytest.approx([each.files, each.lines], rel=0.02, abs=1)
        for name, each in size.packages().items()
    }, "run make size"
