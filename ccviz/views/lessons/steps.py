"""What lessons are made of: steps that set up, run, need something, and show something."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ccviz.data.datasets import Dataset
from ccviz.data.neighbors import read_neighbors_text
from ccviz.events import TERMINATION_SENTENCES, CutsAdded
from ccviz.numbers import count, number, seconds
from ccviz.problem.partition import Partition
from ccviz.runs.run import STATUS_SENTENCES, Run
from ccviz.views.lab.asking import PAIR, AskState
from ccviz.views.lab.session import Session
from ccviz.views.lessons.course import Memory, Step
from ccviz.views.link_table import KIND_WORDS, Link

# --------------------------------------------------------------------------------------------------
# Conditions of a lesson's step; each returns a sentence that names what is missing, or none.


Need = Callable[[Session, Memory], str]
"""What is missing from a step, as a sentence; empty if nothing is."""


def run_of(session: Session) -> Run:
    """Return the run shown, where a step is done by one."""
    assert session.run is not None
    return session.run


def proved(session: Session, _memory: Memory) -> str:
    """Need a run that proved its optimum."""
    run = run_of(session)
    if run.status == "optimal":
        return ""
    return (
        f"{_ending(run)} This run proves no optimum. Clear the time limit, and the limits and the "
        "tolerance under More settings, and run again."
    )


def answered(session: Session, _memory: Memory) -> str:
    """Need a run with a clustering."""
    run = run_of(session)
    if run.status in ("optimal", "feasible"):
        return ""
    return f"{_ending(run)} This run has no clustering to show: run again without limits."


def met_dead_end(session: Session, _memory: Memory) -> str:
    """Need a run of COP-k-means that met a dead end in every start."""
    run = run_of(session)
    if run.incumbent is not None:
        return "This run found a clustering. For a dead end take the seed 0 and a single start."
    # COP-k-means stalls only if every start met a dead end.
    return "" if run.termination == "stalled" else f"{_ending(run)} That is no dead end."


def _ending(run: Run) -> str:
    assert run.finished is not None
    if run.infeasible is not None:
        return STATUS_SENTENCES["infeasible"]
    return run.finished.message or TERMINATION_SENTENCES[run.finished.termination]


def takes(session: Session, _memory: Memory, data: str, links: str = "0") -> str:
    """Need a data set with its own k, without sizes, and at least a number of links; 0 for none."""
    draft, least = session.draft, int(links)
    enough = len(draft.links) >= least if least else not draft.links
    if enough and draft.data.name == data and draft.k == draft.data.k and not draft.lower:
        return ""
    some = count(least, "link") if least else "no links"
    return f"Another problem is open: this step takes {data}, its own k, and {some}."


def cost(session: Session, _memory: Memory, weight: str) -> str:
    """Need links of this weight only."""
    if all(link.weight == float(weight) for link in session.draft.links):
        return ""
    return "Every link should be hard." if weight == "inf" else f"Each link should cost {weight}."


def kept_by_truth(session: Session, _memory: Memory) -> str:
    """Need links, sizes and a k that the known classes keep."""
    problem = session.draft.problem
    if problem.truth is not None and 0 <= problem.truth.min() <= problem.truth.max() < problem.k:
        truth = Partition(problem, problem.truth).violations
        if truth.none_hard and truth.must_link == truth.cannot_link == 0:
            return ""
    return "This step takes links, sizes and a k that the true classes keep."


def breaks_no_link(session: Session, _memory: Memory) -> str:
    """Need a clustering that keeps every link."""
    answer = session.run.incumbent if session.run else None
    if answer is not None and answer.violations.must_link == answer.violations.cannot_link == 0:
        return ""
    return "This run breaks a link: take hard ones."


def has_must_link(session: Session, _memory: Memory) -> str:
    """Need a must-link."""
    has = any(link.kind == "must" for link in session.draft.links)
    return "" if has else "Make a must-link first."


def has_sizes(session: Session, _memory: Memory, *sizes: str) -> str:
    """Need these sizes."""
    draft = session.draft
    kept = draft.lower == draft.upper == tuple(map(int, sizes))
    return "" if kept else f"Ask for the sizes {', '.join(sizes)}."


def is_refused(session: Session, _memory: Memory) -> str:
    """Need links that contradict each other; the plot then lights up their chain."""
    notice = session.notice
    refused = notice is not None and notice.kind != "info" and session.lit
    return "" if refused else "No link was refused."


def has_prices(session: Session, _memory: Memory) -> str:
    """Need the proved prices of the current links."""
    known = session.pricing.known
    whole = known is not None and not known.todo and len(known.pairs)
    if whole and known.problem.asks_the_same(session.draft.problem):
        return ""
    return "Prove the prices of all links first."


def lacks_highest(session: Session, memory: Memory) -> str:
    """Need that the links of the highest prices of the step before are gone."""
    there = {(link.kind, *link.pair) for link in session.draft.links}
    left = [link for link in memory[-1]["highest"] if (link.kind, *link.pair) in there]
    return f"Delete {left[0]} too: its price is among the highest." if left else ""


def same_points(session: Session, memory: Memory) -> str:
    """Need the points and the k of the step before."""
    ours, theirs = session.draft.problem, memory[-1]["problem"]
    if ours.k == theirs.k and np.array_equal(ours.X, theirs.X):
        return ""
    return "The step before had other points or another k: take these again."


def same_problem(session: Session, memory: Memory) -> str:
    """Need the problem of the step before."""
    if session.draft.problem.asks_the_same(memory[-1]["problem"]):
        return ""
    return "The step before had another problem: take that again."


def step(
    text: str,
    act: Callable[[Session], None],
    finding: Callable[[Session, Memory], str],
    *needs: Need,
    ran: str = "",
    sketch: Callable[[Memory], str] | None = None,
    tab: str = "",
    question: str = "",
    answers: tuple[str, ...] = (),
) -> Step:
    """Return a step that is done once nothing that it needs is missing.

    `ran`: The solver of whose run this is asked; empty for a step without a run.
    """

    def done(session: Session, memory: Memory) -> bool:
        return (not ran or _has_run(session, ran)) and not _missing(needs, session, memory)

    def hint(session: Session, memory: Memory) -> str:
        return _missing(needs, session, memory) if _has_run(session, ran) else ""

    return Step(text, act, done, finding, sketch, hint if ran else None, tab, question, answers)


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
        run = run_of(session)
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


# --- What data cannot say of a lesson: its own actions, needs and findings ------------------------


def add_must_link(session: Session, i: str, j: str) -> None:
    """Link two points."""
    session.edits.add_links([Link("must", int(i), int(j))])


def set_sizes(session: Session, *sizes: str) -> None:
    """Ask for clusters of these sizes."""
    session.edits.set_sizes(", ".join(sizes))


# --- Which expert was wrong? The highest price of a link shows it


_WRONG = 3


def prove_prices(session: Session) -> None:
    """Prove the prices, and let the plot show them."""
    session.links_drawn = "price"
    with session.reporting_errors():
        session.pricing.start()


def show_highest(session: Session, memory: Memory) -> str:
    """Name the links of the highest prices, remember them, and say which are wrong."""
    rows = session.pricing.known.rows[:_WRONG]
    memory[-1]["highest"] = tuple(Link(row.kind, row.i, row.j) for row in rows)
    truth = session.draft.data.truth
    assert truth is not None
    wrong = sum((truth[row.i] == truth[row.j]) != (row.kind == "must") for row in rows)
    first = rows[0]
    return (
        f"The highest price has the {KIND_WORDS[first.kind]} {first.i}-{first.j}: it raises the "
        f"optimum by {number(first.lower, 4)}. Of the {_WRONG} highest {wrong} contradict the "
        "known classes."
    )


def drop_highest(session: Session) -> None:
    """Delete the links of the highest prices."""
    known = session.pricing.known
    rows = known.rows[:_WRONG] if known is not None else ()
    session.edits.remove_links([Link(row.kind, row.i, row.j) for row in rows])


def show_better(session: Session, memory: Memory) -> str:
    """Compare the optimum with the earlier one, and the clusters with the classes."""
    said = remembers("The optimum falls from {first_objective} to {objective}")(session, memory)
    run = run_of(session)
    assert run.incumbent is not None
    ari = run.incumbent.scores["ari"]
    left = count(len(session.draft.links), "link")
    return f"{said}, and the agreement with the classes is {ari:.2f} (ARI), with {left}."


# --- Twenty questions: well chosen answers compared with links drawn by chance


def answer(session: Session, questions: str) -> None:
    """Answer by the known classes, as an expert would, up to a number of questions."""
    session.edits.ask_about(PAIR)
    if not session.asking.active:
        session.edits.ask()
    truth = session.draft.data.truth
    while (asked := session.asking.settle()) and asked.points and asked.questions < int(questions):
        i, j = asked.points
        session.param.update(picked=asked.points)
        session.edits.link("must" if truth is not None and truth[i] == truth[j] else "cannot")


def _asked(session: Session) -> AskState | None:
    return session.asking.asked if session.asking.active else None


def has_answers(session: Session, _memory: Memory, questions: str) -> str:
    """Need a number of answers, or an answer to each useful question."""
    asked = _asked(session)
    if asked is None:
        return "Press Ask me first."
    left = int(questions) - asked.questions
    return f"{left} questions are left." if left > 0 and asked.points else ""


def _agreement(session: Session, memory: Memory) -> AskState:
    asked = _asked(session)
    assert asked is not None
    memory.append(asked)
    return asked


def show_start(session: Session, memory: Memory) -> str:
    """Say how well the first clusters agree with the classes."""
    asked = _agreement(session, memory)
    return (
        f"So far the colours are the clusters of k-means; they agree with the species by an ARI of "
        f"{asked.ari:.3f}. The first question is about two of their central points."
    )


def show_answers(session: Session, memory: Memory) -> str:
    """Say what the answers imply, and what they gained."""
    asked = _agreement(session, memory)
    return (
        f"{count(asked.questions, 'answer')} imply {count(asked.implied, 'more pair')} for free, "
        f"and the ARI is {asked.ari:.3f}, after {memory[-2].ari:.3f}: what is known about a few "
        "points spreads to those that are like them."
    )


def show_chance(session: Session, memory: Memory) -> str:
    """Compare links drawn by chance with the questions."""
    run = run_of(session)
    assert run.incumbent is not None
    ari = run.incumbent.scores["ari"]
    return (
        f"By {len(session.draft.links)} links between random points the ARI is {ari:.3f}, by as "
        f"many questions it was {memory[-1].ari:.3f}. Most random links say what was plain already."
    )


# --- Regions that hang together: a grid of areas with a value each --------------------------------


_VALUES = (
    "43 32 34 83 147 137 35 52 44 112 135 115 35 28 127 119 128 111 "
    "42 27 93 83 85 86 25 92 111 55 54 57 53 82 96 91 83 84"
)


def take_areas(session: Session) -> None:
    """Take a grid of 36 areas, whose values differ far more than their places."""
    row, column = divmod(np.arange(36.0), 6)
    X = np.column_stack([column, row, np.array(_VALUES.split(), dtype=np.float64)])
    session.edits.load(Dataset("areas", X, ("east", "north", "value"), k=3))
    session.show_axes("east", "north")


def set_neighbors(session: Session, *text: str) -> None:
    """Ask for connected clusters."""
    session.edits.set_neighbors(" ".join(text))


def has_neighbors(session: Session, _memory: Memory, *text: str) -> str:
    """Need these neighbours; none without a text."""
    asked = " ".join(text)
    if session.draft.neighbors == asked:
        return ""
    return f"Ask for the neighbours {asked}." if asked else "This step takes no neighbours."


def show_pieces(session: Session, memory: Memory) -> str:
    """Say into how many pieces the clusters fall on the map."""
    said = remembers("The optimum is {objective}.")(session, memory)
    run = run_of(session)
    assert run.incumbent is not None
    near = read_neighbors_text("radius:1", run.problem.X[:, :2], reads_files=False)
    pieces = int(near.components(run.incumbent.labels).max()) + 1
    return f"{said} On the map its {run.problem.k} clusters lie in {pieces} pieces."


def show_separators(session: Session, memory: Memory) -> str:
    """Say how far the bound rose, and with how many separators."""
    said = remembers("and the optimum is {objective}, after {first_objective}.")(session, memory)
    run = run_of(session)
    records = session.archive.records(session.player.run_id, kinds=[CutsAdded.__name__])
    rounds = [each.event for each in records if isinstance(each.event, CutsAdded)]
    if not rounds:
        return f"The first bound was enough, {said}"
    many = sum(each.separators for each in rounds)
    return (
        f"The bound rose from {number(rounds[0].lower_bound)} to {number(run.lower_bound)} in "
        f"{count(len(rounds), 'round')} with {count(many, 'separator')}, {said}"
    )
