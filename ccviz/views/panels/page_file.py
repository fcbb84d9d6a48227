"""The run that is shown, and those it is compared with, as one HTML file."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from ccviz.views.export.page import MOST_RUNS, Told
from ccviz.views.export.stored import page_of
from ccviz.views.lab.download import DownloadRequest
from ccviz.views.lab.session import Session
from ccviz.views.panels.file_button import FileButton

_HINT = "One HTML file that replays the run, with its lesson if one is on; it needs no network"


def page_button(session: Session, told: Callable[[], Told | None]) -> FileButton:
    """Return a button for the page, which can be pressed once there is a run.

    Parameters
    ----------
    session : Session
    told : callable
        Returns the lesson that is on, or None.

    Returns
    -------
    FileButton
    """
    button = FileButton(
        session, "Run as a page", partial(page_download, session, told), hint=_HINT,
        ready=session.player.shot is not None, margin=(4, 8, 0, 0),
    )  # fmt: skip
    session.player.param.watch(
        lambda event: setattr(button, "ready", event.new is not None), "shot"
    )
    return button


def page_download(session: Session, told: Callable[[], Told | None]) -> DownloadRequest:
    """Return how the page is written.

    Parameters
    ----------
    session : Session
    told : callable

    Returns
    -------
    DownloadRequest
    """
    # The run that is shown, and those over which its bounds are drawn, if this person sees them.
    chosen = dict.fromkeys((session.player.run_id, *session.compared))
    run_ids = [session.archive.info(run_id).id for run_id in chosen if run_id][:MOST_RUNS]
    runs = [(session.archive.home_of(run_id).path, run_id) for run_id in run_ids]
    axes = (session.x_axis, session.y_axis)
    return DownloadRequest(
        f"{session.draft.data.name or 'run'}.html", "text/html", page_of,
        (runs, session.draft, axes, told()),
    )  # fmt: skip
