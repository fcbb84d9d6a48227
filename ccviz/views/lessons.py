"""Short lessons that drive the real app: a step says what to do, and what it shows once done."""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from typing import Any

import numpy as np

from ccviz.datasets import load
from ccviz.problem import Problem
from ccviz.views.by_hand import BY_HAND
from ccviz.views.course import Lesson, Memory, Step
from ccviz.views.draft import Link
from ccviz.views.frames.numbers import count, number, seconds
from ccviz.views.session import Session

Done = Callable[[Session, Memory], bool]

# --- What steps are made of -----------------------------------------------------------------


def _set_up(
    data: str, solver: str, links: int = 0, noise: float = 0.0, weight: float = inf, **settings: Any
) -> Callable[[Session], None]:
    def act(session: Session) -> None:
        session.param.update(seed=0, weight=weight)
        session.load(load(data))
        if links:
            session.draw_links(links, noise)
        session.weight = inf
        session.set_solver(solver, **settings)

    return act


def _set_up_and_run(
    data: str, solver: str, links: int = 0, noise: float = 0.0, weight: float = inf, **settings: Any
) -> Callable[[Session], None]:
    def act(session: Session) -> None:
        _set_up(data, solver, links, noise, weight, **settings)(session)
        session.start()

    return act


def _run(solver: str = "", **settings: Any) -> Callable[[Session], None]:
    def act(session: Session) -> None:
        if solver:
            session.set_solver(solver, **settings)
        session.start()

    return act


def _has_links(many: int, soft: bool = False) -> Done:
    def done(session: Session, _memory: Memory) -> bool:
        links = session.draft.links
        return len(links) >= many and (not soft or any(not link.is_hard for link in links))

    return done


def _has_run(solver: str) -> Done:
    def done(session: Session, _memory: Memory) -> bool:
        run = session.run
        if run is None or run.finished is None or run.started is None:
            return False
        return run.started.solver == solver and _asks_the_same(run.problem, session.draft.problem)

    return done


def _asks_the_same(run: Problem, draft: Problem) -> bool:
    """Whether a run was of the links and sizes on the table, not of those before the last edit."""
    pairs = [(each.must_link, each.cannot_link) for each in (run, draft)]
    same = all(
        np.array_equal(ours.pairs, theirs.pairs) and np.array_equal(ours.weights, theirs.weights)
        for ours, theirs in zip(*pairs, strict=True)
    )
    return same and (run.sizes is None) == (draft.sizes is None)


def _says(text: str) -> Callable[[Session, Memory], str]:
    return lambda _session, _memory: text


def _remembers(text: str) -> Callable[[Session, Memory], str]:
    """Fill a sentence with the run's objective, time and broken links, and remember them."""

    def finding(session: Session, memory: Memory) -> str:
        run = session.run
        assert run is not None
        broken = run.incumbent.violations if run.incumbent else None
        now = {
            "objective": number(run.objective),
            "wcss": number(run.incumbent.wcss) if run.incumbent else "–",
            "time": seconds(run.time_s),
            "broken": count(broken.must_link + broken.cannot_link, "link") if broken else "–",
            "sizes": ", ".join(map(str, run.incumbent.cluster_sizes)) if run.incumbent else "–",
            "id": session.player.run_id,
        }
        earlier = memory[-1] if memory else now
        memory.append(now)
        session.compared = tuple(each["id"] for each in memory[:-1])
        return text.format(**now, **{f"first_{name}": value for name, value in earlier.items()})

    return finding


# --- The lessons ----------------------------------------------------------------------------

_DEAD_END = Lesson(
    "Why COP-k-means dies",
    (
        Step(
            "Take iris with 100 links drawn from its true classes, and COP-k-means with one start. "
            "It gives one point after another to the nearest centre that its links allow.",
            _set_up("iris", "cop-kmeans", links=100, n_init=1),
            _has_links(100),
            _says("Solid lines must stay together, dashed ones apart. The true classes keep all."),
        ),
        Step(
            "Run it.",
            _run("cop-kmeans", n_init=1),
            _has_run("cop-kmeans"),
            _says(
                "A dead end: the point with the ring has no cluster left, because COP-k-means "
                "never takes an assignment back. That says nothing about the problem, which has "
                "a solution."
            ),
        ),
        Step(
            "Now let BLP k-means have the same problem.",
            _run("blp-kmeans"),
            _has_run("blp-kmeans"),
            _remembers(
                "Objective {objective}, and no link is broken: it solves every assignment step as "
                "a whole, so it finds a clustering whenever there is one."
            ),
        ),
    ),
)
_MUST_LINK = Lesson(
    "What a must-link does to the relaxation",
    (
        Step(
            "Take iris without links, and prove its best clustering with the SDP solver; let it "
            "show its relaxation.",
            _set_up_and_run("iris", "sdp", show_relaxation=True),
            _has_run("sdp"),
            _remembers("The optimum is {objective}. Look at the matrix under Inside the solver."),
        ),
        Step(
            "Link two points that lie in different clusters: 60 and 100, say.",
            lambda session: session.add_links([Link("must", 60, 100)]),
            lambda session, _: any(link.kind == "must" for link in session.draft.links),
            _says("The two points are now one block: the matrix has a row and a column less."),
        ),
        Step(
            "Prove the optimum again.",
            _run("sdp", show_relaxation=True),
            _has_run("sdp"),
            _remembers(
                "The optimum was {first_objective} and is {objective} now: a link takes "
                "clusterings away and adds none, so neither the optimum nor the relaxation can "
                "fall."
            ),
        ),
    ),
)
_NOISE = Lesson(
    "Noise, and the price of a soft link",
    (
        Step(
            "Draw 200 hard links from iris's classes, a fifth of them wrong.",
            _set_up("iris", "pck-means", links=200, noise=0.2),
            lambda session, _: session.notice is not None,
            _says("Wrong hard links soon contradict each other. Such links must be soft."),
        ),
        Step(
            "Draw them again as soft links that cost 0.1 each.",
            _set_up("iris", "pck-means", links=200, noise=0.2, weight=0.1),
            _has_links(200, soft=True),
            _says("A soft link may be broken, at its price."),
        ),
        Step(
            "Run PCK-means.",
            _run("pck-means"),
            _has_run("pck-means"),
            _remembers("WCSS {wcss}, {broken} broken: at this price the geometry wins."),
        ),
        Step(
            "Now let each link cost 10, and run again.",
            _set_up_and_run("iris", "pck-means", links=200, noise=0.2, weight=10.0),
            lambda session, memory: (
                _has_run("pck-means")(session, memory)
                and any(link.weight == 10.0 for link in session.draft.links)
            ),
            _remembers(
                "{broken} broken instead of {first_broken}, and WCSS {wcss} instead of "
                "{first_wcss}: a high price buys links, the wrong ones too."
            ),
        ),
    ),
)
_SIZES = Lesson(
    "Clusters of a given size",
    (
        Step(
            "Run BLP k-means on iris without links or sizes.",
            _set_up_and_run("iris", "blp-kmeans"),
            _has_run("blp-kmeans"),
            _remembers("The clusters have {sizes} points; WCSS is {wcss}."),
        ),
        Step(
            "There were 50 flowers of each kind. Ask for the sizes 50, 50, 50.",
            lambda session: session.set_sizes("50, 50, 50"),
            lambda session, _: bool(session.draft.lower),
            _says("Sizes are constraints like links: a clustering keeps them or is none."),
        ),
        Step(
            "Run it again.",
            _run("blp-kmeans"),
            _has_run("blp-kmeans"),
            _remembers("Now they have {sizes} points, and WCSS rose from {first_wcss} to {wcss}."),
        ),
    ),
)
_RACE = Lesson(
    "Two exact methods race",
    (
        Step(
            "Take iris with 60 links, and prove its optimum by semidefinite programming.",
            _set_up_and_run("iris", "sdp", links=60),
            _has_run("sdp"),
            _remembers("Proved in {time}: {objective}."),
        ),
        Step(
            "Now by column generation, on the same problem.",
            _run("colgen"),
            _has_run("colgen"),
            _remembers(
                "Proved in {time} instead of {first_time}, with the same optimum {objective}. "
                "Both runs lie over one another in the tab Bounds."
            ),
        ),
    ),
)

LESSONS: tuple[Lesson, ...] = (_DEAD_END, _MUST_LINK, BY_HAND, _NOISE, _SIZES, _RACE)
