"""Commands of studies: prices, nearest clusterings, margins, noise."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from rich.table import Table
from threadpoolctl import threadpool_limits
from tqdm import tqdm

from ccviz.arrays import IntArray
from ccviz.cli.common import Progress, err, out, say
from ccviz.cli.parameters import (
    ANY_COLUMNS,
    Argument,
    LabelsFile,
    LinkFiles,
    StoredRun,
    TableColumns,
    TableFile,
    TimeLimit,
    option,
)
from ccviz.cli.reading import find_data, last_clusters, source_of
from ccviz.cli.report import check_writable, output, table_of, write_csv, write_labels
from ccviz.data.datasets import Dataset
from ccviz.data.link_files import read_links_file
from ccviz.data.names import NameBook
from ccviz.data.scaling import scale
from ccviz.errors import CcvizError, ParameterError
from ccviz.numbers import count, number
from ccviz.problem.partition import Partition
from ccviz.runs.archive import Archive
from ccviz.runs.run import Run
from ccviz.studies.how_sure import pair_margin, price_of_pair
from ccviz.studies.least_change import LeastChange, least_change
from ccviz.studies.link_prices import group_price
from ccviz.studies.margin_table import Margin
from ccviz.studies.moves import Moves
from ccviz.studies.price_table import LinkPrice, Prices
from ccviz.studies.rows import rows_csv
from ccviz.studies.stored import margins_of_stored, price_stored
from ccviz.studies.suite import RowFile
from ccviz.studies.sweep import (
    NOISES,
    PENALTIES,
    Curve,
    SweepRow,
    common_range,
    curves,
    sweep,
)
from ccviz.studies.why import MOST_EXPLAINED, Why, sentences, why_of

# --- `ccviz prices`: what each link of a run costs, between two proved bounds ---------------------


def prices(
    run: StoredRun,
    solver: Annotated[str, option(help="Exact solver of the proofs.")] = "sdp",
    prove: Annotated[
        bool, option("--prove/--estimate", help="Prove both limits, or only estimate them.")
    ] = True,
    time_limit: TimeLimit = None,
    links: LinkFiles = None,
    data: Annotated[
        str | None, option(help="Table of the run's rows, whose names --links uses.")
    ] = None,
    top: Annotated[int, option(min=1, help="Number of rows printed.")] = 20,
    out_file: Annotated[str | None, option("--out", help="Write all as CSV.")] = None,
) -> None:
    """Say how much each link raises the optimum, the highest price first.

    A price is the optimum less that without the link. A wrong link often has a high one. The time
    limit is that of each proof. What is proved is kept with the run. With the files of links it is
    said instead what all links of each source raise it by, together.
    """
    check_writable(out_file)
    archive = Archive()
    run_id = archive.find(run)
    how: Any = {"prove": prove, "solver": solver, "time_limit": time_limit}
    if links:
        names = find_data(data).names if data else ()
        ask = partial(group_price, **how)
        priced = _prices_of_sources(archive.load(run_id), links, names, ask)
        heads = ("source", "links", "at least", "at most")
        write_csv(out_file, heads, priced)
        if out_file != "-":
            shown = [(*about, f"{low:.6g}", f"{high:.6g}") for *about, low, high in priced]
            out.print(table_of(heads, shown))
        return
    with Progress(err) as progress:
        for known in price_stored(archive, run_id, **how):
            progress.say(_state(known))
    notes = ["implied by others" if each.is_implied else _note(each) for each in known.rows]
    rows = [
        (each.kind, each.i, each.j, each.lower, each.upper, note)
        for each, note in zip(known.rows, notes, strict=True)
    ]
    write_csv(out_file, ("kind", "i", "j", "lower", "upper", "note"), rows)
    if out_file != "-":
        shown = [
            (*pair, f"{low:.6g}", f"{high:.6g}", note) for *pair, low, high, note in rows[:top]
        ]
        out.print(table_of(("kind", "i", "j", "at least", "at most", ""), shown))
        if len(rows) > top:
            out.print(f"and {count(len(rows) - top, 'link')} more: --top, or --out")


def _prices_of_sources(
    run: Run, files: Sequence[str], names: Sequence[str], ask: Callable[..., tuple[float, float]]
) -> list[tuple[str, int, float, float]]:
    """Return each source of links in files, how many it has, and the limits of its price."""
    groups: dict[str, dict[str, set[tuple[int, int]]]] = {}
    for source, name in map(source_of, files):
        given = read_links_file(source, run.problem.n_points, name, names)
        pairs = zip([*given.must_link, *given.cannot_link], given.sources, strict=True)
        for at, (row, called) in enumerate(pairs):
            kind = "must_link" if at < len(given.must_link) else "cannot_link"
            own = groups.setdefault(called, {"must_link": set(), "cannot_link": set()})
            own[kind].add((min(row[:2]), max(row[:2])))
    return [(name, sum(map(len, own.values())), *ask(run, **own)) for name, own in groups.items()]


def _note(row: LinkPrice | Margin) -> str:
    return "proved" if row.is_proved else ""


def _state(known: Prices) -> str:
    proved = sum(price.is_proved for price in known.rows)
    return f"{proved} of {count(len(known.pairs), 'price')} proved"


# --------------------------------------------------------------------------------------------------
# `ccviz nearest`: the clustering nearest to that of an earlier run, within a share of the optimum.


def nearest(
    run: StoredRun,
    near: Annotated[
        str,
        Argument(help="The earlier run whose clusters are to stay, or an earlier --table of rows."),
    ],
    rise: Annotated[
        float, option(min=0.0, help="Share by which the cost may rise, in percent.")
    ] = 1.0,
    most: Annotated[
        int | None,
        option(min=0, help="At most this many old points move, whatever that costs."),
    ] = None,
    data: Annotated[
        str | None, option(help="Table of the run's rows, which an earlier one is matched with.")
    ] = None,
    columns: TableColumns = ANY_COLUMNS,
    top: Annotated[int, option(min=1, help="Number of moved points printed.")] = 20,
    labels: LabelsFile = None,
    table: TableFile = None,
) -> None:
    """Move as few points as possible from an earlier clustering, at little more than the best cost.

    The answer keeps all hard constraints of the run and costs at most its cost plus the share.
    It is a descent: a clustering with fewer moves may exist. An earlier table may have other rows:
    they are matched by name, and new ones move nowhere.
    """
    check_writable(labels, table)
    archive = Archive()
    now = archive.load(run_id := archive.find(run))
    if now.incumbent is None:
        raise CcvizError(_NO_CLUSTERING)
    scaling = archive.info(run_id).scaling
    dataset = None if data is None else _rows_of(now, scaling, data, columns)
    if table is not None and dataset is None:
        raise CcvizError("--table writes the rows of --data: give it too.")
    old = _clusters_before(archive, now, near, dataset)
    found = least_change(now.problem, now.incumbent.labels, old, rise / 100.0, most)
    why = found.why if dataset is None else why_of(found.partition, dataset)
    if labels is not None:
        write_labels(labels, found.partition.labels)
    if table is not None and dataset is not None:
        with output(table) as file:
            reasons = sentences(found.partition, dataset)
            file.write(rows_csv(dataset, found.partition, why=reasons, earlier=old).encode())
    if "-" not in (labels, table):
        out.print(_words_of_moves(found, now.objective, now.lower_bound))
        for point in found.moved[:top].tolist():
            out.print(f"{why.point(point)}: {found.words(point, why)}")


_NO_CLUSTERING = "Both runs need a clustering."


def _clusters_before(archive: Archive, now: Run, near: str, dataset: Dataset | None) -> IntArray:
    """Return the cluster of each point in an earlier table or run, -1 for a new one."""
    if Path(near).is_file():
        if dataset is None:
            raise CcvizError(f"{near} is matched by the names of the run's rows: give --data too.")
        old, gone = last_clusters(near, dataset, now.problem.n_clusters)
        if gone:
            say(f"of {near}, {gone}.")
        return old
    before = archive.load(archive.find(near))
    if before.incumbent is None:
        raise CcvizError(_NO_CLUSTERING)
    if (n := before.problem.n_points) != now.problem.n_points:
        raise CcvizError(
            f"the run {near} has {count(n, 'row')}, and this one {now.problem.n_points:,}: name "
            "the table that --table wrote of it instead, which is matched by name, with --data."
        )
    return before.incumbent.labels


def _rows_of(run: Run, scaling: str, data: str, columns: TableColumns) -> Dataset:
    """Return the table of a run's rows; a sentence if it is another table."""
    dataset = find_data(data, **columns.options())
    if len(dataset.X) != run.problem.n_points:
        rows = count(run.problem.n_points, "row")
        raise CcvizError(f"{data} has {count(len(dataset.X), 'row')}, and the run {rows}.")
    X = run.problem.X[: run.problem.n_points]
    is_known = bool(scaling) and dataset.X.shape == X.shape
    if is_known and not np.allclose(scale(dataset.X, scaling), X, rtol=1e-5, atol=0.0):
        raise CcvizError(
            f"{data} has other values than the rows of the run, or in another order. Was the run "
            "made with --columns? Give the same here, '' if it had no features."
        )
    return dataset


def _words_of_moves(found: LeastChange, best: float, bound: float) -> str:
    cost, new = found.partition.objective, int((found.old < 0).sum())
    more = f"{100.0 * (cost / best - 1.0):.2g} % more" if best > 0.0 else "as much"
    words = (
        f"{count(len(found.moved), 'point')} moved{f', {new:,} are new' if new else ''}, "
        f"WCSS {number(cost)}: {more} than the clustering of the run"
    )
    if bound > 0.0:
        words += f", at most {100.0 * max(cost / bound - 1.0, 0.0):.2g} % above the optimum"
    return words


# --------------------------------------------------------------------------------------------------
# `ccviz why` and `margins`: what the move of a point costs, and how much the cost must rise for it.


def why(
    run: StoredRun,
    points: Annotated[
        list[str], Argument(help="Numbers of points, from 0 on, or names of rows of --data.")
    ],
    other: Annotated[
        str | None,
        option("--with", help="Why are they not with this point? What would it cost, and why?"),
    ] = None,
    time_limit: TimeLimit = None,
    data: Annotated[str | None, option(help="Table of the run's rows, for names.")] = None,
    columns: TableColumns = ANY_COLUMNS,
) -> None:
    """Say of points what their next best cluster costs, and the constraint that forbids it.

    With another point it is said what it would cost to have both together, or apart where they are
    together, proved as far as 10 s or the time limit go, and what keeps one of them out. The
    second sentence of a point is on the heaviest soft link that is not kept.
    """
    archive = Archive()
    now = archive.load(run_id := archive.find(run))
    if now.incumbent is None:
        raise CcvizError(f"the run {run} has no clustering.")
    found = now.incumbent.in_order()
    known = Why(Moves(found))
    if data is not None:
        known = why_of(found, _rows_of(now, archive.info(run_id).scaling, data, columns))
    book = NameBook(now.problem.n_points, known.names)
    if other is not None:
        partner = book.find(other)
        for point in map(book.find, points):
            price = price_of_pair(now, point, partner, time_limit or 10.0)
            out.print(known.pair(point, partner, price))
        return
    for point in map(book.find, points):
        name = f"{known.point(point)}: " if known.names else ""
        out.print(f"{name}{known.full(point)}")


def margins(
    run: StoredRun,
    rise: Annotated[float, option(min=0.0, help="Tolerated rise of the cost, in percent.")] = 2.0,
    pair: Annotated[
        tuple[int, int] | None,
        option(help="Only these two points: what the opposite of their decision costs."),
    ] = None,
    solver: Annotated[str, option(help="Exact solver of whole proofs.")] = "sdp",
    prove: Annotated[
        bool,
        option(
            "--prove/--root", help="A whole proof where the bound of the root does not suffice."
        ),
    ] = False,
    time_limit: TimeLimit = None,
    top: Annotated[int, option(min=1, help="Number of rows printed.")] = 20,
    out_file: Annotated[str | None, option("--out", help="Write all as CSV.")] = None,
) -> None:
    """Say how much the cost must rise before a point leaves its cluster, the least sure first.

    A margin is the optimum with the point and the most central block of its cluster apart, less
    the optimum, as a share of the cost. What is proved is kept with the run.
    """
    check_writable(out_file)
    if pair is not None and out_file is not None:
        raise CcvizError("--out writes the margins of all points: leave out --pair.")
    archive = Archive()
    run_id = archive.find(run)
    how: Any = {"prove": prove, "solver": solver, "time_limit": time_limit}
    if pair is not None:
        found = pair_margin(archive.load(run_id), *pair, **how)
        out.print(_table_of_margins((found,)))
        return
    with Progress(err) as progress:
        for known in margins_of_stored(archive, run_id, **how):
            progress.say(f"{count(len(known.todo), 'block')} left")
    why = Why(Moves(Partition(known.problem, known.labels)))
    asked = min(len(known.rows), MOST_EXPLAINED if out_file else top)
    reasons = [why.of(each.i) for each in known.rows[:asked]]
    blank = [""] * (len(known.rows) - asked)
    rows = [
        (each.i, each.j, each.lower, each.upper, _note(each), reason)
        for each, reason in zip(known.rows, [*reasons, *blank], strict=True)
    ]
    write_csv(out_file, ("point", "with", "lower", "upper", "note", "why"), rows)
    if out_file != "-":
        out.print(_table_of_margins(known.rows[:top]))
        for each, reason in zip(known.rows[:top], reasons, strict=False):
            out.print(f"{each.i}: {reason}")
        stay = f"{known.surely_there(rise / 100.0).sum():,} of {count(known.problem.n, 'point')}"
        out.print(f"{stay} proved to stay unless the cost rises by more than {rise:g} %")


def _table_of_margins(rows: tuple[Margin, ...]) -> Table:
    shown = []
    for margin in rows:
        low, high = (f"{100.0 * share:.3g} %" for share in margin.shares)
        shown.append((margin.i, "" if margin.j < 0 else margin.j, low, high, _note(margin)))
    return table_of(("point", "with", "at least", "at most", ""), shown)


# --- `ccviz noise-study`: how the penalty of broken links fares under noise -----------------------


def noise_study(
    data: Annotated[list[str], Argument(help="Files or names of data sets with classes.")],
    out_file: Annotated[str, option("--out", help="CSV file; it goes on where it stopped.")],
    plot: Annotated[str | None, option(help="HTML file for the plots.")] = None,
    noise: Annotated[str | None, option(help="Noise rates, A,B,...; 0 to 0.4.")] = None,
    p: Annotated[str | None, option("-p", help="Penalties, A,B,...; 60 up to 0.95.")] = None,
    seeds: Annotated[int, option(help="Seeds for each combination.", min=1)] = 3,
    label: Annotated[str | None, option(help="Name of the files' class column.")] = None,
    step_limit: Annotated[float, option(help="Seconds for one assignment.")] = 200.0,
) -> None:
    """Run BH-kmeans over noise rates and penalties; write ARI and time, draw the good range."""
    check_writable(out_file, plot)
    datasets = [_named(each, label) for each in data]
    noises, penalties = _numbers("--noise", noise, NOISES), _numbers("-p", p, PENALTIES)
    table = RowFile(out_file, SweepRow)
    total = len(datasets) * len(noises) * len(penalties) * seeds
    say(f"runs: {total}, rows in the file before: {len(table.rows)}.")
    left = sweep(datasets, noises, penalties, range(seeds), step_limit, tuple(table.rows))
    with threadpool_limits(1):
        for row in tqdm(left, total=total, unit=" runs", disable=not err.is_terminal, leave=False):
            table.add(row)
    found = curves(table.rows)
    for curve in found:
        out.print(_line(curve), markup=False)
    shared = common_range(found)
    where = "nowhere" if shared is None else f"from p = {shared[0]:g} to {shared[1]:g}"
    out.print(f"good at every noise rate: {where}", markup=False)
    if plot is not None:
        from ccviz.views.figures.curves import save_sweep

        save_sweep(found, plot)


def _named(word: str, label: str | None) -> Dataset:
    return replace(find_data(word, label=label), name=word)


def _numbers(option: str, text: str | None, default: tuple[float, ...]) -> tuple[float, ...]:
    if text is None:
        return default
    try:
        return tuple(float(item) for item in text.split(","))
    except ValueError:
        raise ParameterError(f"{option} {text} is not numbers joined by commas.") from None


def _line(curve: Curve) -> str:
    best = int(curve.ari.argmax())
    low, high = curve.good_range
    return (
        f"q {curve.noise:<5g} best p {curve.p[best]:<5g} ARI {curve.ari[best]:.3f}  "
        f"good from {low:g} to {high:g}  {curve.time_s.mean():.3f} s a run"
    )
