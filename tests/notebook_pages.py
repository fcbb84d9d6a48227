"""What the browser tests of notebooks share: a server's address, and clicks in the laboratory."""

import socket
import urllib.request
from contextlib import suppress

# The newest cell, as it is drawn; where points are on the screen; how many are picked.
CELL = """(() => {
  const found = []
  const look = (root) => {
    for (const each of root.querySelectorAll("*")) {
      if (each.ccviz && each.dataset.ready) found.push(each.ccviz)
      if (each.shadowRoot) look(each.shadowRoot)
    }
  }
  look(document)
  return found.at(-1)
})()"""
PLACE_AT_REST = f"""async (row) => {{
  const {{scatter, run}} = {CELL}.panel
  const place = () => {{
    const box = scatter.canvas.getBoundingClientRect()
    return [box.x + scatter.X(run.points.x[row]), box.y + scatter.Y(run.points.y[row])]
  }}
  for (let before = "", same = 0; same < 5; ) {{
    await new Promise(requestAnimationFrame)
    const now = place().join()
    same = now === before ? same + 1 : 0
    before = now
  }}
  return place()
}}"""
READY = f"() => {CELL}"


def free_port():
    with socket.socket() as asked:
        asked.bind(("127.0.0.1", 0))
        return asked.getsockname()[1]


def answers(address):
    with suppress(OSError):
        urllib.request.urlopen(address, timeout=5).close()
        return True
    return False


def pick_two_points(page, one, other):
    """Click two points of the plot."""
    page.wait_for_function(READY)
    page.locator(".ccviz-cell canvas").first.scroll_into_view_if_needed()
    for many, point in enumerate((one, other), 1):
        page.mouse.click(*page.evaluate(PLACE_AT_REST, point))
        page.wait_for_function(f"(many) => {CELL}.panel.picked.length === many", arg=many)


def linked(page, kind, i, j, is_there=True):
    """Wait for the cell to draw a link, or to draw it no more."""
    page.wait_for_function(
        f"""([kind, i, j, isThere]) => isThere === {CELL}.model.get("links")
          .some((link) => link[0] === kind && link[1] === i && link[2] === j)""",
        arg=[kind, i, j, is_there],
    )
