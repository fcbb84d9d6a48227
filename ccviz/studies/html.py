"""A clustering as one HTML file that needs nothing else: no scripts, no pictures, no network."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from string import Template

from ccviz.arrays import IntArray
from ccviz.data.datasets import Dataset
from ccviz.problem.partition import Partition
from ccviz.runs.run import Result
from ccviz.studies.profile import profile, profile_rows
from ccviz.studies.rows import standing

_PAGE = Template("""<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>$title</title>
<style>
body { font: 16px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 60rem; padding: 0 1rem }
table { border-collapse: collapse; display: block; overflow-x: auto }
th, td { border-bottom: 1px solid #ccc; padding: .25rem .75rem; text-align: right }
th:first-child, td:first-child { text-align: left }
</style>
<h1>$title</h1>
<p>$message</p>
$facts
<h2>What marks the clusters</h2>
<p>Mean ± standard deviation. The features that separate most come first: separation is the share
of a feature's variance that lies between the clusters.</p>
$profile
<h2>How well the points fit</h2>
$fit
<h2>What was decided about the table</h2>
$decisions
</html>
""")


def report_html(data: Dataset, result: Result, labels: IntArray | None = None) -> str:
    """Return a report on a clustering.

    Parameters
    ----------
    data : Dataset
        The points in the units that people read.
    result : Result
        With an answer.
    labels : (n,) int, optional
        The same clusters by other numbers, which the report is to call them by.

    Returns
    -------
    str
        HTML; whatever comes from the data is escaped.
    """
    partition = result.partition
    assert partition is not None
    k = partition.problem.k
    shown = partition if labels is None else Partition(partition.problem, labels)
    marks = profile(data.X, shown.labels, k, data.features)
    broken = partition.violations
    facts = [
        ("points", f"{partition.problem.n:,}"),
        ("clusters", f"{k}"),
        ("solver", f"{result.solver}, seed {result.seed}"),
        ("status", f"{result.status} ({result.termination})"),
        ("objective", f"{result.objective:.10g}"),
        ("lower bound", f"{result.lower_bound:.10g}"),
        ("must-links", f"{len(partition.problem.must_link)}, {broken.must_link} broken"),
        ("cannot-links", f"{len(partition.problem.cannot_link)}, {broken.cannot_link} broken"),
        *((name.upper(), f"{score:.4f}") for name, score in partition.scores.items()),
    ]
    return _PAGE.substitute(
        title=escape(f"{data.name}: {k} clusters"),
        message=escape(result.message),
        facts=_table([["", ""], *facts]),
        profile=_table(profile_rows(marks)),
        fit=_table(_fit(shown)),
        decisions=_table(_decisions(data)) + "".join(f"<p>{escape(n)}</p>" for n in data.notices),
    )


def _fit(partition: Partition) -> Iterable[Sequence[str]]:
    found = standing(partition)
    yield ["cluster", "points", "mean distance", "mean silhouette"]
    for j, size in enumerate(partition.cluster_sizes.tolist()):
        own = partition.labels == j
        distance, silhouette = found.distance[own].mean(), found.silhouette[own].mean()
        yield [f"cluster {j}", f"{size}", f"{distance:.4g}", f"{silhouette:.3f}"]


def _decisions(data: Dataset) -> Iterable[Sequence[str]]:
    yield ["column", "taken as", "because"]
    for each in data.origin.decisions if data.origin else ():
        yield [each.column, each.role, each.why]


def _table(rows: Iterable[Sequence[str]]) -> str:
    head, *body = ([escape(cell) for cell in row] for row in rows)
    lines = ["".join(f"<th>{cell}</th>" for cell in head)]
    lines += ["".join(f"<td>{cell}</td>" for cell in row) for row in body]
    return "<table>" + "".join(f"<tr>{line}</tr>\n" for line in lines) + "</table>"
