"""Twenty questions: well chosen answers compared with links drawn by chance."""

from __future__ import annotations

from ccviz.numbers import count
from ccviz.views.lab.asking import PAIR, AskState
from ccviz.views.lab.session import Session
from ccviz.views.lessons.course import Lesson, Memory
from ccviz.views.lessons.needs import Need, answered, kept_by_truth, takes
from ccviz.views.lessons.steps import run_step, set_up, set_up_and_run, step

_HALF, _ALL = 10, 20


def _begin(session: Session) -> None:
    set_up("iris", "blp-kmeans")(session)
    session.ask_about(PAIR)
    if not session.asking.active:
        session.ask()
    session.asking.settle()


def _answer_up_to(session: Session, questions: int) -> None:
    """Answer by the known classes, as an expert would."""
    session.ask_about(PAIR)
    if not session.asking.active:
        session.ask()
    truth = session.draft.data.truth
    while (asked := session.asking.settle()) and asked.points and asked.questions < questions:
        i, j = asked.points
        session.param.update(picked=asked.points)
        session.link("must" if truth is not None and truth[i] == truth[j] else "cannot")


def _asked(session: Session) -> AskState | None:
    return session.asking.asked if session.asking.active else None


def _has_answers(questions: int) -> Need:
    """Require a number of answers, or an answer to each useful question."""

    def missing(session: Session, _memory: Memory) -> str:
        asked = _asked(session)
        if asked is None:
            return "Press Ask me first."
        done = asked.questions >= questions or not asked.points
        return "" if done else f"{questions - asked.questions} questions are left."

    return missing


def _agreement(session: Session, memory: Memory) -> AskState:
    asked = _asked(session)
    assert asked is not None
    memory.append(asked)
    return asked


def _show_start(session: Session, memory: Memory) -> str:
    asked = _agreement(session, memory)
    return (
        f"So far the colours are the clusters of k-means; they agree with the species by an ARI of "
        f"{asked.ari:.3f}. The first question is about two of their central points."
    )


def _show_answers(session: Session, memory: Memory) -> str:
    asked = _agreement(session, memory)
    return (
        f"{count(asked.questions, 'answer')} imply {count(asked.implied, 'more pair')} for free, "
        f"and the ARI is {asked.ari:.3f}, after {memory[-2].ari:.3f}: what is known about a few "
        "points spreads to those that are like them."
    )


def _show_chance(session: Session, memory: Memory) -> str:
    run = session.run
    assert run is not None
    assert run.incumbent is not None
    ari = run.incumbent.scores["ari"]
    return (
        f"By {_ALL} links between random points the ARI is {ari:.3f}, by as many questions it was "
        f"{memory[-1].ari:.3f}. Most random links say what was plain already."
    )


LESSON = Lesson(
    "Twenty questions",
    (
        step(
            "Take iris without links, and press Ask me (A).",
            _begin,
            _show_start,
            takes("iris"),
            _has_answers(0),
        ),
        step(
            f"Answer {_HALF} questions: M if the two flowers are of one species, C if not. The "
            "plot shows the species while Classes, the button with the tag, is pressed.",
            lambda session: _answer_up_to(session, _HALF),
            _show_answers,
            _has_answers(_HALF),
            kept_by_truth,
        ),
        step(
            f"{_ALL - _HALF} more. U is for what you cannot tell, Z takes an answer back.",
            lambda session: _answer_up_to(session, _ALL),
            _show_answers,
            _has_answers(_ALL),
            kept_by_truth,
        ),
        run_step(
            f"Now draw {_ALL} links by chance instead, and let BLP k-means keep them.",
            set_up_and_run("iris", "blp-kmeans", links=_ALL),
            _show_chance,
            "blp-kmeans",
            takes("iris", links=_ALL),
            kept_by_truth,
            answered,
        ),
    ),
    aim="See that a few chosen questions teach more than links drawn by chance.",
    paper=(
        "Cohn, Ghahramani and Jordan (1996) let a learner choose what it asks, so that the answers "
        "lower its expected error most. Asked about pairs, that gains far more than links drawn "
        "by chance, most of which the points imply already."
    ),
    look=(
        "The run is the one with links drawn by chance: most of its lines lie within a cluster, or "
        "between clusters that are clearly separate."
    ),
    exercises=(
        (
            "Which pairs should be asked about?",
            "Those for which good clusterings disagree, and whose answer settles other pairs too: "
            "pairs that must-links imply need not be asked.",
        ),
        (
            "Why do random links tell so little?",
            "Two random flowers are mostly far apart or near neighbours, and then the points have "
            "said it already.",
        ),
    ),
)
