"""The tables of Piccialli, Russo Russo and Sudoso (2022) beside ours."""

from __future__ import annotations

from itertools import product

from _cells import (
    NO_TIME,
    NOT_HAD,
    alternating,
    beside,
    chosen,
    column,
    mean,
    of_kind,
    owing,
    spread,
)
from _runner import markdown, results
from papers_exact import LABELLED
from printed import BRANCH_AND_CUT, CPRBBA, SCORES, UNSOLVED, VIOLATED

FILES = 3
"""Link files that we have of each kind and number."""


def branch_and_bound() -> str:
    ours, cuts = results("papers_exact", part="rbba"), results("sdp_published")
    rows, missing = [], 0
    for (kind, dataset, links), (seconds, solved, branch_s) in CPRBBA.items():
        own = of_kind(ours, kind, dataset, links)
        missing += FILES - len(own)
        proved = [row for row in own if row["status"] == "optimal"]
        rate = f"{100 * len(proved) / len(own):.0f} %" if own else NO_TIME
        cut = of_kind(cuts, kind, dataset, links)
        rows.append(
            (dataset, f"{links} {kind}", seconds, spread(column(own, "cpu_s"), 2), f"{solved} %",
             rate, len(own), branch_s, spread(column(cut, "cpu_s"), 2))
        )  # fmt: skip
    header = ("set", "links", "CPRBBA s", "`rbba` s", "solved", "solved", "our files",
              "branch and cut s", "`sdp` s")  # fmt: skip
    return owing(markdown(header, rows), "papers_exact.py", missing, 20)


def branching(kind: str) -> str:
    """Return table 2, 3 or 4: the branch and cut itself."""
    ours, rows = results("sdp_published"), []
    for (of, dataset, links), (size, root, nodes, seconds, solved) in BRANCH_AND_CUT.items():
        if of != kind:
            continue
        own = of_kind(ours, kind, dataset, links)
        reached = [row["status"] == "optimal" for row in own]
        cells: list[object] = [dataset, links, size, mean(own, "n_blocks", 1)]
        cells += [root, f"{100 * float(mean(own, 'root_gap', 6)):.3f}" if own else NOT_HAD]
        cells += [nodes, mean(own, "nodes", 1), seconds, mean(own, "cpu_s", 1)]
        left = UNSOLVED.get((of, dataset, links))
        cells += [f"{solved} (gap {left})" if left else solved]
        cells += [f"{100 * sum(reached) / len(own):.0f}" if own else NOT_HAD]
        rows.append([NOT_HAD if cell == NO_TIME else cell for cell in cells])
    names = ("size", "root gap, %", "nodes", "seconds", "solved, %")
    return markdown(beside("set | links", names), rows)


def violated() -> str:
    """Return the links that the best clustering without links breaks."""
    done, rows = results("papers_violated", part="small"), []
    for dataset, printed in VIOLATED.items():
        by_kind = (chosen(done, case=dataset, kind=kind) for kind in ("ML", "both", "CL"))
        ours = [mean(own, "broken_pct", 1) if own else NOT_HAD for own in by_kind]
        rows.append([dataset, *alternating(printed, ours)])
    return markdown(beside("set", ("must-links, %", "both, %", "cannot-links, %")), rows)


def agreement(kind: str) -> str:
    ours = results("papers_exact", part="scores")
    names = product(("ARI", "AMI"), ("no links", "PP", "optimum"))
    header = beside("set", (", ".join(each) for each in names))
    rows, missing = [], 0
    for (of, dataset), printed in SCORES.items():
        if of != kind:
            continue
        cells: list[object] = [dataset]
        for place, value in enumerate(printed):
            method = ("MSSC", "PP", "optimum")[place % 3]
            own = [row for row in of_kind(ours, kind, dataset) if row["method"] == method]
            had = dataset in LABELLED
            missing += (2 * FILES - len(own)) * (place < 3 and had)
            values = column(own, "ari" if place < 3 else "ami")
            ours_of = spread(values[:1] if method == "MSSC" else values) if had else NOT_HAD
            cells += [value, ours_of]
        rows.append(cells)
    return owing(markdown(header, rows), "papers_exact.py", missing, 3)
