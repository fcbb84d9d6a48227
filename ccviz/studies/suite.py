"""Running a solver over a folder of benchmark instances.

The folder has ``data/NAME.txt``, ``constraints/NAME/ml_A_cl_B_SEED.txt`` and, where someone
published results, ``published*.csv`` with a row for each instance.
"""

from __future__ import annotations

import csv
import math
import os
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, fields
from fnmatch import fnmatch
from pathlib import Path
from typing import Any, Generic, TypeVar

from ccviz.bounds import relative_gap
from ccviz.data.cells import PLAIN_CSV, unguarded
from ccviz.data.link_files import read_links_file
from ccviz.data.read_table import read_data
from ccviz.errors import FileFormatError
from ccviz.problem.problem import Problem
from ccviz.runs.run import Result, Run, result_of
from ccviz.runs.stepper import Stepper

_LINK_FILE = re.compile(r"ml_(\d+)_cl_(\d+)_(\d+)")


@dataclass(frozen=True)
class Instance:
    """A data set with one of its link files."""

    dataset: str
    ml: int  # ml, cl, seed: As its file's name says
    cl: int
    seed: int
    links: Path
    # published_f, published_time_s: What others reached, NaN where unknown.
    published_f: float = math.nan
    published_time_s: float = math.nan

    @property
    def name(self) -> str:
        """``DATASET/ml_A_cl_B_SEED``, what a filter is matched against."""
        return f"{self.dataset}/{self.links.stem}"

    def problem(self) -> Problem:
        """Read the instance."""
        data = read_data(self.links.parents[2] / "data" / f"{self.dataset}.txt")
        if data.k is None:
            raise FileFormatError(f"the data of {self.dataset} do not say k in their first line.")
        given = read_links_file(self.links, len(data.X))
        return Problem(data.X, data.k, given.must_link, given.cannot_link)  # type: ignore[arg-type]


@dataclass(frozen=True)
class Row:
    """What a run over an instance came to: a row of the table."""

    dataset: str
    ml: int
    cl: int
    seed: int
    objective: float
    lower_bound: float
    gap: float
    nodes: int
    time_s: float
    root_gap: float
    root_time_s: float
    published_f: float
    published_time_s: float
    status: str
    termination: str
    solver: str


COLUMNS = tuple(each.name for each in fields(Row))


def instances(suite: str | Path, pattern: str = "*") -> list[Instance]:
    """Return the instances of a folder whose name matches the pattern, in order.

    Raises `FileFormatError` if the folder has none at all, or its published table cannot be read.
    """
    suite = Path(suite)
    published = _published(suite)
    found = [
        Instance(path.parent.name, *numbers, path, *published.get((path.parent.name, *numbers), ()))
        for path in sorted(suite.glob("constraints/*/*.txt"))
        if (numbers := _numbers(path)) is not None
    ]
    if not found:
        raise FileFormatError(f"{suite} has no instances constraints/DATASET/ml_A_cl_B_SEED.txt.")
    chosen = [each for each in found if fnmatch(each.name, pattern)]
    return sorted(chosen, key=lambda each: (each.dataset, each.ml, each.cl, each.seed))


def _numbers(path: Path) -> tuple[int, int, int] | None:
    match = _LINK_FILE.fullmatch(path.stem)
    return (int(match[1]), int(match[2]), int(match[3])) if match else None


def _published(suite: Path) -> dict[tuple[str, int, int, int], tuple[float, float]]:
    known = {}
    for path in sorted(suite.glob("published*.csv")):
        with path.open(newline="") as file:
            for number, row in enumerate(csv.DictReader(file), start=2):
                try:
                    key = (row["dataset"], int(row["ml"]), int(row["cl"]), int(row["seed"]))
                    known[key] = (float(row["f"]), float(row["time_s"]))
                except (KeyError, ValueError, TypeError) as broken:
                    raise FileFormatError(f"{path}: line {number}: {broken}.") from None
    return known


Kind = TypeVar("Kind")

_READERS: dict[str, Callable[[str], Any]] = {
    "str": unguarded,
    "int": int,
    "float": lambda cell: float(cell or "nan"),
}


class RowFile(Generic[Kind]):
    """A CSV file with a row for each run; it knows those that it has, so that a study goes on.

    `path`: Made with its header if absent. `kind`: Dataclass of a row, of texts and numbers.
    """

    def __init__(self, path: str | Path, kind: type[Kind]) -> None:
        self.path, self._kind = Path(path), kind
        self._fields = {each.name: str(each.type) for each in fields(kind)}  # type: ignore[arg-type]
        self.rows: list[Kind] = []
        with self._in_words():
            if not self.path.exists() or self.path.stat().st_size == 0:
                self._write(self._fields)
            else:
                self._read()

    @contextmanager
    def _in_words(self) -> Iterator[None]:
        try:
            yield
        except OSError as broken:
            reason = os.strerror(broken.errno or 0).lower()
            raise FileFormatError(f"{self.path} cannot be used: {reason}.") from None

    def _read(self) -> None:
        text = self.path.read_text()
        with self.path.open(newline="") as file:
            reader = csv.reader(file)
            if next(reader, []) != [*self._fields]:
                raise FileFormatError(f"{self.path} has other columns; write to another file.")
            cells = list(reader)
        if not text.endswith("\n"):  # broken off in the middle of a row: that one is done again
            self.path.write_text(text[: text.rindex("\n") + 1])
            cells = cells[:-1]
        self.rows = [self._row(number, each) for number, each in enumerate(cells, start=2)]

    def _row(self, number: int, cells: list[str]) -> Kind:
        try:
            pairs = zip(self._fields.values(), cells, strict=True)
            return self._kind(*(_READERS[kind](cell) for kind, cell in pairs))
        except ValueError:
            raise FileFormatError(f"{self.path}: line {number} is no row of this table.") from None

    def add(self, row: Kind) -> None:
        """Write a row, to the disk."""
        with self._in_words():
            self._write(vars(row).values())
        self.rows.append(row)

    def _write(self, cells: Iterable[Any]) -> None:
        with self.path.open("a", newline="") as file:
            file.write(PLAIN_CSV.table([cells]))


def measure(instance: Instance, stepper: Stepper) -> Iterator[Run | Row]:
    """Yield the state of the run after each event, and at last the row.

    The root is over when its first node is branched or closed.
    """
    root: tuple[float, float] | None = None
    for record in stepper:
        run = stepper.run
        if root is None and run.nodes_done > 0:
            first = next(iter(run.tree.values()))
            bound = max(first.lower_bound, run.lower_bound)
            root = (relative_gap(run.objective, bound), record.time_s)
        yield run
    yield _row(instance, result_of(stepper.run), root or (math.nan, math.nan))


def _row(instance: Instance, result: Result, root: tuple[float, float]) -> Row:
    return Row(
        dataset=instance.dataset,
        ml=instance.ml,
        cl=instance.cl,
        seed=instance.seed,
        objective=result.objective,
        lower_bound=result.lower_bound,
        gap=result.gap,
        nodes=result.nodes,
        time_s=round(result.time_s, 4),
        root_gap=root[0],
        root_time_s=round(root[1], 4),
        published_f=instance.published_f,
        published_time_s=instance.published_time_s,
        status=result.status,
        termination=result.termination,
        solver=result.solver,
    )
