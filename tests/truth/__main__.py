"""Draw problems, ask every public statement of each, and compare with exact brute force.

    python -m tests.truth --problems 20000 --seed 1 --workers 2 --minutes 60 --write

Prints a table of statements: asked, false, refused. The smallest problem of each false statement is
printed as Python. ``--only TEXT`` asks those whose name contains it, ``--share 400`` asks slow ones
of a fourth as many problems, and ``--write`` writes `benchmarks/results/truth.md`.
"""

from __future__ import annotations

import argparse
import math
import os
import re
import sys
import time
import warnings
import zlib
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field, fields, replace
from pathlib import Path

for _library in ("OMP", "OPENBLAS", "MKL", "NUMEXPR", "NUMBA"):
    os.environ.setdefault(f"{_library}_NUM_THREADS", "1")

import numpy as np  # noqa: E402

from ccviz.errors import CcvizError, ProblemError  # noqa: E402
from tests.truth import runs, studies  # noqa: E402
from tests.truth.kinds import Drawn, draw  # noqa: E402
from tests.truth.runs import Case, Statement, Unsettled  # noqa: E402

STATEMENTS: tuple[Statement, ...] = (*runs.STATEMENTS, *studies.STATEMENTS)
"""Everything that is asked. A new statement is one line in `runs` or `studies`."""

ALWAYS = runs.contradicts, studies.cured
"""Questions that are asked of problems too whose constraints are refused when they are read."""

RESULTS = Path(__file__).parents[2] / "benchmarks" / "results" / "truth.md"

_CRASHES = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    MemoryError,
    RuntimeError,
    RuntimeWarning,
    TypeError,
    ValueError,
)
_SHRINKING_S = 15.0
_MOST_KEPT = 3  # false sentences of a statement and of a form that are made smaller


@dataclass
class Tally:
    """What came of a statement."""

    asked: int = 0
    false: int = 0
    unsettled: int = 0
    refused: int = 0
    seconds: float = 0.0

    def add(self, other: Tally) -> None:
        self.asked += other.asked
        self.false += other.false
        self.unsettled += other.unsettled
        self.refused += other.refused
        self.seconds += other.seconds


@dataclass(frozen=True)
class Fault:
    """A false sentence, and the problem that it is about."""

    statement: str
    sentence: str
    drawn: Drawn
    seed: int

    @property
    def form(self) -> str:
        """The sentence without its numbers: what is the same of many."""
        words = re.sub(r"\{[^}]*\}: ", "", self.sentence)
        words = re.sub(r"[-+]?\d[\d.,e+-]*|\[.*?\]|inf\b", "#", words)
        return f"{self.statement}: {words[:60]}"

    def text(self) -> str:
        return f"# {self.statement}, seed {self.seed}\n# {self.sentence}\n{self.drawn.code()}\n"


@dataclass
class Report:
    """The tallies of all statements, and the faults."""

    problems: int = 0
    impossible: int = 0
    tallies: dict[str, Tally] = field(default_factory=dict)
    faults: list[Fault] = field(default_factory=list)

    def add(self, other: Report) -> None:
        self.problems += other.problems
        self.impossible += other.impossible
        for name, tally in other.tallies.items():
            self.tallies.setdefault(name, Tally()).add(tally)
        self.faults += other.faults


def false_sentences(statement: Statement, case: Case) -> list[str]:
    """Return the false sentences of a statement; raise `CcvizError` where it is refused."""
    with warnings.catch_warnings():
        warnings.filterwarnings("error", category=RuntimeWarning, module="ccviz")
        try:
            return list(statement.ask(case))
        except CcvizError:
            raise
        except _CRASHES as broken:
            return [f"a traceback: {type(broken).__name__}: {broken}"]


def ask_all(
    drawn: Drawn, seed: int, statements: Iterable[Statement], report: Report, share: int
) -> None:
    """Ask statements of a problem, those that are slow of one problem in a share of their own."""
    case = Case(drawn, seed)
    report.problems += 1
    is_made = _is_made(case)
    report.impossible += case.truth.is_empty
    for statement in statements:
        every = max(1, statement.share * share // 100)
        turn = zlib.crc32(f"{statement.name} {seed}".encode())  # apart from what the seed draws
        if turn % every or not (is_made or statement.ask in ALWAYS):
            continue
        tally = report.tallies.setdefault(statement.name, Tally())
        began = time.process_time()
        tally.asked += 1
        try:
            found = false_sentences(statement, case)
        except CcvizError:
            tally.refused += 1
            found = []
        tally.seconds += time.process_time() - began
        false = [each for each in found if not isinstance(each, Unsettled)]
        tally.false += bool(false)
        tally.unsettled += bool(found) and not false
        report.faults += [Fault(statement.name, each, drawn, seed) for each in (false or found)[:1]]


def _is_made(case: Case) -> bool:
    try:
        return case.problem(True) is not None and case.problem(False) is not None
    except ProblemError:
        return False


def problems_of(
    numbers: Iterable[int],
    only: str = "",
    share: int = 100,
    until: float = math.inf,
    most: int = 7,
) -> Report:
    """Return the report on problems, by their numbers, of up to ``most`` points each."""
    report = Report()
    statements = [each for each in STATEMENTS if only in each.name]
    for number in numbers:
        if time.time() > until:
            break
        ask_all(draw(np.random.default_rng(number), most), number, statements, report, share)
    return report


def shrunk(
    fault: Fault, seconds: float = _SHRINKING_S, among: Sequence[Statement] = STATEMENTS
) -> Fault:
    """Return a fault of the same form about the smallest problem that is found."""
    statement = next(each for each in among if each.name == fault.statement)
    until = time.monotonic() + seconds
    found = True
    while found:
        found = False
        for less in smaller(fault.drawn):
            if time.monotonic() > until:
                return fault
            again = _again(fault, statement, less)
            if again is not None:
                fault, found = again, True
                break
    return fault


def _again(fault: Fault, statement: Statement, drawn: Drawn) -> Fault | None:
    try:
        case = Case(drawn, fault.seed)
        if statement.ask not in ALWAYS and not _is_made(case):
            return None
        sentences = false_sentences(statement, case)
    except CcvizError:
        return None
    made = (Fault(fault.statement, each, drawn, fault.seed) for each in sentences)
    return next((each for each in made if each.form == fault.form), None)


def smaller(drawn: Drawn) -> Iterator[Drawn]:
    """Yield simpler problems, the much simpler ones first."""
    for each in fields(drawn):
        if each.name not in ("X", "k") and getattr(drawn, each.name) != each.default:
            yield replace(drawn, **{each.name: each.default})
    if drawn.n > 1:
        yield from (_without(drawn, point) for point in range(drawn.n))
    for name in ("must_link", "cannot_link", "rules", "fixed_centers"):
        values = getattr(drawn, name)
        yield from (_with(drawn, name, at) for at in range(len(values)))
    for at, rule in enumerate(drawn.rules):
        yield from (_with(drawn, "rules", at, (part,)) for part in rule if len(rule) > 1)
    if drawn.k > 1 and drawn.sizes is None:
        yield replace(drawn, k=drawn.k - 1)
    if drawn.outliers > 1:
        yield replace(drawn, outliers=drawn.outliers - 1)
    if len(drawn.X[0]) > 1:
        flat = (tuple(row[:1] for row in rows) for rows in (drawn.X, drawn.fixed_centers))
        yield replace(drawn, **dict(zip(("X", "fixed_centers"), flat, strict=True)))
    yield from _rounder(drawn)


def _with(drawn: Drawn, name: str, at: int, *new: tuple | float) -> Drawn:
    """Return the problem with other values, or none, in one place of a tuple."""
    values = getattr(drawn, name)
    return replace(drawn, **{name: (*values[:at], *new, *values[at + 1 :])})


def _rounder(drawn: Drawn) -> Iterator[Drawn]:
    """Yield problems with a simpler number each."""
    for i, row in enumerate(drawn.X):
        for t, value in enumerate(row):
            for simple in (0.0, 1.0, float(round(value)), float(f"{value:.1g}")):
                if abs(simple) < abs(value) or len(repr(simple)) < len(repr(value)):
                    yield _with(drawn, "X", i, (*row[:t], simple, *row[t + 1 :]))
    for i, weight in enumerate(drawn.weights or ()):
        if weight != 1.0:
            yield _with(drawn, "weights", i, 1.0)
    for name in ("must_link", "cannot_link"):
        for at, (i, j, *price) in enumerate(getattr(drawn, name)):
            if price and price[0] != 1.0:
                yield _with(drawn, name, at, (i, j, 1.0))


def _without(drawn: Drawn, point: int) -> Drawn:
    """Return the problem without a point, with a cluster less where there would be too few."""

    def kept(values: tuple) -> tuple:
        return values[:point] + values[point + 1 :]

    def links(given: tuple) -> tuple:
        left = (link for link in given if point not in link[:2])
        return tuple((i - (i > point), j - (j > point), *rest) for i, j, *rest in left)

    return replace(
        drawn,
        X=kept(drawn.X),
        k=min(drawn.k, drawn.n - 1),
        must_link=links(drawn.must_link),
        cannot_link=links(drawn.cannot_link),
        weights=kept(drawn.weights) if drawn.weights else None,
        truth=kept(drawn.truth) if drawn.truth else None,
        rules=tuple(
            tuple((kind, limit, kept(known)) for kind, limit, known in rule) for rule in drawn.rules
        ),
    )


def some_of_each(faults: Iterable[Fault]) -> list[Fault]:
    """Return one fault of each form, of the smallest problem, and a few forms a statement."""
    least: dict[str, Fault] = {}
    for fault in sorted(faults, key=lambda each: len(each.drawn.code())):
        least.setdefault(fault.form, fault)
    many: dict[str, int] = {}
    kept = []
    for fault in least.values():
        many[fault.statement] = many.get(fault.statement, 0) + 1
        kept += [fault] if many[fault.statement] <= _MOST_KEPT else []
    return kept


def table(report: Report) -> str:
    lines = [
        "| statement | asked | false | unsettled | refused | seconds each |",
        "|---|" + 5 * "---|",
    ]
    for statement in STATEMENTS:
        tally = report.tallies.get(statement.name)
        if tally is not None:
            each = tally.seconds / max(1, tally.asked)
            lines.append(f"| {statement.name} | {tally.asked:,} | {tally.false:,} "
                         f"| {tally.unsettled:,} | {tally.refused:,} | {each:.3f} |")  # fmt: skip
    return "\n".join(lines)


def _page(report: Report, command: str, faults: Sequence[Fault]) -> str:
    tallies = report.tallies.values()
    asked, false = (sum(getattr(each, name) for each in tallies) for name in ("asked", "false"))
    unsettled = sum(each.unsettled for each in tallies)
    return (
        "# Every statement against brute force\n\n"
        f"`{command}`: {report.problems:,} problems of two to five kinds of constraint\n"
        f"(`tests/truth`), {report.impossible:,} of them without a clustering; "
        f"{asked:,} questions, {false:,} with a false answer, {unsettled:,} unsettled.\n"
        "Each answer is compared with all clusterings, in exact arithmetic. An answer is unsettled\n"
        "where it is true and an exact solver ends without a proof, or a check without a decision. A\n"
        "question is refused where a solver or a study does not take the problem.\n\n"
        f"{table(report)}\n" + "".join(f"\n```python\n{fault.text()}```\n" for fault in faults)
    )


def _parsed(arguments: Sequence[str] | None) -> argparse.Namespace:
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser("python -m tests.truth", None, __doc__, formatter_class=raw)
    parser.add_argument("--problems", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--only", default="", help="statements whose name contains this text")
    parser.add_argument(
        "--share", type=int, default=100, help="percent of the problems between two questions"
    )
    parser.add_argument("--write", action="store_true", help="write benchmarks/results/truth.md")
    return parser.parse_args(arguments)


def main(arguments: Sequence[str] | None = None) -> int:
    """Ask, print the table and the smallest problems; return whether a statement is false."""
    given = _parsed(arguments)
    report, began = Report(), time.monotonic()
    for part in _parts(given):
        report.add(part)
    seconds = time.monotonic() - began
    sys.stdout.write(f"{table(report)}\n{report.problems:,} problems, "
                     f"{report.problems / seconds:.1f} a second\n\n")  # fmt: skip
    sys.stdout.flush()
    smallest = [shrunk(fault) for fault in some_of_each(report.faults)]
    for fault in smallest:
        sys.stdout.write(fault.text() + "\n")
    if given.write:
        command = f"python -m tests.truth --problems {given.problems} --seed {given.seed}"
        RESULTS.write_text(_page(report, command, smallest), encoding="utf-8")
    return int(bool(report.faults))


def _parts(given: argparse.Namespace) -> Iterator[Report]:
    """Yield the report of each worker, which takes every so many of the problems."""
    first, until = given.seed * 1_000_000, time.time() + 60.0 * given.minutes
    numbers = range(first, first + given.problems)
    shares = [(numbers[at :: given.workers], given.only, given.share, until)
              for at in range(given.workers)]  # fmt: skip
    if len(shares) == 1:
        yield problems_of(*shares[0])
        return
    with ProcessPoolExecutor(len(shares)) as pool:
        yield from pool.map(problems_of, *zip(*shares, strict=True))


if __name__ == "__main__":
    sys.exit(main())
