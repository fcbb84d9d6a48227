"""The documentation builds without a warning and has a page for everything public."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

import ccviz
from ccviz.solvers import SOLVERS
from ccviz.views.lessons.catalogue import LESSONS
from tests.firefox import firefox

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="session")  # its tests do not follow on one another: see conftest
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


def test_the_first_steps_run_as_they_stand():
    page = (ROOT / "docs" / "start.md").read_text(encoding="utf-8")
    names: dict[str, object] = {}
    exec(
        compile(re.search(r"```python\n(.*?)```", page, re.DOTALL).group(1), "start", "exec"), names
    )
    assert names["result"].status == "feasible"


def test_the_teachers_page_names_every_notebook():
    page = (ROOT / "docs" / "teachers.md").read_text(encoding="utf-8")
    assert not [p.stem for p in (ROOT / "notebooks").glob("*.ipynb") if f"`{p.stem}`" not in page]


@pytest.mark.slow
@pytest.mark.browser
def test_every_lesson_and_every_solver_has_a_run_to_play(site, new_page):
    names = [each.name for each in (*LESSONS, *SOLVERS)]
    pages = {path.stem for path in (site / "gallery").glob("*.html")} - {"index"}
    assert pages == set(names)
    page, heard = new_page(), []
    page.context.set_offline(True)
    page.on("console", lambda message: heard.append((page.url, message.text)))
    page.on("pageerror", lambda error: heard.append((page.url, str(error))))
    for name in names:
        page.goto((site / "gallery" / f"{name}.html").as_uri())
        page.locator("iframe").scroll_into_view_if_needed()
        run = page.frame_locator("iframe")
        run.locator("html[data-ready]").wait_for()
        run.get_by_role("button", name="To the beginning").click()
        run.get_by_text("Before the first event").first.wait_for()
        for heading in ("What the paper says", "What to look for", "Exercises"):
            assert page.get_by_role("heading", name=heading).count() == 1
        assert page.locator("details summary").count() >= 1
    assert not heard


_PLAYS = """new Promise((done) => {
    const look = () => {
        if (!document.documentElement.dataset.ready) return setTimeout(look, 20)
        document.getElementById("first").click()
        done(document.querySelector(".event").textContent)
    }
    look()
})"""


@pytest.mark.slow
@pytest.mark.browser
def test_every_run_of_the_gallery_plays_in_firefox(site, tmp_path):
    runs = sorted((site / "runs").glob("*.html"))
    assert len(runs) == len(LESSONS) + len(SOLVERS)
    with firefox(tmp_path) as page:
        for run in runs:
            page.open(run)
            assert page.evaluate(_PLAYS) == "Before the first event.", run.name
        assert not page.heard
