"""Figures filled into README and docs, each between two comments that no reader sees.

    proved in <!--n:sdp-cpu-->339<!--/n--> CPU seconds

`make figures` writes the figures of `docs/figures.py` between them, and `tests/test_figures.py`
fails while a page shows another one. The words around them are free.
"""

import re
import sys
from collections.abc import Iterator
from pathlib import Path

from figures import figures

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]

MARKED = re.compile(r"<!--n:([\w-]+)-->(.*?)<!--/n-->", re.DOTALL)
LOOSE = re.compile(r"<!-- ?/?n\b.*?-->")
"""A comment that looks like one of ours: outside `MARKED` it is misspelt or has no partner."""
BEGINS_A_LINE = re.compile(r"^\s*(?:(?:[-*+>]|\d+\.)\s+)?<!--n:([\w-]+)-->", re.MULTILINE)
"""Markdown takes a line that begins with a comment for HTML, and shows its words as they are."""


def filled(page: str) -> str:
    """Return the text of a page with the figures of today; an unknown name keeps its text."""
    known = figures()
    return MARKED.sub(
        lambda mark: f"<!--n:{mark[1]}-->{known.get(mark[1], mark[2])}<!--/n-->", page
    )


def faults(page: str) -> Iterator[str]:
    """Yield a sentence for each figure that is old or unknown and each mark that is not read."""
    known = figures()
    for name, now in MARKED.findall(page):
        if name not in known:
            yield f"no figure is called {name!r}; docs/figures.py has their names"
        elif now != known[name]:
            yield f"{name} is {known[name]}, and the page says {now}: run 'make figures'"
    for name in BEGINS_A_LINE.findall(page):
        yield f"{name} begins a line, which Markdown then takes for HTML: put a word before it"
    for mark in LOOSE.findall(MARKED.sub("", page)):
        yield f"{mark} has no partner or is misspelt"


if __name__ == "__main__":
    for path in PAGES:
        path.write_text(filled(path.read_text(encoding="utf-8")), encoding="utf-8")
    found = [
        f"{path.relative_to(ROOT)}: {fault}"
        for path in PAGES
        for fault in faults(path.read_text(encoding="utf-8"))
    ]
    sys.exit("\n".join(found) or 0)
