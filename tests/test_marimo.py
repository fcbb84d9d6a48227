"""The laboratory in a real marimo: click two points, press M, solve, read links and labels."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.notebook_pages import READY, answers, free_port, linked, pick_two_points
from tests.patience import wait_until

NOTEBOOK = """\
import marimo

app = marimo.App()

with app.setup:
    import ccviz


@app.cell
def _():
    widget = ccviz.explore([[0.0, 0.0], [1.0, 0.0], [5.0, 1.0]], 2)
    widget
    return (widget,)


@app.cell
def read(widget):
    print("read:", widget.links, widget.labels)
    return


if __name__ == "__main__":
    app.run()
"""


@pytest.fixture
def served(tmp_path):
    """Serve a marimo notebook to be edited; return its address."""
    path = tmp_path / "clusters.py"
    path.write_text(NOTEBOOK, encoding="utf-8")
    (tmp_path / ".marimo.toml").write_text("[runtime]\nauto_instantiate = true\n")
    port = free_port()
    command = [sys.executable, "-m", "marimo", "-y", "edit", str(path), "--headless", "--no-token"]
    environment = os.environ | {"HOME": str(tmp_path), "CCVIZ_HOME": str(tmp_path)}
    with Path(tmp_path / "marimo.log").open("w") as log:
        server = subprocess.Popen(
            [*command, f"--port={port}", "--skip-update-check"], env=environment, stdout=log,
            stderr=log, start_new_session=True,
        )  # fmt: skip
    wait_until(lambda: answers(f"http://127.0.0.1:{port}"))
    yield f"http://127.0.0.1:{port}"
    os.killpg(server.pid, signal.SIGKILL)
    server.wait(30)


@pytest.mark.slow
@pytest.mark.browser
@pytest.mark.timeout(600)
def test_two_points_are_linked_and_clustered(served, page):
    page.set_viewport_size({"width": 1300, "height": 1300})
    page.goto(served)
    page.wait_for_function(READY)
    page.get_by_text("read: [] None").wait_for()
    assert page.locator(".ccviz-cell").get_attribute("data-theme") == "light"
    pick_two_points(page, 0, 1)
    page.keyboard.press("m")
    linked(page, "must", 0, 1)
    page.get_by_role("button", name="Run", exact=True).click()
    page.get_by_text("Valid, not proved").wait_for()
    page.locator(".cm-content", has_text="read:").click()
    page.keyboard.press("Control+Enter")
    page.get_by_text("read: [('must', 0, 1)] [0 0 1]").wait_for()
    page.locator(".ccviz-cell").evaluate("cell => cell.style.width = '700px'")
    fits = "lab => lab.offsetWidth <= 700 && lab.scrollWidth <= lab.clientWidth"
    assert page.locator(".ccviz-cell .lab").evaluate(fits)
