"""Table 8 of Piccialli, Russo Russo and Sudoso (2022) beside ours, and why it differs."""

from __future__ import annotations

from functools import cache
from itertools import chain

from _cells import NO_ANSWER, NO_TIME, NOT_HAD, SAME, beside, chosen, owing
from _runner import Rows, markdown, results
from memetic_published import UNKNOWN
from papers_cop import WAYS
from papers_exact import HEURISTICS, MEDIUM, ONCE, SMALL
from printed import HEURISTICS as PRINTED
from scipy.stats import fisher_exact

KINDS = 6
"""Link files of a set with one seed."""
PRINTED_FILES = 30
METHODS = tuple(HEURISTICS)
MATRICES = ("glass", "accent", "ecoli")


def of_printed(dataset: str, method: str) -> float:
    return PRINTED[dataset][METHODS.index(method)][1]


@cache
def proved() -> dict[tuple[str, ...], float]:
    """Return our proved optima of the set whose printed ones belong to other link files."""
    rows = results("sdp_published", dataset=UNKNOWN)
    return {(row["ml"], row["cl"], row["seed"]): float(row["objective"]) for row in rows}


def gap(row: dict[str, str]) -> float:
    """Return the relative distance to the optimum."""
    if row["dataset"] == UNKNOWN and row["objective"] != "inf":
        return float(row["objective"]) / proved()[row["ml"], row["cl"], row["links"]] - 1.0
    return float(row["gap"])


def optima() -> str:
    """Return the shares of link files on which each heuristic reaches the optimum."""
    done = results("papers_exact", part="heuristics")
    rows, missing = [], 0
    for dataset in PRINTED:
        cells: list[object] = [dataset]
        for name in METHODS:
            own = chosen(done, dataset=dataset, method=name)
            had = dataset in MEDIUM
            missing += max(KINDS - len(own), 0) * had
            ours = [rate(own), worst(own)] if had else [NOT_HAD] * 2
            cells += [of_printed(dataset, name), *ours]
        rows.append(cells)
    names = ((f"{name}: optimum, %", "ours", "worst gap, %") for name in METHODS)
    text = markdown(["set", *chain.from_iterable(names)], rows)
    return owing(text, "papers_exact.py", missing, 60)


def rate(own: Rows) -> str:
    reached = sum(gap(row) <= SAME for row in own)
    return f"{100 * reached / len(own):.0f} ({len(own)} files)" if own else NO_TIME


def worst(own: Rows) -> str:
    gaps = [gap(row) for row in own if row["gap"] != "inf"]
    if gaps:
        return f"{100 * max(*gaps, 0.0):.3f}"
    return NO_ANSWER if own else NO_TIME


def best() -> str:
    """Return how often each is the best of the four, and how often COP-k-means has no answer."""
    done = results("papers_exact", part="heuristics")
    rows = []
    for dataset in PRINTED:
        files: dict[tuple[str, ...], dict[str, float]] = {}
        for row in done:
            if row["dataset"] == dataset:
                file = (row["ml"], row["cl"], row["links"])
                files.setdefault(file, {})[row["method"]] = float(row["objective"])
        whole = [file for file in files.values() if len(file) == len(METHODS)]
        cells: list[object] = [dataset]
        for place, name in enumerate(METHODS):
            hits = [file[name] <= min(file.values()) * (1 + SAME) for file in whole]
            cells += [PRINTED[dataset][place][0], share(hits) if whole else NOT_HAD]
        none = [file["COP-k-means"] == float("inf") for file in whole]
        cells += [PRINTED[dataset][-1], share(none) if whole else NOT_HAD]
        rows.append([*cells, len(whole)])
    names = (*(f"{name}: best, %" for name in METHODS), "COP-k-means: none, %")
    return markdown([*beside("set", names), "files"], rows)


def share(hits: list[bool]) -> str:
    return f"{100 * sum(hits) / len(hits):.0f}" if hits else NO_TIME


def starts() -> str:
    """Return how often one start ends at the optimum, beside the printed rates."""
    done, rows = results("papers_exact", part="starts"), []
    for dataset in SMALL:
        cells: list[object] = [dataset]
        for name in ONCE:
            own = [row for row in chosen(done, dataset=dataset) if row["method"].startswith(name)]
            hits = [float(row["gap"]) <= SAME for row in own]
            cells += [of_printed(dataset, name), f"{share(hits)} ({len(hits)} runs)"]
        rows.append(cells)
    names = ((f"{name}: printed, %", "one start of ours, %") for name in ONCE)
    return markdown(["set", *chain.from_iterable(names)], rows)


def matrices() -> str:
    """Return the optima of Algorithm 1 by how tight its relaxation is."""
    done, rows = results("papers_ipc"), []
    for dataset in MATRICES:
        cells: list[object] = [dataset, of_printed(dataset, "IPC-k-means")]
        for until in ("root", "end"):
            own = chosen(done, dataset=dataset, until=until)
            rounds = sum(int(row["rounds"]) for row in own) / len(own)
            cells += [f"{share([gap(row) <= SAME for row in own])} ({len(own)} runs)"]
            cells += [f"{rounds:.1f}"]
        rows.append(cells)
    header = ("set", "printed, %", "from a bound as tight as theirs", "rounds of cuts",
              "from our last", "rounds")  # fmt: skip
    return markdown(header, rows)


def matrices_verdict() -> str:
    """Return whether the shares of link files differ from the printed ones: Fisher's exact test."""
    done = results("papers_ipc", until="root")
    printed = sum(of_printed(name, "IPC-k-means") for name in MATRICES) / len(MATRICES)
    theirs = round(printed / 100 * PRINTED_FILES * len(MATRICES))
    files = len({(row["dataset"], row["ml"], row["cl"], row["links"]) for row in done})
    hits = sum(gap(row) <= SAME for row in done) * files / len(done)
    ours = round(hits)
    table_of = [[ours, files - ours], [theirs, PRINTED_FILES * len(MATRICES) - theirs]]
    apart = fisher_exact(table_of).pvalue
    return (
        f"{100 * ours / files:.0f} % of {files} files, in the mean of three seeds, against "
        f"{printed:.0f} % of {PRINTED_FILES * len(MATRICES)}: "
        f"{'still apart' if apart < 0.05 else 'not apart'} (p = {apart:.2f} in Fisher's test)"
    )


def cop() -> str:
    """Return what COP-k-means reaches if points come one by one."""
    done, rows = results("papers_cop"), []
    for dataset in dict.fromkeys(row["dataset"] for row in done):
        cells: list[object] = [dataset]
        own = [
            [gap(row) for row in done if (row["dataset"], row["way"]) == (dataset, way)]
            for way in WAYS
        ]
        cells += [of_printed(dataset, "COP-k-means")]
        cells += [share([each <= SAME for each in gaps]) for gaps in own]
        cells += [PRINTED[dataset][-1]]
        cells += [share([each == float("inf") for each in gaps]) for gaps in own]
        rows.append(cells)
    header = ["set"]
    for name in ("optimum, %", "no answer, %"):
        header += [f"{name}: printed", "ours, by blocks", "one by one", "without closure"]
    return markdown(header, rows)
