"""The lesson in which a person takes the place of branch and bound for one split."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

import numpy as np
from markupsafe import Markup

from ccviz.data.datasets import load
from ccviz.events import RelaxationSolved
from ccviz.numbers import count, number
from ccviz.problem.blocks import contract
from ccviz.views.draft import Draft
from ccviz.views.frames.exact import likeness
from ccviz.views.lab.notice import Notice
from ccviz.views.lab.session import Session
from ccviz.views.lessons.course import Memory
from ccviz.views.lessons.steps import run_of
from ccviz.views.link_table import Kind, Link

# --- The pair of points about which a relaxation is most undecided: where a tree would branch -----


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
    session.edits.cancel()
    session.param.update(picked=pair, lit=pair)


def undecided(draft: Draft, event: RelaxationSolved) -> tuple[int, int] | None:
    """Return the pair whose likeness is nearest to one half; None if all are clear.

    `draft`: Pairs that its links decide are left out.
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


_POINTS = 30
_CLUSTERS = 3
_TOLERANCE = 1e-4


@dataclass(frozen=True)
class Box:
    """A node that was bounded by hand."""

    words: str
    lower_bound: float
    objective: float

    def is_closed(self, best: float) -> bool:
        """Whether nothing under it is better than the best clustering known."""
        return self.lower_bound >= best * (1.0 - _TOLERANCE)


def _best(memory: Memory) -> float:
    return min(box.objective for box in memory)


# --- What the steps do ----------------------------------------------------------------------


def _bound_one(session: Session) -> None:
    """Run the solver on a single node, without the cuts that would solve so small a problem."""
    session.node_limit = 1
    session.set_solver("sdp", cuts="none", show_relaxation=True)
    session.start()


def bound_root(session: Session) -> None:
    """Bound the root alone."""
    session.param.update(seed=0, weight=inf)
    session.edits.load(load("spirals", n=_POINTS), _CLUSTERS)
    _bound_one(session)


def bound_first(session: Session) -> None:
    """Bound the child that has the pair together."""
    if len(session.picked) != 2:
        pick_undecided(session)
    session.edits.link("must")
    _bound_one(session)


def bound_second(session: Session) -> None:
    """Bound the child that has the pair apart."""
    i, j = session.draft.links[0].pair
    session.edits.remove_links(session.draft.links)
    session.edits.add_links([Link("cannot", i, j)])
    _bound_one(session)


def solve_all(session: Session) -> None:
    """Let the solver branch to the end."""
    session.edits.remove_links(session.draft.links)
    session.node_limit = None
    session.set_solver("sdp", cuts="none")
    session.start()


# --- When they are done ---------------------------------------------------------------------


def has_ended(session: Session, _memory: Memory, *kinds: Kind) -> str:
    """Need a run on the points of the lesson that has ended, and has links of just these kinds."""
    run = session.run
    if run is not None and run.finished and run.started and run.started.solver == "sdp":
        has = (len(run.problem.must_link), len(run.problem.cannot_link))
        if run.problem.n == _POINTS and has == (kinds.count("must"), kinds.count("cannot")):
            return ""
    return "Run the SDP solver to its end on the problem of this step."


def has_no_links(session: Session, _memory: Memory) -> str:
    """Need a problem without links."""
    return "Take the points without links." if session.draft.links else ""


def has_picked_pair(session: Session, _memory: Memory) -> str:
    """Need two points that are picked."""
    return "" if len(session.picked) == 2 else "Click two points of the plot."


def is_other_child(session: Session, memory: Memory) -> str:
    """Need a run with the pair of the first child apart."""
    links = session.draft.links
    if len(links) == 1 and _pair_words("cannot", links[0].pair) == memory[2].words:
        return has_ended(session, memory, "cannot")
    return "Link the same two points as before, apart."


# --- What they show -------------------------------------------------------------------------


def _box(session: Session, words: str, at_least: float = -inf) -> Box:
    run = run_of(session)
    # What holds for the parent holds for its children.
    return Box(words, max(run.lower_bound, at_least), run.objective)


def _pair_words(kind: Kind, pair: tuple[int, int]) -> str:
    return f"{pair[0]}–{pair[1]} {'together' if kind == 'must' else 'apart'}"


def show_root(session: Session, memory: Memory) -> str:
    """Say what the root proves."""
    memory.append(_box(session, "all clusterings"))
    return (
        f"The best clustering found costs {number(memory[0].objective)}; no clustering costs less "
        f"than {number(memory[0].lower_bound)}. Between them lies the optimum, and one node says "
        "no more."
    )


def show_pair(session: Session, _: Memory) -> str:
    """Name the two children."""
    i, j = session.picked
    return (
        f"Every clustering has {i} and {j} either together or apart: these are the two children. "
        "Each is a smaller problem, with one link more."
    )


def show_first(session: Session, memory: Memory) -> str:
    """Say whether the first child is closed."""
    pair = session.draft.links[0].pair
    memory.append(_box(session, _pair_words("must", pair), memory[0].lower_bound))
    memory.append(Box(_pair_words("cannot", pair), memory[0].lower_bound, inf))
    return _verdict(memory[1], memory)


def show_second(session: Session, memory: Memory) -> str:
    """Say whether the second child is closed, and what the split gained."""
    memory[2] = _box(session, memory[2].words, memory[0].lower_bound)
    children = min(memory[1].lower_bound, memory[2].lower_bound)
    return (
        f"{_verdict(memory[2], memory)} The lower of both bounds holds for all clusterings: one "
        f"split moved it from {number(memory[0].lower_bound)} to {number(children)}."
    )


def _verdict(box: Box, memory: Memory) -> str:
    best = number(_best(memory))
    if box.is_closed(_best(memory)):
        return (
            f"Its bound is {number(box.lower_bound)}, and a clustering for {best} is known: "
            "nothing better is in here, the child is closed."
        )
    return (
        f"Its bound is {number(box.lower_bound)}, below the {best} that is known: the child stays "
        "open."
    )


def show_all(session: Session, _: Memory) -> str:
    """Say how many nodes the proof took."""
    run = run_of(session)
    return (
        f"It split on until no child was open: {count(len(run.tree), 'node')}, and the optimum is "
        f"{number(run.objective)}. Inside the solver shows its tree; compare its first pair with "
        "yours."
    )


_WIDTH, _HEIGHT = 220, 44
_SPOTS = ((110.0, 2.0), (55.0, 78.0), (165.0, 78.0))


_BOX = Markup(
    '<g class="{state}"><rect x="{left}" y="{y}" width="104" height="{height}" rx="6"/>'
    '<text x="{x}" y="{above}">{words}</text>'
    '<text x="{x}" y="{below}">≥ {bound}, {state}</text></g>'
)
_SKETCH = Markup(
    '<svg class="sketch" viewBox="{box}" role="img" aria-label="{words}">{parts}</svg>'
)


def sketch(memory: Memory) -> Markup:
    """Return the small tree of what has been bounded so far, as SVG."""
    parts = [
        Markup('<line x1="{}" y1="{}" x2="{}" y2="{}"/>').format(_SPOTS[0][0], 2 + _HEIGHT, x, y)
        for x, y in _SPOTS[1 : len(memory)]
    ]
    for box, (x, y) in zip(memory, _SPOTS, strict=False):
        state = "closed" if box.is_closed(_best(memory)) else "open"
        parts.append(
            _BOX.format(
                state=state, left=x - 52, x=x, y=y, height=_HEIGHT, above=y + 18, below=y + 35,
                words=box.words, bound=f"{box.lower_bound:.4g}",
            )
        )  # fmt: skip
    words = "; ".join(f"{box.words}: at least {number(box.lower_bound)}" for box in memory)
    box = f"0 0 {_WIDTH} {_HEIGHT + 4 if len(memory) == 1 else 126}"
    return _SKETCH.format(box=box, words=words, parts=Markup().join(parts))
