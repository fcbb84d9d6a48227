"""BLP k-means and COP-k-means on the small published instances.

    python benchmarks/kmeans_small.py

CPU seconds of one thread, events and bookkeeping included. The peer's figures for BLP k-means stand
in `peers.csv`, see `_peers.py`. COP-k-means has its rivals here, 100 starts of each in this one
run: the same algorithm in plain Python loops, point by point as published (Table 1 of the paper,
over the closure of the links), and block by block as ours does.
"""

from __future__ import annotations

import os
import random
import time
from pathlib import Path

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(_name, "1")

import pandas as pd  # noqa: E402
from _peers import Peer, peers  # noqa: E402
from assignment import as_markdown, timed  # noqa: E402

from ccviz import Problem, solve  # noqa: E402
from ccviz.data.files import read_data  # noqa: E402
from ccviz.data.link_files import read_links_file  # noqa: E402
from ccviz.problem.blocks import contract  # noqa: E402
from ccviz.problem.links import adjacency  # noqa: E402
from ccviz.solvers.base import Solver  # noqa: E402
from ccviz.solvers.blp_kmeans import BlpKMeans  # noqa: E402
from ccviz.solvers.cop_kmeans import CopKMeans  # noqa: E402

RESULTS = Path(__file__).parent / "results"
BENCH = Path(os.environ.get("CCVIZ_BENCH", Path(__file__).parents[2] / "shared" / "bench"))
STARTS = 100


def read_instance(name: str, k: int, must: int, cannot: int) -> Problem:
    """Return an instance of PC-SOS-SDP, link seed 0."""
    folder = BENCH / "pc-sos-sdp"
    data = read_data(folder / "data" / f"{name}.txt")
    file = folder / "constraints" / name / f"ml_{must}_cl_{cannot}_0.txt"
    links = read_links_file(file, len(data.X))
    return Problem(data.X, k, links.must_link, links.cannot_link)


def published(name: str, must: int, cannot: int) -> float:
    """Return the published optimum, six digits."""
    table = pd.read_csv(BENCH / "pc-sos-sdp" / "published.csv")
    rows = table[(table.dataset == name) & (table.ml == must) & (table.cl == cannot)]
    return float(rows[rows.seed == 0].f.iloc[0])


def run(problem: Problem, solver: Solver) -> tuple[float, float]:
    """Return the best objective and the CPU seconds of all starts."""
    started = time.process_time()
    objective = solve(problem, solver, seed=1).objective
    return objective, time.process_time() - started


def plain_by_points(problem: Problem, starts: int, max_iter: int) -> tuple[int, float]:
    """COP-k-means as published in plain Python loops; the feasible starts and the best WCSS."""
    blocks, points = contract(problem), problem.X.tolist()
    members = [blocks.members(b).tolist() for b in range(blocks.s)]
    block_of, apart = blocks.block_of.tolist(), adjacency(blocks.conflicts.tolist())
    together = {p: [q for q in members[b] if q != p] for p, b in enumerate(block_of)}
    conflicts = {
        p: [q for other in apart.get(b, ()) for q in members[other]] for p, b in enumerate(block_of)
    }
    return _plain_starts(
        points, [1.0] * len(points), conflicts, together, problem.k, starts, max_iter
    )


def plain_by_blocks(problem: Problem, starts: int, max_iter: int) -> tuple[int, float]:
    """The same over blocks of must-links."""
    blocks = contract(problem)
    conflicts = adjacency(blocks.conflicts.tolist())
    found, best = _plain_starts(
        blocks.centroid.tolist(), blocks.mass.tolist(), conflicts, {}, blocks.k, starts, max_iter
    )
    return found, best + blocks.scatter


def _plain_starts(points, mass, conflicts, together, k, starts, max_iter):
    rng = random.Random(1)
    found, best = 0, float("inf")
    for _ in range(starts):
        order = list(range(len(points)))
        centers = [points[b] for b in rng.sample(order, k)]
        rng.shuffle(order)
        wcss = _plain_start(points, mass, conflicts, together, order, centers, max_iter)
        if wcss is not None:
            found, best = found + 1, min(best, wcss)
    return found, best


def _plain_start(centroid, mass, conflicts, together, order, centers, max_iter):
    labels = [-1] * len(order)
    for _ in range(max_iter):
        new = _plain_assign(centroid, conflicts, together, order, centers)
        if new is None:
            return None
        centers = _plain_means(centroid, mass, new, centers)
        moved, labels = new != labels, new
        if not moved:
            break
    return sum(
        m * sum((x - y) ** 2 for x, y in zip(c, centers[j], strict=True))
        for m, c, j in zip(mass, centroid, labels, strict=True)
    )


def _plain_assign(centroid, conflicts, together, order, centers):
    labels = [-1] * len(order)
    for b in order:
        distances = []
        for center in centers:
            distance = 0.0
            for x, y in zip(centroid[b], center, strict=True):
                distance += (x - y) ** 2
            distances.append(distance)
        for j in sorted(range(len(centers)), key=distances.__getitem__):
            if not _violates(b, j, labels, conflicts, together):
                labels[b] = j
                break
        else:
            return None
    return labels


def _violates(b, j, labels, conflicts, together):
    for other in together.get(b, ()):
        if labels[other] != j and labels[other] >= 0:
            return True
    return any(labels[other] == j for other in conflicts.get(b, ()))


def _plain_means(centroid, mass, labels, centers):
    means = []
    for j, center in enumerate(centers):
        weight, total = 0.0, [0.0] * len(center)
        for b, label in enumerate(labels):
            if label == j:
                weight += mass[b]
                for t, x in enumerate(centroid[b]):
                    total[t] += mass[b] * x
        means.append([x / weight for x in total] if weight else center)
    return means


def measure(key: tuple[str, int, int], peer: Peer) -> dict[str, object]:
    """Return one row of the table."""
    name, must, cannot = key
    problem, optimum = read_instance(name, peer.k, must, cannot), published(name, must, cannot)
    blp, blp_s = run(problem, BlpKMeans(n_init=STARTS))
    cop, cop_s = run(problem, CopKMeans(n_init=STARTS, max_iter=100))
    (plain_found, plain), plain_s = timed(plain_by_points, problem, STARTS, 100)
    _, blocks_s = timed(plain_by_blocks, problem, STARTS, 100)
    return {
        "instance": f"{name} {must}/{cannot}",
        "optimum": optimum,
        "blp_ms_per_run": round(1000 * blp_s / STARTS, 2),
        "blp_gap_%": round(100 * (blp / optimum - 1), 3),
        "peer_ms_per_run": 1000 * peer.blp_s,
        "peer_gap_%": peer.blp_gap_pct,
        "blp_ratio": round(peer.blp_s / (blp_s / STARTS), 1),
        "cop_ms_per_run": round(1000 * cop_s / STARTS, 3),
        "cop_gap_%": round(100 * (cop / optimum - 1), 2),
        "plain_ms_per_run": round(1000 * plain_s / STARTS, 2),
        "plain_feasible": plain_found,
        "plain_gap_%": round(100 * (plain / optimum - 1), 2),
        "cop_ratio": round(plain_s / cop_s, 1),
        "cop_ratio_blocks": round(blocks_s / cop_s, 1),
    }


def main() -> None:
    known = peers()
    measure(*next(iter(known.items())))  # compiles
    rows = []
    for key, peer in known.items():
        rows.append(measure(key, peer))
        print(rows[-1], flush=True)
        table = pd.DataFrame(rows)
        table.to_csv(RESULTS / "kmeans_small.csv", index=False)
        (RESULTS / "kmeans_small.md").write_text(as_markdown(table))


if __name__ == "__main__":
    main()
