"""The right side of the page: the result, and the views inside the solver."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import panel as pn
from markupsafe import Markup

from ccviz.views.export.page import Told
from ccviz.views.lab.inspection import Inspection
from ccviz.views.lab.session import Session
from ccviz.views.panels.clusters import ClustersPanel
from ccviz.views.panels.commit import held
from ccviz.views.panels.html import Html
from ccviz.views.panels.inside import InsidePanel
from ccviz.views.panels.race import RacePanel
from ccviz.views.panels.result import ResultPanel
from ccviz.views.panels.runs import RunsPanel
from ccviz.views.panels.share import SharePanel

INSIDE = 2
"""Place of the tab *Inside the solver*."""

_HINT = "The lessons, at the top of the page, show it at work."


class RightPanel(pn.viewable.Viewer):
    """Tabs; those for which the run has nothing to show say so.

    Parameters
    ----------
    session : Session
    inspection : Inspection
    told : callable
        Returns the lesson that is on, or None.
    """

    def __init__(
        self, session: Session, inspection: Inspection, told: Callable[[], Told | None]
    ) -> None:
        super().__init__()
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
            ("Result", ResultPanel(session, inspection, _HINT)),
            ("Clusters", pn.Column(clusters, sizing_mode="stretch_both", margin=0,
                                   css_classes=["section"])),
            ("Inside the solver", pn.Column(nothing, inside, sizing_mode="stretch_both", margin=0,
                                            css_classes=["section"])),
            ("Bounds", pn.Column(race, sizing_mode="stretch_both", margin=0,
                                 css_classes=["section"])),
            ("Runs", runs),
            ("Share", SharePanel(session, told)),
            sizing_mode="stretch_both", margin=0, css_classes=["rooms"], dynamic=True,
        )  # fmt: skip

        def look(event: Any) -> None:
            clusters.in_front = event.new == 1
            inside.in_front, race.in_front = event.new == INSIDE, event.new == 3
            runs.bring(event.new == 4)

        self._tabs.param.watch(held(look), "active")

    def show(self, place: int) -> None:
        """Bring a tab to the front."""
        self._tabs.active = place

    def __panel__(self) -> Any:
        return self._tabs
