"""What is given to `ccviz.explore`, as a draft: arrays and tables, names, sizes and rules."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from html import escape
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ccviz.data.datasets import Dataset
from ccviz.errors import ProblemError
from ccviz.problem.asked import read_asked, with_known_labels
from ccviz.problem.points import column_of, columns_of
from ccviz.problem.problem import Problem
from ccviz.problem.sizes import read_sizes
from ccviz.row_links import index_of, pairs_of
from ccviz.runs.archive import Archive
from ccviz.runs.run import Run
from ccviz.views.draft import Draft, draft_of_problem
from ccviz.views.export.page import pack
from ccviz.views.export.story import Recording
from ccviz.views.frames.card import card
from ccviz.views.frames.links import Lines, lines
from ccviz.views.frames.scatter import coloring, plane
from ccviz.views.lab.session import Session
from ccviz.views.palette import LIGHT, cluster_colors


def given_draft(
    X: Any,
    k: int,
    must_link: Any = (),
    cannot_link: Any = (),
    sizes: Any = None,
    truth: ArrayLike | None = None,
    scaling: str = "none",
    weights: ArrayLike | None = None,
    names: Sequence[str] | None = None,
    rules: Sequence[str] = (),
    outliers: int = 0,
) -> Draft:
    """Return the draft that a call of `ccviz.explore` asks for; see there."""
    index, n = index_of(X), len(X)
    must, cannot = (
        pairs_of(links, n, index, kind)
        for links, kind in ((must_link, "must_link"), (cannot_link, "cannot_link"))
    )
    if isinstance(sizes, str):
        lower, upper = read_sizes(sizes, n, k)
        sizes = (lower, upper) if lower else None
    problem = Problem(X, k, must, cannot, sizes, truth, weights=weights, outliers=outliers)  # type: ignore[arg-type]
    # The same for the same points, so that the runs of a cell are known by it.
    name = f"notebook {hashlib.sha256(problem.X.tobytes()).hexdigest()[:6]}"
    features = tuple(map(str, columns_of(X))) or tuple(f"x{j}" for j in range(problem.d))
    data = Dataset(
        name, problem.X, features, problem.truth, k=k,
        names=_names(names, index, n), weights=problem.weights,
    )  # fmt: skip
    draft = draft_of_problem(problem, Draft(data, k), data.name).with_scaling(scaling)
    column = partial(column_of, X)
    asked = [read_asked(rule, column=with_known_labels(rule, column)) for rule in rules]
    return draft.with_rules(asked) if asked else draft


def _names(names: Sequence[str] | None, index: Any, n: int) -> tuple[str, ...]:
    if names is None:
        return () if index is None else tuple(map(str, index))
    if len(names) != n:
        raise ProblemError(f"there are {len(names):,} names, but {n:,} points.")
    return tuple(map(str, names))


# --- The clock of a notebook cell: it beats in the kernel's own loop while something is busy ------


_PERIOD_S = 0.14


class Clock:
    """Calls a function again and again, as long as it says that there is more to do.

    Without a running loop, as in a plain script, it does nothing.

    `beat`: Returns whether it wants to be called again.
    """

    def __init__(self, beat: Callable[[], bool]) -> None:
        self._beat = beat
        self._next: asyncio.TimerHandle | None = None

    def wake(self) -> None:
        """Let it beat, unless it does already."""
        if self._next is not None:
            return
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:
            return
        self._next = loop.call_later(_PERIOD_S, self._call)

    def stop(self) -> None:
        """Beat no more until it is woken."""
        if self._next is not None:
            self._next.cancel()
            self._next = None

    def _call(self) -> None:
        self._next = None
        if self._beat():
            self.wake()


# --- A run under way, shown in a notebook cell from where it was shown before ---------------------


_PAGE = 500
_LEAST_S = 0.3
_SHARE = 4.0  # of the time between two stories and the time that telling one takes


class LiveStory:
    """The story of the run that a session shows, or of its points before the first run."""

    def __init__(self, archive: Archive) -> None:
        self._archive = archive
        self._of: tuple[object, ...] = ()
        self._recording: Recording | None = None
        self._run_id = ""
        self._after = -1
        self._fresh = True
        self._due = 0.0

    @property
    def run(self) -> Run | None:
        """What has been shown of the run; None before the first."""
        return self._recording.run if self._recording is not None and self._run_id else None

    def word(self, run_id: str, draft: Draft, axes: tuple[str, str], at_once: bool) -> str | None:
        """Return the story as one word, None while there is nothing new or it would be too soon.

        `at_once`: Whether it is shown however short ago that was done.
        """
        about = (run_id, draft.data, draft.k, draft.scaling, axes)
        if about != self._of or self._recording is None or self._recording.is_full:
            self._begin(run_id, draft, axes)
            self._of = about
        self._catch_up()
        now = perf_counter()
        if not self._fresh or (now < self._due and not at_once) or self._recording is None:
            return None
        word = pack(self._recording.as_dict())
        self._fresh = False
        self._due = perf_counter() + max(_LEAST_S, _SHARE * (perf_counter() - now))
        return word

    def _begin(self, run_id: str, draft: Draft, axes: tuple[str, str]) -> None:
        self._run_id, self._after, self._fresh, self._due = run_id, -1, True, 0.0
        if not run_id:
            self._recording = Recording("", draft.problem, draft, plane(draft, *axes))
            return
        info, problem = self._archive.info(run_id), self._archive.problem(run_id)
        whole = draft_of_problem(problem, draft, info.dataset, info.scaling)
        where = plane(whole, *axes)
        self._recording = Recording(info.name, problem, whole, where, 2 * info.last_seq)

    def _catch_up(self) -> None:
        if not self._run_id or self._recording is None:
            return
        while page := self._archive.records(self._run_id, after=self._after, limit=_PAGE):
            self._recording.feed(page)
            self._after = page[-1].seq
            self._fresh = True


# --- A still picture of a session: what remains of the laboratory where no widget can live --------


_WIDTH, _HEIGHT, _LINE, _RADIUS = 480, 360, 24, 4
_MOST = 2000

Axis = Callable[[float], float]


def picture(session: Session) -> str:
    """Return the points, links and clusters of a session as an SVG with a line of words."""
    where = plane(session.draft, session.x_axis, session.y_axis)
    run = session.run
    frame = coloring(run, where)
    x = _scaled(where.x_range, _WIDTH)
    y = _scaled(where.y_range[::-1], _HEIGHT)
    labels = None if run is None else run.labels
    colors = [*cluster_colors(session.draft.k), LIGHT.unassigned]
    shown = np.linspace(0, len(where.x) - 1, min(len(where.x), _MOST)).astype(int)
    points = "".join(
        f'<circle cx="{x(where.x[i]):.1f}" cy="{y(where.y[i]):.1f}" r="{_RADIUS}" '
        f'fill="{colors[frame.labels[i]]}"/>'
        for i in shown
    )
    segments = "".join(
        _segments(lines(session.draft, "must", where, labels), x, y, LIGHT.must_link, "")
    ) + "".join(
        _segments(lines(session.draft, "cannot", where, labels), x, y, LIGHT.cannot_link, "5 4")
    )
    summary = card(run, with_scores=False)
    words = escape(f"{summary.headline}. {summary.ending}")
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_WIDTH}" height="{_HEIGHT + _LINE}">'
        f'<title>{words}</title><rect width="100%" height="100%" fill="{LIGHT.paper}"/>'
        f'{segments}{points}<text x="4" y="{_HEIGHT + _LINE - 7}" font-family="sans-serif" '
        f'font-size="12" fill="{LIGHT.ink}">{words}</text></svg>'
    )


def _scaled(ends: tuple[float, float], size: int) -> Axis:
    low, high = ends
    return lambda value: size * (value - low) / (high - low)


def _segments(drawn: Lines, x: Axis, y: Axis, color: str, dash: str) -> Iterator[str]:
    for x0, y0, x1, y1 in zip(drawn.x0, drawn.y0, drawn.x1, drawn.y1, strict=True):
        yield (
            f'<line x1="{x(x0):.1f}" y1="{y(y0):.1f}" x2="{x(x1):.1f}" y2="{y(y1):.1f}" '
            f'stroke="{color}" stroke-dasharray="{dash}"/>'
        )
