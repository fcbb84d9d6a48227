"""The laboratory in a notebook cell: the panels of the page, the clock of the kernel."""

from __future__ import annotations

import atexit
import hashlib
import time
import weakref
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import numpy as np
import panel as pn
from numpy.typing import ArrayLike

from ccviz.data.datasets import Dataset
from ccviz.data.scaling import SCALINGS
from ccviz.errors import CcvizError, ParameterError
from ccviz.problem.links import Links
from ccviz.problem.problem import Problem
from ccviz.runs.archive import Archive
from ccviz.runs.run import Result, Run, result_of
from ccviz.views.draft import Draft
from ccviz.views.inside.catalogue import CATALOGUE
from ccviz.views.lab.inspection import Inspection
from ccviz.views.lab.queue import RunQueue
from ccviz.views.lab.session import Session
from ccviz.views.link_table import Kind, Link
from ccviz.views.notebook.cell_keys import CellKeys
from ccviz.views.notebook.scripts import load
from ccviz.views.page.clock import keep_time
from ccviz.views.page.design import Lab
from ccviz.views.panels.axes import Axes
from ccviz.views.panels.header import NoticePanel
from ccviz.views.panels.inside import InsidePanel
from ccviz.views.panels.links import LinksPanel
from ccviz.views.panels.mending import Mending
from ccviz.views.panels.player import PlayerPanel
from ccviz.views.panels.problem_fields import ProblemFields
from ccviz.views.panels.question_progress import AskButton, QuestionProgress
from ccviz.views.panels.result import ResultPanel
from ccviz.views.panels.runs import RunsPanel
from ccviz.views.panels.scatter import ScatterPanel
from ccviz.views.panels.solver import SolverPanel
from ccviz.views.panels.status import StatusPanel
from ccviz.views.share.picture import picture

_COLORS = Path(__file__).parents[1] / "page" / "colors.css"
_LOOK_S = 0.05
_HINT = "Press Run: the solver chosen on the left clusters the points under your links."


class Explorer:
    """A session that lives in a cell.

    Everything that is clicked in the cell can be read here, and everything done here is seen in
    the cell. The run is a process of its own; it ends with the kernel.

    Parameters
    ----------
    X : (n, d) array of float
    k : int
    must_link, cannot_link, sizes, truth
        As for `ccviz.Problem`.
    scaling : {"none", "standard", "range"}
        What is done to the features before: nothing, mean 0 and deviation 1, or from 0 to 1.
    axes : (str, str), optional
        What is drawn across and up, such as ``("x0", "PC 2")``.
    weights : (n,) array of float, optional
        As for `ccviz.Problem`.

    Attributes
    ----------
    session : Session
        All of its state.

    Raises
    ------
    ProblemError
        If anything given is malformed.
    """

    def __init__(
        self,
        X: ArrayLike,
        k: int,
        must_link: Any = (),
        cannot_link: Any = (),
        sizes: Any = None,
        truth: ArrayLike | None = None,
        scaling: str = "none",
        axes: tuple[str, str] | None = None,
        weights: ArrayLike | None = None,
    ) -> None:
        given = Problem(X, k, must_link, cannot_link, sizes, truth, weights=weights)  # type: ignore[arg-type]
        self._archive = Archive()
        self.session = Session(self._archive, RunQueue(), _dataset(given))
        if scaling not in SCALINGS:
            raise ParameterError(f"scaling = {scaling!r} is not one of {', '.join(SCALINGS)}.")
        self.session.adopt(_draft(given, self.session.draft).with_scaling(scaling))
        if axes is not None:
            self.session.show_axes(*axes)
        # Whatever ends the kernel in good order ends the worker; else the worker sees it by itself.
        atexit.register(_close, weakref.ref(self.session))

    @property
    def problem(self) -> Problem:
        """The problem with every link clicked so far."""
        return self.session.draft.problem

    @property
    def run(self) -> Run | None:
        """The newest state of the run, wherever the player's cursor is; None before the first."""
        run_id = self.session.player.run_id
        return self._archive.load(run_id) if run_id else None

    @property
    def result(self) -> Result:
        """What the run came to.

        Raises
        ------
        CcvizError
            If no run has ended yet; `wait` waits for it.
        """
        run = self.run
        if run is None:
            raise CcvizError("nothing has run yet: press Run, or call start().")
        if run.finished is None:
            raise CcvizError("the run goes on: wait() waits for its end, stop() ends it.")
        return result_of(run, partial(self._archive.records, self.session.player.run_id))

    def start(self, solver: str | None = None, **settings: Any) -> None:
        """Start a run, of the solver chosen in the cell if none is named.

        Parameters
        ----------
        solver : str, optional
            Its name.
        **settings
            Its parameters.

        Raises
        ------
        CcvizError
            If the solver does not exist, or cannot handle the problem.
        """
        if solver is not None:
            self.session.set_solver(solver, **settings)
            self._raise_refusal()
        self.session.start()
        self._raise_refusal()

    def _raise_refusal(self) -> None:
        notice = self.session.notice
        if notice is not None and notice.kind == "error":
            raise CcvizError(notice.text)

    def ask(self) -> None:
        """Ask in the cell which points belong together, one pair after another; or stop it.

        The answers are links of `problem`, which a run then keeps.
        """
        self.session.ask()
        self._raise_refusal()

    def stop(self) -> None:
        """End the run; its result stays."""
        self.session.playback.stop()

    def wait(self, timeout: float | None = None) -> bool:
        """Wait for the end of the run, for a limited time; return whether it has ended.

        Parameters
        ----------
        timeout : float, optional
            Seconds; for ever if not given.

        Returns
        -------
        bool
        """
        deadline = time.monotonic() + (np.inf if timeout is None else timeout)
        while self.session.runner.busy and time.monotonic() < deadline:
            self.session.tick()
            time.sleep(_LOOK_S)
        self.session.player.end()
        return not self.session.runner.busy

    def close(self) -> None:
        """End the worker."""
        self.session.close()

    @cached_property
    def panel(self) -> pn.viewable.Viewable:
        """The laboratory as a Panel object, to be put into a page of one's own."""
        pn.config.design = Lab
        pn.config.respect_explicit_sizing = True
        inspection = Inspection(self._archive, self.session.player, CATALOGUE)
        keep_time(self.session)
        points, axes, asked = (
            ScatterPanel(self.session, inspection), Axes(self.session), ProblemFields(self.session),
        )  # fmt: skip
        middle = pn.Column(
            pn.Row(
                axes.x,
                axes.y,
                AskButton(self.session),
                QuestionProgress(self.session),
                sizing_mode="stretch_width",
            ),
            pn.Column(
                points,
                NoticePanel(self.session),
                height=520,
                sizing_mode="stretch_width",
                css_classes=["plot"],
            ),
            sizing_mode="stretch_width",
        )
        side = pn.Column(
            pn.Row(asked.k, asked.scaling, sizing_mode="stretch_width"),
            SolverPanel(self.session),
            pn.Column(LinksPanel(self.session), height=180, sizing_mode="stretch_width"),
            width=250,
        )
        result = pn.Column(
            StatusPanel(self.session, inspection, may_present=False),
            ResultPanel(self.session, inspection, _HINT),
            width=310,
            height=540,
        )
        return pn.Column(
            pn.Row(side, middle, result, sizing_mode="stretch_width"),
            PlayerPanel(self.session),
            pn.Column(InsidePanel(self.session, inspection), sizing_mode="stretch_width"),
            pn.Column(
                RunsPanel(self.session, same_data=True), height=300, sizing_mode="stretch_width"
            ),
            Mending(width=0, height=0),
            CellKeys(self.session, width=0, height=0),
            sizing_mode="stretch_width",
            stylesheets=[_variables()],
            css_classes=["ccviz"],
        )

    def _repr_mimebundle_(self, **_: Any) -> dict[str, Any]:
        load()
        widget = pn.ipywidget(self.panel)
        bundle = dict(widget._repr_mimebundle_())
        # Where no widget can live, a picture of the present state stays.
        return bundle | {"text/html": picture(self.session)}


def _close(session: weakref.ref[Session]) -> None:
    alive = session()
    if alive is not None:
        alive.close()


def _dataset(given: Problem) -> Dataset:
    names = tuple(f"x{j}" for j in range(given.d))
    # The same for the same points, so that the cell finds their earlier runs.
    name = f"notebook {hashlib.sha256(given.X.tobytes()).hexdigest()[:6]}"
    return Dataset(name, given.X, names, truth=given.truth, k=given.k, weights=given.weights)


def _draft(given: Problem, draft: Draft) -> Draft:
    draft = draft.with_links(
        [*_links("must", given.must_link), *_links("cannot", given.cannot_link)]
    )
    if given.sizes is None:
        return draft
    return draft.with_sizes(given.sizes.lower.tolist(), given.sizes.upper.tolist())


def _links(kind: Kind, links: Links) -> list[Link]:
    pairs = zip(links.pairs.tolist(), links.weights.tolist(), strict=True)
    return [Link(kind, i, j, weight) for (i, j), weight in pairs]


def _variables() -> str:
    """Return the page's colours for a widget that has no page: its root becomes ours."""
    return _COLORS.read_text(encoding="utf-8").replace(":root", ":host")
