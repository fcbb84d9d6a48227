"""Save the whole laboratory to a file, and open one."""

from __future__ import annotations

from functools import partial
from typing import Any

import panel as pn
from markupsafe import Markup

from ccviz.views.lab.download import DownloadRequest, is_small
from ccviz.views.lab.session import Session
from ccviz.views.panels.file_button import FileButton
from ccviz.views.panels.file_field import FileField
from ccviz.views.panels.html import Html
from ccviz.views.share.datafile import csv_text
from ccviz.views.share.project import SUFFIX, open_project, parts, write_project

_MOST_BYTES = 500_000_000
"""Size of the largest project file that is taken."""

_ABOUT = Markup(
    '<h2>Project</h2><p class="about">Data, links, settings and the runs on these data '
    "in one file, which opens on any machine: drop it here.</p>"
)


class ProjectPanel(pn.viewable.Viewer):
    """Data, links, settings and runs, as one file.

    Parameters
    ----------
    session : Session
    *beside : viewable
        Other files that are handed out, in the same row.
    """

    def __init__(self, session: Session, *beside: Any) -> None:
        super().__init__()
        self._session, self._beside = session, beside
        self._save, self._data = (
            FileButton(session, label, partial(request, session), margin=(4, 8, 0, 0))
            for label, request in (
                ("Save to a file", project_download),
                ("Data as CSV", data_download),
            )
        )
        self._open = FileField(
            partial(open_project, session), label="Drop a project, or choose one",
            most_bytes=_MOST_BYTES, sizing_mode="stretch_width", margin=(4, 0, 0, 0),
            css_classes=["project"],
        )  # fmt: skip

    def __panel__(self) -> Any:
        words = Html(_ABOUT, margin=0, sizing_mode="stretch_width")
        return pn.Column(
            words, pn.FlexBox(self._save, self._data, *self._beside, margin=0), self._open,
            sizing_mode="stretch_width", margin=(0, 0, 8, 0), css_classes=["section"],
        )  # fmt: skip


def project_download(session: Session) -> DownloadRequest:
    """Return how the whole laboratory is written to a file."""
    name = f"{session.draft.data.name or 'laboratory'}{SUFFIX}"
    return DownloadRequest(name, "application/zip", write_project, parts(session))


def data_download(session: Session) -> DownloadRequest:
    """Return how the points are written to a file."""
    data = session.draft.data
    return DownloadRequest(
        f"{data.name or 'data'}.csv", "text/csv", csv_text, (data,), is_small(data)
    )
