"""BLP k-means where tables are large: a million points, and PCCC's instances with many links.

With words, only the cases whose names hold one of them are measured again.

CPU seconds of one thread from arrays to the answer: the problem's checks, blocks and events are in
them; each case has a process of its own, its code compiled before. Memory is what the process needs
at most above what it held before, in multiples of the points' own; these are given read-only, so
that the problem takes them as they are. Weighted links and the memetic solvers have 60 CPU seconds.
Of threads it is the wall's clock: the shortest of several passes of the first kind, which gives
each point its nearest centre, by two threads over that by one.

Points of float32 are measured against the same numbers as float64, one start each at the same
points, drawn at random, and ten iterations at most.

Without links the rival is scikit-learn here: k-means++ and Lloyd's iterations until nothing moves
(tolerance 0), means of three seeds. It is given the centres at which ours begins with all points,
so that both come to the same end; that a sample found these centres counts in our time. For letter
and shuttle it is PCCC, whose seconds and ARI (of two variants for letter with most links) are those
that Baumann and Hochbaum publish (arXiv 2212.14437, with Gurobi, standardised data): as many random
pairs of all points as 1 and 5 per cent of the points have among each other, all hard. Ours are
means of five draws.

Weighted links have weights drawn from 0.1 to 1, and a tenth of them is wrong.
"""

from __future__ import annotations

import time
from math import ceil, comb
from typing import Any

import _runner as runner
import numpy as np
import pandas as pd
from sklearn.cluster import KMeans, kmeans_plusplus
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score

from ccviz import Problem, solve, start
from ccviz.arrays import freeze
from ccviz.data.link_files import read_links_file
from ccviz.data.random_links import random_pairs
from ccviz.data.scaling import scale
from ccviz.events import CentersMoved
from ccviz.feasibility.check import check_feasibility
from ccviz.problem.blocks import contract
from ccviz.solvers import solver_class
from ccviz.solvers.assignment.step import open_passes

POINTS, FEATURES, CLUSTERS = 1_000_000, 10, 20
LINKS = (0, 100_000, 1_000_000)
SIZED = (23_000, 50, 10)
RANGE = (45_000, 52_000)
MOST_LINKS, READ_LINKS = 10_000_000, 1_000_000
WEIGHTED, WEIGHTED_LINKS, WRONG = 100_000, 1_000_000, 0.1
LIMIT_S = 60.0
PASSES = 9
SEEDS = (1, 2, 3)
DRAWS = range(5)
PUBLISHED = {  # seconds and ARI of PCCC
    ("letter", 0.01): ("79.4", ".162"),
    ("letter", 0.05): ("127.5; 640", ".587; .730"),
    ("shuttle", 0.01): ("13.3", ".956"),
    ("shuttle", 0.05): ("24.2", ".998"),
}


class Meter(runner.Meter):
    """CPU seconds and memory since it was made."""

    def row(self, X: np.ndarray) -> dict[str, Any]:
        """Return what was used so far, beside the points."""
        more = round(self.bytes() / X.nbytes, 1)
        return {"cpu_s": round(self.seconds(), 1), "memory_in_points": more}


def warm_up() -> None:
    X, y = make_blobs(3000, FEATURES, centers=5, random_state=0)
    links = random_pairs(y, 30_000, seed=0)
    solve(Problem(X, 5, links.must_link, links.cannot_link), seed=0)
    solve(Problem(X, 5, sizes=[600] * 5), seed=0)
    solve(Problem(X, 5), seed=0)
    KMeans(5, n_init=1).fit(X)


def blobs(links: int) -> dict[str, Any]:
    """Measure a million points with true links, half of each kind."""
    warm_up()
    X, y = _blobs(POINTS)
    pairs = _true_pairs(y, links)
    case = {"case": f"blobs {POINTS:,} x {FEATURES}, k = {CLUSTERS}, {links:,} links"}
    if links:
        return {**case, **_one_start(X, pairs, seed=1)[0]}
    starts = [_one_start(X, pairs, seed) for seed in SEEDS]
    ours = pd.DataFrame([row for row, _ in starts])
    rivals = pd.DataFrame([_scikit_learn(X, centers) for _, centers in starts])
    means = pd.concat([ours.drop(columns="kept"), rivals], axis=1).mean().round(1).to_dict()
    ratio = round(means["cpu_s"] / means["rival_s"], 2)
    kept = bool(ours["kept"].all())
    return {**case, **means, "kept": kept, "rival": "scikit-learn", "ratio": ratio}


def float32(solver: str, links: int) -> dict[str, Any]:
    """Measure the same million points as float32, memory in multiples of these, and as float64."""
    warm_up()
    X, y = _blobs(POINTS)
    X, pairs = freeze(X.astype(np.float32)), _true_pairs(y, links)
    few = random_pairs(y[:3000], 3000, seed=0)
    for kind in (np.float32, np.float64):  # loops of their own
        problem = Problem(X[:3000].astype(kind), CLUSTERS, few.must_link, few.cannot_link)
        start(problem, solver, seed=0, n_init=1, init="random").result()
    ours = _once(solver, X, pairs)
    theirs = _once(solver, freeze(X.astype(np.float64)), pairs)
    return {
        "case": f"{solver}: blobs {POINTS:,} x {FEATURES} as float32, {links:,} links",
        **ours,
        "rival": "the same as float64",
        "rival_s": theirs["cpu_s"],
        "rival_objective": theirs["objective"],
        "rival_memory_in_points": theirs["memory_in_points"],
        "ratio": round(ours["cpu_s"] / theirs["cpu_s"], 2),
    }


def _once(solver: str, X: np.ndarray, pairs: list[np.ndarray]) -> dict[str, Any]:
    meter = Meter()
    given = {"seed": 1, "n_init": 1, "init": "random", "max_iter": 10}
    result = start(Problem(X, CLUSTERS, *pairs), solver, **given).result()
    kept = result.partition.violations.none_hard
    return {**meter.row(X), "kept": kept, "objective": round(result.objective)}


def _one_start(
    X: np.ndarray, pairs: list[np.ndarray], seed: int
) -> tuple[dict[str, Any], np.ndarray]:
    """Return what one start took, and the centres at which it began."""
    meter, first_s, centers = Meter(), 0.0, np.empty(0)
    stepper = start(Problem(X, CLUSTERS, *pairs), seed=seed)
    for record in stepper:
        if isinstance(record.event, CentersMoved) and record.event.iteration == 0:
            centers = record.event.centers
        if not first_s and stepper.run.incumbent is not None:
            first_s = meter.row(X)["cpu_s"]
    row = {
        **meter.row(X),
        "first_answer_s": first_s,
        "kept": stepper.run.incumbent.violations.none_hard,
        "objective": round(stepper.run.objective),
    }
    return row, centers


def _blobs(n: int) -> tuple[np.ndarray, np.ndarray]:
    X, y = make_blobs(n, FEATURES, centers=CLUSTERS, cluster_std=3.0, random_state=0)
    return freeze(X), y


def _scikit_learn(X: np.ndarray, centers: np.ndarray) -> dict[str, Any]:
    meter = Meter()
    kmeans_plusplus(X, CLUSTERS, random_state=0)
    rival = KMeans(CLUSTERS, init=centers, n_init=1, max_iter=1000, tol=0.0).fit(X)
    return {"rival_s": meter.row(X)["cpu_s"], "rival_objective": round(rival.inertia_)}


def _true_pairs(truth: np.ndarray, number: int) -> list[np.ndarray]:
    """Return must-links and cannot-links that the truth keeps, half of the number each."""
    rng = np.random.default_rng(0)
    pairs = rng.integers(0, len(truth), (20 * number, 2))
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    same = truth[pairs[:, 0]] == truth[pairs[:, 1]]
    return [pairs[same][: number // 2], pairs[~same][: number // 2]]


def published(name: str, share: float) -> dict[str, Any]:
    """Measure an instance of PCCC's paper, five draws of its links."""
    warm_up()
    X, truth = _standardised(name)
    rows, kept, agreement = [], True, []
    for draw in DRAWS:
        links = random_pairs(truth, comb(ceil(share * len(X)), 2), seed=draw)
        meter = Meter()
        problem = Problem(X, len(np.unique(truth)), links.must_link, links.cannot_link)
        result = solve(problem, seed=draw)
        rows.append(meter.row(X))
        kept &= result.partition.violations.none_hard
        agreement.append(adjusted_rand_score(truth, result.labels))
    seconds, ari = PUBLISHED[name, share]
    return {
        "case": f"{name}, {len(links.must_link):,} / {len(links.cannot_link):,} links",
        "cpu_s": round(float(np.mean([row["cpu_s"] for row in rows])), 1),
        "slowest_s": max(row["cpu_s"] for row in rows),
        "kept": kept,
        "ari": round(float(np.mean(agreement)), 3),
        "least_ari": round(min(agreement), 3),
        "rival": "PCCC, published",
        "rival_s": seconds,
        "rival_ari": ari,
    }


def _standardised(name: str) -> tuple[np.ndarray, np.ndarray]:
    table = pd.read_parquet(runner.BENCH / "classes" / f"{name}.parquet")
    truth = table.pop("class").to_numpy()
    return scale(table.to_numpy(dtype=np.float64), "standard"), truth


def sized() -> dict[str, Any]:
    n, d, k = SIZED
    X, _ = make_blobs(n, d, centers=k, cluster_std=5.0, random_state=0)
    return _under_sizes(f"blobs {n:,} x {d}, k = {k}, equal sizes", X, [n // k] * k)


def ranged() -> dict[str, Any]:
    """Measure a million points whose clusters have ranges of sizes, which bind."""
    least, most = RANGE
    case = f"blobs {POINTS:,} x {FEATURES}, k = {CLUSTERS}, sizes {least:,} to {most:,}"
    return _under_sizes(case, _blobs(POINTS)[0], ([least] * CLUSTERS, [most] * CLUSTERS))


def _under_sizes(case: str, X: np.ndarray, sizes: Any) -> dict[str, Any]:
    warm_up()
    k, meter = len(sizes if isinstance(sizes, list) else sizes[0]), Meter()
    result = solve(Problem(X, k, sizes=sizes), seed=0)
    row = {"case": case, **meter.row(X), "kept": result.partition.violations.none_hard}
    return row | {"objective": round(result.objective)}


def building() -> dict[str, Any]:
    """Measure the problem of most links, its blocks and its check, half of each kind."""
    warm_up()
    rng = np.random.default_rng(0)
    X, y = freeze(rng.normal(size=(POINTS, 2))), rng.integers(CLUSTERS, size=POINTS)
    pairs = _many_true_pairs(y, MOST_LINKS)
    meter = Meter()
    problem = Problem(X, CLUSTERS, *pairs)
    contract(problem)
    feasible = check_feasibility(problem).feasible
    row = meter.row(X)
    bytes_held = row.pop("memory_in_points") * X.nbytes
    return {
        "case": f"a problem of {POINTS:,} points, {MOST_LINKS:,} links: built and checked",
        **row,
        "kept": feasible,
        "bytes_a_link": round(bytes_held / MOST_LINKS),
    }


def _many_true_pairs(truth: np.ndarray, number: int) -> list[np.ndarray]:
    """Return as many must-links and cannot-links, without looking for pairs of a class."""
    rng = np.random.default_rng(0)
    order = np.argsort(truth, kind="stable")
    start = np.searchsorted(truth[order], np.arange(truth.max() + 2))
    first = rng.integers(0, len(truth), number // 2 + number // 100)
    low, high = start[truth[first]], start[truth[first] + 1]
    must = np.stack([first, order[low + (rng.random(len(first)) * (high - low)).astype(int)]], 1)
    cannot = rng.integers(0, len(truth), (number // 2 + number // 10, 2))
    cannot = cannot[truth[cannot[:, 0]] != truth[cannot[:, 1]]]
    return [must[must[:, 0] != must[:, 1]][: number // 2], cannot[: number // 2]]


def reading() -> dict[str, Any]:
    """Measure links read from the bytes of a file."""
    rng = np.random.default_rng(0)
    pairs = rng.integers(0, POINTS, (READ_LINKS, 2))
    pairs[:, 1] += pairs[:, 0] == pairs[:, 1]
    kinds = np.where(rng.random(READ_LINKS) < 0.5, "ML", "CL")
    lines = (f"{kind} {i} {j} 0.5" for kind, (i, j) in zip(kinds, pairs.tolist(), strict=True))
    text = "\n".join(lines).encode()
    started = time.process_time()
    given = read_links_file(text, POINTS + 1, "links.txt")
    seconds = time.process_time() - started
    assert len(given.must_link) + len(given.cannot_link) == READ_LINKS
    return {"case": f"a file of {READ_LINKS:,} weighted links: read", "cpu_s": round(seconds, 1)}


def weighted(solver: str) -> dict[str, Any]:
    """Measure a solver on many weighted links, some of them wrong."""
    warm_up()
    runner.count_cpu_seconds()
    X, y = _blobs(WEIGHTED)
    must, cannot = _true_pairs(y, WEIGHTED_LINKS)
    rng = np.random.default_rng(1)
    lies = [rng.random(len(pairs)) < WRONG for pairs in (must, cannot)]
    links = [
        np.concatenate([must[~lies[0]], cannot[lies[1]]]),
        np.concatenate([cannot[~lies[1]], must[lies[0]]]),
    ]
    given = [np.column_stack([pairs, rng.uniform(0.1, 1, len(pairs))]) for pairs in links]
    meter = Meter()
    stepper = start(Problem(X, CLUSTERS, *given), solver, seed=0)
    first_s = _drive(stepper, meter, X)
    return {
        "case": f"{solver}: blobs {WEIGHTED:,} x {FEATURES}, {WEIGHTED_LINKS:,} weighted links",
        **meter.row(X),
        "first_answer_s": first_s,
        "kept": stepper.run.incumbent.violations.none_hard,
        "ari": round(adjusted_rand_score(y, stepper.run.incumbent.labels), 3),
    }


def _drive(stepper: Any, meter: Meter, X: np.ndarray) -> float:
    """Run until the end or the limit; return after how many CPU seconds there was an answer."""
    first_s = float("nan")
    for _ in stepper:
        used = meter.row(X)["cpu_s"]
        if first_s != first_s and stepper.run.incumbent is not None:
            first_s = used
        if used > LIMIT_S:
            stepper.stop()
    return first_s


def memetic(solver: str) -> dict[str, Any]:
    """Measure a memetic solver on the letters with most links, hard where it keeps those."""
    warm_up()
    runner.count_cpu_seconds()
    X, truth = _standardised("letter")
    links = random_pairs(truth, comb(ceil(0.05 * len(X)), 2), seed=0)
    given = [links.must_link, links.cannot_link]
    kind = "hard" if solver_class(solver).supports.hard else "soft"
    if kind == "soft":
        given = [np.column_stack([pairs, np.ones(len(pairs))]) for pairs in given]
    start(Problem(X[:300], 3), solver, seed=0, time_limit=20.0).result()
    meter = Meter()
    stepper = start(Problem(X, len(np.unique(truth)), *given), solver, seed=0)
    first_s = _drive(stepper, meter, X)
    found = stepper.run.incumbent
    return {
        "case": f"{solver}: letter, {len(given[0]):,} / {len(given[1]):,} {kind} links",
        "cpu_s": meter.row(X)["cpu_s"],
        "first_answer_s": first_s,
        "kept": found is not None and found.violations.none_hard,
        "ari": None if found is None else round(adjusted_rand_score(truth, found.labels), 3),
    }


def threads() -> dict[str, Any]:
    """Measure passes over a million points by one thread and by two."""
    X, _ = _blobs(POINTS)
    blocks = contract(Problem(X, CLUSTERS))
    everyone, none = np.arange(len(X)), np.zeros(CLUSTERS)
    shortest, answers = {1: np.inf, 2: np.inf}, []
    for number in (1, 2) * PASSES:
        labels, lower = np.full(len(X), -1), np.zeros(len(X))
        with open_passes(blocks, number) as passes:
            began = time.perf_counter()
            passes.nearest(everyone, X[:CLUSTERS], none, labels, lower)
            shortest[number] = min(shortest[number], time.perf_counter() - began)
        answers.append(labels)
    return {
        "case": f"a pass over {POINTS:,} points, two threads",
        "kept": all((labels == answers[0]).all() for labels in answers),
        "rival": "one thread",
        "ratio": round(shortest[2] / shortest[1], 2),
    }


CASES: dict[str, tuple[Any, ...]] = {
    **{f"{name} {share:.0%}": (published, name, share) for name, share in PUBLISHED},
    "equal sizes": (sized,),
    **{f"blobs {links:,}": (blobs, links) for links in LINKS},
    "float32 k-means": (float32, "k-means", 0),
    "float32 blp-kmeans": (float32, "blp-kmeans", LINKS[1]),
    "size ranges": (ranged,),
    "building": (building,),
    "reading": (reading,),
    "weighted bh-kmeans": (weighted, "bh-kmeans"),
    "weighted pccc": (weighted, "pccc"),
    "memetic hard": (memetic, "s-mdeclust"),
    "memetic soft": (memetic, "hg-means"),
    "threads": (threads,),
}


def main() -> None:
    options = runner.parse(__doc__, only=[str], table=False)
    known = {row["case"]: row for row in runner.results("scale")}
    for name, case in CASES.items() if not options.table else ():
        if any(word in name for word in options.only or [""]):
            row = runner.in_a_process(*case)
            known[row["case"]] = row
            runner.write_rows(runner.RESULTS / "scale.csv", list(known.values()))
    runner.write_page("scale", runner.whole_table(runner.results("scale")))


if __name__ == "__main__":
    main()
