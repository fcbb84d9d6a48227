"""How long a proof may take, from measured runs, before a run begins.

The formulas are fitted to `benchmarks/results` by `benchmarks/forecast.py`, which also writes their
held-out error, `benchmarks/results/forecast.md`. They know blocks, clusters and kinds of
constraints, and not whether clusters are well apart, which decides most. So a forecast is a range.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from ccviz.numbers import count
from ccviz.problem.blocks import contract
from ccviz.problem.problem import Problem
from ccviz.solvers import solver_class

QUANTILE = 1.28
"""Standard deviations on either side of the middle that hold 80 % of a normal distribution."""

_GAP = 1e-3  # The gap at which runs of `divide` were measured
_LONGEST_S = 1e7  # Seconds from which a forecast is only called longer than that: about four months
_SHORTEST_S = 0.1  # Seconds below which two times count as equal

_UNITS = {"days": 86400.0, "h": 3600.0, "min": 60.0, "s": 1.0}


@dataclass(frozen=True)
class Formula:
    """Seconds to a proof, as a product of powers."""

    runs: int
    # intercept, blocks, clusters, soft, sizes: ``log(seconds) = intercept + blocks * log(s) +
    # clusters * log(k)``, and what soft links and sizes add.
    intercept: float
    blocks: float
    clusters: float
    soft: float
    sizes: float
    spread: float  # Standard deviation of ``log(seconds)``
    # blocks_measured, clusters_measured, features_measured, (int, int): Least and largest value
    # among the runs.
    blocks_measured: tuple[int, int]
    clusters_measured: tuple[int, int]
    features_measured: tuple[int, int]
    longest: float
    kinds: tuple[str, ...]  # Kinds of problems among the runs: hard, soft, sizes

    def seconds(self, blocks: int, clusters: int, kind: str = "hard") -> float:
        """Return the seconds that as many runs exceed as not."""
        more = {"soft": self.soft, "sizes": self.sizes}.get(kind, 0.0)
        logs = self.blocks * math.log(max(1, blocks)) + self.clusters * math.log(clusters)
        return math.exp(self.intercept + logs + more)


FORMULAS = {
    "sdp": Formula(
        runs=415, intercept=-13.29, blocks=2.05, clusters=1.53, soft=2.53, sizes=2.68, spread=1.4,
        blocks_measured=(50, 4177), clusters_measured=(2, 50), features_measured=(2, 140),
        longest=344.6, kinds=("hard", "soft", "sizes"),
    ),
    "colgen": Formula(
        runs=147, intercept=-7.94, blocks=1.51, clusters=-0.02, soft=0.0, sizes=0.0, spread=1.32,
        blocks_measured=(50, 5934), clusters_measured=(2, 100), features_measured=(2, 13),
        longest=4023.6, kinds=("hard",),
    ),
    "divide": Formula(
        runs=52, intercept=-6.42, blocks=0.73, clusters=1.43, soft=0.0, sizes=0.0, spread=2.34,
        blocks_measured=(200, 1000000), clusters_measured=(2, 26), features_measured=(2, 16),
        longest=36.1, kinds=("hard",),
    ),
}  # fmt: skip
"""Constants that `benchmarks/forecast.py` prints."""


@dataclass(frozen=True)
class Forecast:
    """Seconds that a proof may take."""

    solver: str
    # low, middle, high: Four of five measured runs like this one took between `low` and `high` CPU
    # seconds.
    low: float
    middle: float
    high: float
    gap: float = 0.0
    is_least: bool = False  # Whether a proof takes more than ``middle``
    beyond: str = ""  # What no measured run had, in a few words; empty if such runs were measured

    @property
    def span(self) -> str:
        """The seconds in words: ``about 2 s (0.5 to 9 s)``."""
        if self.middle > _LONGEST_S:
            return "longer than anything measured"
        if self.high <= _SHORTEST_S:
            return f"less than {_SHORTEST_S} s"
        low, high = map(_unit, (self.low, self.high))
        least = _rough(self.low, low) + f" {low}" * (low != high)
        most = f"{_rough(self.high, high)} {high}"
        return f"{self.about} ({least} to {most})"

    @property
    def about(self) -> str:
        """The middle of the seconds in words: ``about 2 s``."""
        if self.middle > _LONGEST_S:
            return "longer than anything measured"
        unit = _unit(self.middle)
        return f"{'over' if self.is_least else 'about'} {_rough(self.middle, unit)} {unit}"

    @property
    def words(self) -> str:
        """What is forecast, a sentence."""
        goal = f"A gap of {100 * self.gap:g} %" if self.gap else "A proof"
        if self.beyond:
            return f"{goal} may take {self.span}: a guess, for {self.beyond} was not measured."
        return f"{goal} takes {self.span} on a machine like ours."


def forecast(problem: Problem, solver: str) -> Forecast | None:
    """Return how long a proof may take by measured runs.

    Returns: None for a solver that proves nothing, was not measured, or does not take the problem.
    """
    formula = FORMULAS.get(solver)
    if formula is None or solver_class(solver).supports.missing(problem):
        return None
    blocks = contract(problem).s
    kind = "soft" if problem.is_soft else "sizes" if problem.sizes is not None else "hard"
    middle = formula.seconds(blocks, problem.k, kind)
    reach = math.exp(QUANTILE * formula.spread)
    return Forecast(
        solver, middle / reach, middle, middle * reach, _GAP if solver == "divide" else 0.0,
        beyond=_beyond(problem, formula, blocks, kind, middle),
    )  # fmt: skip


def _beyond(problem: Problem, formula: Formula, blocks: int, kind: str, middle: float) -> str:
    """Return what none of the measured runs had, in a few words."""
    features = problem.X.shape[1]
    also = {"soft": "soft links", "sizes": "sizes"}
    checks = (
        (bool(problem.rules), "a rule"),
        (problem.weights is not None, "points with weights"),
        (kind not in formula.kinds, also.get(kind, "")),
        (problem.is_soft and problem.sizes is not None, "soft links beside sizes"),
        (not _within(blocks, formula.blocks_measured), count(blocks, "block")),
        (not _within(problem.k, formula.clusters_measured), f"k = {problem.k:,}"),
        (not _within(features, formula.features_measured), count(features, "feature")),
        (middle > formula.longest, "a proof of that length"),
    )
    return next((what for missing, what in checks if missing), "")


def _within(value: int, measured: tuple[int, int]) -> bool:
    return measured[0] <= value <= measured[1]


def _rough(seconds: float, unit: str) -> str:
    """Return a duration in a unit, with one significant digit, or two if that is a 1."""
    value = max(_SHORTEST_S, seconds) / _UNITS[unit]
    step = 10.0 ** math.floor(math.log10(value))
    step /= 10 if 1 <= value < 2 * step else 1
    return f"{round(value / step) * step:,.12g}"


def _unit(seconds: float) -> str:
    """Return the largest unit of which a duration has at least two."""
    return next((unit for unit, length in _UNITS.items() if seconds >= 2 * length), "s")
