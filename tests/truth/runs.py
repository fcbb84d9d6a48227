"""Statements of runs: status, cost, bounds of run and nodes, proofs, edits, stopped runs."""

from __future__ import annotations

import math
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache, cached_property
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from ccviz import Problem, Result, Run, Stepper, start
from ccviz.bounds import OPTIMAL_GAP, ROUNDING, relative_gap
from ccviz.errors import CcvizError, ContradictionError, UnfillableError
from ccviz.events import (
    BoundImproved,
    Event,
    NodeBounded,
    NodeOpened,
    NodePruned,
    PartsCut,
    Record,
    Termination,
)
from ccviz.problem.sums import sum_limits
from ccviz.proof.verify import verify
from ccviz.runs.codec import encode_event, encode_problem
from ccviz.runs.earlier import NOTHING, Start, start_from
from ccviz.runs.file import write_frames
from ccviz.runs.run import result_of
from ccviz.solvers import SOLVERS, Solver, make_solver, solver_class
from ccviz.solvers.advice import obstacle
from ccviz.views.lab.as_edited import bounds_hold
from tests.truth.brute import Truth
from tests.truth.kinds import Drawn

ORDINARY = 1e6
"""The range (`Truth.range`) up to which a run ends with a proof that every checker accepts.

Beyond it rounding may leave a gap, and nothing that is said may be false all the same.
"""

SECONDS = 20.0
"""Processor time of a run, in seconds, at which it is called endless."""

_OBJECTIVE = Fraction(1, 10**12)
"""Error of a recomputed objective, as a share of it, and of a node's bound, of the scale: a run
lowers its own bound by a margin for rounding, and not those of the nodes."""
_CENTRES = Fraction(2, 10**6)  # share that given centres, as heavy points, may take from a cost
_TOOLS = Path(__file__).parents[2] / "tools"


class Case:
    """A drawn problem, what is true of it, and the runs that several statements are about."""

    def __init__(self, drawn: Drawn, seed: int) -> None:
        self.drawn, self.seed = drawn, seed
        self._runs: dict[str, Result] = {}

    @cached_property
    def truth(self) -> Truth:
        return Truth(self.drawn)

    @cached_property
    def rng(self) -> np.random.Generator:
        return np.random.default_rng(self.seed)

    def problem(self, keeps_rules: bool = True) -> Problem:
        return self._ruled if keeps_rules else self._reduced

    @cached_property
    def _ruled(self) -> Problem:
        return self.drawn.problem(True)

    @cached_property
    def _reduced(self) -> Problem:
        return self.drawn.problem(False)

    def run(self, name: str, **settings: Any) -> Result:
        """Return a run; the same one each time."""
        key = f"{name} {settings}"
        if key not in self._runs:
            self._runs[key] = solved(self, make_solver(name, **settings))
        return self._runs[key]

    def proved(self, *names: str) -> Result:
        """Return a run of an exact solver: of the first that takes it, from where the seed says."""
        names = names or ("sdp", "colgen", "rbba")
        at = self.seed % len(names)
        for name in (*names[at:], *names[:at]):
            kind = solver_class(name)
            if not obstacle(kind, self.problem(kind.supports.rules)):
                return self.run(name)
        raise CcvizError("No exact solver takes this problem.")

    @property
    def is_ordinary(self) -> bool:
        return self.truth.range <= ORDINARY


_UNSETTLED = (
    "ended with time_limit: ",
    "but ended feasible, ",
    "but ended unknown, ",
    "undecided: ",
)


def is_unsettled(sentence: str) -> bool:
    """Whether a sentence is on an answer that is true and says less than it should."""
    return any(each in sentence for each in _UNSETTLED)


@dataclass(frozen=True)
class Statement:
    """A kind of public statement.

    ``ask`` yields a sentence for each that is false, and raises `CcvizError` where the question is
    refused. It is asked of one problem in ``share``; 0 is for all, always, and 1 for all unless
    a shorter run asks for less. ``covers`` has the public names.
    """

    name: str
    ask: Callable[[Case], Iterator[str]]
    covers: tuple[str, ...] = ()
    share: int = 1


def solved(case: Case, solver: Solver, earlier: Result | None = None) -> Result:
    """Return a run of a solver, which may go on from an earlier one."""
    problem = case.problem(solver.supports.rules)
    begin = NOTHING if earlier is None else start_from(problem, solver, earlier)
    return limited(problem, solver, case.seed, begin).result()


def limited(
    problem: Problem,
    solver: Solver,
    seed: int,
    begin: Start = NOTHING,
    history: Sequence[Record] = (),
) -> Stepper:
    """Return a run that ends with "time_limit" after `SECONDS`, however busy the machine is."""
    until = time.process_time() + SECONDS

    def late(_run: Run, _age: float) -> Termination | None:
        return "time_limit" if time.process_time() > until else None

    return Stepper(problem, solver, seed % 97, criteria=[late], history=history, begin=begin)


def number(value: Fraction | float | None) -> str:
    return "none" if value is None else f"{float(value):.12g}"


# --- The problem ----------------------------------------------------------------------------------


def contradicts(case: Case) -> Iterator[str]:
    """Ask whether constraints that are called contradictory are so."""
    for keeps_rules in (True, False):
        try:
            case.problem(keeps_rules)
        except (ContradictionError, UnfillableError) as none:
            if not case.truth.is_empty:
                yield f"refused, and the optimum is {number(case.truth.optimum)}: {none}"


# --- Results --------------------------------------------------------------------------------------


def faults(case: Case, result: Result, is_whole: bool, is_exact: bool) -> Iterator[str]:
    """Yield what a result says that is not so."""
    truth, least = case.truth, case.truth.optimum
    yield from _bound_faults(truth, result)
    if result.status == "infeasible":
        if least is not None:
            yield f"infeasible, and the optimum is {number(least)}: {result.message}"
        return
    if is_whole and result.termination in ("time_limit", "failed"):
        yield f"ended with {result.termination}: {result.message}"
    elif is_whole and is_exact and case.is_ordinary:
        yield from _unproved(case, result, least)
    if result.partition is None:
        return
    cost = truth.judged(result.labels)
    if (cost is not None) != result.partition.violations.none_hard:
        yield f"{result.partition.violations} of labels that break {'all' if cost is None else 0}"
    if result.status == "unknown":
        return
    if cost is None or least is None:
        yield f"{result.status}, and the labels {result.labels.tolist()} break a constraint"
        return
    yield from _cost_faults(case, result, cost, least)


def _unproved(case: Case, result: Result, least: Fraction | None) -> Iterator[str]:
    # A fixed centre is a point of great weight, whose rounding may leave a gap, as may weights
    # of 1e8 : 1 and more: the run says so.
    masses = [mass for mass in case.drawn.weights or [1.0] if mass]
    is_heavy = bool(case.drawn.fixed_centers) or max(masses) > 1e8 * min(masses)
    is_small = result.gap <= OPTIMAL_GAP or is_heavy
    rounded = result.termination == "stalled" and is_small
    wanted = "infeasible" if least is None else "optimal"
    if result.status != wanted and not rounded:
        ended = f"{result.status}, {number(result.lower_bound)}: {result.message}"
        yield f"{wanted} ({number(least)}), but ended {ended}"


def _bound_faults(truth: Truth, result: Result) -> Iterator[str]:
    least = truth.optimum
    events = [record.event for record in result.records()]
    bounds = [event.lower_bound for event in events if isinstance(event, BoundImproved)]
    bounds += [result.lower_bound, *(moment.lower_bound for moment in result.run.history)]
    highest = max(bounds)
    if least is not None and above(highest, least):
        yield f"the lower bound {highest!r} is above the optimum {number(least)}"
    if result.gap != relative_gap(result.objective, result.lower_bound):
        yield f"the gap {result.gap} is not that of {result.objective} and {result.lower_bound}"
    if not truth.drawn.outliers:  # a branch there may hold no clustering with as many left out
        yield from _node_faults(truth, events)


def above(bound: float, cost: Fraction) -> bool:
    """Return whether a bound is above a cost."""
    return bound == math.inf or (bound > -math.inf and Fraction(bound) > cost)


def _node_faults(truth: Truth, events: list[Event]) -> Iterator[str]:
    """Yield bounds of nodes above the best clustering with the decisions that lead there."""
    inside: dict[int, np.ndarray | None] = {}
    for event in events:
        if isinstance(event, NodeOpened):
            inside[event.node] = _inside(truth, event, inside)
        if not isinstance(event, NodeBounded | NodePruned) or event.node not in inside:
            continue
        which = inside[event.node]
        if which is None:
            continue
        least = truth.least(which)
        if isinstance(event, NodePruned) and event.reason == "infeasible":
            if least is not None:
                yield f"node {event.node} is called infeasible, and holds {number(least)}"
        elif least is not None and above(event.lower_bound, least + _OBJECTIVE * truth.scale):
            bound = repr(event.lower_bound)
            yield f"node {event.node} is bounded by {bound}, and holds {number(least)}"


def _inside(
    truth: Truth, event: NodeOpened, inside: dict[int, np.ndarray | None]
) -> np.ndarray | None:
    """Return (m,) bool: the clusterings below a node; None below the decision on a place."""
    if event.parent is None or event.pair is None:
        return np.ones(len(truth.all.costs), dtype=bool)
    above = inside.get(event.parent)
    if above is None or event.place:
        return None
    return above & (truth.together(*event.pair) == event.together)


def _cost_faults(case: Case, result: Result, cost: Fraction, least: Fraction) -> Iterator[str]:
    said = Fraction(result.objective)
    off = _CENTRES if case.truth.q else Fraction(0)
    if not cost * (1 - off - _OBJECTIVE) <= said <= cost * (1 + _OBJECTIVE):
        yield f"the objective is {result.objective!r}, and the labels cost {number(cost)}"
    allowed = Fraction(OPTIMAL_GAP + 2 * ROUNDING) + off
    if result.status == "optimal" and cost - least > allowed * cost:
        yield f"{number(cost)} is called optimal, and {number(least)} is"


# --- Solvers --------------------------------------------------------------------------------------

VARIANTS: dict[str, tuple[dict[str, Any], ...]] = {
    "sdp": ({}, {"divide_from": 4}),
    "colgen": (
        {},
        *(
            {"repair": repair, "stabilisation": stabilisation, "pricing": pricing}
            for repair, stabilisation, pricing in product(
                ("artificial", "farkas"),
                ("smoothing", "perturbation", "none"),
                ("space", "blocks"),
            )
        ),
        {"first": "cop-kmeans", "starts": 0},
    ),
    "divide": ({}, {"part_size": 2, "tolerance": 1e-4}),
}
"""Settings in which a solver's way to a proof differs; a problem is given one of them."""


_OF_RESULTS = ("status", "termination", "lower_bound", "gap", "objective", "partition", "labels",
               "run", "records")  # fmt: skip


def _solver_statements() -> Iterator[Statement]:
    for kind in SOLVERS:
        variants = VARIANTS.get(kind.name, ({},))
        exact = kind.supports.exact
        covers = (kind.name, *_OF_RESULTS)
        yield Statement(f"solver {kind.name}", _asks(kind, False), covers, 1 if exact else 12)
        if len(variants) > 1:
            yield Statement(f"solver {kind.name}, varied", _asks(kind, True), (), 4)


def settings_of(name: str, seed: int) -> dict[str, Any]:
    """Return one of a solver's variants, other than the default."""
    variants = VARIANTS[name][1:]
    return variants[seed % len(variants)]


def _asks(kind: type[Solver], varied: bool) -> Callable[[Case], Iterator[str]]:
    def ask(case: Case) -> Iterator[str]:
        settings = settings_of(kind.name, case.seed) if varied else {}
        why = obstacle(kind, case.problem(kind.supports.rules))
        try:
            result = case.run(kind.name, **settings)
        except CcvizError as refused:
            if not why:
                yield f"refused without an obstacle: {refused}"
            raise
        if why:
            yield f"accepted in spite of the obstacle: {why}"
        said = f"{settings}: " if settings else ""
        for fault in faults(case, result, True, kind.supports.exact):
            yield said + fault

    return ask


# --- Proofs ---------------------------------------------------------------------------------------

Judged = Callable[[Problem, list[Event], float], tuple[bool | None, str, float]]
"""Returns whether a proof is accepted (None: too much work), the sentence, and the bound."""


def _first(problem: Problem, events: list[Event], gap: float) -> tuple[bool | None, str, float]:
    verdict = verify(problem, events, gap)
    is_long = verdict.sentence.startswith("no proof yet")
    return None if is_long else verdict.accepted, verdict.sentence, verdict.lower_bound


@cache
def _second_checker() -> Any:
    sys.path.insert(0, str(_TOOLS))
    try:
        import check_proof
    finally:
        sys.path.remove(str(_TOOLS))
    return check_proof


def _second(exact: bool) -> Judged:
    def judged(problem: Problem, events: list[Event], gap: float) -> tuple[bool | None, str, float]:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "run.ccviz"
            frames = [[at, 0.0, encode_event(event)] for at, event in enumerate(events)]
            with path.open("wb") as file:
                write_frames(file, [{"problem": encode_problem(problem)}, *frames])
            accepted, sentence = _second_checker().judge(path, gap, exact)
        return None if sentence.startswith("no proof yet") else accepted, sentence, -math.inf

    return judged


CHECKERS: dict[str, Judged] = {
    "verify": _first, "check_proof": _second(False), "check_proof --exact": _second(True)
}  # fmt: skip
PROVERS = ("sdp", "colgen", "divide")


def proof_faults(
    case: Case, checker: str, result: Result, events: list[Event], gap: float = OPTIMAL_GAP
) -> Iterator[str]:
    """Yield whether a checker accepts a false proof, or refuses a right one in the usual range."""
    problem, least = result.run.problem, case.truth.optimum
    accepted, sentence, bound = CHECKERS[checker](problem, events, gap)
    if accepted is None:
        raise CcvizError(sentence)
    if accepted:
        if (sentence == "proved infeasible") != (least is None):
            yield f"accepts {sentence!r}, and the optimum is {number(least)}"
        elif least is not None and above(bound, least):
            yield f"accepts the bound {bound!r} above the optimum {number(least)}"
        return
    if not case.is_ordinary:
        raise CcvizError("Rounding may be too much for a checker there.")
    if result.status == "infeasible" and sum_limits(problem):
        raise CcvizError("Under limits on sums nothing may be possible, without a tree to check.")
    yield f"refuses what {result.solver} calls {result.status} ({number(least)}): {sentence}"


def _proof_statements() -> Iterator[Statement]:
    for checker in CHECKERS:
        covers = ("verify",) if checker == "verify" else ()
        share = 2 if checker == "verify" else 12
        yield Statement(f"proofs, {checker}", _checks(checker), covers, share)


def _checks(checker: str) -> Callable[[Case], Iterator[str]]:
    def ask(case: Case) -> Iterator[str]:
        name = case.proved(*PROVERS).solver
        settings = settings_of(name, case.seed) if case.seed % 2 else {}
        result = case.run(name, **settings)
        if result.status not in ("optimal", "infeasible"):
            raise CcvizError("There is no proof.")
        events = [record.event for record in result.records()]
        said = f"{settings}: " if settings else ""
        for fault in proof_faults(case, checker, result, events):
            yield said + fault

    return ask


# --- Edits, and runs that were stopped ------------------------------------------------------------


def edited(case: Case) -> Drawn:
    """Return the drawn problem with a link more or a link less."""
    rng, drawn = np.random.default_rng(case.seed), case.drawn
    name = ("must_link", "cannot_link")[int(rng.integers(2))]
    links = getattr(drawn, name)
    if links and rng.random() < 0.5:
        at = int(rng.integers(len(links)))
        return replace(drawn, **{name: links[:at] + links[at + 1 :]})
    if drawn.n < 2:
        return drawn
    link = tuple(rng.choice(drawn.n, 2, replace=False).tolist())
    return replace(drawn, **{name: (*links, link)})


def edits(case: Case) -> Iterator[str]:
    """Ask a run that goes on after a link more or less, and the proof that it leaves."""
    earlier = case.proved("sdp", "colgen", "rbba")
    name, solver = earlier.solver, make_solver(earlier.solver)
    after = Case(edited(case), case.seed)
    result = solved(after, solver, earlier)
    changed = f"{name}, then {after.drawn.must_link} {after.drawn.cannot_link}: "
    for fault in faults(after, result, True, True):
        yield changed + fault
    if name == "rbba" or result.status not in ("optimal", "infeasible") or not case.is_ordinary:
        return
    events = [record.event for record in result.records()]
    for fault in proof_faults(after, "verify", result, events):
        yield changed + fault


def bounds_after_edits(case: Case) -> Iterator[str]:
    """Ask whether the page lets a bound hold for another problem whose optimum is lower."""
    drawn, rng = case.drawn, np.random.default_rng(case.seed)
    more = {
        "k": drawn.k + 1,
        "outliers": drawn.outliers + 1,
        "sizes": None,
        "weights": None,
        "rules": (),
        "neighbors": None,
        "must_link": drawn.must_link[1:],
        "cannot_link": tuple((*pair[:2], *(w / 2 for w in pair[2:])) for pair in drawn.cannot_link),
    }
    name = str(rng.choice([*more]))
    other = Case(edited(case) if rng.random() < 0.4 else replace(drawn, **{name: more[name]}), 0)
    for before, after in ((case, other), (other, case)):
        with suppress(CcvizError):  # a drawn change may be refused
            if not bounds_hold(before.problem(), after.problem()):
                continue
            low, high = before.truth.optimum, after.truth.optimum
            if high is not None and (low is None or low > high):
                yield f"a bound of {before.drawn} is said to hold for {after.drawn}"


def stopped(case: Case) -> Iterator[str]:
    """Ask a run that is stopped at some event, the same one that goes on, and its proof."""
    whole = case.proved(*PROVERS)
    name, solver = whole.solver, make_solver(whole.solver)
    problem = case.problem(solver.supports.rules)
    after = 1 + case.seed % max(1, len(whole.records()) - 1)
    stepper = start(problem, solver, seed=case.seed % 97)
    records: list[Record] = []
    for record in stepper:
        records.append(record)
        if len(records) == after:
            stepper.stop()
    cut = result_of(stepper.run, lambda: records)
    for fault in faults(case, cut, False, False):
        yield f"{name}, stopped after {after} events: {fault}"
    if cut.termination != "interrupted":
        return
    again = limited(problem, solver, case.seed, history=records)
    more = list(again)
    last = result_of(again.run, lambda: [*records[:-1], *more])
    for fault in faults(case, last, True, solver.supports.exact):
        yield f"{name}, stopped after {after} events and resumed: {fault}"
    events = [record.event for record in last.records()]
    parts = any(isinstance(event, PartsCut) for event in events)
    if last.status in ("optimal", "infeasible") and not parts:
        for fault in proof_faults(case, "verify", last, events):
            yield f"{name}, stopped after {after} events and resumed: {fault}"


STATEMENTS = (
    Statement("contradictions", contradicts, ("Problem", "ContradictionError", "CcvizError",
                                             "ProblemError", "Links", "Sizes"), 0),
    *_solver_statements(),
    *_proof_statements(),
    Statement("edits", edits, ("solve", "Result"), 6),
    Statement("bounds after edits", bounds_after_edits, (), 6),
    Statement("stopped and resumed", stopped, ("start", "Stepper", "Run"), 6),
)  # fmt: skip
