"""What `solve` and `resume` leave: a summary on stdout, JSON, labels."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import astuple, dataclass
from io import BytesIO
from typing import IO, Annotated, Any

import msgspec
from rich.table import Table

from ccviz.arrays import IntArray
from ccviz.cli.common import out, visible
from ccviz.cli.parameters import JsonFile, LabelsFile, TableFile, option
from ccviz.data.cells import PLAIN_CSV
from ccviz.data.datasets import Dataset
from ccviz.data.geojson import geojson_of
from ccviz.errors import CcvizError
from ccviz.numbers import count, number, percent
from ccviz.problem.partition import Partition
from ccviz.problem.problem import Problem
from ccviz.runs.run import Result
from ccviz.studies.html import report_html
from ccviz.studies.near_problem import cost_without_constraints
from ccviz.studies.profile import profile, profile_csv, profile_markdown
from ccviz.studies.rows import kept_links, names_by_label, rows_csv
from ccviz.studies.why import sentences
from ccviz.system import resolved, whole_file


@dataclass(frozen=True)
class Files:
    """Options that say where a result goes: a path each, ``-`` for stdout, None for nowhere."""

    json: JsonFile = None
    labels: LabelsFile = None
    table: TableFile = None
    profile: Annotated[
        str | None, option("--profile", help="Write a profile of each cluster, as .csv or .md.")
    ] = None
    report: Annotated[str | None, option("--report", help="Write a report as HTML.")] = None

    def check(self) -> None:
        """Raise `CcvizError` if one could not be written, before any time is spent on it."""
        check_writable(*astuple(self))

    @property
    def takes_stdout(self) -> bool:
        """Whether stdout is asked for, so that no summary may be written there."""
        return "-" in astuple(self)


def report(
    problem: Problem, result: Result, run_id: str, files: Files, *, quiet: bool = False
) -> None:
    """Write what can be said without the data's table; ``-`` takes the summary's place."""
    json_file, labels_file = files.json, files.labels
    if json_file is not None:
        with output(json_file) as file:
            file.write(msgspec.json.format(msgspec.json.encode(as_json(problem, result, run_id))))
            file.write(b"\n")
    if labels_file is not None and result.labels is not None:
        write_labels(labels_file, result.labels)
    if not (files.takes_stdout or quiet):
        out.print(_summary(result, run_id))
        out.print(result.message, markup=False)


def write_labels(path: str, labels: IntArray) -> None:
    """Write the cluster of each point, one per line; ``-`` is stdout."""
    with output(path) as file:
        file.write("".join(f"{label}\n" for label in labels.tolist()).encode())


def as_json(problem: Problem, result: Result, run_id: str) -> dict[str, Any]:
    """Return a result as plain values; msgspec writes what is infinite as null."""
    partition = result.partition
    broken = partition.violations if partition else None
    return {
        "solver": result.solver,
        "status": result.status,
        "termination": result.termination,
        "message": result.message,
        "objective": result.objective,
        "lower_bound": result.lower_bound,
        "gap": result.gap,
        "labels": partition.shown.tolist() if partition else None,
        "violations": {
            "must_link": broken.must_link,
            "cannot_link": broken.cannot_link,
            "hard": broken.hard,
            "sizes": broken.sizes,
        }
        if broken
        else None,
        "n": problem.n_points,
        "d": problem.d,
        "k": problem.n_clusters,
        "n_blocks": result.n_blocks,
        "nodes": result.nodes,
        "time_s": result.time_s,
        "seed": result.seed,
        "wcss": partition.wcss if partition else None,
        "penalty": partition.penalty if partition else None,
        "cluster_sizes": partition.kept_sizes.tolist() if partition else None,
        "scores": partition.scores if partition else {},
        "n_scored": partition.n_scored if partition else 0,
        "run": run_id or None,
    }


def _summary(result: Result, run_id: str) -> Table:
    table = Table.grid(padding=(0, 2))
    for name, value in _lines(result, run_id):
        table.add_row(name, value)
    return table


def _lines(result: Result, run_id: str) -> Iterator[tuple[str, str]]:
    yield "solver", result.solver
    yield "status", f"{result.status} ({result.termination})"
    yield "objective", number(result.objective, 10)
    yield "lower bound", number(result.lower_bound, 10)
    yield from _price(result)
    yield "gap", percent(result.gap)
    if result.partition is not None:
        yield from _kept(result.partition)
        yield from _scores(result.partition)
    fixed = 0 if result.partition is None else result.partition.problem.fixed
    yield "blocks", str(result.n_blocks - fixed)
    yield "nodes", str(result.nodes)
    yield "time", f"{result.time_s:.3g} s"
    if run_id:
        yield "run", run_id


def _kept(partition: Partition) -> Iterator[tuple[str, str]]:
    """Yield what a clustering keeps of what is asked."""
    broken, problem = partition.violations, partition.problem
    yield "broken links", f"{broken.must_link} must-link, {broken.cannot_link} cannot-link"
    soft = [kept[~links.is_hard] for links, kept in kept_links(partition)]
    if wishes := sum(map(len, soft)):
        yield "soft links kept", f"{sum(int(kept.sum()) for kept in soft):,} of {wishes:,}"
    for kept in partition.kept_rules:
        found, verdict = kept.said(), "holds" if kept.holds else "broken"
        yield kept.rule.text, f"{verdict} ({found})" if found else verdict
    yield "cluster sizes", _sizes(partition.kept_sizes)
    if problem.outliers:
        yield "left out", count(problem.outliers, "point")
    if problem.fixed:
        yield "fixed centres", str(problem.fixed)


def _scores(partition: Partition) -> Iterator[tuple[str, str]]:
    if forced := partition.forced_by:
        yield "scores", f"forced by {forced}"
    for name, value in partition.free_scores.items():
        yield name, f"{value:.4f}"
    if part := partition.scored_part:
        yield "scores are of", f"{part} rows, those with a class"


def _sizes(sizes: IntArray) -> str:
    """Return the sizes; of many clusters the least and the largest."""
    if len(sizes) <= _MOST_SIZES:
        return " ".join(map(str, sizes.tolist()))
    return f"{len(sizes):,} of {sizes.min():,} to {sizes.max():,}"


_MOST_SIZES = 50  # clusters whose sizes are listed
_MOST_WORK = 5_000_000  # numbers of one pass of k-means up to which the price is looked for


def _price(result: Result) -> Iterator[tuple[str, str]]:
    """Yield the cost without constraints, and by how much they raise it, where that is proved."""
    shown = result.partition
    if shown is None or not (shown.problem.must_keep or shown.problem.is_soft):
        return
    problem = shown.problem
    work = problem.n * problem.k * problem.d
    if problem.outliers or problem.fixed or not shown.violations.none_hard or work > _MOST_WORK:
        return
    free = cost_without_constraints(shown)
    more = result.lower_bound - free
    proved = f"; the constraints cost at least {number(more)}" if more > 1e-6 * abs(free) else ""
    yield "without constraints", f"at most {number(free)}{proved}"


def save_files(data: Dataset, result: Result, files: Files) -> None:
    """Write the rows with their clusters, the clusters' profile and the report."""
    if result.partition is None:
        return
    names = names_by_label(data, result.partition.shown, result.partition.problem.given.rules)
    if files.table is not None:
        with output(files.table) as file:
            file.write(_rows(data, result.partition, files.table, names))
    if files.profile is not None:
        partition = result.partition
        k = partition.problem.n_clusters
        found = profile(data.X, partition.shown, k, data.features, names)
        is_markdown = files.profile.endswith(".md")
        text = profile_markdown(found) if is_markdown else profile_csv(found, data.style)
        with output(files.profile) as file:
            file.write(text.encode())
    if files.report is not None:
        with output(files.report) as file:
            file.write(report_html(data, result, names=names).encode())


def _rows(data: Dataset, partition: Partition, path: str, names: dict[int, str]) -> bytes:
    """Return the rows with their clusters, as the ending of the path says."""
    if path.endswith(".geojson"):
        return geojson_of(data, partition.shown)
    why = sentences(partition, data, names=names)
    return rows_csv(data, partition, names, why=why).encode()


@contextmanager
def output(path: str) -> Iterator[IO[bytes]]:
    """Open what a result is written to, ``-`` for stdout; a sentence if it cannot be."""
    if path == "-":
        written = BytesIO()
        yield written
        data = written.getvalue()
        sys.stdout.buffer.write(visible(data.decode()).encode() if sys.stdout.isatty() else data)
        sys.stdout.buffer.flush()
        return
    try:
        with whole_file(path) as file:
            yield file
    except OSError as broken:
        raise CcvizError(f"{path} cannot be written: {os.strerror(broken.errno or 0)}.") from None


NO_FILES = Files()


def table_of(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> Table:
    """Return rows of cells for the terminal."""
    table = Table(*columns, box=None, pad_edge=False)
    for row in rows:
        table.add_row(*map(str, row))
    return table


def write_csv(path: str | None, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Write rows of cells as CSV; without a path nothing."""
    if path is not None:
        with output(path) as file:
            file.write(PLAIN_CSV.table([columns, *rows]).encode())


def check_writable(*paths: str | None) -> None:
    """Raise `CcvizError` if a result could not be written, before any time is spent on it."""
    if len(set(given := list(filter(None, paths)))) < len(given):
        raise CcvizError(f"{given[0]} is to hold two things at once; name two files.")
    for path in paths:
        if path is None or path == "-":
            continue
        if not _is_writable(path):
            raise CcvizError(f"{path} cannot be written.")


def _is_writable(path: str) -> bool:
    try:
        target = resolved(path)
    except OSError:
        return False
    return not target.is_dir() and os.access(target.parent, os.W_OK)
