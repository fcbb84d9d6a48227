"""The result card: what a run has come to, in words and numbers."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from ccviz.bounds import relative_gap
from ccviz.events import TERMINATION_SENTENCES
from ccviz.numbers import number, percent, seconds
from ccviz.problem.partition import Partition
from ccviz.problem.problem import Problem
from ccviz.runs.run import STATUS_SENTENCES, Run, Status, status_sentence
from ccviz.views.frames.after_edit import AfterEdit, after_edit, broken_words
from ccviz.views.frames.rules import RuleRow, rule_rows

SCORE_NAMES = {
    "ari": "ARI",
    "ami": "AMI",
    "nmi": "NMI",
    "mirkin": "Mirkin",
    "hubert": "Hubert",
}


CardStatus = Status | Literal["edited"]
"""What the badge says by its colour."""


@dataclass(frozen=True)
class Card:
    """What the result card says.

    Attributes
    ----------
    status : str
        One of `ccviz.runs.run.Status`, or "edited": the answer is one to an earlier problem.
    headline, ending : str
        What is known, and why the run ended; sentences.
    caution : str
        What the card is not about, or nothing.
    rows : tuple of (name, value)
    scores : tuple of (name, value)
    sizes : tuple of int
        Points in each cluster.
    rules : tuple of RuleRow
        Whether each rule that was asked for holds.
    """

    status: CardStatus
    headline: str
    ending: str = ""
    caution: str = ""
    rows: tuple[tuple[str, str], ...] = ()
    scores: tuple[tuple[str, str], ...] = ()
    sizes: tuple[int, ...] = ()
    rules: tuple[RuleRow, ...] = ()


_HEADLINES: dict[Status, str] = {
    "optimal": "Optimal clustering",
    "feasible": "Feasible clustering",
    "infeasible": "Infeasible",
    "unknown": "No clustering found",
}


def card(
    run: Run | None,
    with_scores: bool,
    asked: Problem | None = None,
    repaired: Partition | None = None,
    known: float = -math.inf,
) -> Card:
    """Return the card of a run as far as it has been played.

    Parameters
    ----------
    run : Run or None
    with_scores : bool
        Compare with the true classes, and measure rules too, which takes some time.
    asked : Problem, optional
        The current problem, if that may be something else than what the run was asked.
    repaired : Partition, optional
        The run's clustering after a repair, so that it keeps what is asked.
    known : float
        The highest lower bound that earlier runs proved for what is asked; shown if the run has
        ended without one.
    """
    if run is None:
        return Card("unknown", "No run yet", "Choose a solver and press Run.")
    edited = None if asked is None else after_edit(run, asked)
    if edited is not None and repaired is not None:
        return _repaired(run, edited, repaired, with_scores)
    if edited is None and repaired is not None and run.labels is None and run.finished is None:
        return _until_found(run, repaired, with_scores)
    answer = run.incumbent if edited is None else edited.partition or run.incumbent
    holds = edited is None or edited.holding in ("proof", "bound")
    bound, ending = run.lower_bound if holds else None, ""
    if edited is None:
        ending = _ending(run)
        if answer is not None and _lacks_a_bound(run) and math.isfinite(known):
            bound, ending = known, f"{ending} The lower bound is that of an earlier run."
    elif edited.is_good:
        ending = edited.sentence
    return Card(
        status=_status(run, edited),
        headline=_headline(run) if edited is None else edited.headline,
        ending=ending,
        caution="" if edited is None or edited.is_good else edited.sentence,
        rows=_rows(run, answer, bound),
        scores=_scores(answer) if answer and with_scores else (),
        sizes=tuple(answer.kept_sizes.tolist()) if answer else (),
        rules=_rules(answer) if answer and with_scores else (),
    )


def _lacks_a_bound(run: Run) -> bool:
    return run.finished is not None and not math.isfinite(run.lower_bound)


def _repaired(run: Run, edited: AfterEdit, answer: Partition, with_scores: bool) -> Card:
    """Return the card of a clustering that was repaired after an edit."""
    holds = edited.holding == "bound"
    bound = " The lower bound still holds." if holds and math.isfinite(run.lower_bound) else ""
    return Card(
        status="edited",
        headline="Repaired",
        caution=f"The clustering broke what you added, and is repaired.{bound} Press Run.",
        rows=_rows(run, answer, run.lower_bound if holds else None),
        scores=_scores(answer) if with_scores else (),
        sizes=tuple(answer.kept_sizes.tolist()),
        rules=_rules(answer) if with_scores else (),
    )


def _until_found(run: Run, answer: Partition, with_scores: bool) -> Card:
    """Return the card of a repaired clustering while the run that follows has none yet."""
    return Card(
        status="edited",
        headline="Repaired",
        caution="The clustering broke what you added, and is repaired. The solver starts.",
        rows=_rows(run, answer, None),
        scores=_scores(answer) if with_scores else (),
        sizes=tuple(answer.kept_sizes.tolist()),
        rules=_rules(answer) if with_scores else (),
    )


def _status(run: Run, edited: AfterEdit | None) -> CardStatus:
    if edited is None:
        return run.status
    return run.status if edited.holding == "proof" else "edited"


def _headline(run: Run) -> str:
    if run.finished is None and run.status == "unknown":
        return "Searching"
    return _HEADLINES[run.status]


def _ending(run: Run) -> str:
    if run.infeasible is not None:
        return run.infeasible.reason
    if run.finished is None:
        return "" if run.incumbent is None else status_sentence(run)
    why = run.finished.message or TERMINATION_SENTENCES[run.finished.termination]
    known = status_sentence(run)
    return why if why in {known, STATUS_SENTENCES[run.status]} else f"{known} {why}"


def _rows(run: Run, answer: Partition | None, bound: float | None) -> tuple[tuple[str, str], ...]:
    """Return the figures; a bound of None is one that does not hold."""
    keeps = answer is not None and answer.violations.none_hard
    rows = [
        ("WCSS", number(answer.wcss) if answer else "–"),
        ("Lower bound", "–" if bound is None else number(bound)),
        ("Gap", "–" if bound is None or not (keeps or answer is None)
         else percent(run.gap if answer is None else relative_gap(answer.objective, bound))),
        ("Broken", _broken(answer)),
        ("Time", seconds(run.time_s)),
    ]  # fmt: skip
    if answer is not None and run.problem.is_soft:
        rows.insert(1, ("Penalty", number(answer.penalty)))
    if run.tree:
        rows.append(("Nodes", f"{len(run.tree):,}"))
    return tuple(rows)


def _broken(answer: Partition | None) -> str:
    if answer is None:
        return "–"
    return broken_words(answer.violations) or "none"


def _rules(answer: Partition) -> tuple[RuleRow, ...]:
    return rule_rows(tuple(each.rule for each in answer.kept_rules), answer)


def _scores(answer: Partition) -> tuple[tuple[str, str], ...]:
    return tuple((SCORE_NAMES[name], f"{value:.3f}") for name, value in answer.scores.items())
