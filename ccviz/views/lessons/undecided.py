"""The pair of points about which a relaxation is most undecided: where a tree would branch."""

from __future__ import annotations

import numpy as np

from ccviz.events import RelaxationSolved
from ccviz.problem.blocks import contract
from ccviz.views.draft import Draft
from ccviz.views.frames.matrix import likeness
from ccviz.views.lab.notice import Notice
from ccviz.views.lab.session import Session

_CLEAR = 0.02


def pick_undecided(session: Session) -> None:
    """Pick and light up the pair about which the relaxation of the run shown is least sure."""
    run = session.run
    if run is None or run.relaxation is None:
        session.notice = Notice(
            "info",
            "There is no relaxation yet: run the step before.",
            title="nothing to choose from",
        )
        return
    pair = undecided(session.draft, run.relaxation)
    if pair is None:
        session.notice = Notice(
            "info", "The relaxation is sure of every pair.", title="nothing to choose from"
        )
        return
    session.cancel()
    session.param.update(picked=pair, lit=pair)


def undecided(draft: Draft, event: RelaxationSolved) -> tuple[int, int] | None:
    """Return the pair whose likeness is nearest to one half; None if all are clear.

    Parameters
    ----------
    draft : Draft
        Pairs that its links decide are left out.
    event : RelaxationSolved
    """
    first = np.unique(event.block_of, return_index=True)[1]
    share, blocks = likeness(event.Z), contract(draft.problem)
    of = blocks.block_of[first]
    apart = blocks.conflict_graph[of][:, of].toarray() > 0
    doubt = np.minimum(share, 1.0 - share)
    is_open = np.triu((of[:, None] != of) & ~apart, 1) & (doubt > _CLEAR)
    if not is_open.any():
        return None
    score = np.where(is_open, doubt, -np.inf)
    i, j = first[list(np.unravel_index(int(score.argmax()), score.shape))].tolist()
    return i, j
