"""The map of the points, laid out in a process of its own while its first sketch is shown."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from ccviz.quota import Quota
from ccviz.runs.worker_pool import WorkerPool
from ccviz.views.draft import Draft
from ccviz.views.frames.neighbour_map import keep_layout, lay_out, map_of
from ccviz.views.frames.projection import MAPS
from ccviz.views.lab.picking import Picking
from ccviz.views.lab.sandboxed_call import SandboxedCall


class Mapping:
    """The layout of one session.

    Parameters
    ----------
    quota : Quota
    pool : WorkerPool, optional
        Its fork server forks the process.
    """

    def __init__(self, quota: Quota, pool: WorkerPool | None = None) -> None:
        self._quota, self._pool = quota, pool
        self._call: SandboxedCall | None = None
        self._draft: Draft | None = None
        self._then: Callable[[], None] | None = None

    @property
    def busy(self) -> bool:
        """Whether a map is being laid out."""
        return self._call is not None

    def follow(self, session: Picking) -> None:
        """Lay the points of a session out whenever a map of them is drawn, and draw it again."""

        def look(*_: Any) -> None:
            if {session.x_axis, session.y_axis} & set(MAPS):
                self.start(session.draft, partial(session.param.trigger, "x_axis"))

        session.param.watch(look, ["draft", "x_axis", "y_axis"])

    def start(self, draft: Draft, then: Callable[[], None]) -> None:
        """Lay the points of a draft out, unless that is done or under way.

        Parameters
        ----------
        draft : Draft
        then : callable
            Called once the map of these points is another one.
        """
        if not map_of(draft.data, draft.scaling, draft.X).is_sketch:
            return
        if self._draft is not None and self._draft.has_points_of(draft):
            return
        self.close()
        self._draft, self._then = draft, then
        self._call = SandboxedCall(
            lay_out, (draft.X,), self._quota.run_s, self._quota.call_bytes, self._pool
        )

    def tick(self) -> None:
        """Take the map, once it is there.

        Raises
        ------
        CcvizError
            If it could not be laid out; the sketch stays.
        """
        call, draft, then = self._call, self._draft, self._then
        if call is None or draft is None or then is None or not call.done:
            return
        self._call = None
        keep_layout(draft.data, draft.scaling, draft.X, call.answer())
        self.close()
        then()

    def close(self) -> None:
        """Abandon what is under way."""
        if self._call is not None:
            self._call.close()
        self._call = self._draft = self._then = None
