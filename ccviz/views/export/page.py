"""The exported page: data, style and script in one file that needs no other."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import zlib
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from html import escape
from pathlib import Path
from typing import Any

import numpy as np

from ccviz.errors import CcvizError
from ccviz.events import Record
from ccviz.runs.archive import Archive
from ccviz.system import write_file
from ccviz.views.draft import Draft
from ccviz.views.export.story import Play, story
from ccviz.views.frames.exact import KINDS
from ccviz.views.frames.node import DECISIONS, MARKS, STATES
from ccviz.views.palette import CUTS, DARK, LIGHT, Look, cluster_colors

# --------------------------------------------------------------------------------------------------
# Scripts, styles and words of a drawn run, for the exported page and for the notebook cell.


_HERE = Path(__file__).parent
_COLORS = _HERE.parent / "page" / "colors.css"
_SCRIPTS = ("fold.js", "draw.js", "plots.js", "panel.js", "player.js")
_MOST_COLORS = 20
_PACES = {
    "Auto": 0,
    "1 / s": 1,
    "3 / s": 3,
    "10 / s": 10,
    "30 / s": 30,
    "100 / s": 100,
    "1000 / s": 1000,
}


def script_of(*own: str | Path) -> str:
    """Return the scripts that draw a run and play it, followed by those of the place where it is.

    `own`: Beside this file unless absolute.
    """
    parts = [(_HERE / name).read_text(encoding="utf-8") for name in (*_SCRIPTS, *own)]
    return '"use strict";\n' + "\n".join(parts)


def style_of(*own: str | Path) -> str:
    """Return the colours, light and dark, followed by the style of the place where a run is drawn.

    `own`: Beside this file unless absolute.
    """
    themes = f':root {{{_variables(LIGHT)}}}\n:root[data-theme="dark"] {{{_variables(DARK)}}}\n'
    parts = [(_HERE / name).read_text(encoding="utf-8") for name in own]
    return "\n".join([_COLORS.read_text(encoding="utf-8") + themes, *parts])


def _variables(look: Look) -> str:
    return " ".join(f"--look-{name}: {color};" for name, color in asdict(look).items())


def words() -> dict[str, Any]:
    """Return the words, colours and marks that the scripts draw with."""
    return {
        "clusters": cluster_colors(_MOST_COLORS),
        "marks": MARKS,
        "labels": {name: words.label for name, words in STATES.items()},
        "states": list(STATES),
        "decisions": DECISIONS,
        "why": {
            name: {"in_full": words.in_full, "alone": words.alone, "place": words.place}
            for name, words in STATES.items()
        },
        "cuts": dict(zip(KINDS, CUTS, strict=True)),
        "paces": _PACES,
    }  # fmt: skip


# --------------------------------------------------------------------------------------------------
# Data of an exported page: JSON followed by its arrays as plain bytes, deflated, in base64.
#
# No character of base64 has a meaning in HTML, so no content of a data file can end the element
# that holds it. ``unpack`` in ``fold.js`` is the inverse.


_INTS = (np.int8, np.int16, np.int32)
_ALIGNED = 8
_HEAD_BYTES = 8


def _plain(value: Any, arrays: bytearray) -> Any:
    """Return a value as JSON takes it: an array is its type, its shape and its place.

    `arrays`: All of them one after another, to which those of the value are added.
    """
    if isinstance(value, dict):
        return {name: _plain(each, arrays) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(each, arrays) for each in value]
    if isinstance(value, np.ndarray):
        stored, at = np.ascontiguousarray(_small(value)), len(arrays)
        arrays += stored.astype(stored.dtype.newbyteorder("<")).tobytes()
        arrays += bytes(-len(arrays) % _ALIGNED)
        kind = stored.dtype.kind + str(stored.dtype.itemsize)
        return {"array": kind, "at": at, "shape": list(stored.shape)}
    return value.item() if isinstance(value, np.generic) else value


def _small(array: np.ndarray) -> np.ndarray:
    """Return the array in the smallest type that holds its numbers as they are."""
    if array.dtype.kind == "b":
        return array.astype(np.uint8)
    if array.dtype.kind == "i" and array.size:
        low, high = int(array.min()), int(array.max())
        for small in _INTS:
            if np.iinfo(small).min <= low and high <= np.iinfo(small).max:
                return array.astype(small)
        return array.astype(np.float64)  # JavaScript has no other number
    return array.astype(np.int8) if array.dtype.kind == "i" else array


def pack(value: Any) -> str:
    """Return a value of dicts, lists, texts, numbers and arrays as one word.

    Returns: The base64 of a deflated stream: the length of the JSON, the JSON, the arrays.
    """
    arrays = bytearray()
    text = json.dumps(_plain(value, arrays), allow_nan=False, separators=(",", ":")).encode()
    text += b" " * (-len(text) % _ALIGNED)
    whole = len(text).to_bytes(_HEAD_BYTES, "little") + text + arrays
    return base64.b64encode(zlib.compress(whole, 9)).decode("ascii")


MOST_RUNS = 4


@dataclass(frozen=True)
class Handout:
    """Text above the runs of a page: a lesson with its steps, or an entry of the gallery."""

    title: str
    paper: str = ""
    # (text, finding, sketch): The sketch is SVG, or empty.
    steps: tuple[tuple[str, str, str], ...] = ()
    look: str = ""
    exercises: tuple[tuple[str, str], ...] = ()


def save_html(path: str | Path, plays: Sequence[Play], handout: Handout | None = None) -> None:
    """Write runs side by side as one HTML file, which needs neither a server nor a network.

    `path`: What was there before stays if anything goes wrong. Raises `CcvizError` if there are no
    runs or too many, or the file cannot be written.
    """
    write_file(path, html(plays, handout).encode())


def html(plays: Sequence[Play], handout: Handout | None = None) -> str:
    """Return the page of one to four runs; see `save_html`."""
    if not 1 <= len(plays) <= MOST_RUNS:
        raise CcvizError(f"a page shows one to {MOST_RUNS} runs, not {len(plays)}.")
    runs = [story(play) for play in plays]
    lesson = None if handout is None else asdict(handout) | {
        "steps": [
            {"text": text, "finding": finding, "sketch": _picture(sketch)}
            for text, finding, sketch in handout.steps
        ]
    }  # fmt: skip
    data = {"runs": runs, "lesson": lesson, "words": words()}
    # A description of the picture for screen readers.
    ends = [
        f"{run['title']}: {run['said'][-1] if run['said'] else 'nothing happened yet.'}"
        for run in runs
    ]
    style, script = style_of("style.css"), script_of("page.js")
    title = handout.title if handout else " and ".join(play.title for play in plays)
    parts = {
        "title": escape(f"{title} · ccviz"), "summary": escape(" ".join(ends)),
        "style": style, "style_hash": _hash(style), "script": script, "script_hash": _hash(script),
        "data": pack(data),
    }  # fmt: skip
    page = (_HERE / "page.html").read_text(encoding="utf-8")
    # In one pass: inserted text is not searched for more places.
    return re.sub(r"\{(\w+)\}", lambda place: parts[place[1]], page)


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


# --- Runs of an archive as what a page is made of -------------------------------------------------


_PAGE = 500


def stored_play(
    archive: Archive,
    run_id: str,
    present: Draft | None = None,
    axes: tuple[str, str] | None = None,
) -> Play:
    """Return a run of an archive for export.

    `present`: One on the same data, which knows the names of their features. `axes` (str, str):
    What is drawn.
    """
    info = archive.info(run_id)
    if info.last_seq < 0:
        raise CcvizError(f"the run {info.name} has no events yet: there is nothing to show.")
    title = info.name if info.name != info.id else f"{info.solver} on {info.dataset or 'data'}"
    return Play(
        title, archive.problem(run_id), _records(archive, run_id), info.last_seq + 1,
        info.dataset, present, axes,
    )  # fmt: skip


def _records(archive: Archive, run_id: str) -> Iterator[Record]:
    """Yield the records of a run, a page at a time: all of them may be more than memory holds."""
    after = -1
    while page := archive.records(run_id, after=after, limit=_PAGE):
        yield from page
        after = page[-1].seq


def page_of(
    runs: Sequence[tuple[Path, str]],
    present: Draft,
    axes: tuple[str, str],
    handout: Handout | None,
) -> str:
    """Return the page of some runs, in the process that `FileJobs` begins for it.

    `runs` (path, str): Archive and id of each.
    """
    with ExitStack() as opened:
        archives = {path: opened.enter_context(Archive(path)) for path, _ in runs}
        plays = [stored_play(archives[path], each, present, axes) for path, each in runs]
        return html(plays, handout)
