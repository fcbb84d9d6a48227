"""The documentation builds without a warning and has a page for everything public."""

import subprocess
import sys
from pathlib import Path

import pytest

import ccviz
from ccviz.solvers import SOLVERS

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """Build the site; a warning is an error."""
    target = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-b", "html"]
    build = subprocess.run(
        [*command, "-d", str(target / "trees"), str(ROOT / "docs"), str(target / "html")],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert build.returncode == 0, build.stderr
    return target / "html"


@pytest.mark.slow
def test_every_public_name_is_on_a_page(site):
    pages = "".join(page.read_text(encoding="utf-8") for page in (site / "_api").glob("*.html"))
    modules = {name: getattr(ccviz, name).__module__ for name in ccviz.__all__}
    missing = [name for name, module in modules.items() if f'id="{module}.{name}"' not in pages]
    assert not missing


@pytest.mark.slow
def test_every_solver_has_its_parameters_shown(site):
    page = (site / "solvers.html").read_text(encoding="utf-8")
    assert all(solver.paper.split()[0] in page for solver in SOLVERS)
    assert all(f'id="{solver.name}"' in page for solver in SOLVERS)


@pytest.mark.slow
def test_every_notebook_is_a_page(site):
    sources = {path.stem for path in (ROOT / "notebooks").glob("*.ipynb")}
    assert sources == {path.stem for path in (site / "notebooks").glob("*.html")}


def test_the_teachers_page_names_every_notebook():
    page = (ROOT / "docs" / "teachers.md").read_text(encoding="utf-8")
    assert not [p.stem for p in (ROOT / "notebooks").glob("*.ipynb") if f"`{p.stem}`" not in page]
