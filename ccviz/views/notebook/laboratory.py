"""The laboratory in a notebook cell: an anywidget, for JupyterLab, VS Code, Colab and marimo."""

from __future__ import annotations

import atexit
import json
import re
import time
import weakref
from contextlib import suppress
from functools import partial
from math import inf
from operator import index
from pathlib import Path
from typing import Any, ClassVar

import anywidget
import numpy as np
import traitlets

from ccviz.data.scaling import CHOICES, LEARNED, LEARNED_LABEL
from ccviz.errors import CcvizError, ParameterError, ProblemError
from ccviz.numbers import count, number
from ccviz.problem.problem import Problem
from ccviz.runs.archive import Archive
from ccviz.runs.run import Run, result_of
from ccviz.solvers import SOLVERS
from ccviz.solvers.base import GROUPS
from ccviz.views.draft import Draft
from ccviz.views.export.page import script_of, style_of, words
from ccviz.views.frames.projection import check_axes, offered_axes
from ccviz.views.frames.scatter import coloring, plane, point_name, question
from ccviz.views.lab.runner import RunQueue
from ccviz.views.lab.session import CELL_KEYS, Session, key_actions, show_keys, with_keyboard
from ccviz.views.link_table import Link, LinkTable
from ccviz.views.notebook.given import Clock, LiveStory, given_draft, picture

_HERE = Path(__file__).parent
_LOOK_S = 0.05
_COMMON = ("seed", "time_limit", "gap_limit", "node_limit")


def _script() -> str:
    """Return the widget's module: the drawings of the exported page, and the cell around them."""
    style = style_of("style.css", _HERE / "laboratory.css")
    hosted = re.sub(r":root(\[[^]]+\])", r":host(\1)", style).replace(":root", ":host")
    known = {"STYLE": hosted, "WORDS": words()}
    constants = [f"const {name} = {json.dumps(value)}" for name, value in known.items()]
    drawn = script_of(_HERE / "cursor.js")
    return "\n".join([drawn, *constants, with_keyboard(_HERE / "laboratory.js")])


def explore(X: Any, k: int, *, axes: tuple[str, str] | None = None, **problem: Any) -> Laboratory:
    """Return the laboratory of a problem.

    Parameters
    ----------
    X : (n, d) array of float or data frame
    axes : (str, str), optional
        What is drawn across and up.
    **problem
        See `ccviz.explore`.

    Raises
    ------
    CcvizError
        If anything given is malformed.
    """
    draft = given_draft(X, k, **problem)
    check_axes(draft.data, *axes or ())
    return Laboratory(draft, axes)


class Laboratory(anywidget.AnyWidget):
    """Points to click, a run to watch, and what both show, in Python and in the cell.

    The run is a process of its own; it ends with the kernel.

    Parameters
    ----------
    draft : Draft
        What is asked at first.
    axes : (str, str), optional
        What is drawn across and up.

    Attributes
    ----------
    links : list of (str, int, int) or (str, int, int, float)
        ``("must", 3, 100)`` or ``("cannot", 4, 120)``, soft links with a weight. Clicks change it,
        and what it is set to is drawn.
    labels : (n,) int64 or None
        The best clustering of the run so far.
    result : Result or None
        What the run came to, once it has ended.
    session : Session
        All other state.
    """

    _esm: ClassVar[str] = _script()
    links: Any = traitlets.List().tag(sync=True)
    labels = traitlets.Any(None, allow_none=True)
    result = traitlets.Any(None, allow_none=True)
    _state = traitlets.Dict().tag(sync=True)
    _story = traitlets.Unicode().tag(sync=True)

    def __init__(self, draft: Draft, axes: tuple[str, str] | None = None) -> None:
        self._archive = Archive()
        self.session = Session(self._archive, RunQueue(), draft.data)
        self.session.edits.adopt(draft)
        self.session.edits.forget()
        if axes is not None:
            self.session.show_axes(*axes)
        self._linked: LinkTable | None = None  # the links that the cell shows
        self._live = LiveStory(self._archive)
        self._clock = Clock(self._beat)
        self._actions = key_actions(self.session)
        self._actions["?"] = partial(
            show_keys, self.session, CELL_KEYS, "once you have clicked in the cell"
        )
        # Whatever ends the kernel in good order ends the worker; else the worker sees it by itself.
        atexit.register(_close, weakref.ref(self.session))
        super().__init__()
        self.on_msg(self._on_message)
        self._refresh(at_once=True)

    # --- What people read -------------------------------------------------------------------

    @property
    def problem(self) -> Problem:
        """The problem with every link clicked so far."""
        return self.session.draft.problem

    @property
    def run(self) -> Run | None:
        """The newest state of the run; None before the first."""
        run_id = self.session.player.run_id
        return self._archive.load(run_id) if run_id else None

    # --- What people do ---------------------------------------------------------------------

    def start(self, solver: str | None = None, **settings: Any) -> None:
        """Start a run, of the solver chosen in the cell if none is named.

        Parameters
        ----------
        solver : str, optional
            Its name.
        **settings
            Its parameters; ``seed``, ``time_limit``, ``gap_limit`` and ``node_limit`` as well.

        Raises
        ------
        ParameterError
            If a parameter has a value that cannot be.
        CcvizError
            If the solver does not exist, or cannot handle the problem.
        """
        session = self.session
        common = {name: settings.pop(name) for name in _COMMON if name in settings}
        try:
            session.param.update(**common)
        except ValueError as wrong:
            raise ParameterError(str(wrong)) from None
        if solver is not None or settings:
            session.set_solver(solver or session.solver.name, **settings)
            self._raise_refusal()
        session.start()
        self._changed()
        self._raise_refusal()

    def ask(self) -> None:
        """Ask in the cell which points belong together, one pair after another; or stop it.

        The answers are links of `problem`, which a run then keeps.
        """
        self.session.edits.ask()
        self._changed()
        self._raise_refusal()

    def stop(self) -> None:
        """End the run; its result stays."""
        self.session.playback.stop()
        self._changed()

    def wait(self, timeout: float | None = None) -> bool:
        """Wait for the end of the run, for a limited time; return whether it has ended.

        Parameters
        ----------
        timeout : float, optional
            Seconds; for ever if not given.
        """
        deadline = time.monotonic() + (inf if timeout is None else timeout)
        while self.session.runner.busy and time.monotonic() < deadline:
            self._beat()
            time.sleep(_LOOK_S)
        self.session.player.end()
        self._refresh(at_once=True)
        return not self.session.runner.busy

    def save(self, path: str | Path, width: float | None = None, dpi: int = 300) -> None:
        """Write the points, the links and the clusters as a file for print.

        Parameters
        ----------
        path : path
            Its suffix, ``.pdf``, ``.svg`` or ``.png``, is the format.
        width : float, optional
            Inches, 3.4 if not given.
        dpi : int
            Of PNG.

        Raises
        ------
        CcvizError
            If the suffix is another one, Matplotlib is not installed, or the file cannot be
            written.
        """
        from ccviz.views.notebook.plots import clustered_points  # Bokeh takes a second to load

        session = self.session
        where = plane(session.draft, session.x_axis, session.y_axis)
        clustering = coloring(session.run, where)
        clustered_points(where, clustering, session.draft.problem).save(path, width, dpi)

    def close(self) -> None:
        """End the worker and take the cell's picture away."""
        self._clock.stop()
        self.session.close()
        super().close()

    def _raise_refusal(self) -> None:
        notice = self.session.notice
        if notice is not None and notice.kind == "error":
            raise CcvizError(notice.text)

    # --- Between the cell and the session ---------------------------------------------------

    def _on_message(self, _: Any, message: Any, __: Any) -> None:
        """Do what a button or a key of the cell asks for."""
        match message:
            case {"key": str(key)} if key in self._actions:
                self._actions[key]()
            case {"pick": int(point)} if point < self.session.draft.n:
                self.session.edits.pick(point if point >= 0 else None)
            case {"run": _}:
                self.session.start()
            case {"stop": _}:
                self.session.playback.stop()
            case {"solver": str(name)}:
                self.session.set_solver(name)
            case {"k": int(k)}:
                self.session.edits.set_k(k)
            case {"sizes": str(text)}:
                self.session.edits.set_sizes(text)
            case {"scaling": str(how)} if how in {*dict(CHOICES), LEARNED}:
                self.session.edits.set_scaling(how)
            case {"axes": [str(across), str(up)]}:
                with self.session.reporting_errors():
                    self.session.show_axes(across, up)
        self._changed()

    @traitlets.validate("links")
    def _check_links(self, proposal: Any) -> list[tuple[Any, ...]]:
        given = [_link(each) for each in proposal["value"]]
        draft = self.session.draft
        if given != list(draft.links):
            draft = draft.without_links(draft.links).with_links(given)  # raises the sentence
            self.session.edits.adopt(draft)
        return _rows(draft)

    @traitlets.observe("links")
    def _follow_links(self, _: Any) -> None:
        if self.session.draft.links is not self._linked:  # set in Python, not by a click
            self._changed()

    def _changed(self) -> None:
        """Show what has changed, and go on looking while something is busy."""
        self._refresh(at_once=True)
        self._clock.wake()

    def _beat(self) -> bool:
        self.session.tick()
        self._refresh(at_once=not self.session.runner.busy)
        return self.session.needs_tick

    def _refresh(self, at_once: bool) -> None:
        session = self.session
        with session.reporting_errors():
            word = self._live.word(
                session.player.run_id, session.draft, (session.x_axis, session.y_axis), at_once
            )
        with self.hold_sync():
            if session.draft.links is not self._linked:
                self._linked = session.draft.links
                self.links = _rows(session.draft)
            self._state = _state(session)
            if word is not None:
                self._story = word
        if word is not None:
            self._take_answer()

    def _take_answer(self) -> None:
        run = self._live.run
        best = run.incumbent if run is not None else None
        labels = best.labels.copy() if best is not None else None
        if not _same(labels, self.labels):
            self.labels = labels
        if run is None or run.finished is None:
            self.result = None
        elif self.result is None or self.result.run is not run:
            records = partial(self._archive.records, self.session.player.run_id)
            self.result = result_of(run, records)

    def __repr__(self) -> str:
        points = count(self.session.draft.n, "point")
        return (
            f"<laboratory of {points}: needs a viewer of anywidgets; .save('picture.png') draws it>"
        )

    def _repr_mimebundle_(self, **kwargs: Any) -> Any:
        bundle, *about = super()._repr_mimebundle_(**kwargs)
        # Where no widget can live, a picture of the present state stays.
        return dict(bundle) | {"image/svg+xml": picture(self.session)}, *about


def _close(session: weakref.ref[Session]) -> None:
    alive = session()
    if alive is not None:
        alive.close()


def _link(row: Any) -> Link:
    match row:
        case ["must" | "cannot" as kind, i, j, *weight] if len(weight) < 2:
            with suppress(TypeError, ValueError):
                return Link(kind, index(i), index(j), float(weight[0] if weight else inf))
    raise ProblemError(
        f"{row!r} is no link: give ('must', i, j) or ('cannot', i, j), with a weight if it is soft."
    )


def _rows(draft: Draft) -> list[tuple[Any, ...]]:
    return [
        (link.kind, link.i, link.j, *([] if link.is_hard else [link.weight]))
        for link in draft.links
    ]


def _same(old: np.ndarray | None, new: np.ndarray | None) -> bool:
    return old is new or (old is not None and new is not None and np.array_equal(old, new))


def _state(session: Session) -> dict[str, Any]:
    """Return what the buttons, fields and words of the cell show."""
    draft, notice = session.draft, session.notice
    shown = notice and {"kind": notice.kind, "text": notice.in_full}
    return {
        "busy": session.runner.busy, "picked": session.picked, "notice": shown,
        "undo": session.edits.can_undo, "redo": session.edits.can_redo, "asking": _asking(session),
        "asked": _asked(draft),
        "fields": {
            "solver": session.solver.name, "k": draft.k, "sizes": _sizes(draft),
            "scaling": draft.scaling_name, "across": session.x_axis, "up": session.y_axis,
        },
        "choices": {
            "solver": _SOLVERS, "scaling": [*CHOICES, (LEARNED, LEARNED_LABEL)],
            "across": _axes(draft), "up": _axes(draft),
        },
    }  # fmt: skip


_SOLVERS = [(kind.name, kind.title) for group in GROUPS for kind in SOLVERS if kind.group == group]


def _axes(draft: Draft) -> list[tuple[str, str]]:
    return [(name, name) for name in offered_axes(draft.data)]


def _asked(draft: Draft) -> str:
    """Return what is asked of the clusters besides links and sizes."""
    parts = [rule.text for rule in draft.rules]
    if draft.data.weights is not None:
        parts.append("points have weights")
    return "; ".join(parts)


def _sizes(draft: Draft) -> str:
    pairs = zip(draft.lower, draft.upper, strict=True)
    each = [str(low) if low == up else f"{low}-{up}" for low, up in pairs]
    return ", ".join(each if len(set(each)) > 1 else each[:1])


def _asking(session: Session) -> str:
    """Return the question and how many there were, nothing unless questions are asked."""
    asking = session.asking
    if not asking.active:
        return ""
    if asking.asked is None:
        return "Working out the next question…"
    if asking.pair is None:
        return asking.asked.enough
    done = f"{count(asking.asked.questions, 'question')} so far"
    if asking.several:
        names = ", ".join(point_name(session.draft.data, point) for point in asking.points)
        how = "Click them, then press C; press M if all belong together"
        return f"Which do not belong with the others: {names}? {how} ({done})"
    shown = question(session.draft.data, asking.pair)
    apart = "; ".join(
        f"{each.feature} {number(each.one, 4)} and {number(each.two, 4)}"
        for each in shown.differences
    )
    return f"Do {' and '.join(shown.names)} belong together? {apart} ({done})"
