"""The legend over the plot: each cluster by its colour and its size, and what widths mean."""

from __future__ import annotations

from typing import Any

import numpy as np
import param
from panel.custom import JSComponent

from ccviz.arrays import IntArray
from ccviz.views.lab.session import Session
from ccviz.views.palette import cluster_colors
from ccviz.views.panels.messages import in_one_message
from ccviz.views.panels.template import css, with_template

_MOST, _OF_MORE = 24, 12
"""Most clusters that are all named, and how many are of more: the plot keeps its room."""
_MOST_IN_FULL = 4
"""Most clusters that are called by the word and the number; more are called by the number."""

_STYLE = css("legend.css")


class Legend(JSComponent):
    """A button for each cluster, which leaves it alone in colour.

    Parameters
    ----------
    session : Session
    """

    rows = param.List(default=[])
    chosen = param.Integer(default=None, allow_None=True)
    note = param.String(default="")
    left_out = param.Integer(default=0)
    more = param.Integer(default=0)

    _esm = with_template("legend.js")
    _stylesheets = [_STYLE]  # noqa: RUF012, Panel's way to declare it

    def __init__(self, session: Session, **params: Any) -> None:
        super().__init__(min_height=24, margin=0, sizing_mode="stretch_width", **params)
        self._session = session
        session.param.watch(lambda event: setattr(self, "chosen", event.new), "isolated")

    def show(self, colors: IntArray, names: dict[int, str]) -> None:
        """Show what the colours of the plot stand for.

        Parameters
        ----------
        colors : (n,) int
            -1 for none.
        names : dict
            By colour; other colours are clusters.
        """
        sizes = np.bincount(colors[colors >= 0])
        filled = np.flatnonzero(sizes).tolist()
        shown = filled[: _MOST if len(filled) <= _MOST else _OF_MORE]
        in_short = len(shown) > _MOST_IN_FULL
        rows = [
            {
                "number": number,
                "color": cluster_colors(number + 1)[-1],
                "said": _words(names.get(number, f"cluster {number}"), sizes[number]),
                "words": _words(
                    names.get(number, str(number) if in_short else f"cluster {number}"),
                    sizes[number],
                ),
            }
            for number in shown
        ]
        if rows != self.rows:
            self.rows = rows
        self.more = len(filled) - len(shown)

    def _handle_msg(self, data: int) -> None:
        in_one_message(self._session.isolate)(data)


def _words(name: str, size: int) -> str:
    return f"{name}: {size:,}"
