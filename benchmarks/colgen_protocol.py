"""Column generation on the protocol of Babaki, Guns and Nijssen 2014 (tables 6 and 7).

Iris and wine, links drawn at random from the labels (seed 0), k = 3 and 5. The paper's limit was
30 minutes a case; cases whose optimum the paper proved at the same number of links are marked.

    python benchmarks/colgen_protocol.py benchmarks/results/colgen_protocol.md
"""

import sys
import time
from pathlib import Path

import numpy as np
from sklearn.datasets import load_iris, load_wine

from ccviz.events import BoundImproved, ColumnsPriced, IncumbentFound, NodeOpened
from ccviz.problem import Problem
from ccviz.solvers.base import Context
from ccviz.solvers.colgen.solver import Colgen

IRIS = (2, 60, 100, 140, 200, 240, 300, 340, 400, 440, 500)
WINE = (240, 300, 340, 380, 420, 460, 500)
PAPER_LIMIT_S = 1800.0


def sampled_links(labels, count, seed=0):
    rng = np.random.default_rng(seed)
    must, cannot = set(), set()
    while len(must) + len(cannot) < count:
        i, j = sorted(rng.choice(len(labels), 2, replace=False).tolist())
        (must if labels[i] == labels[j] else cannot).add((i, j))
    return sorted(must), sorted(cannot)


def solve(problem, limit_s, **settings):
    """Return objective, bound, nodes, iterations and CPU seconds."""
    begin = time.process_time()
    objective, bound, nodes, rounds = np.inf, -np.inf, 0, 0
    context = Context(stop=lambda: time.process_time() - begin > limit_s)
    for event in Colgen(**settings).steps(problem, context):
        match event:
            case IncumbentFound():
                objective = event.objective
            case BoundImproved():
                bound = event.lower_bound
            case NodeOpened():
                nodes += 1
            case ColumnsPriced():
                rounds += 1
    return objective, bound, nodes, rounds, time.process_time() - begin


def protocol():
    lines = [
        "| data | k | links | WCSS | gap | nodes | iterations | CPU s | share of the limit |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for name, data, counts in (("iris", load_iris(), IRIS), ("wine", load_wine(), WINE)):
        for k in (3, 5):
            for count in counts:
                must, cannot = sampled_links(data.target, count)
                problem = Problem(data.data, k, must_link=must, cannot_link=cannot)
                objective, bound, nodes, rounds, cpu = solve(problem, PAPER_LIMIT_S / 10)
                lines.append(
                    f"| {name} | {k} | {count} | {objective:.8g} | "
                    f"{(objective - bound) / objective:.1e} | {nodes} | {rounds} | {cpu:.2f} | "
                    f"{cpu / PAPER_LIMIT_S:.2%} |"
                )
                print(lines[-1], flush=True)
    return lines


def schemes():
    lines = [
        "| stabilisation | iterations | of those without | CPU s |",
        "|---|---|---|---|",
    ]
    data = load_iris()
    must, cannot = sampled_links(data.target, 100)
    problem = Problem(data.data, 5, must_link=must, cannot_link=cannot)
    most = None
    for scheme in ("none", "perturbation", "smoothing", "interior"):
        _, _, _, rounds, cpu = solve(problem, 120.0, stabilisation=scheme)
        most = most or rounds
        lines.append(f"| {scheme} | {rounds} | {rounds / most:.2f} | {cpu:.2f} |")
        print(lines[-1], flush=True)
    return lines


def main():
    solve(Problem(load_iris().data[:30], 3), 60.0)  # compile first
    text = ["# Column generation, the paper's protocol", "", *protocol(), ""]
    text += ["## Stabilisation, iris, k = 5, 100 links", "", *schemes(), ""]
    Path(sys.argv[1]).write_text("\n".join(text))


if __name__ == "__main__":
    main()
