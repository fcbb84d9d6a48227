"""A clustering as one HTML file that needs nothing else: no scripts, no files, no network."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from html import escape
from itertools import islice
from string import Template

import numpy as np

from ccviz.arrays import IntArray
from ccviz.data.cells import guarded
from ccviz.data.datasets import Dataset
from ccviz.data.scaling import scaling_label, scaling_of
from ccviz.data.table import ROLE_WORDS
from ccviz.numbers import count, number
from ccviz.problem.links import Links
from ccviz.problem.partition import Partition
from ccviz.runs.run import Result
from ccviz.studies.moves import Moves
from ccviz.studies.profile import Profile, profile, profile_parts
from ccviz.studies.rows import links_by_point, scores_of
from ccviz.studies.why import sentences

_MOST_LINKS = 20
_MOST_POINTS = 2000  # Points up to which the report lists the links of each
"""Most links of each kind that are listed one by one."""

_MOST_LEAST_SURE = 10  # Points nearest to another cluster that the report lists
_MOST_DRAWN, _WIDE = 5000, 600  # Points up to which the report has a picture; its width
_CHARACTERS = 110  # Width of the text, for the parts of a table of many clusters
_MOST_MARKS = 3
"""Features that the sentence on a cluster names."""

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
<h2>The clusters</h2>
$clusters
$picture
$asked
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


def report_html(
    data: Dataset,
    result: Result,
    labels: IntArray | None = None,
    day: date | None = None,
    names: Mapping[int, str] | None = None,
) -> str:
    """Return a report on a clustering.

    `data`: The points in the units that people read. `labels` (n,): The same clusters by other
    numbers, which the report is to call them by. `day`: When the report is written; today by
    default. Returns: HTML; whatever comes from the data is escaped.
    """
    partition = result.partition
    assert partition is not None
    problem, k = partition.problem, partition.problem.n_clusters
    shown = partition if labels is None else Partition(problem, labels)
    marks = profile(data.X, shown.shown, k, data.features, names)
    return _PAGE.substitute(
        title=escape(f"{data.name}: {k} clusters"),
        message=escape(result.message),
        facts=_table([["", ""], *_facts(data, result, shown, day or date.today())]),
        clusters="".join(f"<p>{escape(each)}</p>\n" for each in _sentences(marks)),
        picture=_picture(shown, marks.called),
        asked=_rules(shown) + _links(data, shown) + _who_got_what(data, shown),
        profile="".join(map(_table, profile_parts(marks, _CHARACTERS))),
        fit=_table(_fit(shown, marks.called)) + _least_sure(data, partition, shown, names),
        decisions=_table(_decisions(data)) + "".join(f"<p>{escape(n)}</p>" for n in data.notices),
    )


def _facts(data: Dataset, result: Result, shown: Partition, day: date) -> Iterator[tuple[str, str]]:
    problem, broken = shown.problem, shown.violations
    given = problem.given
    scaling = scaling_of(data.X, problem.X[: problem.n_points])
    yield "date", day.isoformat()
    yield "points", f"{problem.n_points:,}"
    yield "clusters", f"{problem.n_clusters}"
    if problem.outliers:
        yield "left out", count(problem.outliers, "point")
    if problem.fixed:
        yield "fixed centres", f"{problem.fixed}"
    if scaling:
        yield "features", scaling_label(scaling)
    yield "solver", f"{result.solver}, seed {result.seed}"
    yield "status", f"{result.status} ({result.termination})"
    yield "objective", f"{result.objective:.10g}"
    if math.isfinite(result.lower_bound):
        yield "lower bound", f"{result.lower_bound:.10g}"
    yield "must-links", f"{len(given.must_link)}, {broken.must_link} broken"
    yield "cannot-links", f"{len(given.cannot_link)}, {broken.cannot_link} broken"
    if shown.forced_by:
        yield "scores", f"forced by {shown.forced_by}"
    for name, score in shown.free_scores.items():
        yield name.upper(), f"{score:.4f}"
    if shown.scored_part:
        yield "scores of", f"{shown.scored_part} rows, those with a class"


def _sentences(marks: Profile) -> Iterator[str]:
    """Yield of each cluster how many points it has, and where it differs most from them all."""
    varied = marks.spread > 0
    away = np.abs(marks.means - marks.mean) / np.where(varied, marks.spread, 1.0)
    for j, size in enumerate(marks.sizes.tolist()):
        parts = [count(size, "point")]
        for f in islice(np.argsort(-away[j], kind="stable").tolist(), _MOST_MARKS if size else 0):
            if varied[f]:
                here, everywhere = number(marks.means[j, f], 4), number(marks.mean[f], 4)
                parts.append(f"{marks.features[f]} {here} against {everywhere} in all")
        called = marks.called[j]
        yield f"{called[:1].upper()}{called[1:]}: {'; '.join(parts)}."


def _picture(shown: Partition, called: Sequence[str]) -> str:
    """Return the points by their first two principal components, in the colours of a legend."""
    X = shown.problem.X[: shown.problem.n_points].astype(np.float64, copy=False)
    if len(X) > _MOST_DRAWN:
        return ""
    centred = X - X.mean(axis=0)
    axes = np.linalg.svd(centred, full_matrices=False)[2][:2].T
    places = centred @ axes @ np.eye(axes.shape[1], 2)
    span = np.ptp(places, axis=0).max() or 1.0
    places = (places - places.min(axis=0)) / span * (_WIDE - 20) + 10
    colors = [f"hsl({int(360 * j / len(called))} 70% 42%)" for j in range(len(called))] + ["gray"]
    high = places[:, 1].max() + 10
    dots = "".join(
        f'<circle cx="{x:.1f}" cy="{high - y:.1f}" r="3.5" fill="{colors[j]}"/>'
        for (x, y), j in zip(places.tolist(), shown.shown.tolist(), strict=True)
    )
    key = "".join(
        f'<span style="color:{color}">●</span> {escape(name)} &ensp;'
        for color, name in zip(colors, called, strict=False)
    )
    return (
        f"<figure><p>{key}</p>"
        f'<svg viewBox="0 0 {_WIDE} {high:.1f}" width="{_WIDE}" role="img" '
        f'aria-label="The points in the colours of their clusters">{dots}</svg>'
        "<figcaption>The first two principal components.</figcaption></figure>"
    )


def _rules(shown: Partition) -> str:
    """Return the rules that were asked for with what became of them; nothing without rules."""
    if not shown.kept_rules:
        return ""
    rows = (
        [each.rule.text, "holds" if each.holds else "broken", each.said()]
        for each in shown.kept_rules
    )
    return "<h2>Rules</h2>\n" + _table([["rule", "", "found"], *rows])


def _links(data: Dataset, shown: Partition) -> str:
    """Return the first links of each kind by the names of their points; nothing without links."""
    given = shown.problem.given
    kinds = (("Must-links", given.must_link, True), ("Cannot-links", given.cannot_link, False))
    return "".join(
        f"<h2>{title}</h2>\n{_links_table(data, links, shown.labels, together)}"
        for title, links, together in kinds
        if len(links)
    )


def _who_got_what(data: Dataset, shown: Partition) -> str:
    """Return which links of each point are kept, where some are soft; nothing of many points."""
    found = links_by_point(shown, data.names) if shown.problem.n_points <= _MOST_POINTS else None
    if found is None:
        return ""
    called = data.names or [*map(str, range(shown.problem.n_points))]
    rows = zip(called, map(str, shown.shown.tolist()), *found.values(), strict=True)
    return "<h2>Who got what</h2>\n" + _table([["point", "cluster", *found], *rows])


def _least_sure(
    data: Dataset, partition: Partition, shown: Partition, names: Mapping[int, str] | None
) -> str:
    """Return why the points that cost least in another cluster are where they are."""
    moves = Moves(partition)
    rise = moves.rise.min(axis=1, initial=np.inf)[moves.block_of]
    points = np.argsort(rise, kind="stable")[:_MOST_LEAST_SURE].tolist()
    why = sentences(partition, data, shown.shown, names, points)
    called = data.names or [*map(str, range(len(rise)))]
    rows = ([called[point], said] for point, said in zip(points, why, strict=True))
    return "<h2>Nearest to another cluster</h2>\n" + _table([["point", "why it is here"], *rows])


def _links_table(data: Dataset, links: Links, labels: IntArray, together: bool) -> str:
    rows = [["points", "weight", ""]]
    first = zip(links.pairs[:_MOST_LINKS].tolist(), links.weights.tolist(), strict=False)
    for (i, j), weight in first:
        pair = " – ".join(data.names[p] if data.names else str(p) for p in (i, j))
        kept = (labels[i] == labels[j]) == together
        weight_words = "hard" if math.isinf(weight) else number(weight)
        rows.append([pair, weight_words, "kept" if kept else "broken"])
    more = len(links) - _MOST_LINKS
    return _table(rows) + (f"<p>and {more:,} more</p>" if more > 0 else "")


def _fit(partition: Partition, called: Sequence[str]) -> Iterable[Sequence[str]]:
    found = scores_of(partition)
    yield ["cluster", "points", "mean distance", "mean silhouette"]
    for j, size in enumerate(partition.kept_sizes.tolist()):
        own = partition.labels[: len(found.distance)] == j
        distance, silhouette = found.distance[own].mean(), found.silhouette[own].mean()
        yield [called[j], f"{size}", f"{distance:.4g}", f"{silhouette:.3f}"]


def _decisions(data: Dataset) -> Iterable[Sequence[str]]:
    yield ["column", "taken as", "because"]
    for each in data.origin.decisions if data.origin else ():
        yield [each.column, ROLE_WORDS[each.role], each.why]


def _table(rows: Iterable[Sequence[str]]) -> str:
    # Guarded too: a table that is copied into a spreadsheet is evaluated like a file.
    head, *body = ([escape(guarded(cell)) for cell in row] for row in rows)
    lines = ["".join(f"<th>{cell}</th>" for cell in head)]
    lines += ["".join(f"<td>{cell}</td>" for cell in row) for row in body]
    return "<table>" + "".join(f"<tr>{line}</tr>\n" for line in lines) + "</table>"
