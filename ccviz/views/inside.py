"""The tabs *Inside the solver*, by the solvers that have them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import panel as pn
from markupsafe import Markup

from ccviz.arrays import IntArray
from ccviz.numbers import count
from ccviz.plugins import Registry
from ccviz.views.export.inner import VIEWS
from ccviz.views.figures.matrix import MatrixFigure
from ccviz.views.figures.solvers import (
    BinaryFigure,
    CutsFigure,
    DiversityFigure,
    DualsFigure,
    MasterFigure,
    PartsFigure,
    PopulationFigure,
    PricingFigure,
    ResidualsFigure,
)
from ccviz.views.figures.tree import TreeFigure
from ccviz.views.frames.exact import (
    ColumnsLog,
    Cuts,
    CutsLog,
    Log,
    PartsLog,
    RelaxationLog,
    ResidualsLog,
)
from ccviz.views.frames.heuristic import SEARCHED, PopulationLog
from ccviz.views.frames.node import STATES, NodeFacts, NodeLog, called
from ccviz.views.lab.inspection import Inspection, View
from ccviz.views.lab.session import Session
from ccviz.views.palette import look
from ccviz.views.panels.base import Html, Panel, about, css, in_one_message, watches
from ccviz.views.upstream import FigurePane

Drawn = tuple[type[Any], Callable[[Inspection], Any]]
"""A figure (with `plot`, `apply_theme` and `show`), and which frame it shows."""


def figures(
    *drawn: Drawn, words: Mapping[str, str] | None = None
) -> Callable[[Session, Inspection], FiguresPanel]:
    """Return what makes the panel of these figures, for a `ccviz.views.lab.inspection.View`.

    `drawn` (figure type, callable): From the top down. `words`: What to say over them, by solver.
    """
    return lambda session, inspection: FiguresPanel(session, inspection, drawn, words or {})


class FiguresPanel(Panel):
    """Figures over one another, each with its frame of the inspection, and words over them."""

    def __init__(
        self,
        session: Session,
        inspection: Inspection,
        drawn: tuple[Drawn, ...],
        words: Mapping[str, str],
    ) -> None:
        super().__init__()
        self._inspection = inspection
        self._sayings = words
        self._words = Html("", sizing_mode="stretch_width", margin=(6, 0, 0, 0), visible=False)
        self._drawn = [(figure(look(session.dark)), frame) for figure, frame in drawn]
        self.follow(session, inspection=inspection)

    def __panel__(self) -> Any:
        panes = [
            FigurePane(figure.plot, sizing_mode="stretch_both", margin=0)
            for figure, _ in self._drawn
        ]
        return pn.Column(self._words, *panes, sizing_mode="stretch_both", margin=0)

    @watches("dark")
    def _on_dark(self, event: Any) -> None:
        for figure, _ in self._drawn:
            figure.apply_theme(look(event.new))

    @watches("inspection.node")
    def refresh(self, *_: Any) -> None:
        """Draw the changes."""
        run = self._inspection.run
        saying = self._sayings.get(run.started.solver, "") if run and run.started else ""
        self._words.object = about(saying)
        self._words.visible = bool(saying)
        for figure, frame in self._drawn:
            figure.show(frame(self._inspection))


# --- All about a node of the tree: its decisions, its bound, its cuts, why it was closed ----------


_MOST = 12
"""Most pairs that are listed."""


class NodePanel(Panel):
    """The node that was clicked in the tree."""

    def __init__(self, session: Session, inspection: Inspection) -> None:
        super().__init__()
        self._session, self._inspection = session, inspection
        self._box = Html(
            "", stylesheets=[css("node.css")], sizing_mode="stretch_width", margin=0, name="node"
        )
        self.follow(inspection=inspection)
        self._refresh()

    @watches("inspection.node", "inspection.moved")
    def _refresh(self, *_: Any) -> None:
        run, node = self._inspection.run, self._inspection.node
        if run is None or node is None:
            ended_at_root = run is not None and len(run.tree) == 1 and run.status == "optimal"
            self._box.object = _ONE if ended_at_root else _EMPTY
            return
        facts = self._inspection.log(NodeLog).frame(run, node, self._session.draft.data.names)
        self._box.object = _html(facts, self._inspection.log(CutsLog).frame(node))


_EMPTY = Markup(
    '<div class="node"><p class="empty">Click a node of the tree: its decisions are drawn on the '
    "points, and what is known about it is written here.</p></div>"
)


_ONE = Markup(
    '<div class="node"><p class="empty">The root alone closed the gap: there was nothing to branch '
    "on. Click it: what is known about it is written here.</p></div>"
)


_NODE = Markup(
    '<div class="node" role="region" aria-label="Node"><h3>Node {node}, depth {depth}: {state}</h3>'
    "<p>{why}</p><dl>{rows}</dl></div>"
)


_ROW = Markup("<div><dt>{}</dt><dd>{}</dd></div>")


def _html(facts: NodeFacts, cuts: Cuts) -> Markup:
    rows = [
        ("Decided together", _pairs(facts.must_link, facts.names)),
        ("Decided apart", _pairs(facts.cannot_link, facts.names)),
        *(
            (name, _pairs(places, facts.names, "{} (as far as {})"))
            for name, places in (("A centre near", facts.taken), ("No centre near", facts.empty))
            if len(places)
        ),
        ("Cuts", _cut_words(cuts)),
    ]
    return _NODE.format(
        node=facts.node,
        depth=facts.depth,
        state=STATES[facts.state].label,
        why=facts.why,
        rows=Markup().join(_ROW.format(*row) for row in rows),
    )


def _pairs(pairs: IntArray, names: Sequence[str], words: str = "{}-{}") -> str:
    if names and words == "{}-{}":
        words = "{} – {}"  # as the list of links has them; a name may have a hyphen
    shown = ", ".join(words.format(*called(pair, names)) for pair in pairs[:_MOST].tolist())
    rest = f" and {len(pairs) - _MOST} more" if len(pairs) > _MOST else ""
    return f"{shown}{rest}" if shown else "nothing"


def _cut_words(cuts: Cuts) -> str:
    if not len(cuts.at):
        return "no round of cuts"
    if not any(cuts.totals.values()):
        return f"{count(len(cuts.at), 'round')}, no cuts"
    kinds = ", ".join(count(amount, kind.removesuffix("s")) for kind, amount in cuts.totals.items())
    return f"{count(len(cuts.at), 'round')}: {kinds}; {int(cuts.active[-1]):,} active"


_LEAST_HEIGHT = "clamp(60px, 11vh, 104px)"
"""Height kept for the details under the tree, so that most clicks move nothing."""

_AXES = {"Lower bound": "bound", "Depth": "depth"}


class TreePanel(Panel):
    """Grows with the run; clicking a node selects it, clicking a folded one opens it."""

    def __init__(self, session: Session, inspection: Inspection) -> None:
        super().__init__()
        self._session, self._inspection = session, inspection
        self._figure = TreeFigure(
            look(session.dark, large=session.presenting), in_one_message(inspection.select)
        )
        self._node = NodePanel(session, inspection)
        self._axis = pn.widgets.RadioButtonGroup(
            options=_AXES, value=inspection.axis, name="Height of a node",
            align="end", margin=(-36, 0, 6, 0), styles={"z-index": "1"},
            css_classes=["beside-tabs"],
        )  # fmt: skip
        self._axis.param.watch(in_one_message(self._on_axis), "value")
        self._details = pn.Column(
            self._node, sizing_mode="stretch_width", margin=(2, 8),
            styles={"flex": "0 0 auto", "min-height": _LEAST_HEIGHT},
        )  # fmt: skip
        self.follow(session, inspection=inspection)

    def __panel__(self) -> Any:
        figure = FigurePane(self._figure.plot, sizing_mode="stretch_both", margin=0)
        return pn.Column(
            pn.Column(self._axis, figure, sizing_mode="stretch_both", margin=0),
            self._details,
            sizing_mode="stretch_both",
            margin=0,
        )

    @watches("dark", "presenting")
    def _apply_theme(self, *_: Any) -> None:
        self._figure.apply_theme(look(self._session.dark, large=self._session.presenting))
        self._axis.visible = not self._session.presenting

    def _on_axis(self, event: Any) -> None:
        self._inspection.axis = event.new
        self.refresh()

    @watches("inspection.node")
    def refresh(self, *_: Any) -> None:
        """Draw the changes."""
        frame = self._inspection.tree_frame(self._session.draft.data.names)
        if frame is not None:
            self._figure.show(frame, self._inspection.log(NodeLog).lives(frame.node))
            self._figure.select(self._inspection.node)


# --- Every view of a solver's inner life: an explicit tuple, and the views of other packages ------


def _view(name: str, panel: Callable[[Any, Any], Any], *logs: type[Log]) -> View:
    """Return a view with its title and its events, which exported pages have too."""
    return View(name, *VIEWS[name], panel, logs)


def _matrix(at: Inspection) -> Any:
    labels = at.run.incumbent.labels if at.run and at.run.incumbent else None
    return at.log(RelaxationLog).frame(labels, at.node)


_OWN: tuple[View, ...] = (
    _view("tree", TreePanel),
    _view(
        "relaxation",
        figures((MatrixFigure, _matrix), (CutsFigure, lambda at: at.log(CutsLog).frame(at.node))),
        RelaxationLog,
        CutsLog,
    ),
    _view(
        "columns",
        figures(
            (MasterFigure, lambda at: at.log(ColumnsLog).frame()),
            (PricingFigure, lambda at: at.log(ColumnsLog).frame()),
            (DualsFigure, lambda at: at.log(ColumnsLog).duals()),
        ),
        ColumnsLog,
    ),
    _view(
        "residuals",
        figures(
            (ResidualsFigure, lambda at: at.log(ResidualsLog).frame()),
            (BinaryFigure, lambda at: at.log(ResidualsLog).relaxed()),
        ),
        ResidualsLog,
    ),
    _view(
        "population",
        figures(
            (PopulationFigure, lambda at: at.log(PopulationLog).frame()),
            (DiversityFigure, lambda at: at.log(PopulationLog).frame()),
            words=SEARCHED,
        ),
        PopulationLog,
    ),
    _view("parts", figures((PartsFigure, lambda at: at.log(PartsLog).frame())), PartsLog),
)


def _refuse(added: object) -> str:
    if not isinstance(added, View):
        return "it is no view"
    about: dict[str, Any] = vars(added)
    if not (isinstance(about["name"], str) and isinstance(about["title"], str)):
        return "its name or title is no text"
    kinds = [*about["events"], *about["logs"]]
    if not (callable(about["panel"]) and all(isinstance(kind, type) for kind in kinds)):
        return "its panel cannot be called, or its events and logs are no classes"
    return ""


CATALOGUE: Registry[View] = Registry("ccviz.views", _OWN, _refuse)
