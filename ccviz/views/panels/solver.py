"""Which solver, with a form made from its dataclass fields."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import panel as pn
from markupsafe import Markup

from ccviz.errors import UnsupportedError
from ccviz.solvers import SOLVERS, Solver, check
from ccviz.solvers.base import label_of
from ccviz.views.lab.session import Session
from ccviz.views.panels.following import Following
from ccviz.views.panels.html import Html
from ccviz.views.panels.number import FloatInput

_STYLE = ".cannot { color: var(--warn); font-size: 12px; margin: 2px 0; }"


class SolverPanel(pn.viewable.Viewer):
    """Solver, its settings, seed and limits."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self._following = Following()
        self._shown: type[Solver] | None = None
        self._inputs: dict[str, pn.widgets.Widget] = {}
        wide: Any = {"sizing_mode": "stretch_width", "margin": (2, 4)}
        self._choice = pn.widgets.Select(
            name="Solver", options={solver.title: solver.name for solver in SOLVERS}, **wide
        )
        self._about = Html("", margin=(0, 4), sizing_mode="stretch_width", stylesheets=[_STYLE])
        self._form = pn.Column(margin=0, sizing_mode="stretch_width")
        self._advanced = pn.Card(
            title="More settings", collapsed=True, margin=(2, 4), sizing_mode="stretch_width",
            hide_header=False,
        )  # fmt: skip
        self._seed = pn.widgets.IntInput.from_param(session.param.seed, name="Seed", **wide)
        self._time = _limit(session.param.time_limit, "Time limit, s", 5.0)
        self._nodes = _limit(session.param.node_limit, "Node limit", 100)
        self._gap = _limit(session.param.gap_limit, "Stop at the gap", 0.01)
        self._choice.param.watch(
            self._following.unless(lambda event: session.set_solver(event.new)), "value"
        )
        session.param.watch(self._follow, "solver")
        session.param.watch(self._tell, ["solver", "draft"])
        self._follow()
        self._tell()

    def __panel__(self) -> Any:
        return pn.Column(
            Html(Markup("<h2>Solver</h2>"), margin=(0, 4)),
            self._choice, self._about, self._form,
            _pair(self._seed, self._time),
            self._advanced,
            sizing_mode="stretch_width", css_classes=["section"], margin=0,
        )  # fmt: skip

    def _follow(self, *_: Any) -> None:
        solver = self._session.solver
        with self._following:
            self._choice.value = solver.name
        if self._shown is type(solver):
            with self._following:
                for name, widget in self._inputs.items():
                    widget.value = getattr(solver, name)
            return
        self._shown = type(solver)
        self._inputs = {
            each.name: _input(each, label_of(each.name, type(solver)), getattr(solver, each.name))
            for each in fields(solver)
        }
        for widget in self._inputs.values():
            widget.param.watch(self._following.unless(self._on_setting), "value")
        advanced = {each.name for each in fields(solver) if each.metadata["advanced"]}
        plain = [widget for name, widget in self._inputs.items() if name not in advanced]
        self._form.objects = [_pair(*plain[at : at + 2]) for at in range(0, len(plain), 2)]
        limits = [self._nodes, self._gap] if solver.supports.exact else []
        more = [widget for name, widget in self._inputs.items() if name in advanced]
        self._advanced.objects = [*more, *limits]
        self._advanced.visible = bool(self._advanced.objects)

    def _tell(self, *_: Any) -> None:
        """Say whose solver it is, and if it cannot handle the problem."""
        solver, cannot = self._session.solver, Markup()
        try:
            check(solver, self._session.draft.problem)
        except UnsupportedError as refused:
            cannot = Markup('<p class="cannot">{}</p>').format(refused)
        self._about.object = Markup('<p class="about">{}</p>{}').format(solver.paper, cannot)

    def _on_setting(self, _: Any) -> None:
        values = {name: widget.value for name, widget in self._inputs.items()}
        self._session.set_solver(self._session.solver.name, **values)


def _pair(*widgets: Any) -> pn.Row:
    # No GridBox: a held update of its children and of anybody's size trips Bokeh.
    return pn.Row(*widgets, margin=0, sizing_mode="stretch_width")


def _input(each: Any, label: str, value: Any) -> pn.widgets.Widget:
    """Return the widget that suits a setting's type, range and choices."""
    about = each.metadata
    common: Any = {
        "name": label,
        "value": value,
        "sizing_mode": "stretch_width",
        "margin": (2, 4),
    }
    if about["choices"]:
        return pn.widgets.Select(options=list(about["choices"]), description=about["doc"], **common)
    if isinstance(value, bool):
        # A select, for Panel's check box has no label that a screen reader finds.
        return pn.widgets.Select(
            options={"no": False, "yes": True}, description=about["doc"], **common
        )
    if isinstance(value, str):
        return pn.widgets.TextInput(description=about["doc"], **common)
    ends = {"start": about["low"], "end": about["high"], "description": about["doc"]}
    if isinstance(value, int):
        return pn.widgets.IntInput(**ends, **common)
    return FloatInput(**ends, **common)


def _limit(parameter: Any, name: str, step: float) -> pn.widgets.Widget:
    kind = pn.widgets.IntInput if isinstance(step, int) else FloatInput
    return kind.from_param(
        parameter, name=name, step=step, placeholder="none", sizing_mode="stretch_width",
        margin=(2, 4),
    )  # fmt: skip
