"""The tables of Piccialli, Russo Russo and Sudoso (2022) beside ours."""

from __future__ import annotations

from _cells import NO_ANSWER, NO_TIME, SAME, Rows, mean, of_kind, owing, read, table
from papers_exact import HEURISTICS, MEDIUM, ONCE, SMALL
from printed import CPRBBA, SCORES
from printed import HEURISTICS as PRINTED

KINDS = 6
"""Link files of a set with seed 0: two numbers of each kind."""


def branch_and_bound() -> str:
    ours, cuts = read("papers_exact", part="rbba"), read("sdp_published")
    rows = []
    for (kind, dataset, links), (seconds, solved, branch_s) in CPRBBA.items():
        own = of_kind(ours, kind, dataset, links)
        proved = [row for row in own if row["status"] == "optimal"]
        rate = f"{100 * len(proved) / len(own):.0f} %" if own else NO_TIME
        cut = of_kind(cuts, kind, dataset, links)
        rows.append(
            (dataset, f"{links} {kind}", seconds, mean(own, "cpu_s", 2), f"{solved} %", rate,
             branch_s, mean(cut, "cpu_s", 2))
        )  # fmt: skip
    header = ("set", "links", "CPRBBA s", "`rbba` s", "solved", "solved", "branch and cut s",
              "`sdp` s")  # fmt: skip
    missing = sum(row[3] == NO_TIME for row in rows)
    return owing(table(header, rows), "papers_exact.py", missing, 20)


def heuristics() -> str:
    done = read("papers_exact", part="heuristics")
    rows, missing = [], 0
    for dataset in MEDIUM:
        cells: list[object] = [dataset]
        for name in HEURISTICS:
            own = [row for row in done if (row["dataset"], row["method"]) == (dataset, name)]
            missing += max(KINDS - len(own), 0)
            cells += [PRINTED.get((dataset, name), ""), rate(own), worst(own)]
        rows.append([cell if cell != "" else "?" for cell in cells])
    header = ["set"]
    for name in HEURISTICS:
        header += [f"{name}: optimum, %", "ours", "worst gap, %"]
    return owing(table(header, rows), "papers_exact.py", missing, 60)


def starts() -> str:
    """Return how often one start ends at the optimum, beside the printed rates."""
    done = read("papers_exact", part="starts")
    header, rows = ["set"], []
    for name in ONCE:
        header += [f"{name}: printed, %", "one start of ours, %"]
    for dataset in SMALL:
        cells: list[object] = [dataset]
        for name in ONCE:
            own = [
                float(row["gap"]) <= SAME
                for row in done
                if row["dataset"] == dataset and row["method"].startswith(f"{name}, ")
            ]
            printed = PRINTED.get((dataset, name), "") or "?"
            cells += [printed, f"{100 * sum(own) / len(own):.0f} ({len(own)} runs)"]
        rows.append(cells)
    return table(header, rows)


def rate(own: Rows) -> str:
    reached = sum(float(row["gap"]) <= SAME for row in own)
    return f"{100 * reached / len(own):.0f} ({len(own)} files)" if own else NO_TIME


def worst(own: Rows) -> str:
    gaps = [float(row["gap"]) for row in own if row["gap"] != "inf"]
    if gaps:
        return f"{100 * max(*gaps, 0.0):.3f}"
    return NO_ANSWER if own else NO_TIME


def agreement(kind: str) -> str:
    ours = read("papers_exact", part="scores")
    header = ["set"]
    for score in ("ARI", "AMI"):
        for method in ("no links", "PP", "optimum"):
            header += [f"{score}, {method}", "ours"]
    rows, missing = [], 0
    for (of, dataset), printed in SCORES.items():
        if of != kind:
            continue
        cells: list[object] = [dataset]
        for place, value in enumerate(printed):
            method = ("MSSC", "PP", "optimum")[place % 3]
            own = [row for row in of_kind(ours, kind, dataset) if row["method"] == method]
            missing += not own and place < 3
            cells += [value, mean(own, "ari" if place < 3 else "ami")]
        rows.append(cells)
    return owing(table(header, rows), "papers_exact.py", 2 * missing, 3)
