"""Short lessons that drive the real app: a step says what to do, and what it shows once done."""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from typing import Any

import numpy as np

from ccviz.data.datasets import load
from ccviz.events import TERMINATION_SENTENCES
from ccviz.problem.partition import Partition
from ccviz.runs.run import STATUS_SENTENCES, Run
from ccviz.views.draft import Link
from ccviz.views.frames.numbers import count, number, seconds
from ccviz.views.lab.session import Session
from ccviz.views.lessons.by_hand import BY_HAND
from ccviz.views.lessons.course import Lesson, Memory, Step

Need = Callable[[Session, Memory], str]
"""What is missing from a step, as a sentence; empty if nothing is."""

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


def _run(solver: str, **settings: Any) -> Callable[[Session], None]:
    def act(session: Session) -> None:
        session.set_solver(solver, **settings)
        session.start()

    return act


def _step(
    text: str,
    act: Callable[[Session], None],
    finding: Callable[[Session, Memory], str],
    *needs: Need,
) -> Step:
    """Return a step that is done once nothing that it needs is missing."""
    return Step(text, act, lambda *at_hand: not _missing(needs, *at_hand), finding)


def _run_step(
    text: str,
    act: Callable[[Session], None],
    finding: Callable[[Session, Memory], str],
    solver: str,
    *needs: Need,
) -> Step:
    """Return a step that is done by a run of a solver from which nothing is missing."""

    def done(session: Session, memory: Memory) -> bool:
        return _has_run(session, solver) and not _missing(needs, session, memory)

    def hint(session: Session, memory: Memory) -> str:
        return _missing(needs, session, memory) if _has_run(session, solver) else ""

    return Step(text, act, done, finding, hint=hint)


def _missing(needs: tuple[Need, ...], session: Session, memory: Memory) -> str:
    """Return the first sentence of what is missing."""
    return next(filter(None, (need(session, memory) for need in needs)), "")


def _has_run(session: Session, solver: str) -> bool:
    """Whether the run shown has ended, and is one of the solver on the problem on the table."""
    run = session.run
    if run is None or run.finished is None or run.started is None:
        return False
    return run.started.solver == solver and run.problem.asks_the_same(session.draft.problem)


# --- What steps need ------------------------------------------------------------------------


def _proved(session: Session, _memory: Memory) -> str:
    run = session.run
    assert run is not None
    if run.status == "optimal":
        return ""
    return (
        f"{_ending(run)} This run proves no optimum. Clear the time limit, and the limits and the "
        "tolerance under More settings, and run again."
    )


def _answered(session: Session, _memory: Memory) -> str:
    run = session.run
    assert run is not None
    if run.status in ("optimal", "feasible"):
        return ""
    return f"{_ending(run)} This run has no clustering to show: run again without limits."


def _met_dead_end(session: Session, _memory: Memory) -> str:
    run = session.run
    assert run is not None
    if run.incumbent is not None:
        return "This run found a clustering. For a dead end take the seed 0 and a single start."
    # COP-k-means stalls only if every start met a dead end.
    return "" if run.termination == "stalled" else f"{_ending(run)} That is no dead end."


def _ending(run: Run) -> str:
    assert run.finished is not None
    if run.infeasible is not None:
        return STATUS_SENTENCES["infeasible"]
    return run.finished.message or TERMINATION_SENTENCES[run.finished.termination]


def _takes(data: str, links: int = 0) -> Need:
    """Need a data set with its own k, without sizes, and so many links or more; 0 for none."""

    def missing(session: Session, _memory: Memory) -> str:
        draft = session.draft
        enough = len(draft.links) >= links if links else not draft.links
        if enough and draft.data.name == data and draft.k == draft.data.k and not draft.lower:
            return ""
        some = count(links, "link") if links else "no links"
        return f"Another problem is on the table: this step takes {data}, its own k, and {some}."

    return missing


def _cost(weight: float) -> Need:
    """Need links of this weight only."""

    def missing(session: Session, _memory: Memory) -> str:
        if all(link.weight == weight for link in session.draft.links):
            return ""
        return "Every link should be hard." if weight == inf else f"Each link should cost {weight}."

    return missing


def _kept_by_truth(session: Session, _memory: Memory) -> str:
    problem = session.draft.problem
    if problem.truth is not None and problem.truth.max() < problem.k:
        truth = Partition(problem, problem.truth).violations
        if truth.none_hard and truth.must_link == truth.cannot_link == 0:
            return ""
    return "This step takes links, sizes and a k that the true classes keep."


def _breaks_no_link(session: Session, _memory: Memory) -> str:
    answer = session.run.incumbent if session.run else None
    if answer is not None and answer.violations.must_link == answer.violations.cannot_link == 0:
        return ""
    return "This run breaks a link: take hard ones."


def _has_must_link(session: Session, _memory: Memory) -> str:
    has = any(link.kind == "must" for link in session.draft.links)
    return "" if has else "Make a must-link first."


def _has_sizes(session: Session, _memory: Memory) -> str:
    draft = session.draft
    return "" if draft.lower == draft.upper == (50, 50, 50) else "Ask for the sizes 50, 50, 50."


def _is_refused(session: Session, _memory: Memory) -> str:
    """Need links that contradict each other; the plot then lights up their chain."""
    notice = session.notice
    refused = notice is not None and notice.kind != "info" and session.lit
    return "" if refused else "No link was refused."


def _same_points(session: Session, memory: Memory) -> str:
    ours, theirs = session.draft.problem, memory[-1]["problem"]
    if ours.k == theirs.k and np.array_equal(ours.X, theirs.X):
        return ""
    return "The step before had other points or another k: take these again."


def _same_problem(session: Session, memory: Memory) -> str:
    if session.draft.problem.asks_the_same(memory[-1]["problem"]):
        return ""
    return "The step before had another problem: take that again."


# --- What steps show ------------------------------------------------------------------------


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
            "problem": run.problem,
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
        _step(
            "Take iris with 100 links drawn from its true classes, and COP-k-means with one start. "
            "It gives one point after another to the nearest centre that its links allow.",
            _set_up("iris", "cop-kmeans", links=100, n_init=1),
            _says("Solid lines must stay together, dashed ones apart. The true classes keep all."),
            _takes("iris", links=100),
            _cost(inf),
            _kept_by_truth,
        ),
        _run_step(
            "Run it.",
            # Not every choice of links and seed leads to a dead end; these do.
            _set_up_and_run("iris", "cop-kmeans", links=100, n_init=1),
            _says(
                "A dead end: the point with the ring has no cluster left, because COP-k-means "
                "never takes an assignment back. That says nothing about the problem, which has "
                "a solution."
            ),
            "cop-kmeans",
            _met_dead_end,
            _takes("iris", links=100),
            _kept_by_truth,
        ),
        _run_step(
            "Now let BLP k-means have the same problem.",
            _run("blp-kmeans"),
            _remembers(
                "Objective {objective}, and no link is broken: it solves every assignment step as "
                "a whole, so it finds a clustering whenever there is one."
            ),
            "blp-kmeans",
            _answered,
            _takes("iris", links=100),
            _breaks_no_link,
        ),
    ),
)
_MUST_LINK = Lesson(
    "What a must-link does to the relaxation",
    (
        _run_step(
            "Take iris without links, and prove its best clustering with the SDP solver; let it "
            "show its relaxation.",
            _set_up_and_run("iris", "sdp", show_relaxation=True),
            _remembers("The optimum is {objective}. Look at the matrix under Inside the solver."),
            "sdp",
            _takes("iris"),
            _proved,
        ),
        _step(
            "Link two points that lie in different clusters: 60 and 100, say.",
            lambda session: session.add_links([Link("must", 60, 100)]),
            _says("The two points are now one block: the matrix has a row and a column less."),
            _has_must_link,
            _cost(inf),
            _same_points,
        ),
        _run_step(
            "Prove the optimum again.",
            _run("sdp", show_relaxation=True),
            _remembers(
                "The optimum was {first_objective} and is {objective} now: a link takes "
                "clusterings away and adds none, so neither the optimum nor the relaxation can "
                "fall."
            ),
            "sdp",
            _has_must_link,
            _same_points,
            _proved,
        ),
    ),
)
_NOISE = Lesson(
    "Noise, and the price of a soft link",
    (
        _step(
            "Draw 200 hard links from iris's classes, a fifth of them wrong.",
            _set_up("iris", "pck-means", links=200, noise=0.2),
            _says("Wrong hard links soon contradict each other. Such links must be soft."),
            _is_refused,
        ),
        _step(
            "Draw them again as soft links that cost 0.1 each.",
            _set_up("iris", "pck-means", links=200, noise=0.2, weight=0.1),
            _says("A soft link may be broken, at its price."),
            _takes("iris", links=200),
            _cost(0.1),
        ),
        _run_step(
            "Run PCK-means.",
            _run("pck-means"),
            _remembers("WCSS {wcss}, {broken} broken: at this price the geometry wins."),
            "pck-means",
            _answered,
            _takes("iris", links=200),
            _cost(0.1),
        ),
        _run_step(
            "Now let each link cost 10, and run again.",
            _set_up_and_run("iris", "pck-means", links=200, noise=0.2, weight=10.0),
            _remembers(
                "{broken} broken instead of {first_broken}, and WCSS {wcss} instead of "
                "{first_wcss}: a high price buys links, the wrong ones too."
            ),
            "pck-means",
            _answered,
            _takes("iris", links=200),
            _cost(10.0),
        ),
    ),
)
_SIZES = Lesson(
    "Clusters of a given size",
    (
        _run_step(
            "Run BLP k-means on iris without links or sizes.",
            _set_up_and_run("iris", "blp-kmeans"),
            _remembers("The clusters have {sizes} points; WCSS is {wcss}."),
            "blp-kmeans",
            _answered,
            _takes("iris"),
        ),
        _step(
            "There were 50 flowers of each kind. Ask for the sizes 50, 50, 50.",
            lambda session: session.set_sizes("50, 50, 50"),
            _says("Sizes are constraints like links: a clustering keeps them or is none."),
            _has_sizes,
        ),
        _run_step(
            "Run it again.",
            _run("blp-kmeans"),
            _remembers("Now they have {sizes} points, and WCSS went from {first_wcss} to {wcss}."),
            "blp-kmeans",
            _answered,
            _has_sizes,
            _same_points,
        ),
    ),
)
_RACE = Lesson(
    "Two exact methods race",
    (
        _run_step(
            "Take iris with 60 links, and prove its optimum by semidefinite programming.",
            _set_up_and_run("iris", "sdp", links=60),
            _remembers("Proved in {time}: {objective}."),
            "sdp",
            _takes("iris", links=60),
            _proved,
        ),
        _run_step(
            "Now by column generation, on the same problem.",
            _run("colgen"),
            _remembers(
                "Proved in {time} instead of {first_time}, with the same optimum {objective}. "
                "Both runs lie over one another in the tab Bounds."
            ),
            "colgen",
            _same_problem,
            _proved,
        ),
    ),
)

LESSONS: tuple[Lesson, ...] = (_DEAD_END, _MUST_LINK, BY_HAND, _NOISE, _SIZES, _RACE)
