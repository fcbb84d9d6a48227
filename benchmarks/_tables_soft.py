"""The tables of Baumann and Hochbaum (2022) beside ours."""

from __future__ import annotations

import statistics

from _cells import NO_TIME, NOT_HAD, Rows, mean, owing, read, table
from papers_soft import SETS
from printed import BROKEN, SECONDS

METHODS = (("bh-kmeans", "bh"), ("dils", "dils"), ("k-means", "kmeans"))
LIMIT_S = 5
PRINTED_MEAN = "Mean"
"""The printed mean is of 25 sets; ours is of those that can be had."""


def values(published: Rows, value: str) -> str:
    """Return table 2 (``ari``) or 3 (``wcss``), and the means of the sets that we have."""
    digits = 3 if value == "ari" else 1
    bh = repeated()
    rows: list[list[str]] = []
    for row in published:
        dataset, fraction = row["dataset"], row["fraction_pct"]
        if dataset == PRINTED_MEAN:
            continue
        cells = [dataset, f"{fraction} %"]
        for method, printed in METHODS:
            own = one_draw(dataset, fraction, method)
            ours = mean(own, value, digits) if dataset in SETS else NOT_HAD
            if method == "bh-kmeans" and (dataset, fraction) in bh:
                ours = bh[dataset, fraction][value]
            cells += [row[f"{value}_{printed}"], ours]
        rows.append(cells)
    missing = sum(cell == NO_TIME for cells in rows for cell in cells)
    header = ("set", "links", "BH-kmeans", "ours", "DILS", "ours", "k-means", "ours")
    return owing(table(header, rows + means(rows, digits)), "papers_soft.py", missing, LIMIT_S)


def means(rows: list[list[str]], digits: int) -> list[list[str]]:
    """Return the mean of each column for each share of links, over the sets without a gap."""
    found = []
    for links in dict.fromkeys(cells[1] for cells in rows):
        whole = [
            cells[2:] for cells in rows if cells[1] == links and not {NO_TIME, NOT_HAD} & set(cells)
        ]
        columns = zip(*whole, strict=True)
        averages = [f"{statistics.mean(map(float, column)):.{digits}f}" for column in columns]
        found.append([f"Mean of {len(whole)}", links, *averages])
    return found


def repeated() -> dict[tuple[str, str], dict[str, str]]:
    """Return the cells of BH-kmeans with three draws and seeds, on the paper's copies if any."""
    return {
        (row["dataset"], row["fraction_pct"]): row
        for row in read("soft_published", links="pairs", starts="1")
    }  # the paper's copies stand last and win


def one_draw(dataset: str, fraction: str, method: str) -> Rows:
    wanted = {"dataset": dataset, "fraction_pct": fraction, "method": method}
    return read("papers_soft", links="drawn", **wanted)


def totals() -> str:
    """Return tables 4 and 5: broken links and seconds, printed of 75 runs, ours of those made."""
    rows, missing = [], 0
    for fraction, printed in BROKEN.items():
        cells: list[object] = [f"{fraction} %"]
        for place, (method, _) in enumerate(METHODS):
            own = [
                (int(row["broken"]), float(row["cpu_s"]), 1)
                for row in read("papers_soft", links="drawn", method=method, fraction_pct=fraction)
            ]
            if method == "bh-kmeans":
                own += [
                    (int(row["violations"]), float(row["cpu_s"]), int(row["runs"]))
                    for (_, share), row in repeated().items()
                    if share == fraction
                ]
            broken, seconds, runs = (
                (sum(each) for each in zip(*own, strict=True)) if own else (0,) * 3
            )
            missing += max(len(SETS) - runs, 0)
            cells += [printed[place], broken if runs else NO_TIME]
            cells += [f"{SECONDS[fraction][place]:,.0f}"]
            cells += [f"{seconds:.1f} ({runs} runs)" if runs else NO_TIME]
        rows.append(cells)
    header = ["links"]
    for name in ("BH-kmeans", "DILS", "k-means"):
        header += [f"{name}, broken", "ours", "s (75 runs)", "ours"]
    return owing(table(header, rows), "papers_soft.py", missing, LIMIT_S)


def authors() -> str:
    """Return BH-kmeans on the authors' own link sets."""
    rows = [
        (row["dataset"], f"{row['fraction_pct']} %", row["ari"], row["wcss"], row["broken"])
        for row in read("papers_soft", links="authors")
    ]
    text = table(("set", "links", "ARI", "WCSS", "broken"), rows) if rows else f"{NO_TIME}\n"
    return owing(text, "papers_soft.py --authors", 8 - len(rows), LIMIT_S)
