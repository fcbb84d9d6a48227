"""Imports go one way, and nothing below the views knows that there are any."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "ccviz"

# Each may know those before it, none after it.
DIRECTION = [
    "ccviz.problem",
    "ccviz.blocks",
    "ccviz.partition",
    "ccviz.events",
    "ccviz.bounds",
    "ccviz.solvers",
]
USER_INTERFACES = {
    "bokeh",
    "datashader",
    "holoviews",
    "ipywidgets",
    "jupyter_bokeh",
    "panel",
    "param",
}


def module_name(path: Path) -> str:
    """Return the dotted name of a source file of the package."""
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {module_name(path): path for path in sorted(PACKAGE.rglob("*.py"))}
CORE = [name for name in MODULES if not name.startswith("ccviz.views")]


def imported(statement: ast.AST) -> Iterator[str]:
    """Yield the modules that one statement asks for; ruff bans relative imports."""
    if isinstance(statement, ast.Import):
        yield from (alias.name for alias in statement.names)
    elif isinstance(statement, ast.ImportFrom):
        for alias in statement.names:
            submodule = f"{statement.module}.{alias.name}"
            yield submodule if submodule in MODULES else statement.module


def imports(name: str, *, lazy: bool = True) -> set[str]:
    """Return what a module imports: anywhere in it, or only as it is loaded."""
    tree = ast.parse(MODULES[name].read_text(encoding="utf-8"))
    statements = ast.walk(tree) if lazy else tree.body
    return {module for statement in statements for module in imported(statement)}


def reached(name: str) -> set[str]:
    """Return every module of the package that a module leads to, itself left out."""
    seen, ahead = set(), [name]
    while ahead:
        found = (imports(ahead.pop()) & MODULES.keys()) - seen
        seen |= found
        ahead += found
    return seen - {name}


def within(names: set[str], package: str) -> set[str]:
    """Return those names that are the package or in it."""
    return {name for name in names if name == package or name.startswith(f"{package}.")}


def loaded_by(code: str) -> set[str]:
    """Return the top-level packages that a new interpreter has loaded after running the code."""
    code += "\nimport sys; print(*{name.partition('.')[0] for name in sys.modules})"
    run = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=PACKAGE.parent
    )
    return set(run.stdout.split())


def test_the_package_is_read():
    assert set(DIRECTION) <= MODULES.keys()
    assert "ccviz.problem" in reached("ccviz.blocks")


@pytest.mark.parametrize("name", CORE)
def test_core_names_no_user_interface(name):
    assert not {module.partition(".")[0] for module in imports(name)} & USER_INTERFACES


def test_import_ccviz_loads_no_user_interface_and_no_compiler():
    loaded = loaded_by("import ccviz")
    assert "ccviz" in loaded
    assert not loaded & (USER_INTERFACES | {"numba", "llvmlite"})


def test_core_loads_no_user_interface_even_through_libraries():
    assert not loaded_by("\n".join(f"import {name}" for name in CORE)) & USER_INTERFACES


@pytest.mark.parametrize("name", DIRECTION)
def test_direction(name):
    after = DIRECTION[DIRECTION.index(name) + 1 :]
    assert not [later for later in after if within(reached(name), later)]


@pytest.mark.parametrize("name", [name for name in MODULES if name.startswith("ccviz.solvers")])
def test_solvers_know_nothing_of_who_runs_them(name):
    for driver in ("run", "api", "worker", "archive", "cli", "estimator", "views"):
        assert not within(imports(name), f"ccviz.{driver}")


def test_run_knows_events_and_no_solver():
    assert "ccviz.events" in imports("ccviz.run")
    assert not within(reached("ccviz.run"), "ccviz.solvers")


def test_no_module_waits_for_itself():
    graph = {name: imports(name, lazy=False) & MODULES.keys() for name in MODULES}
    assert list(TopologicalSorter(graph).static_order())
