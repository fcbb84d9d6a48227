"""The tables of Bibi, Wu and Ghanem (2019) beside ours."""

from __future__ import annotations

import statistics
from functools import cache
from itertools import product

from _cells import (
    NO_ANSWER,
    NO_TIME,
    NOT_HAD,
    alternating,
    beside,
    chosen,
    column,
    mean,
    owing,
    spread,
)
from _runner import Rows, markdown, results
from lp_box_descent import SETS, VARIANTS, WAYS
from papers_rivals import HEPATITIS_LINKS, IONOSPHERE_LINKS
from printed import INDICES, MADE, MIXED, PLAIN, RIVALS, RIVALS_BROKEN

NAMES = ("COP-k-means", "Spectral", "PPC", "CCL")
VARIANT_NAMES = ("sizes", "pairs", "both")


def score(rows: Rows) -> str:
    """Return the mean ARI over draws of links, and its standard deviation."""
    if rows and not any(row["ari"] for row in rows):
        return NO_ANSWER
    return spread(column(rows, "ari"), 2)


def rivals() -> str:
    lp = {(row["dataset"], row["links_of_each_kind"]): row for row in results("lp_box_table4")}
    rows, missing = [], 0
    for (dataset, links), printed in RIVALS.items():
        own = [rival(dataset, links, name) for name in NAMES]
        missing += sum(not each for each in own)
        ours = [*map(score, own), lp_spread(lp[dataset, str(links)])]
        rows.append([dataset, links, *alternating(printed, ours)])
    text = markdown(beside("set | of each", (*NAMES, "ℓp-box")), rows)
    return owing(text, "papers_rivals.py", missing, 30)


def rival(dataset: str, links: int, method: str) -> Rows:
    """Return the draws of a method with as many links of each kind."""
    case = f"{links}ml, {links}cl"
    return chosen(all_of("papers_rivals"), dataset=dataset, case=case, method=method)


all_of = cache(results)


def lp_spread(row: dict[str, str]) -> str:
    return f"{row['ari_pct']} ± {row['ari_std']}"


def indices() -> str:
    """Return table 5: Mirkin's and Hubert's index."""
    lp = {(row["dataset"], row["links_of_each_kind"]): row for row in results("lp_box_table4")}
    rows = []
    for (dataset, links), printed in INDICES.items():
        own = [rival(dataset, links, name) for name in NAMES]
        ours = [f"{mean(each, 'mirkin', 2)}, {mean(each, 'hubert', 2)}" for each in own]
        last = lp[dataset, str(links)]
        ours.append(f"{float(last['mirkin']):.2f}, {last['hubert_pct']}")
        theirs = [f"{mirkin}, {hubert}" for mirkin, hubert in printed]
        rows.append([dataset, links, *alternating(theirs, ours)])
    return markdown(beside("set | of each", (*NAMES, "ℓp-box")), rows)


def broken() -> str:
    """Return the must-links and cannot-links that the rivals break, means over draws."""
    rows = []
    for (dataset, links), printed in RIVALS_BROKEN.items():
        own = [rival(dataset, links, name) for name in NAMES[1:]]
        ours = [
            f"{mean(each, 'ml_broken', 1)}, {mean(each, 'cl_broken', 1)}" if each else NO_TIME
            for each in own
        ]
        theirs = [f"{must}, {cannot}" for must, cannot in printed]
        rows.append([dataset, links, *alternating(theirs, ours)])
    return markdown(beside("set | of each", [f"{name}: ML, CL" for name in NAMES[1:]]), rows)


def plain() -> str:
    """Return table 2: no constraints, k-means and ℓp-box, ours from ten starts each."""
    own = {row["dataset"]: row for row in results("lp_box_table2")}
    columns = (
        (("kmeans_objective", "kmeans_objective_std"), ("kmeans_ari_pct", "kmeans_ari_pct_std"),
         ("kmeans_mirkin", "kmeans_mirkin_std"), ("kmeans_hubert_pct", "kmeans_hubert_pct_std")),
        (("objective", None), *AVERAGES),
    )  # fmt: skip
    rows = []
    for dataset, both in PLAIN.items():
        for method, printed, named in zip(("k-means", "ℓp-box"), both, columns, strict=True):
            ours = [averaged(own[dataset], *names) for names in named]
            rows.append([dataset, method, *alternating(printed, ours)])
    return markdown(beside("set | method", ("objective", "ARI", "MI", "HI")), rows)


AVERAGES = (("ari_pct", "ari_std"), ("mirkin", "mirkin_std"), ("hubert_pct", "hubert_std"))
"""Columns of the means and the deviations of the tables of `lp_box.py`."""


def averaged(row: dict[str, str], middle: str, deviation: str | None) -> str:
    return row[middle] + (f" ± {row[deviation]}" if deviation else "")


SCORES = (("ari", 2), ("mirkin", 4), ("hubert", 2))


def made() -> str:
    rows, missing = [], 0
    for (dataset, case), both in MADE.items():
        known = results("papers_rivals", part="made", dataset=dataset)
        for name, printed in zip(("k-means", "lp-box"), both, strict=True):
            own = [r for r in known if float(r["case"]) == float(case) and r["method"] == name]
            missing += not own
            ours = [spread(column(own, of), digits) for of, digits in SCORES]
            shown = "ℓp-box" if name == "lp-box" else name
            rows.append([f"{dataset} {case}", shown, *alternating(printed, ours)])
    text = markdown(beside("set | method", ("ARI", "MI", "HI")), rows)
    return owing(text, "papers_rivals.py", missing, 10)


def mixed() -> str:
    """Return table 6: sizes, pairs and both."""
    rows = []
    links = {"Ionosphere": IONOSPHERE_LINKS[0], "Hepatitis": HEPATITIS_LINKS}
    for dataset, printed in MIXED.items():
        for variant, values in zip(VARIANT_NAMES, printed, strict=True):
            if dataset in links:
                own = results("papers_rivals", dataset=dataset.lower(), method="lp-box",
                           case=f"{variant} {links[dataset]}")  # fmt: skip
                ours = [spread(column(own, name), digits) for name, digits in SCORES]
                ours += [mean(own, "cpu_s", 2)]
            elif cell := results("lp_box_table6", dataset=dataset, variant=variant):
                ours = [averaged(cell[0], *names) for names in AVERAGES]
                ours += [f"{float(cell[0]['cpu_s_per_run']):.2f}"]
            else:
                ours = [NOT_HAD] * len(values)
            rows.append([dataset, variant, *alternating(values, ours)])
    return markdown(beside("set | given", ("ARI", "MI", "HI", "seconds")), rows)


def ionosphere() -> str:
    """Return ℓp-box on ionosphere with more and more links, and the proved optimum."""
    done = results("papers_rivals", part="ionosphere")
    rows, missing = [], 0
    for variant, printed in zip(VARIANT_NAMES, MIXED["Ionosphere"], strict=True):
        asked = IONOSPHERE_LINKS[: 1 if variant == "sizes" else None]
        by = {
            method: [
                [r for r in done if (r["method"], r["case"]) == (method, f"{variant} {n}")]
                for n in asked
            ]
            for method in ("lp-box", "sdp")
        }
        missing += sum(not each for each in by["lp-box"])
        cells = [score(each) for each in by["lp-box"]]
        cells += ["-"] * (len(IONOSPHERE_LINKS) - len(cells))
        rows.append((variant, printed[0].split()[0], *cells, score(by["sdp"][0])))
    ours = (f"ours, {n} of each" for n in IONOSPHERE_LINKS)
    header = ("ionosphere", "ℓp-box", *ours, "proved optimum, 20 of each")
    text = owing(markdown(header, rows), "papers_rivals.py", missing, 10)
    return text + f"\n{reached(rows)}\n"


def reached(rows: list[tuple[str, ...]]) -> str:
    """Say with how many links the printed figures are reached first."""
    parts = []
    for variant, printed, *cells, _ in rows:
        enough = [
            count
            for count, cell in zip(IONOSPHERE_LINKS, cells, strict=True)
            if cell[0] not in "-*" and float(cell.split()[0]) >= float(printed)
        ]
        if variant != "sizes":
            parts.append(f"{variant}: {f'{enough[0]} of each kind' if enough else 'none of these'}")
    return f"Number of links at which ours first reaches the printed figure: {'; '.join(parts)}."


def more() -> str:
    sets, counts = ("Wine", "ImBalanced y=0.1"), (0, 20, 40, 60, 80)
    own = results("papers_rivals", part="more")
    rows, missing = [], 0
    for dataset, kind in product(sets, ("must-links", "cannot-links")):
        cells = [
            [row for row in own if (row["dataset"], row["case"]) == (dataset, f"{count} {kind}")]
            for count in counts
        ]
        missing += sum(not each for each in cells)
        rows.append((dataset, kind, *(score(each) for each in cells)))
    header = ("set", "links", *(str(count) for count in counts))
    return owing(markdown(header, rows), "papers_rivals.py", missing, 10)


def descent() -> str:
    """Return what the final descent adds, by way, set and variant."""
    own = results("lp_box_descent")
    rows = []
    for key in dict.fromkeys((row["way"], row["dataset"], row["variant"]) for row in own):
        each = [row for row in own if (row["way"], row["dataset"], row["variant"]) == key]
        falls = [
            100 * (1 - float(row["objective"]) / float(row["without"]))
            for row in each
            if "nan" not in (row["objective"], row["without"])
        ]
        lost = sum(row["without"] == "nan" for row in each)
        rows.append(
            (*key, len(each), lost, *(average(each, name) for name in ("without", "objective")),
             f"{statistics.mean(falls):.2f}" if falls else NO_ANSWER,
             *(average(each, name) for name in ("ari_without", "ari")))
        )  # fmt: skip
    header = ("way", "set", "variant", "runs", "diverged", "objective without", "with",
              "it falls by, %", "ARI without", "with")  # fmt: skip
    missing = len(WAYS) * len(SETS) * len(VARIANTS) - len(rows)
    text = markdown(header, rows) if rows else f"{NO_TIME}\n"
    return owing(text, "lp_box_descent.py", missing, 10)


def average(rows: Rows, column: str) -> str:
    values = [float(row[column]) for row in rows if row[column] != "nan"]
    return f"{statistics.mean(values):.4g}" if values else NO_ANSWER
