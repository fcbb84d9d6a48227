"""The tables of Mansueto and Schoen (2024) beside ours."""

from __future__ import annotations

import re
import statistics
from collections.abc import Callable, Sequence
from functools import cache, partial
from itertools import chain, product

from _cells import NO_ANSWER, NO_TIME, NOT_HAD, SAME, alternating, beside, chosen, column, owing
from _runner import BENCH, Rows, markdown, results
from memetic_published import UNKNOWN
from memetic_variants import STUDIES
from papers_memetic import LARGE, LARGE_LINKS
from printed import HG_MEANS, LARGE_VIOLATED, MADE_VIOLATED, MEMETIC, SYNTHETIC

from ccviz.studies.suite import instances

METHODS = ("SG", "BLP", "COP")
LINKS = {500: 3, 1000: 7, 5000: 7, 20_000: 7}
"""Numbers of links that we have of the paper's seven, by n."""

COUNTS = (100, 200, 500, 1000, 2000, 5000, 10_000)
FILES, DRAWS = 6, 3
"""Link files of a set, and draws of each."""

LINK_FILES, SEEDS = 18, 2
"""Link files of a set over its draws, and least seeds of SG on each."""


def synthetic() -> str:
    """Return table 2: shares of the numbers of links."""
    own = results("papers_memetic", part="synthetic")
    rows, missing = [], 0
    for (n, k), printed in SYNTHETIC.items():
        had = LINKS.get(n, 0)
        seeds = whole([row for row in own if numbers(row["case"])[:2] == (n, k)], had)
        missing += 0 if seeds else len(METHODS) * had
        rows.append((n, k, *shares(printed, seeds, bool(had))))
    names = (*(f"{method} best, %" for method in METHODS), "SG fewest iterations, %", "COP none, %")
    header = beside("n | k", names)
    text = markdown([*header, "links × seeds", "cut short"], rows)
    return owing(text, "papers_memetic.py", missing, 7)


def synthetic_short() -> str:
    """Return in how many cases SG is not the best, and in how many of these the limit ended it."""
    own = results("papers_memetic", part="synthetic")
    cases: list[Case] = []
    for n, k in SYNTHETIC:
        rows = [row for row in own if numbers(row["case"])[:2] == (n, k)]
        cases += chain.from_iterable(whole(rows, LINKS.get(n, 0)))
    short = [case["SG"]["ended"] for case in cases if not is_best(case, "SG")]
    return f"In {len(short)} of {len(cases)} cases SG is not the best, in {short.count('limit')} of"


def numbers(case: str) -> tuple[int, ...]:
    return tuple(int(number) for number in re.findall(r"\d+", case))


Case = dict[str, dict[str, str]]
"""The rows of a number of links and a seed, by method."""


def whole(rows: Rows, had: int) -> list[list[Case]]:
    """Return the cases of each seed with which all methods have done all numbers of links."""
    seeds: dict[str, dict[str, Case]] = {}
    for row in rows:
        seeds.setdefault(row["seed"], {}).setdefault(row["case"], {})[row["method"]] = row
    found = [[case for case in each.values() if len(case) == len(METHODS)]
             for each in seeds.values()]  # fmt: skip
    return [cases for cases in found if len(cases) == had]


def shares(printed: tuple[float, ...], seeds: list[list[Case]], had: bool) -> list[object]:
    if not seeds:
        reason = NO_TIME if had else "*h*"
        return [*alternating(printed, [reason] * len(printed)), 0, "-"]
    asked: list[Callable[[Case], bool]] = [
        *(partial(is_best, method=name) for name in METHODS),
        lambda case: iterations(case, "SG") <= min(iterations(case, name) for name in METHODS),
        lambda case: case["COP"]["objective"] == "inf",
    ]
    ours = [over_seeds([100 * statistics.mean(map(of, cases)) for cases in seeds]) for of in asked]
    cut = [
        f"{name} {count}"
        for name in METHODS
        if (count := sum(case[name]["ended"] == "limit" for cases in seeds for case in cases))
    ]
    return [*alternating(printed, ours), f"{len(seeds[0])} × {len(seeds)}", ", ".join(cut) or "-"]


def is_best(case: Case, method: str) -> bool:
    least = min(float(each["objective"]) for each in case.values())
    return float(case[method]["objective"]) <= least * (1 + 1e-9)


def iterations(case: Case, method: str) -> int:
    return int(case[method]["iterations"])


def over_seeds(values: Sequence[float]) -> str:
    """Return a mean over seeds, and the range of the seeds where they differ."""
    least, middle, most = (f"{of(values):.0f}" for of in (min, statistics.mean, max))
    return middle if least == most else f"{middle} ({least} to {most})"


def share(of) -> str:
    each = list(of)
    return f"{100 * sum(each) / len(each):.0f}"


def large() -> str:
    """Return figure 3's sets: objective and iterations of each method."""
    own = results("papers_memetic", part="large")
    rows, missing = [], 0
    for name, links in product(LARGE, LARGE_LINKS):
        each = [chosen(own, case=f"{name} {links}", method=method) for method in METHODS]
        missing += sum(not found for found in each)
        rows.append([name, links, *(cell for found in each for cell in figures(found))])
    header = [cell for method in METHODS for cell in (method, "solutions", "iterations")]
    return owing(markdown(["set", "links", *header], rows), "papers_memetic.py", missing, 15)


def figures(rows: Rows) -> list[str]:
    if not rows:
        return [NO_TIME] * 3
    found = [float(row["objective"]) for row in rows if row["objective"] != "inf"]
    objective = f"{statistics.mean(found):.6g}" if found else NO_ANSWER
    if len(found) > 1:
        objective += f" ± {statistics.stdev(found):,.{1 if statistics.mean(found) < 1e5 else 0}f}"
    counts = (statistics.mean(column(rows, name)) for name in ("solutions", "iterations"))
    return [objective, *(f"{count:.0f}" for count in counts)]


def hg_means() -> str:
    """Return table 4: of all link files, and of those where HG-means breaks no link."""
    own = results("papers_memetic", part="hg-means")
    rows, missing = [], 0
    for dataset, (unbroken, *printed) in HG_MEANS.items():
        cases: dict[tuple[str, str], dict[str, dict[str, str]]] = {}
        for row in own:
            if row["case"].startswith(f"{dataset}/"):
                cases.setdefault((row["case"], row["seed"]), {})[row["method"]] = row
        pairs = [case for case in cases.values() if len(case) == 2]
        missing += 2 * max(LINK_FILES - len(pairs), 0)
        kept = [pair for pair in pairs if pair["HG-means"]["broken"] == "0"]
        cells: list[object] = [dataset, unbroken, f"{len(kept)} of {len(pairs)}"]
        for of, digits, values in zip(HG_COLUMNS, (3, 0, 0), printed, strict=True):
            cells += beside_hg(kept, of, digits, values)
        rows.append(cells)
    header = ["set", "HG breaks none, of 30", "ours"]
    for name in ("objective", "seconds", "local searches"):
        header += [f"{name}: SG better, %", "ours", "difference, %", "ours"]
    return owing(markdown(header, rows), "papers_memetic.py", missing, 30)


HG_COLUMNS = ("objective", "cpu_s", "solutions")


def beside_hg(
    kept: list[dict[str, dict[str, str]]], of: str, digits: int, printed: tuple[float, ...]
) -> list[object]:
    """Return how often SG is better by a column, and its differences in %."""
    better, *range_of = printed
    theirs = ranged(*(f"{value:g}" for value in range_of))
    if not kept:
        return [better, NO_TIME, theirs, NO_TIME]
    values = [100 * (float(p["SG"][of]) / float(p["HG-means"][of]) - 1) for p in kept]
    equal = 100 * SAME if of == "objective" else 0.0
    return [better, share(each <= equal for each in values), theirs, middle_of(values, digits)]


def middle_of(values: Sequence[float], digits: int) -> str:
    """Return the median, and the range of several values."""
    found = (of(values) for of in (min, statistics.median, max))
    return ranged(*(f"{round(value, digits) + 0.0:.{digits}f}" for value in found))


def ranged(least: str, middle: str, most: str) -> str:
    return middle if least == most else f"{middle} ({least} to {most})"


def variants() -> str:
    """Return the variants of figure 2 in numbers."""
    return study("variants")


def variant_seeds() -> int:
    """Return how many seeds the paper's variants have."""
    own = results("memetic_variants")
    return min(
        len({row["seed"] for row in own if row["variant"] == name}) for name in ("SM", "SG", "SMG")
    )


def additions() -> str:
    return study("additions")


def study(name: str) -> str:
    own = results(f"memetic_{name}")
    rows = []
    for variant in dict.fromkeys(row["variant"] for row in own):
        each = [row for row in own if row["variant"] == variant]
        gaps = [float(row["gap"]) for row in each]
        rows.append(
            (variant, len(each), hits_by_seed(each), f"{100 * max(*gaps, 0.0):.4f}",
             *(f"{statistics.mean(float(row[of]) for row in each):.{digits}f}"
               for of, digits in (("time_s", 2), ("local_searches", 0), ("iterations", 0))))
        )  # fmt: skip
    header = ("variant", "runs", "at the optimum, %", "largest gap, %", "CPU s",
              "local searches", "iterations")  # fmt: skip
    sets, ways = STUDIES[name]
    one_seed = {(row["variant"], row["instance"]) for row in own}
    missing = len(ways) * len(sets) * FILES * DRAWS - len(one_seed)
    text = markdown(header, rows) if rows else f"{NO_TIME}\n"
    return owing(text, "memetic_variants.py", missing, 5)


def hits_by_seed(rows: Rows) -> str:
    """Return the share of runs at the published optimum in %, and its range over seeds."""
    seeds: dict[str, list[bool]] = {}
    for row in rows:
        seeds.setdefault(row["seed"], []).append(float(row["gap"]) <= SAME)
    return over_seeds([100 * statistics.mean(hits) for hits in seeds.values()])


def gaps_by_file(rows: Rows, dataset: str) -> dict[str, list[float]]:
    """Return SG's gaps to the optima of a set, seed by seed, by link file."""
    files: dict[str, list[float]] = {}
    for row in rows:
        if row["case"].startswith(f"{dataset}/"):
            gap = float(row["objective"]) / optima()[row["case"]] - 1.0
            files.setdefault(row["case"], []).append(gap)
    return files


@cache
def optima() -> dict[str, float]:
    return {each.name: each.published_f for each in instances(BENCH / "pc-sos-sdp")}


def beside_exact() -> str:
    """Return table 3: objectives, and seconds where SG is as good as the exact solver."""
    ours = [row for row in results("memetic_published") if row["dataset"] != UNKNOWN]
    coded = results("papers_memetic", part="exact")
    rows, missing = [], 0
    for dataset, (objectives, seconds) in MEMETIC.items():
        files = gaps_by_file(coded, dataset)
        means = [100 * statistics.mean(gaps) for gaps in files.values()]
        own = [row for row in ours if row["dataset"] == dataset]
        gaps = [100 * float(row["gap"]) for row in own]
        shares = [100 * (float(row["best_s"]) / float(row["published_time_s"]) - 1) for row in own]
        had = bool(own)
        missing += SEEDS * (LINK_FILES - len(files)) * had
        reason = NO_TIME if had else NOT_HAD
        cells: list[object] = [dataset, f"{objectives[0]:g}"]
        cells += [f"{reached(side):.1f}" if side else reason for side in (means, gaps)]
        cells += [ranged(*(f"{value:g}" for value in objectives[1:]))]
        cells += [middle_of(side, 4) if side else reason for side in (means, gaps)]
        runs = max((len(each) for each in files.values()), default=0)
        cells += [f"{len(files)} × {runs}" if files else "-"]
        cells += [ranged(*(f"{value:g}" for value in seconds[1:]))]
        rows.append([*cells, middle_of(shares, 2) if shares else reason])
    header = ["set", "as good, %", "SG", "default", "difference, %", "SG", "default",
              "files × seeds of SG", "seconds less the exact solver's to its best, %",
              "ours less its seconds in all, %"]  # fmt: skip
    return owing(markdown(header, rows), "papers_memetic.py", missing, 10)


def reached(gaps_pct: list[float]) -> float:
    """Return the share of gaps, in %, that count as none."""
    return 100 * statistics.mean(gap <= 100 * SAME for gap in gaps_pct)


def violated() -> str:
    """Return table 1's share of links that the clustering without links breaks, by their number."""
    rows = []
    for name, printed in LARGE_VIOLATED.items():
        had = LARGE_LINKS if name in LARGE else ()
        rows.append([name, *pairs("large", name, LARGE_LINKS, printed, had)])
    for (n, k), printed in MADE_VIOLATED.items():
        had = COUNTS[::3] if n == 500 else COUNTS if n in LINKS else ()
        rows.append([f"n = {n}, k = {k}", *pairs("synthetic", f"n{n}_k{k}", COUNTS, printed, had)])
    missing = sum(any(NO_TIME in cell for cell in cells) for cells in rows)
    text = markdown(["set", *(str(count) for count in COUNTS)], rows)
    return owing(text, "papers_violated.py", missing, 20)


def pairs(
    part: str, case: str, counts: Sequence[int], printed: Sequence[float], had: Sequence[int]
) -> list[str]:
    """Return cells of the printed share and ours; ``had`` are the numbers of links we have."""
    own = {
        row["kind"]: row["broken_pct"] for row in results("papers_violated", part=part, case=case)
    }
    cells = []
    for count, value in zip(counts, printed, strict=True):
        reason = NO_TIME if count in had else NOT_HAD
        ours = f"{float(own[str(count)]):.1f}" if str(count) in own else reason
        cells.append(f"{value} / {ours}")
    return cells + ["-"] * (len(COUNTS) - len(cells))
