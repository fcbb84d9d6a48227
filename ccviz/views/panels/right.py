"""The right side of the page: the status, and under it the result and the solver's views."""

from __future__ import annotations

from typing import Any

import panel as pn
from markupsafe import Markup

from ccviz.views.lab.inspection import Inspection
from ccviz.views.lab.session import Session
from ccviz.views.lessons.course import TABS, Course
from ccviz.views.panels.clusters import ClustersPanel
from ccviz.views.panels.how_sure import SureTools
from ccviz.views.panels.html import Html
from ccviz.views.panels.inside import InsidePanel
from ccviz.views.panels.messages import in_one_message
from ccviz.views.panels.race import RacePanel
from ccviz.views.panels.result import ResultPanel
from ccviz.views.panels.runs import RunsPanel
from ccviz.views.panels.share import SharePanel
from ccviz.views.panels.status import StatusPanel

RESULT, CLUSTERS, INSIDE, BOUNDS, RUNS, SHARE = range(6)
"""Places of the tabs."""

_PROOF = frozenset({"tree", "parts", "columns"})
"""Names of the views that show a proof: they come to the front by themselves."""

_HINT = "The lessons, at the top of the page, show it at work."


class RightPanel(pn.viewable.Viewer):
    """Tabs; those for which the run has nothing to show say so.

    Parameters
    ----------
    session : Session
    inspection : Inspection
    course : Course
        Its step at hand says which tab opens by itself.
    """

    def __init__(self, session: Session, inspection: Inspection, course: Course) -> None:
        super().__init__()
        self._session, self._inspection = session, inspection
        self._status = StatusPanel(session, inspection)
        inside = InsidePanel(session, inspection, in_front=False)
        race, runs = RacePanel(session, in_front=False), RunsPanel(session, in_front=False)
        clusters = ClustersPanel(session)
        nothing = Html(
            Markup(
                '<p class="about">The views of the solver appear here once it has something to '
                "show: its tree, its relaxation, its columns, its population. The k-means kinds "
                "have none: the plot and the player show all they do.</p>"
            ),
            margin=8,
        )
        inspection.param.watch(lambda event: setattr(nothing, "visible", not event.new), "views")
        self._tabs = pn.Tabs(
            (TABS[RESULT], ResultPanel(session, inspection, _HINT)),
            (TABS[CLUSTERS], pn.Column(SureTools(session), clusters, sizing_mode="stretch_both",
                                   margin=0, css_classes=["section"])),
            (TABS[INSIDE], pn.Column(nothing, inside, sizing_mode="stretch_both", margin=0,
                                            css_classes=["section"])),
            (TABS[BOUNDS], pn.Column(race, sizing_mode="stretch_both", margin=0,
                                 css_classes=["section"])),
            (TABS[RUNS], runs),
            (TABS[SHARE], SharePanel(session, course.told)),
            sizing_mode="stretch_both", margin=0, css_classes=["rooms"], dynamic=True,
        )  # fmt: skip

        def look(event: Any) -> None:
            clusters.in_front = event.new == CLUSTERS
            inside.in_front, race.in_front = event.new == INSIDE, event.new == BOUNDS
            runs.bring(event.new == RUNS)

        self._tabs.param.watch(in_one_message(look), "active")
        self._opened, self._unwanted = "", False
        self._tabs.param.watch(self._on_turned_away, "active")
        inspection.param.watch(self._open_proof, "views")
        session.param.watch(self._on_presenting, "presenting")
        course.param.watch(lambda *_: self._open_for(course), ["lesson", "at"])

    def show(self, place: int) -> None:
        """Bring a tab to the front."""
        self._tabs.active = place

    def __panel__(self) -> Any:
        return pn.Column(self._status, self._tabs, sizing_mode="stretch_both", margin=0)

    def _open_proof(self, event: Any) -> None:
        """Bring the proof to the front once it starts, in place of the result.

        Who turned it away is not shown it again by itself.
        """
        run_id = self._session.player.run_id
        is_live = bool(run_id) and run_id == self._session.runner.run_id
        has_proof = any(view.name in _PROOF for view in event.new)
        if not (is_live and has_proof) or run_id == self._opened:
            return
        self._opened = run_id
        if self._tabs.active == RESULT and not self._unwanted:
            self.show(INSIDE)

    def _open_for(self, course: Course) -> None:
        """Bring the tab to the front where a lesson's step is seen."""
        if course.step is not None and course.step.tab:
            self.show(TABS.index(course.step.tab))

    def _on_turned_away(self, event: Any) -> None:
        if event.old == INSIDE and self._session.runner.busy:
            self._unwanted = event.new == RESULT
        elif event.new == INSIDE:
            self._unwanted = False

    def _on_presenting(self, event: Any) -> None:
        if event.new:
            self.show(INSIDE)
