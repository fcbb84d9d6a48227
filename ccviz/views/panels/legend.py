"""The legend over the plot: each cluster by its colour, and how many points it has."""

from __future__ import annotations

from typing import Any

import numpy as np
import param
from panel.custom import JSComponent

from ccviz.arrays import IntArray
from ccviz.views.lab.session import Session
from ccviz.views.palette import cluster_colors
from ccviz.views.panels.commit import held
from ccviz.views.panels.template import with_template

_MOST = 24
_STYLE = """
.legend { display: flex; gap: 2px 4px; height: 24px; overflow: auto hidden; scrollbar-width: thin;
  font-size: 12px; align-items: center; }
button { flex: none; border: 1px solid transparent; border-radius: 99px; background: none;
  color: var(--ink); font: inherit; padding: 1px 8px; cursor: pointer; white-space: nowrap; }
button:hover { background: var(--back); }
button:focus-visible { outline: 2px solid var(--accent); outline-offset: -2px; }
button[aria-pressed="true"] { border-color: var(--accent); background: var(--info-back); }
i { display: inline-block; width: 9px; height: 9px; border-radius: 50%; margin-right: 5px; }
"""


class Legend(JSComponent):
    """A button for each cluster, which leaves it alone in colour.

    Parameters
    ----------
    session : Session
    """

    rows = param.List(default=[])
    chosen = param.Integer(default=None, allow_None=True)

    _esm = with_template("legend.js")
    _stylesheets = [_STYLE]  # noqa: RUF012, Panel's way to declare it

    def __init__(self, session: Session, **params: Any) -> None:
        super().__init__(height=24, margin=0, sizing_mode="stretch_width", **params)
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
        rows = [
            {
                "number": number,
                "color": cluster_colors(number + 1)[-1],
                "words": f"{names.get(number, f'cluster {number}')}: {sizes[number]:,}",
            }
            for number in np.flatnonzero(sizes).tolist()[:_MOST]
        ]
        if rows != self.rows:
            self.rows = rows

    def _handle_msg(self, data: int) -> None:
        held(self._session.isolate)(data)
