"""Many runs over one set of points: these solvers, seeds, numbers of clusters, and sets of links.

What a solver cannot do is left out, with the reason, before anything runs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import product
from statistics import median

from ccviz.errors import CcvizError
from ccviz.events import TERMINATION_SENTENCES
from ccviz.problem.problem import Problem
from ccviz.runs.archive import Archive
from ccviz.runs.info import RunInfo
from ccviz.runs.recorder import Recorder, open_run
from ccviz.runs.run import Run
from ccviz.runs.stop import NO_LIMITS, Limits
from ccviz.runs.warm import load_solver
from ccviz.solvers import Solver
from ccviz.solvers.advice import obstacles

ProblemOf = Callable[[int, bool], Problem]
"""Returns the problem for a number of clusters, or raises an error about it; the second argument
says whether the solver supports rules."""

Sets = ProblemOf | Mapping[str, ProblemOf]
"""How problems are made; several by the names of their sets of links."""

_SHORT_OF_MEMORY = "The run needs more memory than it may take."


@dataclass(frozen=True)
class Cell:
    """One run of a batch."""

    solver: Solver
    seed: int
    k: int
    links: str = ""  # The name of its set of links, where there are several

    def __str__(self) -> str:
        return f"{_of(self.links)}{self.solver.name}, seed {self.seed}, k = {self.k}"


def _of(links: str) -> str:
    return f"{links}: " if links else ""


def links_of(info: RunInfo) -> str:
    """Return the name of a run's set of links, which begins the name that a batch gave to it."""
    return info.name.rpartition(f": {info.solver}, seed ")[0]


@dataclass(frozen=True)
class LeftOut:
    """What is not run, by its solver; this is empty where no solver supports the problem."""

    solver: str
    k: int
    why: str
    links: str = ""

    def __str__(self) -> str:
        who = f"{self.solver}, k = {self.k}" if self.solver else f"k = {self.k}"
        return f"{_of(self.links)}{who}: {self.why}"


def _sets(problem_of: Sets) -> Mapping[str, ProblemOf]:
    return problem_of if isinstance(problem_of, Mapping) else {"": problem_of}


def plan(
    problem_of: Sets, solvers: Sequence[Solver], seeds: Iterable[int], ks: Iterable[int]
) -> tuple[list[Cell], list[LeftOut]]:
    """Return the runs of a batch, and what is left out of it."""
    seeds, cells, left_out = tuple(seeds), [], []
    for (links, made), k in product(_sets(problem_of).items(), ks):
        try:
            cannot = obstacles(made(k, False), made(k, True))
        except CcvizError as refused:
            left_out.append(LeftOut("", k, str(refused), links))
            continue
        for solver in solvers:
            if solver.name in cannot:
                left_out.append(LeftOut(solver.name, k, cannot[solver.name], links))
            else:
                cells += [Cell(solver, seed, k, links) for seed in seeds]
    return cells, left_out


@dataclass(frozen=True)
class Outcome:
    """Results of a solver's runs for one number of clusters.

    Attributes
    ----------
    runs, proved : int
        Those that have ended, and those that ended with a proof.
    best, median : float
        Of the objectives; ``inf`` where no run has an answer.
    violations : int or None
        Constraints that the best answer breaks.
    ari : float or None
        Of the best answer, where the truth is known.
    time_s : float
        Median of the runs' seconds.
    links : str
        The name of the set of links; empty where there is one.
    """

    solver: str
    k: int
    runs: int
    proved: int
    best: float
    median: float
    violations: int | None
    ari: float | None
    time_s: float
    links: str = ""


def outcomes(infos: Iterable[RunInfo]) -> list[Outcome]:
    """Sum up ended runs by set of links, solver and number of clusters, the best of each first."""
    cells: dict[tuple[str, int, str], list[RunInfo]] = {}
    for info in sorted(infos, key=lambda each: each.created):
        if info.termination is not None:
            cells.setdefault((links_of(info), info.k, info.solver), []).append(info)
    found = [_outcome(*cell, runs) for cell, runs in cells.items()]
    sets = list(dict.fromkeys(each.links for each in found))  # in the order of the runs
    return sorted(
        found,
        key=lambda each: (sets.index(each.links), each.k, each.best, each.time_s, each.solver),
    )


def _outcome(links: str, k: int, solver: str, runs: list[RunInfo]) -> Outcome:
    best = min(runs, key=lambda info: info.objective)
    return Outcome(
        solver, k, len(runs), sum(info.termination == "proved" for info in runs),
        best.objective, median(info.objective for info in runs), best.violations, best.ari,
        median(info.time_s for info in runs), links,
    )  # fmt: skip


def nothing(_: Run) -> None:
    """Watch a run and do nothing."""


def carry_out(
    archive: Archive,
    cells: Iterable[Cell],
    problem_of: Sets,
    limits: Limits = NO_LIMITS,
    *,
    dataset: str = "",
    scaling: str = "",
    watch: Callable[[Run], None] = nothing,
) -> Iterator[RunInfo]:
    """Do the runs of a batch in this process, into an archive, and yield each as it has ended.

    A run that breaks off is stored as such, and the next one begins. The limits are those of each
    run; ``dataset`` and ``scaling`` are for the list of runs; ``watch`` is called with the state of
    a run after each event. Raises `CcvizError` if a run cannot be stored.
    """
    cells = list(cells)
    for name in {cell.solver.name for cell in cells}:
        load_solver(name)  # the first run of each would look slower than the others
    for cell in cells:
        run_id = archive.create(
            _sets(problem_of)[cell.links](cell.k, cell.solver.supports.rules), cell.solver.name,
            asdict(cell.solver), seed=cell.seed, limits=limits, dataset=dataset, scaling=scaling,
            name=str(cell) if cell.links else "",
        )  # fmt: skip
        stepper = open_run(archive, run_id)
        try:
            with Recorder(archive, run_id, stepper.run) as recorder:
                for record in stepper:
                    recorder.put(record)
                    watch(stepper.run)
        except MemoryError:
            archive.finish(run_id, "failed", _SHORT_OF_MEMORY)
        except KeyboardInterrupt:
            archive.finish(run_id, "interrupted", TERMINATION_SENTENCES["interrupted"])
            raise
        archive.score(run_id, stepper.run)
        yield archive.info(run_id)
