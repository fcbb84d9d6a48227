"""The tables of Baumann and Hochbaum (2022) beside ours."""

from __future__ import annotations

from _cells import NO_TIME, NOT_HAD, Rows, mean, owing, read, table
from printed import BROKEN, SECONDS

HAD = ("Breast Cancer", "Circles", "Ecoli", "Glass", "Ionosphere", "Iris", "Led7Digit", "Monk2",
       "Moons", "Sonar", "Spiral", "Vehicle", "Wine", "Zoo")  # fmt: skip
METHODS = (("bh-kmeans", "bh"), ("dils", "dils"), ("k-means", "kmeans"))
LIMIT_S = 5


def values(published: Rows, value: str) -> str:
    """Return table 2 (``ari``) or 3 (``wcss``)."""
    digits = 3 if value == "ari" else 1
    bh = repeated()
    rows, missing = [], 0
    for row in published:
        dataset, fraction = row["dataset"], row["fraction_pct"]
        cells: list[object] = [dataset, f"{fraction} %"]
        for method, printed in METHODS:
            own = one_draw(dataset, fraction, method)
            ours = mean(own, value, digits) if dataset in HAD else NOT_HAD
            if method == "bh-kmeans" and (dataset, fraction) in bh:
                ours = bh[dataset, fraction][value]
            missing += ours == NO_TIME
            cells += [row[f"{value}_{printed}"], ours]
        rows.append(cells)
    header = ("set", "links", "BH-kmeans", "ours", "DILS", "ours", "k-means", "ours")
    return owing(table(header, rows), "papers_soft.py", missing, LIMIT_S)


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
            missing += max(len(HAD) - runs, 0)
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
