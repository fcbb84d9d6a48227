"""Lays out the tables of `papers_pccc.py`: one a collection, printed cells beside ours."""

from __future__ import annotations

import statistics
from collections import defaultdict
from math import hypot

from _cells import NO_ANSWER, spread
from _pccc_data import NAMES, PERCENTS, Cell, cells_of
from _runner import Rows, markdown

LEAST = "least WCSS"
"""The answer of least WCSS of all methods of a cell, in the CPU seconds of all."""

CHOICES = {
    "COL1": ("s-mdeclust", "s-mdeclust, learned"),
    "noisy": ("log-odds",),
    "COL2": ("s-mdeclust",),
    "COL3": ("s-mdeclust",),
    "COL4": (LEAST,),
}
"""The solvers of ours by whose best a table is judged."""

OWN_LINKS = ("COL1", "noisy")
"""Collections whose printed means rest on one draw of links, and ours on others."""

PLAIN = ("COPKM", "CSC", "DILS", "LCC")
RIVALS = {
    "COL1": ("PCCC", "PCCC-R", *PLAIN),
    "noisy": ("PCCC", "PCCC-S", "PCCC-W", "CSC-W"),
    "COL2": ("PCCC", "PCCC-N2-S"),
    "COL3": ("PCCC", "PCCC-N2-S", "PCCC-N5-S", "PCCC-N2-S-RD", *PLAIN),
    "COL4": ("PCCC-N2-S", "PCCC-N5-S", "PCCC-N2-S-RD", *PLAIN),
}
HEAD = """# PCCC, cell by cell

Left of | the printed cells, right of it ours: means over draws of links, with the standard
deviation of the ARI. The column *none* has our runs without an answer that keeps all links. Printed
seconds are of another machine. A blank printed cell is a hyphen there: no result within the limit;
its ARI counts as 0, as in the paper. The data are those of the paper: their inertia of the classes
agrees with the printed one on every set (that of Sonar, of which ours has more digits, to 0.1) but
the small soybean, which is left out: its 47 rows are in no package. Ecoli agrees once its values
have lost their decimal points, as KEEL's have. Links of draw 0 are the authors' own in COL2 to
COL4, the noisy tables, and of Iris and Wine; of the other sets of COL1 they are not public.
`papers_pccc.py` makes this page.
"""
ABOUT = {
    "COL1": "Public sets, links without errors. 2 CPU seconds a run, where the paper has 1,800.",
    "noisy": "Soft links with confidences of at least the bound: each is wrong with the "
    "probability that its confidence leaves. Means over Appendicitis, Moons and Zoo; no single "
    "cells and no seconds are printed. 0.5 CPU seconds a run. *Log-odds* is PCCC with ten starts "
    "and a quarter of the log-odds that a link is right for its weight; that was chosen on a part "
    "of draw 0, and was better on draws 1 and 2 too.",
    "COL2": "300 points in the plane in 10, 20 or 50 groups of spread 1 to 5, with up to half of "
    "the points' pairs. 0.5 CPU seconds a run, where the paper has 3,600.",
    "COL3": "500 to 5,000 points in the plane in 2 to 100 groups. 2 CPU seconds a run, 10 for "
    "5,000 points, where the paper has 3,600.",
    "COL4": "Banana, Letter and Shuttle, 20 CPU seconds a run, where the paper has 3,600. Its sets "
    "of images, CIFAR10, CIFAR100 and MNIST, are not at hand. *Least WCSS* is the answer of least "
    "WCSS of the others, which needs no classes, in the seconds of all.",
}

METRICS = {"noisy": ("ARI",), "COL4": ("ARI", "Inertia", "CPU")}
TITLES = {"ARI": "ARI", "Inertia": "WCSS", "CPU": "CPU seconds"}

ON_SAME_LINKS = """Collection COL1: the mean ARI over the 24 sets, its standard deviation between
draws of links, and the number of draws that a method has of all sets. *By HiGHS* is PCCC with each
assignment step given to HiGHS as one model, for two seconds at most; the authors have Gurobi.
"""

DIGITS = 3
"""Digits of the printed cells, to which means are compared."""

Values = dict[tuple[str, Cell, str], float | None]


def page(rows: Rows, published: Rows) -> str:
    printed, ours = printed_values(published), own_values(rows)
    parts = [HEAD, "## All tables\n", overview(rows, published)]
    parts += ["## Methods run here on the same links\n", ON_SAME_LINKS]
    parts += [on_same_links(rows, published)]
    for collection in NAMES:
        parts += [f"## {collection}\n", ABOUT[collection] + "\n"]
        for metric in METRICS.get(collection, ("ARI", "CPU")):
            parts += [f"### {TITLES[metric]}\n"]
            parts += [one_table(collection, metric, printed, ours)]
    return "\n".join(parts)


def on_same_links(rows: Rows, published: Rows) -> str:
    """Return the mean ARI and seconds of our methods on COL1, beside what is printed of PCCC."""
    printed, ours = printed_values(published), own_values(rows)
    methods = list(dict.fromkeys(method for cell, method in ours if cell.collection == "COL1"))
    lines = []
    for percent in PERCENTS["COL1"]:
        cells = [cell for cell in shown("COL1") if cell.percent == percent]
        line: list[object] = [f"{percent} %"]
        for method in methods:
            own = [ours[cell, method] for cell in cells]
            if method in RIVALS["COL1"]:
                line.append(f"{printed_mean(printed, cells, method):.3f}")
            values = by_draw(own)
            line += [f"{spread(values)} ({len(values)})", f"{mean_seconds(own):.2f}"]
        lines.append(line)
    header = ["links"]
    for name in methods:
        header += [f"{name}, printed"] if name in RIVALS["COL1"] else []
        header += [name, "CPU s"]
    return f"{markdown(header, lines)}\n{unanswered(ours)}\n"


def unanswered(ours: dict[tuple[Cell, str], Rows]) -> str:
    """Say how many runs of COL1 have no answer, by method and number of links."""
    counts: dict[tuple[str, str], list[int]] = defaultdict(lambda: [0, 0])
    for (cell, method), rows in ours.items():
        if cell.collection == "COL1":
            counts[method, cell.percent][0] += sum(row["ari"] == "" for row in rows)
            counts[method, cell.percent][1] += len(rows)
    parts = [
        f"{method} {none} of {runs} at {percent} %"
        for (method, percent), (none, runs) in sorted(counts.items())
        if none
    ]
    return f"Runs without an answer count as 0: {', '.join(parts) or 'none'}."


def without_links(rows: Rows, published: Rows) -> str:
    """Return WCSS and ARI of COL4 without links, printed and ours, and WCSS of the classes."""
    printed, ours = printed_values(published), own_values(rows)
    lines = []
    for cell in shown("COL4"):
        if cell.percent == "0" and (own := ours[cell, LEAST]):
            line: list[object] = [cell.dataset]
            for name in ("COPKM", "PCCC-N2-S", "PCCC-N5-S"):
                wcss, ari = (blank(printed[metric, cell, name]) for metric in ("Inertia", "ARI"))
                line.append(f"{wcss}, {ari}")
            line += [f"{float(own[0]['wcss']):.6g}, {float(own[0]['ari']):g}"]
            lines.append([*line, blank(printed["Inertia", cell, "GT"])])
    header = ["set", "COP-k-means: WCSS, ARI", "PCCC-N2-S", "PCCC-N5-S", "ours"]
    return markdown([*header, "WCSS of the classes"], lines)


def overview(rows: Rows, published: Rows) -> str:
    """Return one row a printed table: its best mean ARI beside ours, and the seconds of both."""
    printed, ours = printed_values(published), own_values(rows)
    lines = (
        overview_row(collection, percent, printed, ours)
        for collection in NAMES
        for percent in dict.fromkeys(cell.percent for cell in cells_of(collection))
    )
    header = ["collection", "links", "cells", "best printed", "its mean ARI", "ours", "mean ARI"]
    header += ["draws", "± of one draw", "± of our mean", "difference", "on their links", "verdict"]
    return markdown([*header, "their seconds a cell", "ours", "none"], filter(None, lines))


def overview_row(
    collection: str, percent: str, printed: Values, ours: dict[tuple[Cell, str], Rows]
) -> list[object]:
    """Return the cells of a table in short, nothing before all are measured."""
    cells = [cell for cell in shown(collection) if cell.percent == percent]
    measured = {
        method: [ours[cell, method] for cell in judged(cells)] for method in CHOICES[collection]
    }
    means = {method: by_draw(own) for method, own in measured.items() if all(own)}
    if not means:
        return []
    method = max(means, key=lambda name: statistics.mean(means[name]))
    best = {rival: printed_mean(printed, cells, rival) for rival in RIVALS[collection]}
    rival = max(best, key=best.__getitem__)
    own, mean = measured[method], statistics.mean(means[method])
    one, error = deviations(means[method])
    apart = hypot(one, error) if collection in OWN_LINKS else None
    seconds = [printed.get(("CPU", cell, rival)) or 0.0 for cell in cells]
    return [
        *(collection, f"{percent} %", len(own), rival, f"{best[rival]:.3f}", method),
        *(f"{mean:.3f}", len(means[method])),
        *("-" if apart is None else f"{each:.3f}" for each in (one, error)),
        f"{mean - best[rival]:+.3f}" + (f" ± {apart:.3f}" if apart is not None else ""),
        "-" if collection == "COL1" else f"{means[method][0]:.3f}",
        verdict(mean, apart, best[rival]),
        "-" if collection == "noisy" else f"{statistics.mean(seconds):.1f}",
        *(f"{mean_seconds(own):.2f}", sum(row["ari"] == "" for each in own for row in each)),
    ]


def printed_mean(printed: Values, cells: list[Cell], rival: str) -> float:
    """Return a printed mean ARI, where a hyphen counts as 0."""
    return statistics.mean(printed.get(("ARI", cell, rival)) or 0.0 for cell in cells)


def by_draw(own: list[Rows]) -> list[float]:
    """Return the mean ARI over cells of each draw that all cells have; no answer counts as 0."""
    draws = range(min(len(each) for each in own))
    return [statistics.mean(float(each[draw]["ari"] or 0.0) for each in own) for draw in draws]


def mean_seconds(own: list[Rows]) -> float:
    return statistics.mean(float(row["cpu_s"]) for each in own for row in each)


def deviations(means: list[float]) -> tuple[float, float]:
    """Return the standard deviation of the mean of one draw, and that of the mean over draws."""
    one = statistics.stdev(means) if means[1:] else 0.0
    return one, one / len(means) ** 0.5


def verdict(mean: float, apart: float | None, best: float) -> str:
    """Return what a difference says that has the standard error ``apart``, if it has one."""
    if round(mean, DIGITS) >= round(best, DIGITS):
        return "best"
    if apart is not None and mean + 2 * apart >= best:
        return "within two standard errors"
    return "below"


def judged(cells: list[Cell]) -> list[Cell]:
    """Return the cells that are measured: noisy ones are printed as means over three sets."""
    return [
        Cell(cell.collection, name, cell.percent, cell.lower_bound)
        for cell in cells
        for name in (NAMES["noisy"] if cell.collection == "noisy" else [cell.dataset])
    ]


def shown(collection: str) -> list[Cell]:
    """Return the cells that are printed."""
    cells = cells_of(collection)
    if collection != "noisy":
        return sorted(cells, key=lambda cell: (cell.dataset, float(cell.percent)))
    return list(dict.fromkeys(Cell("noisy", "", cell.percent, cell.lower_bound) for cell in cells))


def one_table(
    collection: str, metric: str, printed: Values, ours: dict[tuple[Cell, str], Rows]
) -> str:
    methods = list(dict.fromkeys(method for cell, method in ours if cell.collection == collection))
    lines = []
    for cell in shown(collection):
        name = f"at least {cell.lower_bound}" if collection == "noisy" else cell.dataset
        line: list[object] = [name, f"{cell.percent} %"]
        line += [blank(printed.get((metric, cell, rival))) for rival in RIVALS[collection]]
        none = 0
        for method in methods:
            own = [ours[each, method] for each in judged([cell])]
            none += sum(row["ari"] == "" for each in own for row in each)
            line.append(measured(own, metric) if all(own) else "-")
        lines.append([*line, none])
    first = "confidence" if collection == "noisy" else "set"
    own_names = [f"\\| {method}" for method in methods]
    return markdown([first, "links", *RIVALS[collection], *own_names, "none"], lines)


def measured(own: list[Rows], metric: str) -> str:
    """Return a mean over draws; the sets of a noisy cell make one value a draw."""
    if metric == "CPU":
        return f"{mean_seconds(own):.3f}"
    if metric == "Inertia":
        return least_wcss(own)
    none = all(row["ari"] == "" for each in own for row in each)
    return NO_ANSWER if none else spread(by_draw(own))


def least_wcss(own: list[Rows]) -> str:
    """Return the least WCSS of all runs, with as many digits as large printed cells."""
    values = [float(row["wcss"]) for each in own for row in each if row["wcss"]]
    return f"{min(values):.6g}" if values else NO_ANSWER


def blank(value: float | None) -> str:
    return "" if value is None else f"{value:g}"


def own_values(rows: Rows) -> dict[tuple[Cell, str], Rows]:
    """Return our rows by cell and method, in the order of their draws."""
    found: dict[tuple[Cell, str], Rows] = defaultdict(list)
    by_run: dict[tuple[Cell, str], Rows] = defaultdict(list)
    for row in sorted(rows, key=lambda row: int(row["draw"])):
        cell = Cell(row["collection"], row["dataset"], row["percent"], row["lower_bound"])
        found[cell, row["method"]].append(row)
        if LEAST in CHOICES[cell.collection]:
            by_run[cell, row["draw"]].append(row)
    for (cell, _), each in by_run.items():
        spent = sum(float(row["cpu_s"]) for row in each)
        chosen = min(each, key=lambda row: float(row["wcss"] or "inf"))
        found[cell, LEAST].append(chosen | {"method": LEAST, "cpu_s": str(spent)})
    return found


def printed_values(published: Rows) -> Values:
    """Return the printed cells by metric, cell and algorithm."""
    found: Values = {}
    for row in published:
        collection, name, bound = row["collection"], row["dataset"], ""
        if row["noisy"] == "1":
            collection, name, bound = "noisy", "", f"{float(row['lower_bound']):g}"
        cell = Cell(collection, name, row["percent"], bound)
        value = float(row["value"]) if row["value"] else None
        found[row["metric"], cell, row["algorithm"]] = value
    return found
