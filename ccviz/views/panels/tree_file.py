"""The search tree of the run that is shown, as a file for Graphviz or LaTeX."""

from __future__ import annotations

from functools import partial
from typing import Any

from ccviz.errors import CcvizError
from ccviz.views.export.tree_text import WRITERS
from ccviz.views.lab.download import DownloadRequest
from ccviz.views.lab.session import Session
from ccviz.views.panels.file_button import FileButton

_BUTTONS = (
    (".dot", "Tree as DOT", "The search tree for Graphviz"),
    (".tex", "Tree as LaTeX", "The search tree as a LaTeX document with the package forest"),
)
_KINDS = {".dot": "text/vnd.graphviz", ".tex": "application/x-tex"}


def tree_buttons(session: Session) -> list[FileButton]:
    """Return a button for each format, which can be pressed once the run shown has a tree.

    Parameters
    ----------
    session : Session

    Returns
    -------
    list of FileButton
    """
    buttons = [
        FileButton(
            session, label, partial(tree_download, session, suffix), hint=hint,
            ready=_has_tree(session), margin=(4, 8, 0, 0),
        )
        for suffix, label, hint in _BUTTONS
    ]  # fmt: skip

    def follow(_: Any) -> None:
        for button in buttons:
            button.ready = _has_tree(session)

    session.player.param.watch(follow, "shot")
    return buttons


def tree_download(session: Session, suffix: str) -> DownloadRequest:
    """Return how the tree is written, as far as the run is played.

    Parameters
    ----------
    session : Session
    suffix : str
        A key of `ccviz.views.export.tree_text.WRITERS`.

    Raises
    ------
    CcvizError
        If no run is shown.
    """
    run = session.run
    if run is None:
        raise CcvizError("There is no tree yet: run sdp first.")
    name = f"{session.draft.data.name or 'run'}-tree{suffix}"
    return DownloadRequest(name, _KINDS[suffix], WRITERS[suffix], (run,), at_once=True)


def _has_tree(session: Session) -> bool:
    return session.run is not None and bool(session.run.tree)
