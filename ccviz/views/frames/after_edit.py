"""What still holds of a finished run once its problem has been edited, without another run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal
from weakref import WeakKeyDictionary

from ccviz.numbers import count
from ccviz.problem.partition import Partition, Violations
from ccviz.problem.problem import Problem
from ccviz.runs.earlier import same_points, tightens
from ccviz.runs.run import Run

Holding = Literal["proof", "bound", "clustering", "nothing"]
"""What holds: bound and clustering, one of them, or neither."""

_ANOTHER = "This is the answer to the problem as it was before your last edit."


@dataclass(frozen=True, eq=False)
class AfterEdit:
    """What an edit leaves of a run.

    Attributes
    ----------
    holding : {"proof", "bound", "clustering", "nothing"}
    headline, sentence : str
    partition : Partition or None
        The run's clustering under the edited problem.
    """

    holding: Holding
    headline: str
    sentence: str
    partition: Partition | None = None

    @property
    def is_good(self) -> bool:
        """Whether everything that was known of the clustering still holds."""
        return self.holding == "proof"


def after_edit(run: Run, asked: Problem) -> AfterEdit | None:
    """Return what holds of a run's answer for the problem as it is now; None if that is the same.

    Parameters
    ----------
    run : Run
    asked : Problem
    """
    if run.problem.asks_the_same(asked):
        return None
    known = _KNOWN.get(asked)
    if known is None or known[0] is not run.incumbent or known[1] != run.status:
        known = _KNOWN[asked] = (run.incumbent, run.status, _compare(run, asked))
    return known[2]


_KNOWN: WeakKeyDictionary[Problem, tuple[Partition | None, str, AfterEdit]] = WeakKeyDictionary()


def _compare(run: Run, asked: Problem) -> AfterEdit:
    if run.incumbent is None or not same_points(run.problem, asked):
        return AfterEdit("nothing", "Edited", _ANOTHER)
    partition = Partition(asked, run.incumbent.labels)
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
    if is_tighter and partition.objective > run.incumbent.objective:
        return AfterEdit(
            "bound",
            "Edited",
            "This clustering breaks a soft link that you added. Its lower bound still holds. "
            "Press Run.",
            partition,
        )
    if is_tighter and run.status == "optimal":
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
    """Return how many constraints of each kind are broken; empty if none is.

    Parameters
    ----------
    broken : Violations
    """
    kinds = [
        (broken.must_link, "must-link"),
        (broken.cannot_link, "cannot-link"),
        (broken.sizes, "size"),
        (broken.rules, "rule"),
    ]
    return ", ".join(count(amount, noun) for amount, noun in kinds if amount)
