"""Runs of an archive as what a page is made of."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path

from ccviz.errors import CcvizError
from ccviz.events import Record
from ccviz.runs.archive import Archive
from ccviz.views.draft import Draft
from ccviz.views.export.page import Told, html
from ccviz.views.export.story import Play

_PAGE = 500


def stored_play(
    archive: Archive,
    run_id: str,
    present: Draft | None = None,
    axes: tuple[str, str] | None = None,
) -> Play:
    """Return a run of an archive for export.

    Parameters
    ----------
    archive : Archive
    run_id : str
    present : Draft, optional
        One on the same data, which knows the names of their features.
    axes : (str, str), optional
        What is drawn.

    Returns
    -------
    Play

    Raises
    ------
    ArchiveError
        If there is no such run.
    CcvizError
        If it has no events yet.
    """
    info = archive.info(run_id)
    if info.last_seq < 0:
        raise CcvizError(f"the run {info.name} has no events yet: there is nothing to show.")
    title = info.name if info.name != info.id else f"{info.solver} on {info.dataset or 'data'}"
    return Play(
        title, archive.problem(run_id), _records(archive, run_id), info.last_seq + 1,
        info.dataset, present, axes,
    )  # fmt: skip


def _records(archive: Archive, run_id: str) -> Iterator[Record]:
    """Yield the records of a run, a page at a time: all of them may be more than memory holds."""
    after = -1
    while page := archive.records(run_id, after=after, limit=_PAGE):
        yield from page
        after = page[-1].seq


def page_of(
    runs: Sequence[tuple[Path, str]],
    present: Draft,
    axes: tuple[str, str],
    told: Told | None,
) -> str:
    """Return the page of some runs, in the process that `ccviz.views.lab.file_jobs` begins for it.

    Parameters
    ----------
    runs : sequence of (path, str)
        Archive and id of each.
    present : Draft
    axes : (str, str)
    told : Told or None

    Returns
    -------
    str
    """
    with ExitStack() as opened:
        archives = {path: opened.enter_context(Archive(path)) for path, _ in runs}
        plays = [stored_play(archives[path], each, present, axes) for path, each in runs]
        return html(plays, told)
