"""Scripts, styles and words of a drawn run, for the exported page and for the notebook cell."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

from ccviz.views.frames.cuts import KINDS
from ccviz.views.frames.marks import MARKS
from ccviz.views.frames.states import DECISIONS, STATES
from ccviz.views.palette import CUTS, DARK, LIGHT, Look, cluster_colors

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

    Parameters
    ----------
    *own : path
        Beside this file unless absolute.

    Returns
    -------
    str
    """
    parts = [(_HERE / name).read_text(encoding="utf-8") for name in (*_SCRIPTS, *own)]
    return '"use strict";\n' + "\n".join(parts)


def style_of(*own: str | Path) -> str:
    """Return the colours, light and dark, followed by the style of the place where a run is drawn.

    Parameters
    ----------
    *own : path
        Beside this file unless absolute.

    Returns
    -------
    str
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
