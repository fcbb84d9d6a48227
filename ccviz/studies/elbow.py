"""How many clusters? What the figures of each number of clusters say together."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from ccviz.bounds import relative_gap
from ccviz.numbers import number, percent
from ccviz.problem.problem import Problem
from ccviz.studies.elbow_step import Step, has_hard_links_only

_SURE = 0.1  # Largest gap of the costs that make an elbow which is not proved


@dataclass(frozen=True)
class Elbow:
    """Where the objective bends most in proportion, and whether that is proved.

    Attributes
    ----------
    proved : bool
        Whether the bend at k is the sharpest whatever the optima between the bounds may be.
    gap, widest : float, int
        The largest relative gap among the three numbers that make the bend, or one that its bounds
        allow to be sharper; and that number.
    """

    k: int
    proved: bool
    gap: float = field(default=0.0, compare=False)
    widest: int = field(default=0, compare=False)

    @property
    def is_sure(self) -> bool:
        """Whether it is proved, or the costs that make it are near their bounds."""
        return self.proved or self.gap <= _SURE


def bounded_by_more(problem: Problem, steps: Sequence[Step]) -> tuple[Step, ...]:
    """Return steps, which are by k, with the lower bounds of larger k where these are higher.

    Under hard links alone a cluster can be split at no cost. So the optimum does not rise with k,
    and a bound proved for more clusters holds for fewer. With sizes, rules or soft links that need
    not be so, and the steps stay as they are. The problem is that of any of the steps.
    """
    if not has_hard_links_only(problem):
        return tuple(steps)
    highest, bounded = -math.inf, []
    for step in reversed(steps):
        highest = max(highest, step.lower_bound)
        feasible = step.status != "infeasible"
        bounded.append(replace(step, lower_bound=highest) if feasible else step)
    return tuple(reversed(bounded))


def find_elbow(steps: Sequence[Step]) -> Elbow | None:
    """Return where a step to k gains most against the next: f(k-1) / f(k) over f(k) / f(k+1).

    Ratios, for the first steps gain most in any data if differences are compared. The steps are by
    consecutive k, and there is no elbow where no three of them have a clustering.
    """
    bends = [_bend(*three) for three in zip(steps, steps[1:], steps[2:], strict=False)]
    known = [each for each in bends if each is not None]
    if not known:
        return None
    k, found, low, _ = max(known, key=lambda bend: bend[1])
    others = [bend for bend in known if bend[0] != k]
    rivals = [k, *(other for other, _, _, high in others if high > found)]
    gap, widest = max(
        (relative_gap(step.objective, step.lower_bound), step.k)
        for step in steps
        if any(abs(step.k - rival) <= 1 for rival in rivals)
    )
    proved = len(known) == len(bends) and all(low >= high for _, _, _, high in others)
    return Elbow(k, proved, gap, widest)


def _bend(before: Step, here: Step, after: Step) -> tuple[int, float, float, float] | None:
    """Return k, its ratio of ratios, and the range in which that of the optima lies."""
    if not (before.objective < math.inf and 0 < here.objective < math.inf > after.objective):
        return None
    least, low_before, low_after = (max(step.lower_bound, 0.0) for step in (here, before, after))
    found = before.objective * after.objective / here.objective**2
    low = low_before * low_after / here.objective**2
    high = before.objective * after.objective / least**2 if least > 0 else math.inf
    return here.k, found, low, high


def best_by_gap(steps: Sequence[Step]) -> int | None:
    """Return the least k whose gap statistic that of k + 1 does not surpass by its error."""
    for here, after in pairwise(steps):
        if here.gap_statistic >= after.gap_statistic - after.gap_error:
            return here.k
    return None


def best_by_silhouette(steps: Sequence[Step]) -> int | None:
    """Return the k with the greatest mean silhouette."""
    known = [step for step in steps if not math.isnan(step.silhouette)]
    return max(known, key=lambda step: step.silhouette).k if known else None


_FIGURES = ("k", "objective", "lower bound", "gap", "silhouette", "gap statistic")
_LINK_WORDS = {"optimal": "kept", "feasible": "kept", "infeasible": "cannot be kept"}


def columns(must_keep: bool) -> tuple[str, ...]:
    """Return the columns of a table of steps; there is one more if constraints must be kept."""
    return (*_FIGURES, "constraints") if must_keep else _FIGURES


def in_words(step: Step, must_keep: bool) -> tuple[str, ...]:
    """Return a step as people read it, a text for each of `columns`."""
    figures = (
        str(step.k),
        number(step.objective),
        number(step.lower_bound),
        percent(relative_gap(step.objective, step.lower_bound)),
        number(step.silhouette, 3),
        number(step.gap_statistic, 3),
    )
    return (*figures, _LINK_WORDS.get(step.status, "not found")) if must_keep else figures


def findings(steps: Sequence[Step]) -> Iterator[str]:
    """Yield a sentence for each way to choose among consecutive k that has an answer."""
    needed = next((step.k for step in steps if step.status != "infeasible"), 0)
    if needed > 1 and steps[0].k == 1:
        few = needed - 1
        yield f"At least {needed} clusters are needed: with {few}, not everything can be kept."
    elbow = find_elbow(steps)
    if elbow is not None and not elbow.is_sure:
        less = "any amount" if math.isinf(elbow.gap) else percent(elbow.gap)
        yield f"Elbow: not sure. {elbow.widest} clusters may cost up to {less} less than was found."
    elif elbow is not None:
        known = "The bounds prove it." if elbow.proved else "The bounds do not prove it."
        yield f"Elbow: k = {elbow.k}. More clusters lower the objective little. {known}"
    silhouette = best_by_silhouette(steps)
    if silhouette is not None:
        yield f"Silhouette: k = {silhouette}. There the clusters are most clearly apart."
    gap = best_by_gap(steps)
    if gap is not None:
        yield f"Gap statistic: k = {gap}. With more, uniform points would gain as much."
