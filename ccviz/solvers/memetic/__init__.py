"""The parts of the memetic solvers: instance, assignment, operators, local search, generations."""

from __future__ import annotations

from dataclasses import dataclass

from ccviz.solvers.base import setting


@dataclass(frozen=True)
class MemeticSettings:
    """Settings of S-MDEClust."""

    population: int = setting(20, "Members of the population, P.", low=4)
    assignment: str = setting(
        "greedy", "How offspring are assigned before the local search.", choices=("greedy", "exact")
    )
    mutation: str = setting(
        "fading",
        "Which offspring mutate: none, one in g in generation g, or all.",
        choices=("off", "fading", "always"),
    )
    replacement: str = setting(
        "together",
        "When offspring take their places: a generation together, or each at once.",
        choices=("together", "at once"),
        advanced=True,
    )
    offspring: str = setting(
        "means",
        "Where the local search starts: at the means of the greedy assignment, or the centres.",
        choices=("means", "centres"),
        advanced=True,
        label="Offspring start at",
    )
    draws: str = setting(
        "blocks",
        "Where random centres are drawn: at blocks of must-linked points, or at points.",
        choices=("blocks", "points"),
        advanced=True,
        label="Centres drawn at",
    )
    matching: str = setting(
        "first",
        "The parent to whose centres those of the other two are matched.",
        choices=("first", "third"),
        advanced=True,
        label="Parents matched to",
    )
    local_search: str = setting(
        "chains",
        "BLP k-means, or a descent by relocations, and ejections, and chains.",
        choices=("blp-kmeans", "relocations", "ejections", "chains"),
    )
    restarts: int = setting(2, "Fresh populations once the first has ended.", low=0)
    patience: int = setting(
        500, "Offspring in a row without a new best that end a population, N_MAX.", low=1
    )
    generations: int = setting(
        0, "Most generations of a population; 0 is no limit.", low=0, label="Most generations"
    )
    delta: float = setting(
        1e-4,
        "Spread of objectives at which a population has collapsed.",
        low=0.0,
        advanced=True,
        label="Collapsed at",
    )
    scale_low: float = setting(
        0.5,
        "Least factor F of the parents' difference.",
        low=0.0,
        high=2.0,
        advanced=True,
        label="Least factor F",
    )
    scale_high: float = setting(
        0.8,
        "Largest factor F of the parents' difference.",
        low=0.0,
        high=2.0,
        advanced=True,
        label="Largest factor F",
    )
    alpha: float = setting(
        0.5,
        "How much mutation prefers distant points.",
        low=0.0,
        high=1.0,
        advanced=True,
        label="Distant points, α",
    )
    local_iterations: int = setting(1000, "Most iterations of BLP k-means.", low=1, advanced=True)
    step_limit: float = setting(
        60.0,
        "Seconds for one exact assignment; then its best is taken.",
        low=0.0,
        advanced=True,
        label="Step limit, s",
    )
