"""The tour in a real JupyterLab and in Notebook 7: run all, click two points, read the link.

In JupyterLab a run is started and stopped, and the kernel restarted, as well.
"""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from base64 import b64decode
from contextlib import suppress
from pathlib import Path

import psutil
import pytest
from playwright.sync_api import TimeoutError

from tests.notebook_pages import CELL, READY, answers, free_port, linked, pick_two_points
from tests.patience import wait_until

ROOT = Path(__file__).parents[1]

# Where each says that the kernel is ready.
LAB_IDLE = "text='Python 3 (ipykernel) | Idle'"
NOTEBOOK_IDLE = ".jp-Notebook-ExecutionIndicator[data-status=idle]"

SETTINGS = {
    "notebook-extension/tracker": {"windowingMode": "none"},  # every cell is there, seen or not
    "apputils-extension/notification": {"fetchNews": "false", "checkForUpdates": False},
}

PICTURE = """\
import ccviz
points = [[0.0, 0.0], [1.0, 0.0], [5.0, 1.0]]
ccviz.start(ccviz.Problem(points, k=2)).plot.scatter()"""
LABORATORY = """\
widget = ccviz.explore(points, 2)
widget"""
READ = "print(widget.links, widget.labels.tolist(), widget.result.run.problem.n)"


def write_notebook(path, *sources):
    """Write a notebook of code cells."""
    cells = [
        {"cell_type": "code", "id": f"cell{i}", "source": source, "metadata": {}, "outputs": [],
         "execution_count": None}
        for i, source in enumerate(sources)
    ]  # fmt: skip
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3 (ipykernel)"}}
    notebook = {"cells": cells, "metadata": kernel, "nbformat": 4, "nbformat_minor": 5}
    path.write_text(json.dumps(notebook), encoding="utf-8")


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    """Serve JupyterLab and Notebook 7 over two copies of the tour; return address and folder."""
    home = tmp_path_factory.mktemp("lab")
    for name in ("lab.ipynb", "notebook.ipynb"):
        shutil.copy(ROOT / "notebooks" / "01_a_tour.ipynb", home / name)
    for name, settings in SETTINGS.items():
        path = home / "settings" / "@jupyterlab" / f"{name}.jupyterlab-settings"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(settings), encoding="utf-8")
    port = free_port()
    environment = os.environ | {
        "HOME": str(home),
        "CCVIZ_HOME": str(home),
        "JUPYTERLAB_SETTINGS_DIR": str(home / "settings"),
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
    }
    command = [sys.executable, "-m", "jupyterlab", "--no-browser", f"--port={port}"]
    command += ["--allow-root", "--IdentityProvider.token=known", f"--ServerApp.root_dir={home}"]
    server = subprocess.Popen(
        command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        start_new_session=True,
    )  # fmt: skip
    wait_until(lambda: answers(f"http://127.0.0.1:{port}/api?token=known"))
    yield f"http://127.0.0.1:{port}", home
    os.killpg(server.pid, signal.SIGKILL)  # kernels see that it is gone
    server.wait(30)


def in_lab(address, name):
    """Return the address of a notebook in a workspace of its own, which opens no other one."""
    return f"{address}/lab/workspaces/{name}/tree/{name}.ipynb?token=known"


def workers(home):
    """Return the worker processes whose archive is in this folder."""
    lines = [process.info["cmdline"] or [] for process in psutil.process_iter(["cmdline"])]
    return [
        line for line in lines if "ccviz.runs.worker" in line and any(str(home) in w for w in line)
    ]


def cell(page, text):
    return page.locator(".jp-CodeCell").filter(has=page.locator(".cm-content", has_text=text))


def run_cell(page, text):
    """Run one cell and return what it prints."""
    place = cell(page, text)
    before = place.locator(".jp-InputPrompt").inner_text()
    place.locator(".cm-content").click()
    page.keyboard.press("Control+Enter")
    page.wait_for_function(
        "([prompt, before]) => /\\d/.test(prompt.innerText) && prompt.innerText !== before",
        arg=[place.locator(".jp-InputPrompt").element_handle(), before],
    )
    return place.locator(".jp-OutputArea-output").first.inner_text()


def run_all(page, address, idle):
    """Open the tour, run all of it once the kernel is idle; return the laboratory's cell."""
    page.set_viewport_size({"width": 1500, "height": 1100})
    page.goto(address)
    page.wait_for_selector(".jp-CodeCell")
    page.locator(idle).wait_for(state="attached")
    laboratory = cell(page, "ccviz.explore")
    start_all(page, laboratory.get_by_role("button", name="Run", exact=True))
    laboratory.locator(".cm-content").scroll_into_view_if_needed()
    laboratory.get_by_role("button", name="Stop", exact=True).scroll_into_view_if_needed()
    return laboratory


def start_all(page, drawn):
    """Run all cells, as often as it takes until something is drawn.

    A kernel that is called idle may not hear yet, and one that is chosen afterwards forgets what
    was asked of the one before.
    """

    def begins():
        page.get_by_role("menuitem", name="Run", exact=True).click()
        page.get_by_text("Run All Cells", exact=True).click()
        with suppress(TimeoutError):
            drawn.wait_for(timeout=25_000)
        return drawn.is_visible()

    # JupyterLab may ask something of its own first, say which kernel to take: its default is taken.
    asked = page.locator("dialog.jp-Dialog")
    page.add_locator_handler(asked, lambda one: one.locator(".jp-mod-accept").click())
    wait(begins, page)
    page.remove_locator_handler(asked)


def link_two_points(page, laboratory):
    """Click points 3 and 100 and link them; the next cell sees it."""
    pick_two_points(page, 3, 100)
    laboratory.get_by_role("button", name="Must-link (M)").click()
    linked(page, "must", 3, 100)
    assert "must-links: [[3, 100]]" in run_cell(page, "session.problem.must_link")


def link_by_keys(page, laboratory):
    """Link two pairs by M and C and take one back by Z, as one who never leaves the plot.

    The same keys are commands of the notebook: M makes the cell Markdown, C copies it, Z takes back
    a deletion, B adds a cell, D twice deletes it. None of them may reach it.
    """
    cells = page.locator(".jp-Cell").count()
    pick_two_points(page, 3, 100)
    page.keyboard.press("m")
    linked(page, "must", 3, 100)
    pick_two_points(page, 4, 120)
    page.keyboard.press("c")
    linked(page, "cannot", 4, 120)
    page.keyboard.press("z")
    linked(page, "cannot", 4, 120, is_there=False)
    page.keyboard.press("Shift+Z")
    linked(page, "cannot", 4, 120)
    for key in ("b", "d", "d", "x", "y", "r", "0", "Enter", "Escape", "m"):
        page.keyboard.press(key)
    page.keyboard.press("?")
    laboratory.get_by_text("once you have clicked in the cell").wait_for()
    assert page.locator(".jp-Cell").count() == cells
    assert not page.evaluate("document.activeElement.closest('.cm-editor')")
    printed = run_cell(page, "session.problem.must_link")
    assert "must-links: [[3, 100]]" in printed
    assert "cannot-links: [[4, 120]]" in printed


def link_without_a_mouse(page, laboratory):
    """Tab from the last button to the plot, pick two points by arrows and Enter, link them."""
    cells = page.locator(".jp-Cell").count()
    laboratory.get_by_role("button", name="PNG").focus()
    for _ in laboratory.locator(".fields input, .fields select").all():
        page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.wait_for_function(f"{CELL}.panel.marked >= 0")
    picked = []
    for keys in (("ArrowRight", "ArrowUp"), ("PageDown", "PageDown", "ArrowLeft", "ArrowDown")):
        for key in keys:
            page.keyboard.press(key)
        picked.append(page.evaluate(f"{CELL}.panel.marked"))
        page.keyboard.press("Enter")
        page.wait_for_function(f"(many) => {CELL}.panel.picked.length === many", arg=len(picked))
    laboratory.get_by_text(f"{picked[-1]}. Enter picks it").wait_for()
    page.keyboard.press("c")
    linked(page, "cannot", *sorted(picked))
    page.keyboard.press("Enter")
    page.wait_for_function(f"{CELL}.panel.picked.length === 1")
    page.keyboard.press("Escape")
    page.wait_for_function(f"{CELL}.panel.picked.length === 0")
    page.keyboard.press("z")
    linked(page, "cannot", *sorted(picked), is_there=False)
    assert page.locator(".jp-Cell").count() == cells
    with page.expect_download() as saved:
        laboratory.get_by_role("button", name="PNG").click()
    assert Path(saved.value.path()).read_bytes().startswith(b"\x89PNG")


@pytest.mark.slow
@pytest.mark.browser
@pytest.mark.timeout(600)
def test_the_tour(lab, page):
    address, home = lab
    laboratory = run_all(page, in_lab(address, "lab"), LAB_IDLE)
    link_by_keys(page, laboratory)
    link_without_a_mouse(page, laboratory)

    laboratory.get_by_label("Solver", exact=True).select_option("sdp")
    laboratory.get_by_role("button", name="Run", exact=True).click()
    wait(lambda: workers(home), page)
    assert "run:" in run_cell(page, "session.problem.must_link")
    laboratory.get_by_role("button", name="Stop", exact=True).click()
    wait(lambda: not workers(home), page)

    cell(page, "session.problem.must_link").locator(".cm-content").click()
    page.get_by_role("menuitem", name="Kernel", exact=True).click()
    page.get_by_text("Restart Kernel…", exact=True).click()
    page.locator(".jp-Dialog .jp-mod-accept").click()
    wait(lambda: not workers(home), page)
    page.locator(LAB_IDLE).wait_for(state="attached")


@pytest.mark.slow
@pytest.mark.browser
@pytest.mark.timeout(600)
def test_what_is_solved_is_read_reopened_and_exported(lab, new_page):
    address, home = lab
    write_notebook(home / "later.ipynb", PICTURE, LABORATORY, READ)
    page = new_page()
    laboratory = run_all(page, in_lab(address, "later"), LAB_IDLE)
    cell(page, "plot.scatter").locator("canvas").first.wait_for()
    pick_two_points(page, 0, 1)
    page.keyboard.press("m")
    linked(page, "must", 0, 1)
    laboratory.get_by_role("button", name="Run", exact=True).click()
    laboratory.get_by_text("Valid, not proved").wait_for()
    assert "[('must', 0, 1)] [0, 0, 1] 3" in run_cell(page, "widget.links")
    page.keyboard.press("Control+s")
    outputs = lambda: (home / "later.ipynb").read_text(encoding="utf-8")  # noqa: E731
    wait(lambda: "[0, 0, 1] 3" in outputs(), page)
    page.close()  # the kernel lives on

    page = new_page()
    page.goto(in_lab(address, "later"))
    page.wait_for_function(READY)
    linked(page, "must", 0, 1)
    cell(page, "ccviz.explore").get_by_text("Valid, not proved").wait_for()
    pick_two_points(page, 1, 2)
    page.keyboard.press("c")
    linked(page, "cannot", 1, 2)
    page.close()

    command = [sys.executable, "-m", "nbconvert", "--to", "html", str(home / "later.ipynb")]
    subprocess.run(command, check=True, capture_output=True)
    exported = (home / "later.html").read_text(encoding="utf-8")
    drawn = re.search(r'<img[^>]*src="data:image/svg\+xml;base64,([^"]+)"', exported)
    assert len(ElementTree.fromstring(b64decode(drawn[1])).findall("{*}circle")) == 3


@pytest.mark.slow
@pytest.mark.browser
@pytest.mark.timeout(600)
def test_the_tour_in_notebook_7(lab, page):
    address, _ = lab
    laboratory = run_all(page, f"{address}/notebooks/notebook.ipynb?token=known", NOTEBOOK_IDLE)
    link_two_points(page, laboratory)


def wait(condition, page):
    wait_until(condition, lambda seconds: page.wait_for_timeout(1000 * seconds))
