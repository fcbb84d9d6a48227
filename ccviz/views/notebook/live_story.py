"""A run under way, told to a notebook cell from where it was told before."""

from __future__ import annotations

from time import perf_counter

from ccviz.runs.archive import Archive
from ccviz.runs.run import Run
from ccviz.views.draft import Draft, draft_of_problem
from ccviz.views.export.packing import pack
from ccviz.views.export.story import Teller
from ccviz.views.frames.scatter import plane

_PAGE = 500
_LEAST_S = 0.3
_SHARE = 4.0  # of the time between two stories and the time that telling one takes


class LiveStory:
    """The story of the run that a session shows, or of its points before the first run.

    Parameters
    ----------
    archive : Archive
    """

    def __init__(self, archive: Archive) -> None:
        self._archive = archive
        self._of: tuple[object, ...] = ()
        self._teller: Teller | None = None
        self._run_id = ""
        self._after = -1
        self._fresh = True
        self._due = 0.0

    @property
    def run(self) -> Run | None:
        """What has been told of the run; None before the first."""
        return self._teller.run if self._teller is not None and self._run_id else None

    def word(self, run_id: str, draft: Draft, axes: tuple[str, str], at_once: bool) -> str | None:
        """Return the story as one word, None while there is nothing new or it would be too soon.

        Parameters
        ----------
        run_id : str
            Empty without a run.
        draft : Draft
        axes : (str, str)
        at_once : bool
            Whether it is told however short ago that was done.

        Returns
        -------
        str or None
        """
        about = (run_id, draft.data, draft.k, draft.scaling, axes)
        if about != self._of or self._teller is None or self._teller.is_full:
            self._begin(run_id, draft, axes)
            self._of = about
        self._catch_up()
        now = perf_counter()
        if not self._fresh or (now < self._due and not at_once) or self._teller is None:
            return None
        word = pack(self._teller.told())
        self._fresh = False
        self._due = perf_counter() + max(_LEAST_S, _SHARE * (perf_counter() - now))
        return word

    def _begin(self, run_id: str, draft: Draft, axes: tuple[str, str]) -> None:
        if not run_id:
            self._put(Teller("", draft.problem, draft, plane(draft, *axes)), run_id)
            return
        info, problem = self._archive.info(run_id), self._archive.problem(run_id)
        whole = draft_of_problem(problem, draft, info.dataset, info.scaling)
        teller = Teller(info.name, problem, whole, plane(whole, *axes), 2 * info.last_seq)
        self._put(teller, run_id)

    def _put(self, teller: Teller, run_id: str) -> None:
        self._teller, self._run_id = teller, run_id
        self._after, self._fresh, self._due = -1, True, 0.0

    def _catch_up(self) -> None:
        if not self._run_id or self._teller is None:
            return
        while page := self._archive.records(self._run_id, after=self._after, limit=_PAGE):
            self._teller.feed(page)
            self._after = page[-1].seq
            self._fresh = True
