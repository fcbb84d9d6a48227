"""What lessons are made of: steps that set up, run, need something, and show something."""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from typing import Any

from ccviz.data.datasets import load
from ccviz.numbers import count, number, seconds
from ccviz.views.lab.many_links import draw_links
from ccviz.views.lab.session import Session
from ccviz.views.lessons.course import Memory, Step
from ccviz.views.lessons.needs import Need


def set_up(
    data: str,
    solver: str,
    links: int = 0,
    noise: float = 0.0,
    weight: float = inf,
    seed: int = 0,
    **settings: Any,
) -> Callable[[Session], None]:
    """Return what puts a data set, its links and a solver in place."""

    def act(session: Session) -> None:
        session.param.update(seed=seed, weight=weight)
        session.load(load(data))
        if links:
            draw_links(session, links, noise)
        session.weight = inf
        session.set_solver(solver, **settings)

    return act


def set_up_and_run(data: str, solver: str, **given: Any) -> Callable[[Session], None]:
    """Return what does the same as `set_up`, of the same arguments, and starts a run."""
    prepare = set_up(data, solver, **given)

    def act(session: Session) -> None:
        prepare(session)
        session.start()

    return act


def run_solver(solver: str, **settings: Any) -> Callable[[Session], None]:
    """Return what runs a solver on the problem as it is."""

    def act(session: Session) -> None:
        session.set_solver(solver, **settings)
        session.start()

    return act


def step(
    text: str,
    act: Callable[[Session], None],
    finding: Callable[[Session, Memory], str],
    *needs: Need,
    tab: str = "",
    question: str = "",
) -> Step:
    """Return a step that is done once nothing that it needs is missing."""
    return Step(
        text,
        act,
        lambda *at_hand: not _missing(needs, *at_hand),
        finding,
        tab=tab,
        question=question,
    )


def run_step(
    text: str,
    act: Callable[[Session], None],
    finding: Callable[[Session, Memory], str],
    solver: str,
    *needs: Need,
    tab: str = "",
    question: str = "",
) -> Step:
    """Return a step that is done by a run of a solver from which nothing is missing."""

    def done(session: Session, memory: Memory) -> bool:
        return _has_run(session, solver) and not _missing(needs, session, memory)

    def hint(session: Session, memory: Memory) -> str:
        return _missing(needs, session, memory) if _has_run(session, solver) else ""

    return Step(text, act, done, finding, hint=hint, tab=tab, question=question)


def _missing(needs: tuple[Need, ...], session: Session, memory: Memory) -> str:
    """Return the first sentence that names something missing."""
    return next(filter(None, (need(session, memory) for need in needs)), "")


def _has_run(session: Session, solver: str) -> bool:
    """Whether the run shown has ended, and is one of the solver on the current problem."""
    run = session.run
    if run is None or run.finished is None or run.started is None:
        return False
    return run.started.solver == solver and run.problem.asks_the_same(session.draft.problem)


def says(text: str) -> Callable[[Session, Memory], str]:
    """Return a finding that is a sentence."""
    return lambda _session, _memory: text


def remembers(text: str) -> Callable[[Session, Memory], str]:
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
