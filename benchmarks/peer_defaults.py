"""Every heuristic with a peer in Python, both with their defaults: mean, worst, broken links, time.

    python benchmarks/peer_defaults.py [--python PYTHON] [--hgmeans PYTHON] [--clustlib PYTHON]

Each option is the interpreter of an environment of its own; pairs without one are left out:

- ``--python``: scikit-learn, active-semi-supervised-clustering and htcopkmeans (a copy of
  COP-Kmeans by B. Babaki), on any Python that they take;
- ``--hgmeans``: hgmeans, whose sources compile on Python 3.10 and older only;
- ``--clustlib``: clustlib, which takes Python 3.12.

Twelve sets of scikit-learn, one link for four points drawn from the classes, 20 seeds. The
programs without links (scikit-learn, hgmeans) get none; DILS of clustlib gets three seeds of three
small sets, since it is slow. WCSS is relative to the best of either program on a set, its mean and
worst are over the seeds that end with a clustering; of COP-k-means, with one that keeps every
link. A program may take 2 CPU seconds a seed (hgmeans and clustlib: 60). Sizes have a script of
their own, `defaults.py`.

A row is added as each run ends; `--table` only writes the summary.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(name, "1")

import numpy as np  # noqa: E402
from _cpu_clock import timed  # noqa: E402
from _rows import append_row, done_keys, read_rows  # noqa: E402
from sklearn.datasets import make_blobs, make_moons  # noqa: E402

from ccviz import Partition, Problem, solve  # noqa: E402
from ccviz.arrays import IntArray  # noqa: E402
from ccviz.data import load, random_pairs, scale  # noqa: E402

RESULTS = Path(__file__).parent / "results"
PROGRAMS = Path(__file__).with_name("_peer_programs.py")
KEY = ("solver", "program", "set", "seed")


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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("python", "hgmeans", "clustlib"):
        parser.add_argument(f"--{name}")
    parser.add_argument("--out", type=Path, default=RESULTS / "peer_defaults.csv")
    parser.add_argument("--table", action="store_true", help="only write the summary")
    options = parser.parse_args()
    for pair in PAIRS if not options.table else ():
        python = getattr(options, pair.environment)
        for name, problem in problems():
            if python is not None and problem.n <= pair.most:
                measure(pair, name, problem, python, options.out)
                print(row_of(pair, name, read_rows(options.out)), flush=True)
    write_table(options.out)


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


def linked(X: np.ndarray, k: int, truth: IntArray) -> Problem:
    """Return a problem with a link for four points, as the classes say."""
    links = random_pairs(truth, len(X) // 4, seed=0)
    return Problem(
        X, k, must_link=links.must_link, cannot_link=links.cannot_link, truth=truth
    )  # fmt: skip


def measure(pair: Pair, name: str, problem: Problem, python: str, out: Path) -> None:
    """Add the rows of both programs on one set, a row a seed."""
    if not pair.linked:
        problem = Problem(problem.X, problem.k, truth=problem.truth)
    known = done_keys(out, KEY)
    for program, runs in (("ccviz", ours), (pair.program, theirs)):
        if (pair.solver, program, name, str(pair.seeds - 1)) in known:
            continue
        for seed, (labels, cpu) in enumerate(runs(pair, problem, python)):
            key = (pair.solver, program, name, str(seed))
            if key not in known:
                append_row(out, dict(zip(KEY, key, strict=True)) | found(problem, labels, cpu))


Answer = tuple[IntArray | None, float]
"""Labels, None where there are none, and CPU seconds."""


def ours(pair: Pair, problem: Problem, _: str) -> Iterator[Answer]:
    """Yield what the solver finds with its defaults."""
    solve(problem, pair.solver, progress=False)  # compiled before it is timed
    for seed in range(pair.seeds):
        result, cpu = timed(solve, problem, pair.solver, seed=seed, progress=False)
        yield None if result.partition is None else result.partition.labels, cpu


def theirs(pair: Pair, problem: Problem, python: str) -> Iterator[Answer]:
    """Yield what the program finds with its defaults."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "problem.npz"
        np.savez(
            file, X=problem.X, k=problem.k,
            must_link=problem.must_link.pairs, cannot_link=problem.cannot_link.pairs,
        )  # fmt: skip
        numbers = map(str, (pair.seeds, pair.limit))
        words = [python, str(PROGRAMS), pair.program, str(file), *numbers]
        with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
            for line in process.stdout or ():
                labels, cpu = json.loads(line)
                yield None if labels is None else np.array(labels), cpu
    if process.returncode:
        raise SystemExit(f"{pair.package} ended with {process.returncode}.")


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


def row_of(pair: Pair, name: str, rows: list[dict[str, str]]) -> str:
    """Return a line of the summary: both programs on one set."""
    of = {
        program: [
            row
            for row in rows
            if (row["solver"], row["program"], row["set"]) == (pair.solver, program, name)
        ]
        for program in ("ccviz", pair.program)
    }
    wcss = [float(row["wcss"]) for each in of.values() for row in answers(pair, each)]
    best = min(wcss, default=np.nan)
    cells = [name, f"{best:.6g}"]
    for each in of.values():
        cells += cells_of(pair, each, best)
    return f"| {' | '.join(cells)} |"


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


def is_done(pair: Pair, name: str, rows: list[dict[str, str]]) -> bool:
    """Return whether both programs have run on a set, with every seed."""
    last = {"solver": pair.solver, "set": name, "seed": str(pair.seeds - 1)}
    ended = {row["program"] for row in rows if last.items() <= row.items()}
    return ended >= {"ccviz", pair.program}


def write_table(out: Path) -> None:
    """Write the summary, a table for each pair."""
    rows = read_rows(out)
    (how,) = (each for each in (__doc__ or "").split("\n\n") if each.startswith("Twelve sets"))
    lines = ["`python benchmarks/peer_defaults.py`. " + how.replace("\n", " ").replace("``", "`")]
    for pair in PAIRS:
        names = dict.fromkeys(
            row["set"]
            for row in rows
            if (row["solver"], row["program"]) == (pair.solver, pair.program)
        )
        names = [name for name in names if is_done(pair, name, rows)]
        if not names:
            continue
        columns = ["WCSS: mean, worst"]
        columns += ["ARI", *([] if pair.hard else ["broken"]), "no answer"] if pair.linked else []
        heads = [f"{who}: {each}" for who in ("ccviz", "peer") for each in (*columns, "CPU s")]
        lines += ["", f"## `{pair.solver}` and {pair.package}", ""]
        lines += [f"| Set | Best WCSS | {' | '.join(heads)} |", "|---" * (len(heads) + 2) + "|"]
        lines += [row_of(pair, name, rows) for name in names]
    lines += ["", "## Without a peer", "", ALONE.rstrip()]
    out.with_suffix(".md").write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
