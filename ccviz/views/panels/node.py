"""All about a node of the tree: its decisions, its bound, its cuts, why it was closed."""

from __future__ import annotations

from typing import Any

import panel as pn
from markupsafe import Markup

from ccviz.arrays import IntArray
from ccviz.numbers import count
from ccviz.runs.run import Run
from ccviz.views.frames.cuts import Cuts, CutsLog
from ccviz.views.frames.node import NodeFacts, NodeLog
from ccviz.views.frames.states import STATES
from ccviz.views.lab.inspection import Inspection
from ccviz.views.panels.html import Html
from ccviz.views.panels.template import css

_STYLE = css("node.css")
_MOST = 12
"""Most pairs that are listed."""


class NodePanel(pn.viewable.Viewer):
    """The node that was clicked in the tree."""

    def __init__(self, inspection: Inspection) -> None:
        super().__init__()
        self._inspection = inspection
        self._html = Html(
            "", stylesheets=[_STYLE], sizing_mode="stretch_width", margin=0, name="node"
        )
        inspection.param.watch(self._refresh, ["node", "moved"])
        self._refresh()

    def __panel__(self) -> Any:
        return self._html

    def _refresh(self, *_: Any) -> None:
        run, node = self._inspection.run, self._inspection.node
        if run is None or node is None:
            self._html.object = _ONE if run is not None and _is_one(run) else _EMPTY
            return
        facts = self._inspection.log(NodeLog).frame(run, node)
        self._html.object = _html(facts, self._inspection.log(CutsLog).frame(node))


_EMPTY = Markup(
    '<div class="node"><p class="empty">Click a node of the tree: its decisions are drawn on the '
    "points, and what is known about it is written here.</p></div>"
)


_ONE = Markup(
    '<div class="node"><p class="empty">The root alone closed the gap: there was nothing to branch '
    "on. Click it: what is known about it is written here.</p></div>"
)


def _is_one(run: Run) -> bool:
    """Return whether a proof has ended at its root."""
    return len(run.tree) == 1 and run.status == "optimal"


_NODE = Markup(
    '<div class="node" role="region" aria-label="Node"><h3>Node {node}, depth {depth}: {state}</h3>'
    "<p>{why}</p><dl>{rows}</dl></div>"
)


_ROW = Markup("<div><dt>{}</dt><dd>{}</dd></div>")


def _html(facts: NodeFacts, cuts: Cuts) -> Markup:
    rows = [
        ("Decided together", _pairs(facts.must_link)),
        ("Decided apart", _pairs(facts.cannot_link)),
        *_place_rows(facts),
        ("Cuts", _cut_words(cuts)),
    ]
    return _NODE.format(
        node=facts.node,
        depth=facts.depth,
        state=STATES[facts.state].label,
        why=facts.why,
        rows=Markup().join(_ROW.format(*row) for row in rows),
    )


def _place_rows(facts: NodeFacts) -> list[tuple[str, str]]:
    """Return a line about decided discs, none if there are none."""
    rows = [("A centre near", facts.taken), ("No centre near", facts.empty)]
    return [(name, _pairs(places, "{} (as far as {})")) for name, places in rows if len(places)]


def _pairs(pairs: IntArray, words: str = "{}-{}") -> str:
    shown = ", ".join(words.format(i, j) for i, j in pairs[:_MOST].tolist())
    rest = f" and {len(pairs) - _MOST} more" if len(pairs) > _MOST else ""
    return f"{shown}{rest}" if shown else "nothing"


def _cut_words(cuts: Cuts) -> str:
    if not len(cuts.at):
        return "no round of cuts"
    if not any(cuts.totals.values()):
        return f"{count(len(cuts.at), 'round')}, no cuts"
    kinds = ", ".join(count(amount, kind) for kind, amount in cuts.totals.items())
    return f"{count(len(cuts.at), 'round')}: {kinds}; {int(cuts.active[-1])} active"
