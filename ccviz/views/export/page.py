"""The exported page: data, style and script in one file that needs no other."""

from __future__ import annotations

import base64
import hashlib
import os
import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from html import escape
from pathlib import Path
from typing import Any

from ccviz.errors import CcvizError
from ccviz.views.export.assets import script_of, style_of, words
from ccviz.views.export.packing import pack
from ccviz.views.export.story import Play, story
from ccviz.views.palette import LIGHT
from ccviz.wholefile import whole_file

MOST_RUNS = 4
_HERE = Path(__file__).parent


@dataclass(frozen=True)
class Told:
    """Text above the runs of a page: a lesson with its steps, or an entry of the gallery.

    Attributes
    ----------
    title : str
    paper : str
        Summary of the paper.
    steps : tuple of (text, finding, sketch)
        The sketch is SVG, or empty.
    look : str
        Hint on the pictures.
    exercises : tuple of (question, answer)
    """

    title: str
    paper: str = ""
    steps: tuple[tuple[str, str, str], ...] = ()
    look: str = ""
    exercises: tuple[tuple[str, str], ...] = ()


def save_html(path: str | Path, plays: Sequence[Play], told: Told | None = None) -> None:
    """Write runs side by side as one HTML file, which needs neither a server nor a network.

    Parameters
    ----------
    path : path
        What was there before stays if anything goes wrong.
    plays : sequence of Play
        One to four.
    told : Told, optional
        Text above the runs.

    Raises
    ------
    CcvizError
        If there are no runs or too many, or the file cannot be written.
    """
    text = html(plays, told)
    try:
        with whole_file(path) as file:
            file.write(text.encode())
    except OSError as broken:
        raise CcvizError(f"{path} cannot be written: {os.strerror(broken.errno or 0)}.") from None


def html(plays: Sequence[Play], told: Told | None = None) -> str:
    """Return the page of one to four runs; see `save_html`.

    Parameters
    ----------
    plays : sequence of Play
    told : Told, optional

    Returns
    -------
    str

    Raises
    ------
    CcvizError
        If there are no runs or too many.
    """
    if not 1 <= len(plays) <= MOST_RUNS:
        raise CcvizError(f"a page shows one to {MOST_RUNS} runs, not {len(plays)}.")
    runs = [story(play) for play in plays]
    data = {"runs": runs, "lesson": _lesson(told), "words": words()}
    style, script = style_of("style.css"), script_of("page.js")
    title = told.title if told else " and ".join(play.title for play in plays)
    parts = {
        "title": escape(f"{title} · ccviz"), "summary": escape(_summary(runs)),
        "style": style, "style_hash": _hash(style), "script": script, "script_hash": _hash(script),
        "data": pack(data),
    }  # fmt: skip
    page = (_HERE / "page.html").read_text(encoding="utf-8")
    # In one pass: inserted text is not searched for more places.
    return re.sub(r"\{(\w+)\}", lambda place: parts[place[1]], page)


def _summary(runs: list[dict[str, Any]]) -> str:
    """Return a description of the picture for screen readers."""
    ends = [
        f"{run['title']}: {run['said'][-1] if run['said'] else 'nothing happened yet.'}"
        for run in runs
    ]
    return " ".join(ends)


def _lesson(told: Told | None) -> dict[str, Any] | None:
    if told is None:
        return None
    steps = [
        {"text": text, "finding": finding, "sketch": _picture(sketch)}
        for text, finding, sketch in told.steps
    ]
    return asdict(told) | {"steps": steps}


def _picture(sketch: str) -> str:
    """Return an SVG of the live page as a picture by itself, which has no page's style."""
    rules = (
        f"line, rect {{ stroke: {LIGHT.faint}; fill: none }} rect {{ stroke-width: 1.5 }}"
        ".closed rect { stroke-dasharray: 4 3 }"
        f"text {{ font: 11px sans-serif; text-anchor: middle; fill: {LIGHT.ink} }}"
    )
    named = sketch.replace("<svg", '<svg xmlns="http://www.w3.org/2000/svg"', 1)
    return named.replace(">", f"><style>{rules}</style>", 1)


def _hash(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"
