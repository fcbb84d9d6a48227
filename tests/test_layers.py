"""Imports go one way, and nothing below the views knows that there are any."""

import ast
import subprocess
import sys
from collections.abc import Iterator, Set
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "ccviz"

# Each may know those before it, none after it; lazy imports count like any other.
ORDER = [
    "ccviz.moved",
    "ccviz.plugins",
    "ccviz.distribution",
    "ccviz.errors",
    "ccviz.system",
    "ccviz.arrays",
    "ccviz.highs_output",
    "ccviz.kernel_pack",
    "ccviz.kernel_cache",
    "ccviz.compiled",
    "ccviz.numbers",
    "ccviz.quota",
    "ccviz.bounds",
    "ccviz.events",
    "ccviz.problem",
    "ccviz.feasibility",
    "ccviz.proof",
    "ccviz.data",
    "ccviz.solvers.base",
    "ccviz.solvers.search",
    "ccviz.solvers.common",
    "ccviz.solvers.assignment",
    "ccviz.solvers.kmeans",
    "ccviz.solvers.cop_kmeans",
    "ccviz.solvers.blp_kmeans",
    "ccviz.solvers.bh_kmeans",
    "ccviz.solvers.pccc",
    "ccviz.solvers.post_process",
    "ccviz.solvers.pck_means",
    "ccviz.solvers.ppc",
    "ccviz.solvers.ccl",
    "ccviz.solvers.spectral",
    "ccviz.solvers.vqe",
    "ccviz.solvers.dils",
    "ccviz.solvers.lp_box",
    "ccviz.solvers.memetic",
    "ccviz.solvers.s_mdeclust",
    "ccviz.solvers.hg_means",
    "ccviz.solvers.regions",
    "ccviz.solvers.relaxation",
    "ccviz.solvers.start",
    "ccviz.solvers.divide",
    "ccviz.solvers.sdp",
    "ccviz.solvers.divide_and_bound",
    "ccviz.solvers.ipc_kmeans",
    "ccviz.solvers.colgen",
    "ccviz.solvers.rbba",
    "ccviz.solvers",
    "ccviz.runs",
    "ccviz.testing",
    "ccviz.row_links",
    "ccviz.estimator_parameters",
    "ccviz.api",
    "ccviz.active",
    "ccviz.studies",
    "ccviz.estimator",
    "ccviz.views.palette",
    "ccviz.views.link_table",
    "ccviz.views.draft",
    "ccviz.views.person",
    "ccviz.views.upstream",
    "ccviz.views.frames",
    "ccviz.views.export",
    "ccviz.views.lab",
    "ccviz.views.figures",
    "ccviz.views.share",
    "ccviz.views.lessons",
    "ccviz.views.panels",
    "ccviz.views.inside",
    "ccviz.views.serve",
    "ccviz.views.page",
    "ccviz.views.notebook",
    "ccviz.views",
    "ccviz.notebook",
    "ccviz.cli",
    "ccviz.__main__",
    "ccviz",
]
USER_INTERFACES = {
    "anywidget", "bokeh", "datashader", "holoviews", "ipywidgets", "panel", "param", "traitlets",
}  # fmt: skip


def module_name(path: Path) -> str:
    """Return the dotted name of a source file of the package."""
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {module_name(path): path for path in sorted(PACKAGE.rglob("*.py"))}
CORE = [name for name in MODULES if not name.startswith(("ccviz.views", "ccviz.cli"))]


def imported(statement: ast.AST) -> Iterator[str]:
    """Yield the modules that one statement asks for; ruff bans relative imports."""
    if isinstance(statement, ast.Import):
        yield from (alias.name for alias in statement.names)
    elif isinstance(statement, ast.ImportFrom):
        for alias in statement.names:
            submodule = f"{statement.module}.{alias.name}"
            yield submodule if submodule in MODULES else statement.module


@cache
def imports(name: str, *, lazy: bool = True) -> frozenset[str]:
    """Return what a module imports: anywhere in it, or only as it is loaded."""
    tree = ast.parse(MODULES[name].read_text(encoding="utf-8"))
    statements = ast.walk(tree) if lazy else tree.body
    return frozenset(module for statement in statements for module in imported(statement))


@cache
def reached(name: str) -> frozenset[str]:
    """Return every module of the package that a module leads to, itself left out."""
    seen, ahead = set(), [name]
    while ahead:
        found = (imports(ahead.pop()) & MODULES.keys()) - seen
        seen |= found
        ahead += found
    return frozenset(seen - {name})


def within(names: Set[str], package: str) -> set[str]:
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
    assert "ccviz.problem.problem" in reached("ccviz.problem.blocks")


def test_core_names_no_user_interface():
    named = {name: {module.partition(".")[0] for module in imports(name)} for name in CORE}
    assert not {name: found for name, all_ in named.items() if (found := all_ & USER_INTERFACES)}


def test_import_ccviz_loads_no_user_interface_and_no_compiler():
    loaded = loaded_by("import ccviz")
    assert "ccviz" in loaded
    assert not loaded & (USER_INTERFACES | {"numba", "llvmlite"})


def test_the_process_of_the_page_begins_without_what_only_runs_need():
    loaded = loaded_by("import ccviz.views.page")
    assert "panel" in loaded
    assert not loaded & {"numba", "llvmlite", "cvxpy", "scs", "dask", "sklearn"}


@pytest.mark.slow
def test_core_loads_no_user_interface_even_through_libraries():
    assert not loaded_by("\n".join(f"import {name}" for name in CORE)) & USER_INTERFACES


def package_of(name: str) -> str:
    """Return the place in the order at which a module stands: the longest name that leads to it."""
    return max((place for place in ORDER if within({name}, place)), key=len)


def test_every_module_has_its_place_in_the_order():
    assert not [name for name in MODULES if package_of(name) == "ccviz" and name != "ccviz"]
    assert {package_of(name) for name in MODULES} == set(ORDER)


def test_imports_go_one_way():
    level = {name: ORDER.index(package_of(name)) for name in MODULES}
    assert not [
        f"{name} imports {other}"
        for name in MODULES
        for other in imports(name) & MODULES.keys()
        if level[other] > level[name]
    ]


@pytest.mark.parametrize("package", ["ccviz.runs.stepper", "ccviz.runs.run"])
def test_what_runs_a_solver_is_unknown_to_it(package):
    assert package not in set().union(
        *(reached(name) for name in within(MODULES.keys(), "ccviz.solvers"))
    )


def test_run_knows_events_and_no_solver():
    assert "ccviz.events" in imports("ccviz.runs.run")
    assert not within(reached("ccviz.runs.run"), "ccviz.solvers")


def test_no_module_waits_for_itself():
    graph = {name: imports(name) & MODULES.keys() for name in MODULES}
    assert list(TopologicalSorter(graph).static_order())
