"""Commands on stored runs: runs, resume, replay, export, verify."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import numpy as np
from click.exceptions import Exit

from ccviz.cli.common import describe, drive, exit_code, out
from ccviz.cli.parameters import (
    Argument,
    Gap,
    JsonFile,
    LabelsFile,
    NodeLimit,
    Quiet,
    StoredRun,
    Workers,
    option,
)
from ccviz.cli.report import Files, report, table_of
from ccviz.data.scaling import scaling_name
from ccviz.errors import CcvizError, ParameterError
from ccviz.events import Record
from ccviz.numbers import count, number, percent
from ccviz.problem.problem import Problem
from ccviz.proof.verdict import DEFAULT_WORK, Verdict, problem_hash
from ccviz.proof.verify import DEFAULT_GAP
from ccviz.proof.verify import verify as check
from ccviz.runs.archive import Archive
from ccviz.runs.check import check_archive
from ccviz.runs.database import default_path
from ccviz.runs.file import export_run, import_run
from ccviz.runs.info import RunInfo
from ccviz.runs.recorder import open_run, reopen
from ccviz.runs.run import Run, result_of, status_sentence
from ccviz.runs.stop import Limits
from ccviz.solvers.search.workforce import check_workers

# --- `ccviz export` and `ccviz import`: a run as one file -----------------------------------------


_PAGES = (".html", ".htm")
_TREES = (".dot", ".gv", ".tex", ".csv")
_RUNS = (".ccviz", "")


def export(
    runs: Annotated[
        list[str],
        Argument(help="Id, name or end of an id, or 'last'; up to four for a page."),
    ],
    file: Annotated[
        str,
        Argument(
            help="File to write: .ccviz for 'ccviz import', .html for a page, .dot or .tex for the "
            "search tree in Graphviz or LaTeX, .csv for its nodes."
        ),
    ],
) -> None:
    """Write a run to one file: to be imported elsewhere, as a page that replays it, or its tree."""
    archive = Archive()
    ids = [archive.find(run) for run in runs]
    if Path(file).suffix.lower() in _PAGES:
        from ccviz.views.export.page import save_html, stored_play

        save_html(file, [stored_play(archive, run_id) for run_id in ids])
    elif len(ids) > 1:
        raise ParameterError(f"{file} takes one run; a .html file shows several side by side.")
    elif Path(file).suffix.lower() in _TREES:
        from ccviz.views.export.tree_text import save_tree

        save_tree(file, archive.load(ids[0]))
    elif Path(file).suffix.lower() in _RUNS:
        export_run(archive, ids[0], file)
    else:
        kinds = "html for a page, .dot, .gv or .tex for the tree, .csv for its nodes"
        raise ParameterError(f"{file}: a run's file ends in .ccviz; there are .{kinds}.")


def import_(file: Annotated[str, Argument(help="File that 'ccviz export' wrote.")]) -> None:
    """Take a run from a file into the archive, and print its id."""
    out.print(import_run(Archive(), file), markup=False)


# --- `ccviz replay` and `ccviz show`: a stored run again, event by event, or its result -----------


_PAGE = 1000


def replay(
    run: StoredRun,
    speed: Annotated[
        float, option(help="1 is the pace of the run, 0 as fast as it can be read.", min=0)
    ] = 0.0,
    upto: Annotated[int | None, option(help="Stop after this event.")] = None,
) -> None:
    """Show a run again, event by event, and its result."""
    archive = Archive()
    run_id = archive.find(run)
    state = Run(archive.problem(run_id))
    while page := archive.records(run_id, after=state.seq, upto=upto, limit=_PAGE):
        for record in page:
            if speed > 0:
                time.sleep(max(record.time_s - state.time_s, 0.0) / speed)
            state.apply(record)
            out.print(_line(record), markup=False)
    out.print(f"{describe(state)}. {status_sentence(state)}", markup=False)


def _line(record: Record) -> str:
    event = record.event
    values = ((name, getattr(event, name)) for name in event.__struct_fields__)
    shown = (f"{name}={_short(value)}" for name, value in values if _is_short(value))
    return f"{record.seq:>6} {record.time_s:>9.3f} s  {type(event).__name__}  {' '.join(shown)}"


def _is_short(value: object) -> bool:
    return value is not None and not isinstance(value, np.ndarray | dict)


def _short(value: object) -> str:
    return number(value) if isinstance(value, float) else str(value)


def show(
    run: StoredRun,
    json: JsonFile = None,
) -> None:
    """Show the result of a stored run as `solve` did, or how far a run is that goes on."""
    archive = Archive()
    state = archive.load(run_id := archive.find(run))
    if state.finished is None:
        out.print(f"{describe(state)}. {status_sentence(state)}", markup=False)
    else:
        report(state.problem, result_of(state), run_id, Files(json))


# --- `ccviz resume`: let a stopped or killed run go on --------------------------------------------


def resume(
    run: StoredRun,
    time_limit: Annotated[float | None, option(help="Seconds more.")] = None,
    gap: Gap = None,
    node_limit: NodeLimit = None,
    workers: Workers = "1",
    json: JsonFile = None,
    labels: LabelsFile = None,
    quiet: Quiet = False,
) -> None:
    """Let a run go on where it ended, under new limits; the exit codes are those of solve."""
    files = Files(json, labels)
    files.check()
    archive = Archive()
    run_id = archive.find(run)
    age = archive.info(run_id).time_s
    whole = None if time_limit is None else age + time_limit
    check_workers(workers)
    reopen(archive, run_id, Limits(whole, gap, node_limit))
    stepper = open_run(archive, run_id, resume=True, workers=workers)
    result, stored, _ = drive(stepper, archive, run_id, quiet=quiet)
    report(stepper.problem, result, stored, files, quiet=quiet)
    raise Exit(exit_code(result, is_lost=not stored))


# --- `ccviz runs`: what is in the archive ---------------------------------------------------------


_COLUMNS = (
    "run", "name", "started", "data", "k", "links", "scaling", "solver", "state", "status",
    "objective", "gap", "nodes", "time", "broken", "ari",
)  # fmt: skip


def runs(
    delete: Annotated[str, option(help="Delete this run.")] = "",
    rename: Annotated[tuple[str, str], option(help="Give a run a name.")] = ("", ""),
    words: Annotated[
        str, option("--filter", help="Only the runs with all of these words in their row.")
    ] = "",
    top: Annotated[int, option(min=1, help="Number of runs printed.")] = 50,
    check: Annotated[
        bool, option("--check", help="Mend the archive, and say what cannot be mended.")
    ] = False,
) -> None:
    """List the runs in the archive, the newest first; or delete or rename one, or mend them."""
    if check:
        said = list(check_archive(default_path()))
        for sentence in said or ["nothing is wrong with the archive."]:
            out.print(sentence)
        return
    archive = Archive()
    if delete:
        run_id = archive.find(delete)
        archive.check_idle(run_id)
        archive.delete(run_id)
    if rename[0]:
        archive.rename(archive.find(rename[0]), rename[1])
    if delete or rename[0]:
        return
    asked = words.casefold().split()
    rows = [
        row
        for row in map(_row, archive.runs())
        if all(word in " ".join(row).casefold() for word in asked)
    ]
    out.print(table_of(_COLUMNS, rows[:top]))
    if len(rows) > top:
        out.print(f"and {count(len(rows) - top, 'older run')}: --top, or --filter")


def _row(info: RunInfo) -> list[str]:
    return [
        info.id,
        info.name if info.name != info.id else "",
        datetime.fromtimestamp(info.created).strftime("%Y-%m-%d %H:%M"),
        info.dataset,
        str(info.k),
        "-" if info.links is None else str(info.links),
        scaling_name(info.scaling) or "-",
        info.solver,
        info.termination or info.state,
        info.status,
        number(info.objective),
        percent(info.gap),
        str(info.nodes),
        f"{info.time_s:.3g} s",
        "-" if info.violations is None else str(info.violations),
        number(info.ari, 4),
    ]


# --- `ccviz verify`: check a run's proof ----------------------------------------------------------


NOT_ACCEPTED = 1
UNDECIDED = 2


def verify(
    run: Annotated[
        str, Argument(help="Id, name or end of the id of a run, 'last', or an exported file.")
    ],
    gap: Annotated[
        float, option(min=0.0, help="Relative gap within which optimality is to be proved.")
    ] = DEFAULT_GAP,
    work: Annotated[
        float, option(min=0.0, help="Most work for searches; a unit is about a second.")
    ] = DEFAULT_WORK,
) -> None:
    """Check the proof of an exact run, with none of the solver's code.

    Exit code 0: proved within the gap asked for. 1: no proof, and why. 2: what was checked is
    right, but some of it needs more work than is allowed.
    """
    with _archive_of(run) as (archive, run_id):
        try:
            problem = archive.problem(run_id)
            events = [record.event for record in archive.records(run_id)]
        except CcvizError as broken:
            out.print(f"no proof: {broken}", markup=False)
            raise Exit(NOT_ACCEPTED) from None
    verdict = check(problem, events, gap, work)
    for line in (verdict.sentence, *_what(problem), *_bounds(verdict)):
        out.print(line, markup=False, soft_wrap=True)
    refused = UNDECIDED if verdict.trusted else NOT_ACCEPTED
    raise Exit(0 if verdict.accepted else refused)


@contextmanager
def _archive_of(run: str) -> Iterator[tuple[Archive, str]]:
    """Return where a run is and its id: the archive, or for a file one that is deleted again."""
    if Path(run).suffix != ".ccviz" or not Path(run).is_file():
        archive = Archive()
        yield archive, archive.find(run)
        return
    with TemporaryDirectory() as folder, Archive(Path(folder) / "runs.sqlite") as archive:
        yield archive, import_run(archive, run)


def _what(problem: Problem) -> list[str]:
    """Say what the proof is of."""
    rules = f", {len(problem.rules)} rules" if problem.rules else ""
    return [
        f"problem: n = {problem.n}, d = {problem.d}, k = {problem.k}, "
        f"{len(problem.must_link)} must-links, {len(problem.cannot_link)} cannot-links{rules}",
        f"sha256: {problem_hash(problem)}",
    ]


def _bounds(verdict: Verdict) -> list[str]:
    if not verdict.accepted or verdict.upper_bound == float("inf"):
        return []
    return [
        f"the clustering costs at most {verdict.upper_bound!r}",
        f"every clustering costs at least {verdict.lower_bound!r}",
    ]
