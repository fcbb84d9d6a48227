"""The step *Run*: one line says how, and opens the form made of the solver's fields."""

from __future__ import annotations

from dataclasses import fields
from inspect import cleandoc
from typing import Any

import panel as pn
from bokeh.models import Tooltip
from markupsafe import Markup

from ccviz.problem.fixed_centers import centers_text
from ccviz.solvers import SOLVERS, Solver, solver_class
from ccviz.solvers.advice import Advice
from ccviz.solvers.base import GROUPS, label_of, offered
from ccviz.views.lab.notice import advised, refusal, unable
from ccviz.views.lab.session import Session
from ccviz.views.lab.state import FIRST_S
from ccviz.views.panels.base import (
    WIDE,
    Following,
    Html,
    Panel,
    button,
    css,
    rebuilt,
    step_heading,
    watches,
)
from ccviz.views.upstream import FloatInput

_TAKEN = Markup('<p class="about" title="Recommended. {}">★ recommended</p>')
_ABOUT = Markup('<p class="about" title="{sentence} {paper}">{short} ({cited})</p>')


class SolverPanel(Panel):
    """Solver, its settings, seed and limits, folded until one of them was chosen."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self._following = Following()
        self._shown: type[Solver] | None = None
        self._inputs: dict[str, pn.widgets.Widget] = {}
        self._choice = pn.widgets.Select(
            name="Solver", groups=_groups({}), css_classes=["unlabelled"], **WIDE
        )
        self._advised: Advice | None = None
        self._take = button("", self._take_advised, margin=(0, 4), css_classes=["advice"])
        self._taken = Html("", margin=(0, 4), name="recommended")
        self._about = Html(
            "", margin=(0, 4), sizing_mode="stretch_width", stylesheets=[css("solver.css")]
        )
        self._form = pn.Column(margin=0, sizing_mode="stretch_width")
        self._advanced = pn.Card(
            title="More settings", collapsed=True, margin=(2, 4), sizing_mode="stretch_width",
            hide_header=False,
        )  # fmt: skip
        chosen = session.chosen or session.seed or session.given_limits
        self._fold = pn.Card(
            title="", collapsed=not chosen, margin=(2, 0), sizing_mode="stretch_width",
            css_classes=["plan"],
        )  # fmt: skip
        self._seed = pn.widgets.IntInput.from_param(session.param.seed, name="Seed", **WIDE)
        self._time = _limit(session.param.time_limit, "Time limit, s", 5.0)
        self._nodes = _limit(session.param.node_limit, "Node limit", 100)
        self._gap = _limit(session.param.gap_limit, "Stop at the gap", 0.01)
        self._outliers = pn.widgets.IntInput(
            name="Points that may be left out", value=session.draft.outliers, start=0,
            description="Outliers: they cost nothing, and are in no cluster.", **WIDE,
        )  # fmt: skip
        self._following.hear_or_restore(
            self._outliers, session.edits.set_outliers, lambda: session.draft.outliers
        )
        self._centers = pn.widgets.TextInput(
            name="Fixed centres", value=centers_text(session.draft.fixed_centers),
            placeholder="5.1, 3.5; 6.2, 2.9",
            description="Centres that do not move: a number for each feature, in the data's units.",
            **WIDE,
        )  # fmt: skip
        self._following.hear_or_restore(
            self._centers, session.edits.set_fixed_centers,
            lambda: centers_text(session.draft.fixed_centers),
        )  # fmt: skip
        self._as_edited = pn.widgets.Toggle(name="Run as I edit", margin=(4, 4))
        self._keep = pn.widgets.Toggle.from_param(
            session.staying.param.wanted, name="Keep groups as they are", margin=(2, 4),
            visible=False, sizing_mode="stretch_width",
        )  # fmt: skip
        self._most = pn.widgets.IntInput.from_param(
            session.staying.param.most, name="Points that move, at most", start=0, margin=(2, 4),
            visible=False, sizing_mode="stretch_width", placeholder="as few as can be",
        )  # fmt: skip
        self._following.hear(self._as_edited, lambda is_on: setattr(session, "as_edited", is_on))
        self._following.hear(self._choice, session.set_solver)
        self.follow(session)
        self._on_solver()
        self._describe()
        self._show_keep()

    def __panel__(self) -> Any:
        # A card shows again, when it opens, what of its own parts was hidden meanwhile.
        self._fold[:] = [
            pn.Column(
                self._choice, self._about, self._take, self._taken, self._form,
                _pair(self._seed, self._time), self._advanced,
                margin=0, sizing_mode="stretch_width",
            )
        ]  # fmt: skip
        return pn.Column(
            Html(step_heading(3, "Run"), margin=(0, 4), sizing_mode="stretch_width"), self._fold,
            self._keep, self._most,
            sizing_mode="stretch_width", css_classes=["section"], margin=0,
        )  # fmt: skip

    @watches("solver")
    def _on_solver(self, *_: Any) -> None:
        solver = self._session.solver
        with self._following:
            able = [name for name in self._choice.disabled_options if name != solver.name]
            self._choice.param.update(value=solver.name, disabled_options=able)
        if self._shown is type(solver):
            with self._following:
                for name, widget in self._inputs.items():
                    value = getattr(solver, name)
                    if value not in getattr(widget, "values", [value]):  # it is not installed here
                        widget.options = widget.options | {value: value}
                    widget.value = value
            return
        self._shown = type(solver)
        self._inputs = {
            each.name: _input(each, label_of(each.name, type(solver)), getattr(solver, each.name))
            for each in fields(solver)
        }
        for widget in self._inputs.values():
            self._following.hear(widget, self._on_setting)
        advanced = {each.name for each in fields(solver) if each.metadata["advanced"]}
        plain = [widget for name, widget in self._inputs.items() if name not in advanced]
        limits = [self._nodes, self._gap] if solver.supports.exact else []
        more = [widget for name, widget in self._inputs.items() if name in advanced]
        with rebuilt():
            self._form.objects = [_pair(*plain[at : at + 2]) for at in range(0, len(plain), 2)]
            self._advanced.objects = [
                *more, *limits, self._outliers, self._centers, self._as_edited
            ]  # fmt: skip

    @watches("time_limit")
    def _on_limit(self, event: Any) -> None:
        """Take a limit of nothing away: a run within it would give up."""
        if event.new == 0:
            self._session.time_limit = None

    @watches("draft")
    def _on_draft(self, *_: Any) -> None:
        with self._following:
            self._outliers.value = self._session.draft.outliers
            self._centers.value = centers_text(self._session.draft.fixed_centers)

    @watches("staying.now", "draft", "staying.wanted")
    def _show_keep(self, *_: Any) -> None:
        """Offer to keep groups once these points have some, and the problem was edited."""
        session = self._session
        can_keep = session.edits.can_undo and session.staying.can_keep(session.draft.problem)
        self._keep.visible = can_keep
        self._most.visible = can_keep and session.staying.wanted

    @watches("as_edited", "proofs.quick")
    def _show_as_edited(self, *_: Any) -> None:
        chosen = self._session.as_edited
        with self._following:
            self._as_edited.value = self._session.proofs.quick if chosen is None else chosen

    @watches("solver", "draft", "time_limit", "chosen", "proofs.took")
    def _describe(self, *_: Any) -> None:
        """Say what the solver is, whose, whether it supports the problem, and which is best."""
        self._fold.title = plan(self._session)
        self._time.placeholder = "none" if self._session.chosen else f"{FIRST_S:g}"
        solver, draft = self._session.solver, self._session.draft
        why = refusal(draft, solver)
        cannot = Markup('<p class="cannot">{}</p>').format(why) if why else Markup()
        sentence = sentence_of(type(solver))
        about = _ABOUT.format(
            sentence=sentence, short=sentence.rstrip("."), paper=solver.paper,
            cited=cited(solver.paper),
        )  # fmt: skip
        self._about.object = about + cannot
        why_not = unable(draft)
        groups = _groups(why_not)  # greyed, and with the reasons
        # A draft can bring another solver, and the choice may not have followed it yet.
        offer: dict[str, Any] = {
            "value": solver.name,
            "disabled_options": [name for name in why_not if name != solver.name],
        }
        if groups != self._choice.groups:
            offer["groups"] = groups
        with self._following:
            self._choice.param.update(**offer)
        self._advise(advised(draft, seconds=self._session.limits.time_limit))

    def _advise(self, found: Advice | None) -> None:
        before, self._advised = self._advised, found
        taken = found is not None and found.solver == self._session.solver.name
        self._take.visible = found is not None and not taken
        self._taken.visible = taken
        if found is None or found == before:  # a new tooltip costs a walk through the whole page
            return
        kind = solver_class(found.solver)
        self._taken.object = _TAKEN.format(found.why)
        self._take.param.update(
            name=f"★ {kind.title}",
            description=Tooltip(content=f"Recommended. {found.why}", position="right"),
        )

    def _take_advised(self) -> None:
        if self._advised is not None:
            self._session.set_solver(self._advised.solver)

    def _on_setting(self, _: Any) -> None:
        values = {name: widget.value for name, widget in self._inputs.items()}
        self._session.set_solver(self._session.solver.name, **values)


def _groups(cannot: dict[str, str]) -> dict[str, dict[str, str]]:
    """Return the solvers by groups: a description of each, and its name."""
    return {
        group: {
            f"{kind.title} ({cannot[kind.name]})" if kind.name in cannot else kind.title: kind.name
            for kind in SOLVERS
            if kind.group == group
        }
        for group in GROUPS
    }


def plan(session: Session) -> str:
    """Return in a few words what *Run* will do: prove or not, and how long that may take."""
    solver, seconds = session.solver, session.limits.time_limit
    if not solver.supports.exact:
        return "Quick, with a bound" if solver.supports.bounds else "Quick, no proof"
    found = session.proofs.forecast(session.draft.problem_for(solver), solver)
    if found is not None and seconds and found.middle > seconds:
        return f"At most {seconds:g} s, with a proved gap"
    if found is None:
        return "Exact, with proof"
    return f"Exact, with proof · {found.about if found.middle >= 1 else 'a moment'}"


def sentence_of(kind: type[Solver]) -> str:
    """Return what a solver is, the first sentence of its docstring."""
    return cleandoc(kind.__doc__ or kind.title).partition("\n")[0]


def cited(paper: str) -> str:
    """Return a paper's authors and year without brackets; of three authors or more the first.

    `paper`: Names, with commas and *and* between them, and the year in brackets.
    """
    authors, _, year = paper.removesuffix(")").rpartition(" (")
    first, comma, _ = authors.partition(", ")
    return f"{first} et al. {year}" if comma else f"{authors} {year}"


def _pair(*widgets: Any) -> pn.Row:
    # No GridBox: Bokeh fails if one message changes its children and the size of any model.
    return pn.Row(*widgets, margin=0, sizing_mode="stretch_width")


# What people call a choice, where its name says too little.
_CHOICES = {"best": "best bound first", "depth": "depth first", "breadth": "breadth first"}


def _input(each: Any, label: str, value: Any) -> pn.widgets.Widget:
    """Return the widget that suits a setting's type, range and choices."""
    about = each.metadata
    common: Any = {
        "name": label,
        "value": value,
        "sizing_mode": "stretch_width",
        "margin": (2, 4),
    }
    if choices := offered(about, value):
        named = {_CHOICES.get(each, each): each for each in choices}
        return pn.widgets.Select(options=named, description=about["doc"], **common)
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
