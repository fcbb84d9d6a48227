"""How long from the click on a link's button until the page says what holds, in a real browser.

Serves the app and opens it in headless Chromium. On iris under sdp a must-link of two points of one
cluster is clicked, until *Still optimal* is painted. On iris, digits and 20,000 points under
blp-kmeans a must-link of two clusters is clicked, until the repaired colours and their WCSS are.
Then *Try it* of the opening page is pressed, until assignments, tree and both bounds have moved.
The clock runs in the page: from the click until the second frame after the words arrived. Medians
of at most 100 ms, 300 ms (1 s at 20,000 points) and 2 s are asked.
"""

from __future__ import annotations

import os
import statistics
from typing import Any

import _runner as runner
from _page import PIXEL, POINTS, choose, opened, visited

CASES = (
    ("Still optimal", "data=iris&k=3&solver=sdp&seed=1", "iris", 100),
    ("Repaired", "data=iris&k=3&solver=blp-kmeans&seed=1", "iris", 300),
    ("Repaired", "data=digits&k=10&solver=blp-kmeans&seed=1", "digits", 300),
    ("Repaired", "data=blobs&n=20000&k=3&solver=blp-kmeans&seed=1", "20,000 points", 1000),
)
WATCH = """(words) => {
    const doc = Bokeh.documents[0]
    const said = () => [...doc._all_models.values()].some((each) =>
        typeof each.text === "string" && each.text.includes(words))
    document.addEventListener("click", () => { window.clicked = performance.now() }, true)
    doc.on_change(() => {
        if (window.took === null && said())
            requestAnimationFrame(() => requestAnimationFrame(() => {
                window.took ??= performance.now() - window.clicked }))
    })
}"""
SAID = """(words) => [...Bokeh.documents[0]._all_models.values()].some((each) =>
    typeof each.text === "string" && each.text.includes(words))"""
LABELS = """() => {
    const plot = Bokeh.documents[0].get_model_by_name("scatter")
    return [...plot.renderers.find((each) => each.data_source.data.row).data_source.data.label]
}"""
CENTERS = """() => {
    const plot = Bokeh.documents[0].get_model_by_name("scatter")
    const at = plot.renderers.map((each) => each.data_source.data).find((data) =>
        data.label && !data.row && data.x?.length > 1)
    return [...at.x].map((x, place) => [x, at.y[place]])
}"""
TRIED = """() => {
    const doc = Bokeh.documents[0]
    const plot = (name) => doc.get_model_by_name(name)
    const sources = (name) => plot(name)
        ? plot(name).renderers.map((each) => each.data_source.data) : []
    const tree = sources("tree").find((each) => each.lower_bound)
    const bounds = ["proof-bounds", "bounds"].flatMap(sources).find((each) => each.upper)
    const known = (values) => values && [...values].filter(Number.isFinite)
    const lower = bounds && known(bounds.lower), upper = bounds && known(bounds.upper)
    return {nodes: tree ? tree.lower_bound.length : 0, lower: lower ? lower.length : 0,
            upper: upper ? upper.length : 0}
}"""


def places(page: Any, apart: bool, links: int) -> list[tuple[Any, Any]]:
    """Return pairs of places to click; of a picture of very many points, two centres."""
    xs, ys = page.evaluate(POINTS)
    if not xs:
        return [tuple(page.evaluate(CENTERS)[:2])] * links
    found = pairs(page.evaluate(LABELS), xs, apart, links)
    return [((xs[i], ys[i]), (xs[j], ys[j])) for i, j in found]


def measure(page: Any, words: str, links: int) -> list[float]:
    """Return the milliseconds of each link, which is undone again."""
    choose(page, "Speed", "Speed: Live")
    page.get_by_role("button", name="Run", exact=True).click()
    ended = "Optimal clustering" if words == "Still optimal" else "Valid, not proved"
    page.wait_for_function(f"({SAID})({ended!r})")
    page.get_by_role("button", name="Run", exact=True, disabled=False).wait_for()
    page.wait_for_timeout(1500)
    page.evaluate(WATCH, words)
    took = []
    for pair in places(page, words == "Repaired", links):
        page.evaluate("window.took = null")
        for place in pair:
            page.mouse.click(*page.evaluate(PIXEL, place))
            page.wait_for_timeout(400)
        page.get_by_role("button", name="Must-link (M)").click()
        page.wait_for_function("window.took !== null")
        took.append(page.evaluate("window.took"))
        page.keyboard.press("z")
        page.wait_for_function(f"!({SAID})({words!r})")
        page.wait_for_timeout(800)
    return took


def tried(page: Any) -> float:
    """Return the milliseconds from *Try it* until tree and both bounds are there."""
    page.get_by_role("button", name="Try it").click()
    began = page.evaluate("performance.now()")
    page.wait_for_function(f"(() => {{ const at = ({TRIED})(); return at.nodes > 1 && "
                           "at.lower > 1 && at.upper > 0 })()")  # fmt: skip
    return float(page.evaluate("performance.now()")) - began


def pairs(labels: list[int], xs: list[float], apart: bool, links: int) -> list[tuple[int, int]]:
    """Return pairs of points in different clusters or in one, each point once."""
    rows: list[tuple[int, int]] = []
    left = list(range(len(xs)))
    while left and len(rows) < links:
        i = left.pop(0)
        j = next((j for j in left if (labels[i] != labels[j]) == apart), None)
        if j is not None:
            left.remove(j)
            rows.append((i, j))
    return rows


def main() -> None:
    links, lines = runner.parse(__doc__, links=9).links, []
    about = (
        "# From a click to what holds\n\n"
        "`python benchmarks/click_edit.py`, headless Chromium on the same machine, whose load "
        f"average was {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores before.\n\n"
    )

    def note(words: str, data: str, took: list[float], asked: int) -> None:
        times = (round(of(took)) for of in (statistics.median, min, max))
        lines.append([words, data, len(took), *times, asked])

    with visited() as (server, chromium):
        for words, query, data, asked in CASES:
            page = opened(chromium, f"{server.url}?{query}")
            note(words, data, measure(page, words, links), asked)
            page.close()
        took = []
        for _ in range(3):
            page = opened(chromium, server.url)
            page.wait_for_timeout(3000)
            took.append(tried(page))
            page.close()
        note("tree and both bounds", "*Try it*", took, 2000)
    header = "shown | data | clicks | median ms | fastest | slowest | asked"
    runner.write_page("click_edit", about + runner.markdown(header, lines))


if __name__ == "__main__":
    main()
