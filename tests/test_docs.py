"""The documentation builds without a warning and has a page for everything public."""

import csv
import re
import subprocess
import sys
from pathlib import Path

import pytest

import ccviz
from ccviz.solvers import SOLVERS
from ccviz.solvers import advice as advice_rules
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


def test_the_teachers_page_names_every_notebook():
    page = (ROOT / "docs" / "teachers.md").read_text(encoding="utf-8")
    assert not [p.stem for p in (ROOT / "notebooks").glob("*.ipynb") if f"`{p.stem}`" not in page]


def test_what_a_worker_costs_is_what_its_table_says():
    table = (ROOT / "benchmarks" / "results" / "waiting_workers.md").read_text(encoding="utf-8")
    costs = re.findall(r"^\| [a-z ]+ \| ([\d.]+) \| [\d.]+ \| (\d+) \|", table, re.MULTILINE)
    said = (
        "A forked one costs {} s of a core and {} MB of its own, a new interpreter {} s and {} MB."
    )
    page = " ".join((ROOT / "docs" / "architecture.md").read_text(encoding="utf-8").split())
    assert said.format(*costs[0], *costs[1]) in page


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


def test_the_sizes_of_pages_are_the_tables_and_within_what_was_asked():
    table = (ROOT / "benchmarks" / "results" / "export.md").read_text(encoding="utf-8")
    small, matrices, large = (
        float(line.split("|")[3])
        for line in table.splitlines()
        if "File, MB" not in line and "---" not in line
    )
    assert max(small, matrices) <= 2.0
    assert large <= 10.0
    words = " ".join((ROOT / "docs" / "commands.md").read_text(encoding="utf-8").split())
    assert f"a tree of 53 nodes takes {small} MB, a tree of 10,000 nodes {large} MB" in words


def test_what_a_cluster_costs_is_the_tables():
    page = " ".join((ROOT / "docs" / "cluster.md").read_text(encoding="utf-8").split())
    results = ROOT / "benchmarks" / "results"
    with (results / "divide_workers.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    costs = [100 * float(row["client_cpu_s"]) / float(row["worker_cpu_s"]) for row in rows]
    assert f"{min(costs):.1f} to {max(costs):.1f} %" in page
    beyond = [
        100 * (float(row["client_cpu_s"]) - float(row["idle_cpu_s"])) / float(row["worker_cpu_s"])
        for row in rows
    ]
    assert f"Beyond that {max(beyond):.1f} % at most" in page
    assert len({row["lower_bound"] for row in rows}) == 1
    table = (results / "divide_workers.md").read_text(encoding="utf-8")
    waits = []
    for which in ("Electric", "gaussians"):
        row = re.search(rf"\| {which} \| 64 \| (\S+), .*? \| (\d+) % \| ([\d.]+) \|", table)
        seconds, used, wait = row.groups()
        assert re.search(rf"{float(seconds):.1f} s each, (use )?{used} %", page)
        waits.append(float(wait))
    assert f"the longest wait for one is {max(waits):.1f} s" in page


def test_what_is_said_of_vehicle_is_the_tables():
    page = " ".join((ROOT / "docs" / "mathematics.md").read_text(encoding="utf-8").split())
    assert "The vehicle set with 500 links is so proved at the root." in page
    with (ROOT / "benchmarks" / "results" / "classes_proved.csv").open(newline="") as file:
        (row,) = [row for row in csv.DictReader(file) if row["set"] == "vehicle"]
    assert (row["links"], row["status"]) == ("500", "optimal")
    assert float(row["verified_gap"]) <= 1e-4


def test_what_is_advised_rests_on_its_table():
    page = " ".join((ROOT / "docs" / "commands.md").read_text(encoding="utf-8").split())
    with (ROOT / "benchmarks" / "results" / "advised.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    proved = [row for row in rows if (row["n"], row["solver"]) == ("500", "sdp")]
    assert {row["status"] for row in proved} == {"optimal"}
    assert f"`sdp` up to {advice_rules._PROVED_BLOCKS} blocks" in page
    assert f"`colgen` up to {advice_rules._PLANE_BLOCKS} in the plane" in page
    seconds = [float(row["cpu_s"]) for row in proved]
    assert f"`sdp` proves 500 blocks in {min(seconds):.1f} to {max(seconds):.1f} s" in page
    early = {
        solver: [
            100 * float(row["early_gap"])
            for row in rows
            if (row["n"], row["solver"]) == ("1000", solver)
        ]
        for solver in ("divide", "sdp")
    }
    assert f"at {max(early['divide']):.2g} % or less after 5 s" in page
    assert f"`sdp` at {min(early['sdp']):.2g} to {max(early['sdp']):.2g} %" in page
    limits = f"from {advice_rules._TREE_S:.0f} s on and up to {advice_rules._TREE_BLOCKS:,} blocks"
    assert limits in page
    least = f"of {advice_rules._DIVIDE_S:.0f} s or more, a second for every"
    assert f"{least} {advice_rules._CUT_A_SECOND} blocks" in page


def test_the_coverage_is_what_its_table_says():
    table = (ROOT / "benchmarks" / "results" / "coverage.md").read_text(encoding="utf-8")
    (share,) = re.findall(r"^\| \*\*TOTAL\*\* .*\*\*(\d+)%\*\*", table, re.MULTILINE)
    page = (ROOT / "docs" / "development.md").read_text(encoding="utf-8")
    assert f"{share} % of its lines and branches" in page
