"""The small things that make the page good to use: room, focus, axes that begin at zero."""

import pytest

pytestmark = pytest.mark.browser

# How much wider a table is than its place, and the buttons of its first row that are not in it.
_CUT_OFF = """() => {
    const visit = (root) => [...root.querySelectorAll("*")].flatMap((node) =>
        node.matches(".scroll") ? [node] : node.shadowRoot ? visit(node.shadowRoot) : [])
    const [scroll] = visit(document)
    const place = scroll.getBoundingClientRect()
    const buttons = [...scroll.querySelectorAll("tbody tr:first-child button")]
    const out = buttons.filter((each) => each.getBoundingClientRect().right > place.right)
    return [scroll.scrollWidth - scroll.clientWidth, buttons.length, out.length]
}"""
_FOCUSED = """() => {
    let node = document.activeElement
    while (node?.shadowRoot?.activeElement) node = node.shadowRoot.activeElement
    return [node.closest("tr")?.dataset.id, node.ariaLabel]
}"""


def test_a_run_is_seen_whole_and_its_buttons_too(lab_of):
    lab = lab_of("?data=breast_cancer&k=2&solver=cop-kmeans")
    lab.run()
    lab.choose("Data set", "spirals")
    lab.choose("Solver", "SDP branch-and-cut")
    lab.page.get_by_text("More settings").click()
    lab.fill("Node limit", "1")
    lab.fill("Cuts per block", "0")
    lab.run()
    lab.room("Runs")
    rows = lab.page.locator(".scroll tbody tr")
    rows.nth(1).wait_for()
    assert lab.page.evaluate(_CUT_OFF) == [0, 4, 0]
    rows.nth(1).get_by_role("button", name="Show").focus()
    lab.page.keyboard.press("Enter")
    lab.see("569 points")
    run = rows.nth(1).get_attribute("data-id")
    lab.wait_for(lambda: "shown" in rows.nth(1).get_attribute("class"))
    assert lab.page.evaluate(_FOCUSED) == [run, "Show"]
