"""The result card: what a run has reached, in words and numbers."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal
from weakref import WeakKeyDictionary

from ccviz.bounds import relative_gap
from ccviz.events import TERMINATION_SENTENCES
from ccviz.feasibility.conflict import enumerated
from ccviz.numbers import count, number, percent, seconds
from ccviz.problem.asked import AnyAsked, AskedEither, parts_of
from ccviz.problem.partition import Partition, Violations
from ccviz.problem.problem import Problem
from ccviz.problem.reduction import KeptRule
from ccviz.runs.earlier import same_points, tightens
from ccviz.runs.run import STATUS_SENTENCES, Run, Status, status_sentence
from ccviz.studies.least_change import LeastChange, renamed
from ccviz.views.frames.links import stay_words

# --- Rules in words, and whether the clustering shown keeps them ----------------------------------


@dataclass(frozen=True)
class RuleRow:
    """A rule as people read it."""

    words: str
    # Whether it holds, and the value found; empty where there is no answer to it.
    verdict: str = ""
    holds: bool = True
    can_join: bool = False


def rule_words(rule: AnyAsked) -> str:
    """Return a rule in words."""
    return ", or ".join(each.kind.said(each.words) for each in parts_of(rule))


def rule_rows(rules: tuple[AnyAsked, ...], answer: Partition | None) -> tuple[RuleRow, ...]:
    """Return rules with what an answer makes of them.

    `answer`: It may have been asked for others; of those that it was not, nothing is said.
    """
    kept = {} if answer is None else {each.rule: each for each in answer.kept_rules}
    return tuple(_row(rule, kept.get(rule)) for rule in rules)


def answer_rows(answer: Partition) -> tuple[RuleRow, ...]:
    """Return the rules that an answer was asked for, and whether its clusters are connected."""
    rows = rule_rows(tuple(each.rule for each in answer.kept_rules), answer)
    if answer.problem.neighbors is None:
        return rows
    apart = answer.violations.neighbors
    verdict = f"broken: {count(apart, 'cluster')} in pieces" if apart else "holds"
    return *rows, RuleRow("each cluster connected among its neighbours", verdict, not apart)


def _row(rule: AnyAsked, kept: KeptRule | None) -> RuleRow:
    can_join = all(each.kind.is_anti_monotone for each in parts_of(rule))
    if kept is None:
        return RuleRow(rule_words(rule), can_join=can_join)
    found = "" if kept.holds and isinstance(rule, AskedEither) else kept.said(4)
    verdict = f"{'holds' if kept.holds else 'broken'}{': ' * bool(found)}{found}"
    return RuleRow(rule_words(rule), verdict, kept.holds, can_join)


# --- What still holds of a finished run once its problem has been edited, without another run -----


Holding = Literal["proof", "bound", "clustering", "nothing"]
"""What holds: bound and clustering, one of them, or neither."""

_ANOTHER = "This is the answer to other points or weights, or to other features and scaling."
_UNANSWERED = "The problem has changed since this run, which found no clustering."


@dataclass(frozen=True, eq=False)
class AfterEdit:
    """What an edit leaves of a run."""

    holding: Holding
    headline: str
    sentence: str
    partition: Partition | None = None  # The run's clustering under the edited problem


def after_edit(run: Run, asked: Problem, shown: Partition | None = None) -> AfterEdit | None:
    """Return what holds of a run's answer for the problem as it is now; None if the same.

    `shown`: Another clustering of the run's problem, shown in place of its answer.
    """
    if run.problem.asks_the_same(asked):
        return None
    answer = shown or run.incumbent
    known = _KNOWN.get(asked)
    if known is None or known[0] is not answer or known[1] != run.status:
        known = _KNOWN[asked] = (answer, run.status, _compare(run, asked, answer))
    return known[2]


_KNOWN: WeakKeyDictionary[Problem, tuple[Partition | None, str, AfterEdit]] = WeakKeyDictionary()


def _compare(run: Run, asked: Problem, answer: Partition | None) -> AfterEdit:
    if answer is None or not same_points(run.problem, asked):
        then, now = run.problem.n_clusters, asked.n_clusters
        other = f"This is the answer for k = {then}; k is {now} now." if then != now else _ANOTHER
        return AfterEdit("nothing", "Edited", _UNANSWERED if answer is None else other)
    partition = Partition(asked, answer.labels)
    broken = partition.violations
    is_tighter = tightens(run.problem, asked)
    if not broken.none_hard:
        bound = " Its lower bound still holds." if is_tighter else ""
        return AfterEdit(
            "bound" if is_tighter else "nothing",
            "Edited",
            f"This clustering breaks what you added: {broken_words(broken)}.{bound} Press Run.",
            partition,
        )
    if is_tighter and partition.objective > answer.objective:
        return AfterEdit(
            "bound",
            "Edited",
            "This clustering breaks a soft link that you added. Its lower bound still holds. "
            "Press Run.",
            partition,
        )
    if is_tighter and run.status == "optimal" and answer is run.incumbent:
        return AfterEdit(
            "proof",
            "Still optimal",
            "The clustering keeps what you added, and no other became cheaper: the proof holds.",
            partition,
        )
    if is_tighter:
        return AfterEdit(
            "proof", "Still feasible", "The clustering keeps what you added.", partition
        )
    return AfterEdit(
        "clustering",
        "Still feasible",
        "The clustering keeps every constraint that is left; a better one may exist now.",
        partition,
    )


def broken_words(broken: Violations) -> str:
    """Return how many constraints of each kind are broken; empty if none is."""
    kinds = [
        (broken.must_link, "must-link"),
        (broken.cannot_link, "cannot-link"),
        (broken.sizes, "size"),
        (broken.rules, "rule"),
    ]
    return ", ".join(count(amount, noun) for amount, noun in kinds if amount)


SCORE_NAMES = {
    "ari": "ARI",
    "ami": "AMI",
    "nmi": "NMI",
    "mirkin": "Mirkin",
    "hubert": "Hubert",
}


_BROKE = "The clustering broke what you added, and is repaired."

CardStatus = Status | Literal["edited"]
"""What the badge says by its colour."""


@dataclass(frozen=True)
class Card:
    """What the result card says."""

    # One of `ccviz.runs.run.Status`, or "edited": the answer is one to an earlier problem.
    status: CardStatus
    headline: str  # headline, ending: What is known, and why the run ended; sentences
    ending: str = ""
    caution: str = ""
    rows: tuple[tuple[str, str], ...] = ()
    scores: tuple[tuple[str, str], ...] = ()
    sizes: tuple[int, ...] = ()
    rules: tuple[RuleRow, ...] = ()


_HEADLINES: dict[Status, str] = {
    "optimal": "Optimal clustering",
    "feasible": "Valid, not proved",
    "infeasible": "Infeasible",
    "unknown": "No clustering found",
}


def card(
    run: Run | None,
    with_scores: bool,
    asked: Problem | None = None,
    repaired: Partition | None = None,
    known: float = -math.inf,
    kept: LeastChange | None = None,
) -> Card:
    """Return the card of a run as far as it has been played.

    `with_scores`: Compare with the true classes, and measure rules too, which takes some time.
    `asked`: The current problem, if that may be something else than what the run was asked.
    `repaired`: The run's clustering after a repair, so that it keeps what is asked. `known`: The
    highest lower bound that earlier runs proved for what is asked; shown where it is above the
    run's own. `kept`: What is shown in place of the run's answer, with groups as they were before.
    """
    if run is None:
        return Card("unknown", "No run yet", "Press Run.")
    edited = None if asked is None else after_edit(run, asked, kept.partition if kept else None)
    # The highest bound that holds for what is asked; None if that of the run does not.
    holds = edited is None or edited.holding in ("proof", "bound")
    bound = max(run.lower_bound, known) if holds else known if math.isfinite(known) else None
    status, headline, ending, caution, answer = (
        _as_asked(run, repaired, known, kept) if edited is None
        else _as_edited(run, edited, bound, repaired, is_kept=kept is not None)
    )  # fmt: skip
    return Card(
        status, headline, ending, caution,
        rows=_rows(run, answer, bound),
        scores=_scores(answer) if answer and with_scores else (),
        sizes=tuple(answer.kept_sizes.tolist()) if answer else (),
        rules=answer_rows(answer) if answer and with_scores else (),
    )  # fmt: skip


_Words = tuple[CardStatus, str, str, str, Partition | None]
"""Status, headline, ending and caution of a card, and the clustering that it is about."""


def _as_asked(
    run: Run, repaired: Partition | None, known: float, kept: LeastChange | None
) -> _Words:
    """Return the words on a run of the current problem."""
    if repaired is not None and run.finished is None:
        return "edited", "Repaired", "", f"{_BROKE} The solver looks for a better one.", repaired
    if kept is not None:
        return "feasible", "Groups kept", kept_words(run, kept), "", kept.partition
    is_searching = run.finished is None and run.status == "unknown"
    headline, ending = "Searching" if is_searching else _HEADLINES[run.status], _ending(run)
    if run.incumbent is not None and known > run.lower_bound:
        ending = f"{ending} The lower bound is that of an earlier run."
    return run.status, headline, ending, "", run.incumbent


def _as_edited(
    run: Run, edited: AfterEdit, bound: float | None, repaired: Partition | None, is_kept: bool
) -> _Words:
    """Return the words on a run whose problem was edited since."""
    if repaired is not None:
        caution = f"{_BROKE} {_within(repaired, bound) or 'Press Run.'}"
        return "edited", "Repaired", "", caution, repaired
    answer = edited.partition or run.incumbent
    good = edited.holding == "proof"  # all that was known of the clustering still holds
    status: CardStatus = ("feasible" if is_kept else run.status) if good else "edited"
    ending, caution = (edited.sentence, "") if good else ("", edited.sentence)
    if edited.headline == "Still feasible":
        ending = f"{ending} {_within(answer, bound)}".strip()
    return status, edited.headline, ending, caution, answer


def _within(answer: Partition | None, bound: float | None) -> str:
    """Return how far a clustering is from the optimum at most, as a sentence; empty if unknown.

    A share is rounded up: it is an upper limit.
    """
    if answer is None or bound is None or not answer.violations.none_hard:
        return ""
    gap = relative_gap(answer.objective, bound)
    if not gap < 1.0:
        return ""
    share = math.ceil(1000 * gap - 1e-9) / 10
    return f"The lower bound still holds: at most {share:g} % from optimal, no run needed."


def kept_words(run: Run, kept: LeastChange) -> str:
    """Return how many points moved, and what the run's own answer would move and save."""
    best = run.incumbent
    assert best is not None
    labels = renamed(best.problem, best.labels, kept.old)
    moved = int(((labels != kept.old) & (kept.old >= 0)).sum())
    new = int((kept.old < 0).sum())
    less = relative_gap(kept.partition.objective, best.objective)
    own = f"costs {f'{percent(less)} less' if less else 'no less'}, and moves {moved:,}"
    placed = f", {new:,} new placed" if new else ""
    above = relative_gap(kept.partition.objective, run.lower_bound)
    placed += f", at most {percent(above)} from optimal" if above < 1.0 else ""
    return (
        f"Groups are kept: {stay_words(kept)}{placed}. The run's own answer {own}. "
        "A clustering that moves fewer may exist."
    )


def _ending(run: Run) -> str:
    if run.infeasible is not None:
        return run.infeasible.reason
    if run.finished is None:
        return _SEARCHED.format(_kept(run)) if run.incumbent is None else status_sentence(run)
    if run.incumbent is None and run.finished.termination == "interrupted":
        return _STOPPED
    why = run.finished.message or TERMINATION_SENTENCES[run.finished.termination]
    known = status_sentence(run)
    return why if why in {known, STATUS_SENTENCES[run.status]} else f"{known} {why}"


_SEARCHED = "Looking for a first clustering{}."
_STOPPED = "Stopped before a first clustering was found. That does not mean that there is none."


def _kept(run: Run) -> str:
    """Return what of a problem a first clustering has to keep, nothing if that is nothing."""
    given, problem = run.problem.given, run.problem
    kinds = {
        "links": len(given.must_link.hard.pairs) + len(given.cannot_link.hard.pairs),
        "sizes": given.sizes is not None and problem.limits_sizes,
        "rules": len(given.rules),
        "neighbours": problem.neighbors is not None,
    }
    some = [kind for kind, is_asked in kinds.items() if is_asked]
    return f" that keeps {enumerated(some)}" if some else ""


_WITH_PENALTY = "Cost with penalty"
"""What the bound is of where links are soft."""

IN_STATUS = {"Cost (WCSS)": "Cost", _WITH_PENALTY: "Cost", "Lower bound": "Bound", "Gap": "Gap"}
"""Rows that a page shows over all its tabs, with the headline, and what they are called there."""


def _rows(run: Run, answer: Partition | None, bound: float | None) -> tuple[tuple[str, str], ...]:
    """Return the figures; a bound of None is one that does not hold.

    A bound is one on the cost with the penalty of broken soft links: so is the cost beside it.
    """
    keeps = answer is not None and answer.violations.none_hard
    soft = (run if answer is None else answer).problem.is_soft
    broken = "" if answer is None else broken_words(answer.violations)
    constraints = f"{broken} broken" if broken else "all kept"
    rows = [
        (_WITH_PENALTY if soft else "Cost (WCSS)",
         number(answer.objective if soft else answer.wcss) if answer else "–"),
        ("Lower bound", "–" if bound is None else number(bound)),
        ("Gap", "–" if bound is None or not (keeps or answer is None)
         else percent(run.gap if answer is None else relative_gap(answer.objective, bound))),
        ("Constraints", "–" if answer is None else constraints),
        ("Time", seconds(run.time_s)),
    ]  # fmt: skip
    if soft and answer is not None:
        rows[1:1] = [("WCSS", number(answer.wcss)), ("Penalty", number(answer.penalty))]
    if run.tree:
        rows.append(("Nodes", f"{len(run.tree):,}"))
    return tuple(rows)


def _scores(answer: Partition) -> tuple[tuple[str, str], ...]:
    if answer.forced_by:
        return (("ARI", f"forced by {answer.forced_by}"),)
    scores = tuple((SCORE_NAMES[name], f"{value:.3f}") for name, value in answer.scores.items())
    return (*scores, ("Rows", answer.scored_part)) if answer.scored_part else scores
