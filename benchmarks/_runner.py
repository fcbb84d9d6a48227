"""What all benchmarks share: arguments, tables that grow a row at a time, Markdown, clocks.

Imported before NumPy, since it gives libraries one thread. `run` is the whole of most scripts: they
say only their cases, the measurement of one, and the page made of the rows. Each row is written as
it is measured, and a case whose key is in the table is not repeated, so a benchmark that was
stopped continues. `--table` only writes the page.
"""

from __future__ import annotations

import csv
import json
import os
import resource
import signal
import socket
import subprocess
import sys
import time
from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING, Any

for _library in ("OMP", "OPENBLAS", "MKL"):
    os.environ.setdefault(f"{_library}_NUM_THREADS", "1")

if TYPE_CHECKING:  # a script may set more variables before anything is loaded
    from ccviz import Problem
    from ccviz.events import Event
    from ccviz.runs.run import Result
    from ccviz.runs.stepper import Stepper

ROOT = Path(__file__).parents[1]
sys.path[1:1] = [str(ROOT), str(ROOT / "tools")]  # for what the tests and the second checker have
RESULTS = ROOT / "benchmarks" / "results"
BENCH = Path(os.environ.get("CCVIZ_BENCH", ROOT.parent / "shared" / "bench"))
SUITE = BENCH / "pc-sos-sdp"

Row = dict[str, str]
Rows = list[Row]
Measured = dict[str, Any] | Iterable[dict[str, Any]] | None

_HELP = {
    "bench": "folder of the instances",
    "out": "table of the rows; its page is beside it",
    "table": "only write the page",
    "budget": "CPU seconds after which no case is begun",
    "cpu_limit": "CPU seconds of a run",
}


# --- The command line ----------------------------------------------------------------------------


def parse(doc: str | None, **arguments: Any) -> Namespace:
    """Return the options of a script, whose defaults say what they are.

    A list takes several values, a tuple or a dictionary some of its own, False is a switch. A type,
    or a list of one, stands for no value.
    """
    parser = ArgumentParser(description=doc, formatter_class=RawDescriptionHelpFormatter)
    for name, default in arguments.items():
        of: dict[str, Any] = {"help": _HELP.get(name)}
        if default is False:
            of["action"] = "store_true"
        elif isinstance(default, list | tuple | dict):
            first, *_ = values = list(default)
            kind = first if isinstance(first, type) else type(first)
            of |= {"nargs": "*", "type": kind, "default": None if first is kind else values}
            of["choices"] = None if isinstance(default, list) else values
        elif isinstance(default, type):
            of["type"] = default
        else:
            of |= {"type": Path if isinstance(default, Path) else type(default), "default": default}
        parser.add_argument(f"--{name.replace('_', '-')}", **of)
    return parser.parse_args()


def run(
    doc: str | None,
    name: str,
    key: Sequence[str],
    cases: Callable[[Namespace], Iterable[Sequence[Any]]],
    measure: Callable[..., Measured],
    page: Callable[[Rows], str | None] | None = None,
    *,
    fields: Sequence[str] = (),
    warm_up: Callable[[], object] | None = None,
    cpu_clock: bool = False,
    **arguments: Any,
) -> None:
    """Measure the cases that `results/NAME.csv` lacks, and write the page of all its rows.

    A case begins with the values of its key. `measure` takes the options and the case, and returns
    the other columns: of one row, of several, or None where there is nothing to say. `page` returns
    Markdown, or None if it only draws.
    """
    options = parse(doc, out=RESULTS / f"{name}.csv", table=False, budget=float("inf"), **arguments)
    if cpu_clock:
        count_cpu_seconds()
    if not options.table:
        if warm_up is not None:
            warm_up()  # compiled code, which no clock shall count
        grow(options.out, key, cases(options), measure, options, fields)
    if page is not None and (text := page(read_rows(options.out))):
        write_page(options.out, text)


def grow(
    table: Path,
    key: Sequence[str],
    cases: Iterable[Sequence[Any]],
    measure: Callable[..., Measured],
    options: Namespace,
    fields: Sequence[str] = (),
) -> None:
    """Add the rows of those cases to a table whose keys it does not have."""
    done = done_keys(table, key)
    for case in cases:
        if time.process_time() > getattr(options, "budget", float("inf")):
            return
        own = tuple(map(str, case[: len(key)]))
        if own not in done:
            found = measure(options, *case)
            for row in [found] if isinstance(found, dict) else found or ():
                append_row(table, dict(zip(key, own, strict=True)) | row, fields)
                print(*row.values(), file=sys.stderr, flush=True)
            done.add(own)


# --- Data ----------------------------------------------------------------------------------------


def suite_set(name: str) -> tuple[Any, Any]:
    """Return the points of a set of Piccialli et al. (2022), and its classes, numbered."""
    import numpy as np

    X = np.loadtxt(SUITE / "data" / f"{name}.txt", skiprows=1)
    truth = np.loadtxt(SUITE / "labels" / f"{name}.txt", dtype=str)
    return X, np.unique(truth, return_inverse=True)[1]


def equal_sizes(n: int, k: int) -> list[int]:
    """Return k sizes that differ by at most one."""
    return [n // k + (cluster < n % k) for cluster in range(k)]


# --- Tables --------------------------------------------------------------------------------------


def read_rows(path: Path) -> Rows:
    """Return the rows of a table, none if it does not exist yet."""
    if not path.exists():
        return []
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def results(name: str, **wanted: str) -> Rows:
    """Return the rows of a table of results whose columns have these values."""
    rows = read_rows(RESULTS / f"{name}.csv")
    return [row for row in rows if all(row[key] == value for key, value in wanted.items())]


def done_keys(path: Path, names: Sequence[str]) -> set[tuple[str, ...]]:
    """Return the keys of the rows that a table has: their values in the named columns."""
    return {tuple(row[name] for name in names) for row in read_rows(path)}


def append_row(path: Path, row: dict[str, Any], fields: Sequence[str] = ()) -> None:
    """Add a row to a table; its columns are those of the table, else those named, else its own."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a+", newline="", encoding="utf-8") as file:
        file.seek(0)
        header = next(csv.reader(file), None)
        writer = csv.DictWriter(file, header or fields or list(row))
        if header is None:
            writer.writeheader()
        if row.keys() <= set(writer.fieldnames):
            writer.writerow(row)
            return
    write_rows(path, [*read_rows(path), row])  # with more columns


def write_rows(path: Path, rows: Sequence[dict[str, Any]]) -> None:
    """Write a table as a whole."""
    fields = dict.fromkeys(name for row in rows for name in row)
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(fields))
        writer.writeheader()
        writer.writerows(rows)


def markdown(header: str | Iterable[str], rows: Iterable[Iterable[object]]) -> str:
    """Return a Markdown table; a header in one string has its cells between bars."""
    head = header.split(" | ") if isinstance(header, str) else list(header)
    lines = [f"| {' | '.join(head)} |", "|---" * len(head) + "|"]
    lines += [f"| {' | '.join(map(str, row))} |" for row in rows]
    return "\n".join(lines) + "\n"


def laid_out(header: str, cells: str, rows: Iterable[dict[str, Any]]) -> str:
    """Return a Markdown table whose cells are one format of the columns of a row."""
    return markdown(header, (cells.format(**row).split(" | ") for row in rows))


def whole_table(rows: Sequence[dict[str, Any]]) -> str:
    """Return all columns of rows as a Markdown table."""
    return markdown(rows[0], (row.values() for row in rows)) if rows else ""


def write_page(name: str | Path, text: str) -> None:
    """Print the page of a table of results, and write it."""
    print(text)
    path = RESULTS / f"{name}.md" if isinstance(name, str) else name.with_suffix(".md")
    path.write_text(text, encoding="utf-8")


def load() -> str:
    """Return a sentence on how busy the machine is."""
    return f"{os.cpu_count()} processors, {os.getloadavg()[0]:.0f} processes that wanted one.\n"


# --- Clocks and memory ---------------------------------------------------------------------------


def count_cpu_seconds() -> None:
    """Make all limits of steps in this process CPU seconds of its own.

    By the clock on the wall a step would be cut short sooner where other work has the machine. What
    a MILP solver counts by itself stays as it is.
    """
    time.monotonic = time.process_time


def timed(call: Callable[..., Any], *args: Any, **options: Any) -> tuple[Any, float]:
    """Return what a call returns and its CPU seconds."""
    began = time.process_time()
    answer = call(*args, **options)
    return answer, time.process_time() - began


def events_within(stepper: Stepper, cpu_limit: float) -> Iterator[tuple[Event, float]]:
    """Yield a run's events and its CPU seconds so far; ask it to end when they pass a limit.

    The limit is a timer, so that a step may be cut short. It may ring before the clock says
    so, and is then set again.
    """
    began = time.process_time()

    def ring(*_: object) -> None:
        left = cpu_limit - (time.process_time() - began)
        if left > 0.0:
            signal.setitimer(signal.ITIMER_PROF, left)
        else:
            stepper.stop()

    signal.signal(signal.SIGPROF, ring)
    signal.setitimer(signal.ITIMER_PROF, cpu_limit)
    try:
        for record in stepper:
            yield record.event, time.process_time() - began
    finally:  # also where the events are not read to the end, or the run fails
        signal.setitimer(signal.ITIMER_PROF, 0.0)


def stepper_within(
    problem: Problem, solver: str | Any, cpu_limit: float, seed: int = 0, **settings: Any
) -> Stepper:
    """Return a run that ends at the first event after a number of CPU seconds from now."""
    from ccviz.runs.stepper import Stepper
    from ccviz.solvers import make_solver

    began = time.process_time()

    def over(*_: object) -> Any:
        return "time_limit" if time.process_time() - began > cpu_limit else None

    made = make_solver(solver, **settings) if isinstance(solver, str) else solver
    return Stepper(problem, made, seed, criteria=[over])


def proved(
    problem: Problem, solver: str, tolerance: float, cpu_limit: float, **check: float
) -> tuple[Row, float]:
    """Return the cells of a run and its CPU seconds; the checking has a clock of its own."""
    from ccviz import start
    from ccviz.proof.verify import verify

    stepper = start(problem, solver, tolerance=tolerance)
    events, seconds = zip(*events_within(stepper, cpu_limit), strict=True)
    result: Result = stepper.result()
    verdict, verify_s = timed(verify, problem, events, **check)
    cells = {
        "objective": f"{result.objective:.9g}",
        "status": result.status,
        "gap": f"{result.gap:.2e}",
        "verified_gap": f"{verdict.gap:.2e}" if verdict.accepted else verdict.sentence,
        "cpu_s": f"{seconds[-1]:.1f}",
        "verify_s": f"{verify_s:.1f}",
        "nodes": f"{result.nodes}",
        "bound": f"{verdict.lower_bound:.12g}",
    }
    return cells, seconds[-1]


def memory(kind: str) -> int:
    """Return the memory held now (VmRSS) or at most (VmHWM), in bytes (Linux)."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return 1024 * next(int(line.split()[1]) for line in lines if line.startswith(kind))


class Meter:
    """CPU seconds, and memory beyond what was held, since it was made."""

    def __init__(self) -> None:
        Path("/proc/self/clear_refs").write_text("5")  # forget the peak of what came before
        self._before, self._began = memory("VmRSS"), time.process_time()

    def seconds(self) -> float:
        """Return the CPU seconds so far."""
        return time.process_time() - self._began

    def bytes(self) -> int:
        """Return the most memory that was held beyond that before."""
        return memory("VmHWM") - self._before


def peak_mib() -> float:
    """Return the most memory that this process had."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


# --- Other processes -----------------------------------------------------------------------------


def in_a_process(measure: Callable[..., Any], *arguments: Any) -> Any:
    """Return what a function returns in a new process, whose memory and code are its own."""
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        return pool.submit(measure, *arguments).result()


def answers(command: Sequence[object]) -> Iterator[Any]:
    """Yield the lines of JSON that a program prints; end it where no more are read."""
    with subprocess.Popen([*map(str, command)], stdout=subprocess.PIPE, text=True) as program:
        try:
            yield from map(json.loads, program.stdout or ())
        finally:
            program.kill()


def free_port() -> int:
    """Return a port of this machine that nothing listens at."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])
