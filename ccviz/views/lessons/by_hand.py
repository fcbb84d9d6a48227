"""The lesson in which a person takes the place of branch and bound for one split."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

from markupsafe import Markup

from ccviz.data.datasets import load
from ccviz.numbers import count, number
from ccviz.views.lab.session import Session
from ccviz.views.lessons.course import Lesson, Memory, Step
from ccviz.views.lessons.undecided import pick_undecided
from ccviz.views.link_table import KIND_WORDS, Kind, Link

_POINTS = 30
_CLUSTERS = 3
_TOLERANCE = 1e-4


@dataclass(frozen=True)
class Box:
    """A node that was bounded by hand.

    Attributes
    ----------
    words : str
        What was decided there.
    lower_bound, objective : float
    """

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


def _bound_root(session: Session) -> None:
    session.param.update(seed=0, weight=inf)
    session.load(load("spirals", n=_POINTS), _CLUSTERS)
    _bound_one(session)


def _bound_first(session: Session) -> None:
    if len(session.picked) != 2:
        pick_undecided(session)
    session.link("must")
    _bound_one(session)


def _bound_second(session: Session) -> None:
    i, j = session.draft.links[0].pair
    session.remove_links(session.draft.links)
    session.add_links([Link("cannot", i, j)])
    _bound_one(session)


def _solve(session: Session) -> None:
    session.remove_links(session.draft.links)
    session.node_limit = None
    session.set_solver("sdp", cuts="none")
    session.start()


# --- When they are done ---------------------------------------------------------------------


def _has_ended(session: Session, *kinds: Kind) -> bool:
    """Whether the run shown has ended and has links of just these kinds."""
    run = session.run
    if run is None or run.finished is None or run.started is None or run.started.solver != "sdp":
        return False
    has = (len(run.problem.must_link), len(run.problem.cannot_link))
    return run.problem.n == _POINTS and has == (kinds.count("must"), kinds.count("cannot"))


def _is_other_child(session: Session, memory: Memory) -> bool:
    ended = _has_ended(session, "cannot")
    links = session.draft.links
    return ended and len(links) == 1 and _pair_words("cannot", links[0].pair) == memory[2].words


def _is_proved(session: Session, _: Memory) -> bool:
    run = session.run
    return _has_ended(session) and run is not None and run.status == "optimal"


# --- What they show -------------------------------------------------------------------------


def _box(session: Session, words: str, at_least: float = -inf) -> Box:
    run = session.run
    assert run is not None
    # What holds for the parent holds for its children.
    return Box(words, max(run.lower_bound, at_least), run.objective)


def _pair_words(kind: Kind, pair: tuple[int, int]) -> str:
    return f"{pair[0]}–{pair[1]} {'together' if kind == 'must' else 'apart'}"


def _show_root(session: Session, memory: Memory) -> str:
    memory.append(_box(session, "all clusterings"))
    return (
        f"The best clustering found costs {number(memory[0].objective)}; no clustering costs less "
        f"than {number(memory[0].lower_bound)}. Between them lies the optimum, and one node says "
        "no more."
    )


def _show_pair(session: Session, _: Memory) -> str:
    i, j = session.picked
    return (
        f"Every clustering has {i} and {j} either together or apart: these are the two children. "
        "Each is a smaller problem, with one link more."
    )


def _show_first(session: Session, memory: Memory) -> str:
    pair = session.draft.links[0].pair
    memory.append(_box(session, _pair_words("must", pair), memory[0].lower_bound))
    memory.append(Box(_pair_words("cannot", pair), memory[0].lower_bound, inf))
    return _verdict(memory[1], memory)


def _show_second(session: Session, memory: Memory) -> str:
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


def _show_all(session: Session, _: Memory) -> str:
    run = session.run
    assert run is not None
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


LESSON = Lesson(
    "Branch and bound by hand",
    (
        Step(
            "Take 30 points on three spiral arms, and let the SDP solver bound a single node: the "
            "root, which represents all clusterings.",
            _bound_root,
            lambda session, _: not session.draft.links and _has_ended(session),
            _show_root,
            sketch,
            tab="Inside the solver",
        ),
        Step(
            "Choose the pair to split on: click two points of the plot, or press Show me for the "
            "one that the relaxation is least sure about.",
            pick_undecided,
            lambda session, _: len(session.picked) == 2,
            _show_pair,
            sketch,
        ),
        Step(
            f"The first child has them together: press M for a {KIND_WORDS['must']}, then Run.",
            _bound_first,
            lambda session, _: _has_ended(session, "must"),
            _show_first,
            sketch,
        ),
        Step(
            "The second child has the same two apart: undo the link (Z), pick them again, press C, "
            "then Run.",
            _bound_second,
            _is_other_child,
            _show_second,
            sketch,
        ),
        Step(
            "Open nodes are branched again, and so on. Let the solver do that: it starts again, "
            "without your links and without a limit of nodes.",
            _solve,
            _is_proved,
            _show_all,
            sketch,
            tab="Inside the solver",
        ),
    ),
    aim="Prove an optimum by hand: split on a pair, bound both halves, close them.",
    paper=(
        "To split on a pair that is either together or apart is the rule of Ryan and Foster "
        "(1981); du Merle, Hansen, Jaumard and Mladenović (2000) brought it to sums of "
        "squares."
    ),
    look=(
        "Compare the lower bounds of the first three runs: the root's, and those of its two "
        "children. Then click the root of the last run's tree: it may have chosen another "
        "pair than you."
    ),
    exercises=(
        (
            "Why does the lower of the children's bounds hold for all clusterings?",
            "Each clustering has the pair either together or apart, so it lies in one of "
            "the children and costs at least what that child's bound says.",
        ),
        (
            "When may a child be closed although its best clustering is not known?",
            "When its bound reaches what the best known clustering costs: nothing in it can "
            "be better.",
        ),
    ),
)
