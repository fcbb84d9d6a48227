"""The documentation's page "The papers, table by table": `papers_page.md`, filled from `results`.

    python benchmarks/papers_page.py [--bench DIR]

Every cell stands beside the printed one (`printed.py`, and `bh-kmeans/published.csv` in the bench
folder). A cell without a figure of ours has the letter of its reason. The scripts that measure are
`papers_*.py`, `colgen_protocol.py`, `soft_published.py`, `lp_box.py` and `memetic_*.py`.
"""

from __future__ import annotations

import argparse
import statistics
from collections.abc import Iterable, Sequence
from pathlib import Path

from _memetic import BENCH, RESULTS
from _rows import read_rows
from memetic_published import UNKNOWN
from printed import COLUMNS, CPRBBA, IONOSPHERE, MADE, MEMETIC, RIVALS, SCORES

PAGE = Path(__file__).parents[1] / "docs" / "papers.md"
TEMPLATE = Path(__file__).with_name("papers_page.md")
NOT_RUN, NOT_HAD, NO_ANSWER = "*r*", "*h*", "*n*"
Rows = list[dict[str, str]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bench", type=Path, default=BENCH)
    options = parser.parse_args()
    published = read_rows(options.bench / "bh-kmeans" / "published.csv")
    tables = {
        "branch_and_bound": branch_and_bound(),
        "heuristics": heuristics(),
        **{f"scores_{kind}": agreement(kind) for kind in ("ML", "CL", "both")},
        "soft_ari": soft_table(published, "ari"),
        "soft_wcss": soft_table(published, "wcss"),
        "soft_totals": soft_totals(),
        "columns": columns_table(),
        "soybean": soybean_table(),
        "rivals": rivals_table(),
        "made": made_table(),
        "ionosphere": ionosphere_table(),
        "more": more_table(),
        "memetic": memetic_table(),
    }
    PAGE.write_text(TEMPLATE.read_text(encoding="utf-8").format(**tables), encoding="utf-8")


def table(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    lines = ["| " + " | ".join(header) + " |", "|---" * len(header) + "|"]
    lines += ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows]
    return "\n".join(lines) + "\n"


def read(name: str, **wanted: str) -> Rows:
    rows = read_rows(RESULTS / f"{name}.csv")
    return [row for row in rows if all(row[key] == value for key, value in wanted.items())]


def kind_of(row: dict[str, str]) -> str:
    return "ML" if row["cl"] == "0" else "CL" if row["ml"] == "0" else "both"


def of_kind(rows: Rows, kind: str, dataset: str, links: int | None = None) -> Rows:
    return [
        row
        for row in rows
        if (row["dataset"], kind_of(row)) == (dataset, kind)
        and links in (None, int(row["ml"]) + int(row["cl"]))
    ]


def mean(rows: Rows, column: str, digits: int = 3) -> str:
    values = [float(row[column]) for row in rows if row[column]]
    return f"{statistics.mean(values):.{digits}f}" if values else NOT_RUN


# --- Piccialli, Russo Russo and Sudoso -------------------------------------------------------


def branch_and_bound() -> str:
    ours, cuts = read("papers_exact", part="rbba"), read("sdp_published")
    rows = []
    for (kind, dataset, links), (seconds, solved, branch_s) in CPRBBA.items():
        found = of_kind(ours, kind, dataset, links)
        proved = [row for row in found if row["status"] == "optimal"]
        rate = f"{100 * len(proved) / len(found):.0f} %" if found else NOT_RUN
        cut = of_kind(cuts, kind, dataset, links)
        rows.append(
            (dataset, f"{links} {kind}", seconds, mean(found, "cpu_s", 2), f"{solved} %", rate,
             branch_s, mean(cut, "cpu_s", 2))
        )  # fmt: skip
    header = ("set", "links", "CPRBBA s", "`rbba` s", "solved", "solved", "branch and cut s",
              "`sdp` s")  # fmt: skip
    return table(header, rows)


def heuristics() -> str:
    rows = []
    done = read("papers_exact", part="heuristics")
    names = list(dict.fromkeys(row["method"] for row in done))
    for dataset in dict.fromkeys(row["dataset"] for row in done):
        cells = []
        for name in names:
            own = [row for row in done if (row["dataset"], row["method"]) == (dataset, name)]
            gaps = [float(row["gap"]) for row in own if row["gap"] != "inf"]
            reached = sum(gap <= 1e-5 for gap in gaps)
            worst = f"{100 * max(gaps):.3f} %" if gaps else NO_ANSWER
            cells.append(f"{reached} of {len(own)}; {worst}" if own else NOT_RUN)
        rows.append((dataset, *cells))
    header = ("set", *(f"{name}: optimum; worst gap" for name in names))
    return table(header, rows) if rows else f"{NOT_RUN}\n"


def agreement(kind: str) -> str:
    ours = read("papers_exact", part="scores")
    header = ["set"]
    for score in ("ARI", "AMI"):
        for method in ("no links", "PP", "optimum"):
            header += [f"{score}, {method}", "ours"]
    rows = []
    for (of, dataset), printed in SCORES.items():
        if of != kind:
            continue
        cells: list[object] = [dataset]
        for place, value in enumerate(printed):
            method = ("MSSC", "PP", "optimum")[place % 3]
            own = [row for row in of_kind(ours, kind, dataset) if row["method"] == method]
            cells += [value, mean(own, "ari" if place < 3 else "ami")]
        rows.append(cells)
    return table(header, rows)


# --- Baumann and Hochbaum --------------------------------------------------------------------


HAD = ("Breast Cancer", "Circles", "Ecoli", "Glass", "Ionosphere", "Iris", "Led7Digit", "Monk2",
       "Moons", "Sonar", "Spiral", "Vehicle", "Wine", "Zoo")  # fmt: skip


def soft_table(published: Rows, value: str) -> str:
    digits = 3 if value == "ari" else 1
    bh = {
        (row["dataset"], row["fraction_pct"]): row[value]
        for row in read("soft_published", links="pairs", starts="1")
    }  # the paper's copies stand last and win
    others = read("papers_soft", links="drawn")
    rows = []
    for row in published:
        dataset, fraction = row["dataset"], row["fraction_pct"]
        cells: list[object] = [dataset, f"{fraction} %"]
        for method, printed in (("bh-kmeans", "bh"), ("dils", "dils"), ("k-means", "kmeans")):
            own = [
                each
                for each in others
                if (each["dataset"], each["fraction_pct"], each["method"])
                == (dataset, fraction, method)
            ]
            ours = mean(own, value, digits) if dataset in HAD else NOT_HAD
            if method == "bh-kmeans" and (dataset, fraction) in bh:
                ours = bh[dataset, fraction]
            cells += [row[f"{value}_{printed}"], ours]
        rows.append(cells)
    header = ("set", "links", "BH-kmeans", "ours", "DILS", "ours", "k-means", "ours")
    return table(header, rows)


def soft_totals() -> str:
    printed = {"5": (0, 135.9), "10": (1, 571.3), "15": (0, 686.6), "20": (4, 1840.0)}
    rows = []
    for fraction, (broken, seconds) in printed.items():
        own = [
            row
            for row in read("soft_published", links="pairs", starts="1", copy="bench")
            if row["fraction_pct"] == fraction
        ]
        runs = sum(int(row["runs"]) for row in own)
        spent = sum(float(row["cpu_s"]) * int(row["runs"]) for row in own)
        lost = sum(int(row["violations"]) for row in own)
        rows.append(
            (f"{fraction} %", broken, lost, f"{seconds} (75 runs)", f"{spent:.1f} ({runs})")
        )
    return table(("links", "broken", "ours", "s, 25 sets", "s, 8 sets"), rows)


# --- Babaki, Guns and Nijssen ----------------------------------------------------------------


def columns_table() -> str:
    cop = {(row["case"], row["k"], row["links"]): row for row in read("papers_columns", part="cop")}
    proofs = {
        (row["case"], row["k"], row["links"]): row
        for part in ("iris", "wine")
        for row in read("colgen", part=part)
    }
    rows = []
    for (case, k), printed in COLUMNS.items():
        for links, (sat, best, value, proved) in printed.items():
            key = (case, str(k), str(links))
            own, proof = cop.get(key), proofs[key]
            kept = f"{float(own['sat_pct']):.1f}" if own else NOT_RUN
            rows.append(
                (case, k, links, sat, kept, best or "-", found(own), value + "*" * bool(proved),
                 f"{float(proof['objective']):.7g}*")
            )  # fmt: skip
    header = ("set", "k", "links", "COP keeps all, %", "ours", "COP best", "ours",
              "columns (* proved)", "ours")  # fmt: skip
    return table(header, rows)


def found(row: dict[str, str] | None) -> str:
    if row is None:
        return NOT_RUN
    return "-" if row["objective"] == "inf" else f"{float(row['objective']):.7g}"


def soybean_table() -> str:
    rows = [
        (row["k"], row["links"], row["sat_pct"], found(row))
        for row in read("papers_columns", part="cop", case="like soybean")
    ]
    return table(("k", "links", "COP keeps all, %", "best"), rows) if rows else f"{NOT_RUN}\n"


# --- Bibi, Wu and Ghanem ---------------------------------------------------------------------


def score(rows: Rows) -> str:
    if rows and not any(row["ari"] for row in rows):
        return NO_ANSWER
    return mean(rows, "ari", 2)


def rivals_table() -> str:
    ours = read("papers_rivals", part="rivals")
    lp = {
        (row["dataset"], row["links_of_each_kind"]): row["ari_pct"]
        for row in read_rows(RESULTS / "lp_box_table4.csv")
    }
    names = ("COP-k-means", "Spectral", "PPC", "CCL")
    rows = []
    for (dataset, links), printed in RIVALS.items():
        cells: list[object] = [dataset, links]
        for name, value in zip(names, printed, strict=False):
            case = f"{links}ml, {links}cl"
            own = [
                row
                for row in ours
                if (row["dataset"], row["case"], row["method"]) == (dataset, case, name)
            ]
            cells += [value, score(own)]
        rows.append([*cells, printed[-1], lp[dataset, str(links)]])
    header = ["set", "of each"]
    for name in (*names, "ℓp-box"):
        header += [name, "ours"]
    return table(header, rows)


def made_table() -> str:
    rows = []
    for (dataset, case), (plain, sized) in MADE.items():
        own = read("papers_rivals", part="made", dataset=dataset)
        ours = [
            score(
                [row for row in own if float(row["case"]) == float(case) and row["method"] == name]
            )
            for name in ("k-means", "lp-box")
        ]
        rows.append((f"{dataset} {case}", plain, ours[0], sized, ours[1]))
    return table(("set", "k-means", "ours", "ℓp-box", "ours"), rows)


def ionosphere_table() -> str:
    rows = [
        (variant, printed, score(read("papers_rivals", part="ionosphere", case=variant)))
        for variant, printed in IONOSPHERE.items()
    ]
    return table(("ionosphere", "ℓp-box", "ours"), rows)


def more_table() -> str:
    own = read("papers_rivals", part="more")
    rows = [
        (dataset, case, score([r for r in own if (r["dataset"], r["case"]) == (dataset, case)]))
        for dataset, case in dict.fromkeys((row["dataset"], row["case"]) for row in own)
    ]
    return table(("set", "links", "ARI, %"), rows) if rows else f"{NOT_RUN}\n"


# --- Mansueto and Schoen ---------------------------------------------------------------------


def memetic_table() -> str:
    ours = [row for row in read("memetic_published") if row["dataset"] != UNKNOWN]
    rows = []
    for dataset, (share, middle, most) in MEMETIC.items():
        gaps = [100 * float(row["gap"]) for row in ours if row["dataset"] == dataset]
        reached = 100 * sum(gap <= 1e-3 for gap in gaps) / len(gaps)
        rows.append(
            (dataset, share, f"{reached:.1f}", middle, f"{statistics.median(gaps):.4f}", most,
             f"{max(gaps):.4f}")
        )  # fmt: skip
    header = ("set", "as good, %", "ours", "median", "ours", "most", "ours")
    return (
        table(header, rows) + "\nGene is *h*; a generator of its shape is in `results/gene.md`.\n"
    )


if __name__ == "__main__":
    main()
