"""Every heuristic with a peer in Python, both with their defaults: mean, worst, broken links, time.

Each option is the interpreter of an environment of its own; pairs without one are left out:

- ``--python``: scikit-learn, active-semi-supervised-clustering and htcopkmeans (a copy of
  COP-Kmeans by B. Babaki), on any Python that they take;
- ``--hgmeans``: hgmeans, whose sources compile on Python 3.10 and older only;
- ``--clustlib``: clustlib, which takes Python 3.12.

Twelve sets of scikit-learn, one link for four points drawn from the classes, 20 seeds. The programs
without links (scikit-learn, hgmeans) get none; DILS of clustlib gets three seeds of three small
sets, since it is slow. WCSS is relative to the best of either program on a set, its mean and worst
are over the seeds that end with a clustering; of COP-k-means, with one that keeps every link. A
program may take 2 CPU seconds a seed (hgmeans and clustlib: 60). Sizes have a script of their own,
`defaults.py`.
"""

from __future__ import annotations

import tempfile
from argparse import Namespace
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import _runner as runner
import numpy as np
from sklearn.datasets import make_blobs, make_moons

from ccviz import Partition, Problem, solve
from ccviz.arrays import IntArray
from ccviz.data import load, random_pairs, scale


@dataclass(frozen=True)
class Pair:
    """A solver and a program for the same method."""

    solver: str
    program: str
    package: str
    environment: str = "python"
    linked: bool = True
    hard: bool = False
    limit: int = 2
    """CPU seconds that the program may take a seed."""
    seeds: int = 20
    most: int = 1000
    """Points of a set at most."""


PAIRS = (
    Pair("k-means", "scikit_learn", "scikit-learn", linked=False),
    Pair("s-mdeclust", "hgmeans", "hgmeans", "hgmeans", linked=False, limit=60),
    Pair("pck-means", "active_pck", "active-semi-supervised-clustering"),
    Pair("cop-kmeans", "active_cop", "active-semi-supervised-clustering", hard=True),
    Pair("cop-kmeans", "copkmeans", "htcopkmeans", hard=True),
    Pair("dils", "clustlib", "clustlib", "clustlib", limit=60, seeds=3, most=180),
)
ALONE = """\
No package of the Python index has these, so they have no row: `cvqe`, `ppc`, `ccl`, `spectral`
(scikit-learn's takes no links), `post-process`, `lp-box`, `ipc-kmeans`, `bh-kmeans`, `pccc`,
`blp-kmeans` and `s-mdeclust` under links. The authors' programs for the last four need a commercial
solver or are not packaged; [peers.csv](../peers.csv) has what two of them took. `lcvqe` has one in
clustlib 0.1.0, which never moves a point without a link from its first, random cluster. `hg-means`
minimises a posterior; the package hgmeans minimises WCSS without links, by a memetic search, and
so is beside `s-mdeclust`. `blp-kmeans` under sizes is compared with k-means-constrained in
[defaults.md](defaults.md).
"""


def problems() -> Iterator[tuple[str, Problem]]:
    """Yield twelve problems, with the classes as their truth."""
    for name, k in (("iris", 3), ("wine", 3), ("breast_cancer", 2), ("digits", 10)):
        data = load(name)
        chosen = np.random.default_rng(0).permutation(len(data.X))[:600]
        X = data.X if name in ("iris", "digits") else scale(data.X, "standard")
        yield name, linked(X[chosen], k, data.truth[chosen])
    for n, k, d, spread in (
        (160, 4, 2, 1.0), (300, 3, 2, 2.5), (300, 5, 5, 2.5), (400, 8, 2, 1.0),
        (500, 10, 10, 3.0), (600, 15, 2, 1.0),
    ):  # fmt: skip
        X, truth = make_blobs(n, centers=k, n_features=d, cluster_std=spread, random_state=0)
        yield f"blobs, k = {k}, d = {d}", linked(X, k, truth)
    X, truth = make_blobs((300, 60, 40), n_features=2, cluster_std=2.0, random_state=0)
    yield "unequal blobs", linked(X, 3, truth)
    X, truth = make_moons(300, noise=0.1, random_state=0)
    yield "moons", linked(X, 2, truth)


Answer = tuple[IntArray | None, float]
"""Labels, None where there are none, and CPU seconds."""


def ours(pair: Pair, problem: Problem, _: str) -> Iterator[Answer]:
    solve(problem, pair.solver, progress=False)  # compiled before it is timed
    for seed in range(pair.seeds):
        result, cpu = runner.timed(solve, problem, pair.solver, seed=seed, progress=False)
        yield None if result.partition is None else result.partition.labels, cpu


def found(problem: Problem, labels: IntArray | None, cpu: float) -> dict[str, object]:
    """Return the measured columns of a row; empty where there is no clustering."""
    if labels is None:
        return {"wcss": "", "broken": "", "links": "", "ari": "", "cpu_s": f"{cpu:.4f}"}
    part = Partition(problem, labels)
    broken = part.violations.must_link + part.violations.cannot_link
    return {
        "wcss": f"{part.wcss:.8g}", "broken": broken,
        "links": len(problem.must_link) + len(problem.cannot_link),
        "ari": f"{part.scores['ari']:.4f}", "cpu_s": f"{cpu:.4f}",
    }  # fmt: skip


def answers(pair: Pair, rows: list[dict[str, str]]) -> list[dict[str, str]]:
    """Return the rows with a clustering; of a method for hard links, one that keeps them all."""
    return [row for row in rows if row["wcss"] and not (pair.hard and int(row["broken"]))]


def cells_of(pair: Pair, rows: list[dict[str, str]], best: float) -> list[str]:
    """Return the cells of one program on one set."""
    good = answers(pair, rows)
    over = 100 * (np.array([float(row["wcss"]) for row in good]) / best - 1)
    cells = [f"+{over.mean():.2f} %, +{over.max():.2f} %" if good else "none"]
    if pair.linked:
        cells.append(f"{np.mean([float(row['ari']) for row in good]):.2f}" if good else "")
    if pair.linked and not pair.hard:
        shares = [int(row["broken"]) / int(row["links"]) for row in good]
        cells.append(f"{100 * np.mean(shares):.1f} %" if good else "")
    if pair.linked:
        cells.append(f"{len(rows) - len(good)} of {len(rows)}")
    return [*cells, f"{np.mean([float(row['cpu_s']) for row in rows]):.3f}"]


def linked(X: np.ndarray, k: int, truth: IntArray) -> Problem:
    """Return a problem with a link for four points, as the classes say."""
    links = random_pairs(truth, len(X) // 4, seed=0)
    return Problem(X, k, links.must_link, links.cannot_link, truth=truth)


def cases(options: Namespace) -> Iterator[tuple[Any, ...]]:
    for pair in PAIRS:
        python = getattr(options, pair.environment)
        for name, problem in problems():
            if python is not None and problem.n <= pair.most:
                own = problem if pair.linked else replace(problem, must_link=(), cannot_link=())
                for program, runs in (("ccviz", ours), (pair.program, theirs)):
                    by_seed = enumerate(runs(pair, own, python))
                    for seed in range(pair.seeds):
                        yield pair.solver, program, name, seed, own, by_seed


def measure(_: Namespace, *case: Any) -> dict[str, object] | None:
    seed, problem, answers_by_seed = case[3:]
    for at, (labels, cpu) in answers_by_seed:
        if at == seed:  # those before are in the table
            return found(problem, labels, cpu)
    return None


def theirs(pair: Pair, problem: Problem, python: str) -> Iterator[Answer]:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "problem.npz"
        pairs = {name: getattr(problem, name).pairs for name in ("must_link", "cannot_link")}
        np.savez(file, X=problem.X, k=problem.k, **pairs)
        program = Path(__file__).with_name("_peer_programs.py")
        command = [python, program, pair.program, file, pair.seeds, pair.limit]
        for labels, cpu in runner.answers(command):
            yield None if labels is None else np.array(labels), cpu


def page(rows: runner.Rows) -> str:
    (how,) = (each for each in (__doc__ or "").split("\n\n") if each.startswith("Twelve sets"))
    how = how.replace("\n", " ").replace("``", "`")
    text = f"`python benchmarks/peer_defaults.py`. {how}\n"
    for pair in PAIRS:
        lines = [
            line
            for name in dict.fromkeys(row["set"] for row in rows if row["program"] == pair.program)
            if (line := line_of(pair, name, rows))
        ]
        if lines:
            columns = ["WCSS: mean, worst"]
            if pair.linked:
                columns += ["ARI", *([] if pair.hard else ["broken"]), "no answer"]
            heads = [f"{who}: {each}" for who in ("ccviz", "peer") for each in (*columns, "CPU s")]
            table = runner.markdown(["Set", "Best WCSS", *heads], lines)
            text += f"\n## `{pair.solver}` and {pair.package}\n\n{table}"
    return f"{text}\n## Without a peer\n\n{ALONE}"


def line_of(pair: Pair, name: str, rows: runner.Rows) -> list[object]:
    """Return both programs on one set, nothing before both have run with every seed."""
    both = [
        [row for row in rows
         if (row["solver"], row["program"], row["set"]) == (pair.solver, program, name)]
        for program in ("ccviz", pair.program)
    ]  # fmt: skip
    if not all(any(row["seed"] == str(pair.seeds - 1) for row in each) for each in both):
        return []
    wcss = [float(row["wcss"]) for each in both for row in answers(pair, each)]
    best = min(wcss, default=np.nan)
    return [name, f"{best:.6g}", *(cell for each in both for cell in cells_of(pair, each, best))]


if __name__ == "__main__":
    runner.run(
        __doc__, "peer_defaults", ("solver", "program", "set", "seed"), cases, measure, page,
        python=str, hgmeans=str, clustlib=str,
    )  # fmt: skip
