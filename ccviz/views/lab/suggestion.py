"""Which pair of points should be linked next? The one whose answer would tell most.

Two guides: the relaxation of the run shown, whose matrix says how likely two blocks share a
cluster, and past runs on the same points, which may disagree. A pair halfway between surely
together and surely apart is the most ambiguous (uncertainty sampling).
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice

import numpy as np
from scipy.spatial.distance import cdist

from ccviz.arrays import FloatArray, IntArray
from ccviz.errors import CcvizError
from ccviz.events import IncumbentFound, RelaxationSolved
from ccviz.numbers import count
from ccviz.problem.blocks import Blocks, contract
from ccviz.runs.archive import Archive
from ccviz.views.draft import Draft
from ccviz.views.frames.matrix import likeness
from ccviz.views.lab.notice import Notice
from ccviz.views.lab.session import Session

_MOST_RUNS = 8
_MOST_POINTS = 1500
_CLEAR = 0.02


class NothingToAskError(CcvizError):
    """No pair is worth a question; the sentence says why."""


@dataclass(frozen=True)
class Suggestion:
    """A pair of points, and in a sentence why it."""

    pair: tuple[int, int]
    why: str


def suggest_pair(session: Session) -> None:
    """Pick and light up the most ambiguous pair, so that the next key answers it."""
    with session.in_words():
        try:
            found = suggestion(session)
        except NothingToAskError as why_none:
            session.notice = Notice("info", str(why_none))
            return
        session.cancel()
        session.param.update(
            picked=found.pair, lit=found.pair, notice=Notice("info", f"{found.why} M or C?")
        )


def suggestion(session: Session) -> Suggestion:
    """Return the most ambiguous pair that the links leave open.

    Raises
    ------
    NothingToAskError
        If there is nothing to go by, or nothing is ambiguous.
    """
    run, draft = session.run, session.draft
    if run is not None and run.relaxation is not None and len(run.problem.X) == draft.n:
        found = by_relaxation(draft, run.relaxation)
        if found is not None:
            return found
    runs = recent_labels(session.archive, draft)
    if len(runs) < 2:
        raise NothingToAskError(
            "There is nothing to go by yet: run sdp with “show relaxation”, or two solvers or "
            "seeds, whose answers may disagree."
        )
    found = by_disagreement(draft, runs)
    if found is None:
        raise NothingToAskError(
            f"The last {len(runs)} runs agree on every pair that is still open."
        )
    return found


def by_relaxation(draft: Draft, event: RelaxationSolved) -> Suggestion | None:
    """Return the pair that a relaxation is most undecided about, None if it is sure of all."""
    first = np.unique(event.block_of, return_index=True)[1]
    share = likeness(event.Z)
    pair = _most_ambiguous(draft, first, share)
    if pair is None:
        return None
    i, j = first[list(pair)].tolist()
    how = f"{100 * share[pair]:.0f} %"
    return Suggestion(
        (i, j),
        f"Node {event.node}'s relaxation puts points {i} and {j} together by {how}: "
        "of all pairs it is most undecided about this one.",
    )


def by_disagreement(draft: Draft, runs: list[IntArray]) -> Suggestion | None:
    """Return the pair on which clusterings differ most; of several the two that lie closest.

    Parameters
    ----------
    draft : Draft
    runs : list of (n,) int
        At least two clusterings.
    """
    points = np.linspace(0, draft.n - 1, min(draft.n, _MOST_POINTS)).astype(np.int64)
    together = np.zeros((len(points), len(points)))
    for labels in runs:
        together += labels[points, None] == labels[points]
    share = together / len(runs)
    distance = cdist(draft.X[points], draft.X[points])
    nudge = distance / (2 * len(runs) * (distance.max() or 1.0))
    pair = _most_ambiguous(draft, points, share, nudge)
    if pair is None:
        return None
    i, j = points[list(pair)].tolist()
    return Suggestion(
        (i, j),
        f"{together[pair]:.0f} of the last {count(len(runs), 'run')} put points {i} and {j} "
        "together, the others apart: no pair is more disputed.",
    )


def _most_ambiguous(
    draft: Draft, points: IntArray, share: FloatArray, nudge: FloatArray | float = 0.0
) -> tuple[int, int] | None:
    """Return the open pair of points whose share is nearest to one half; None if all are clear."""
    blocks = contract(draft.problem)
    doubt = np.minimum(share, 1.0 - share)
    open_pairs = np.triu(_open(blocks, points), 1) & (doubt > _CLEAR)
    if not open_pairs.any():
        return None
    score = np.where(open_pairs, doubt - nudge, -np.inf)
    i, j = np.unravel_index(int(score.argmax()), score.shape)
    return int(i), int(j)


def _open(blocks: Blocks, points: IntArray) -> np.ndarray:
    """Return which pairs of points no link decides."""
    of = blocks.block_of[points]
    apart = blocks.conflict_graph[of][:, of].toarray() > 0
    return (of[:, None] != of) & ~apart


def recent_labels(archive: Archive, draft: Draft) -> list[IntArray]:
    """Return the last clusterings of the draft's points into its number of clusters."""
    same = (
        info
        for info in archive.runs()
        if (info.n, info.d, info.k) == (*draft.X.shape, draft.k) and np.isfinite(info.objective)
    )
    found = (_labels(archive, info.id) for info in same
             if np.array_equal(archive.problem(info.id).X, draft.X))  # fmt: skip
    return list(islice(found, _MOST_RUNS))


def _labels(archive: Archive, run_id: str) -> IntArray:
    records = archive.records(run_id, kinds=[IncumbentFound.__name__])
    event = records[-1].event
    assert isinstance(event, IncumbentFound)
    return event.labels
