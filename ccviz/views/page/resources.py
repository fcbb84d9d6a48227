"""The files that a browser fetches with a page.

Up to version 1.9 Panel gives every widget a link to each of its style sheets, and ours as text:
five hundred requests and most of a megabyte, each of which triggers a layout. Here a page has one
model for each sheet, which knows its text. From 1.10 on Panel itself has one link for each. And of
Bokeh's scripts a page has those that it uses.
"""

from __future__ import annotations

import posixpath
import re
from functools import cache
from pathlib import Path

import panel as pn
from bokeh.models import InlineStyleSheet
from bokeh.resources import Resources
from panel.io.resources import CDN_DIST, DIST_DIR, LOCAL_DIST, get_dist_path

WIDGETS = "widgets.css"  # ours, as `Lab` names it
_UNUSED = ("bokeh-gl", "bokeh-mathjax")  # nothing is drawn by WebGL, and no text is TeX
_RELATIVE = re.compile(r"(url\(['\"]?+)(?!data:|[a-z]+:|/)")


def fetch_little() -> None:
    """Have pages fetch no script that they do not use, and this one few style sheets, all local.

    By itself Panel learns that its files are on this server when the finished page is written out:
    what was made before and is shown later would be fetched from elsewhere.
    """
    Resources._default_components = [
        each for each in Resources._default_components if each not in _UNUSED
    ]
    if pn.state.curdoc is not None:
        pn.state.curdoc.template_variables["dist_url"] = get_dist_path()
        pn.state._stylesheets[pn.state.curdoc] = Sheets()


class Sheets(dict[str, InlineStyleSheet]):
    """The style sheets of one page by their address, where Panel looks before it makes a link."""

    def __init__(self) -> None:
        # Not empty, or Panel would not look.
        super().__init__({WIDGETS: InlineStyleSheet(css=_text(WIDGETS, ""))})

    def __contains__(self, address: object) -> bool:
        known = super().__contains__(address)
        if not known and (text := _text(str(address), get_dist_path())):
            self[str(address)] = InlineStyleSheet(css=text)
            return True
        return known


@cache
def _text(address: str, shipped: str) -> str:
    """Return the content of a style sheet of ours or Panel's, empty for any other.

    What it imports is looked for from where Panel's files are ``shipped``.
    """
    path = address.partition("?")[0]
    if posixpath.basename(path) == WIDGETS:
        return (Path(__file__).parent / WIDGETS).read_text(encoding="utf-8")
    local = path.rpartition(LOCAL_DIST)[2] if LOCAL_DIST in path else path.removeprefix(CDN_DIST)
    sheet = DIST_DIR / local
    if local == path or not sheet.is_file():
        return ""
    folder = posixpath.join(shipped, posixpath.dirname(local))
    return _RELATIVE.sub(rf"\g<1>{folder}/", sheet.read_text(encoding="utf-8"))
