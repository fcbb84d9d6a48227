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
    return tuple(
        _row(rule, *(_judged(kept[rule]) if rule in kept else ("", True))) for rule in rules
    )


def answer_rows(answer: Partition) -> tuple[RuleRow, ...]:
    """Return the rules that an answer was asked for, and whether its clusters are connected."""
    rows = rule_rows(tuple(each.rule for each in answer.kept_rules), answer)
    if answer.problem.neighbors is None:
        return rows
    apart = answer.violations.neighbors
    verdict = f"broken: {count(apart, 'cluster')} in pieces" if apart else "holds"
    return *rows, RuleRow("each cluster connected among its neighbours", verdict, not apart)


def _row(rule: AnyAsked, verdict: str, holds: bool) -> RuleRow:
    can_join = all(each.kind.is_anti_monotone for each in parts_of(rule))
    return RuleRow(rule_words(rule), verdict, holds, can_join)


def _judged(kept: KeptRule) -> tuple[str, bool]:
    verdict, found = "holds" if kept.holds else "broken", kept.said(4)
    if isinstance(kept.rule, AskedEither):
        found = "" if kept.holds else found
    return f"{verdict}: {found}" if found else verdict, kept.holds


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

    @property
    def is_good(self) -> bool:
        """Whether everything that was known of the clustering still holds."""
        return self.holding == "proof"


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
    instead = None if kept is None else kept.partition
    edited = None if asked is None else after_edit(run, asked, instead)
    bound, ending = _bound(run, edited, known), ""
    if edited is not None and repaired is not None:
        words = f"{_BROKE} {_within(repaired, bound) or 'Press Run.'}"
        return _replaced("edited", "Repaired", words, run, repaired, bound, with_scores)
    if edited is None and repaired is not None and run.labels is None and run.finished is None:
        words = f"{_BROKE} The solver starts."
        return _replaced("edited", "Repaired", words, run, repaired, bound, with_scores)
    if edited is None and kept is not None:
        words = kept_words(run, kept)
        return _replaced("feasible", "Groups kept", words, run, kept.partition, bound, with_scores)
    answer = run.incumbent if edited is None else edited.partition or run.incumbent
    if edited is None:
        ending = _ending(run)
        if answer is not None and known > run.lower_bound:
            ending = f"{ending} The lower bound is that of an earlier run."
    elif edited.is_good:
        ending = edited.sentence
    if edited is not None and edited.headline == "Still feasible":
        ending = f"{ending} {_within(answer, bound)}".strip()
    return Card(
        status=_status(run, edited, instead),
        headline=_headline(run) if edited is None else edited.headline,
        ending=ending,
        caution="" if edited is None or edited.is_good else edited.sentence,
        rows=_rows(run, answer, bound),
        scores=_scores(answer) if answer and with_scores else (),
        sizes=tuple(answer.kept_sizes.tolist()) if answer else (),
        rules=answer_rows(answer) if answer and with_scores else (),
    )


def _bound(run: Run, edited: AfterEdit | None, known: float) -> float | None:
    """Return the highest bound that holds for what is asked; None if that of the run does not."""
    holds = edited is None or edited.holding in ("proof", "bound")
    return max(run.lower_bound, known) if holds else known if math.isfinite(known) else None


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


def _replaced(
    status: CardStatus, headline: str, words: str, run: Run, answer: Partition,
    bound: float | None, with_scores: bool,
) -> Card:  # fmt: skip
    """Return the card of a clustering that is shown in place of the run's answer."""
    return Card(
        status=status,
        headline=headline,
        ending=words if status == "feasible" else "",
        caution=words if status == "edited" else "",
        rows=_rows(run, answer, bound),
        scores=_scores(answer) if with_scores else (),
        sizes=tuple(answer.kept_sizes.tolist()),
        rules=answer_rows(answer) if with_scores else (),
    )


def _status(run: Run, edited: AfterEdit | None, instead: Partition | None) -> CardStatus:
    if edited is None:
        return run.status
    if edited.holding != "proof":
        return "edited"
    return run.status if instead is None else "feasible"


def _headline(run: Run) -> str:
    if run.finished is None and run.status == "unknown":
        return "Searching"
    return _HEADLINES[run.status]


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


IN_STATUS = {"Cost (WCSS)": "Cost", "Cost": "Cost", "Lower bound": "Bound", "Gap": "Gap"}
"""Rows that a page shows over all its tabs, with the headline, and what they are called there."""


def _rows(run: Run, answer: Partition | None, bound: float | None) -> tuple[tuple[str, str], ...]:
    """Return the figures; a bound of None is one that does not hold.

    A bound is one on the cost with the penalty of broken soft links: so is the cost beside it.
    """
    is_soft = answer is not None and answer.problem.is_soft
    keeps = answer is not None and answer.violations.none_hard
    rows = [
        ("Cost" if is_soft else "Cost (WCSS)", number(answer.objective) if answer else "–"),
        ("Lower bound", "–" if bound is None else number(bound)),
        ("Gap", "–" if bound is None or not (keeps or answer is None)
         else percent(run.gap if answer is None else relative_gap(answer.objective, bound))),
        ("Constraints", _kept_or_broken(answer)),
        ("Time", seconds(run.time_s)),
    ]  # fmt: skip
    if answer is not None and is_soft:
        rows[1:1] = [
            ("Cost: WCSS", number(answer.wcss)), ("Cost: broken links", number(answer.penalty))
        ]  # fmt: skip
    if run.tree:
        rows.append(("Nodes", f"{len(run.tree):,}"))
    return tuple(rows)


def _kept_or_broken(answer: Partition | None) -> str:
    if answer is None:
        return "–"
    broken = broken_words(answer.violations)
    return f"{broken} broken" if broken else "all kept"


def _scores(answer: Partition) -> tuple[tuple[str, str], ...]:
    if answer.forced_by:
        return (("ARI", f"forced by {answer.forced_by}"),)
    scores = tuple((SCORE_NAMES[name], f"{value:.3f}") for name, value in answer.scores.items())
    return (*scores, ("Rows", answer.scored_part)) if answer.scored_part else scores
