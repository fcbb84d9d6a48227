"""Fifty points of twenty thousand features, by every solver.

Each solver works in a process of its own, with its defaults; CPU seconds include compiled code's
loading, memory is the most that the process had beyond what it had with the problem in it. A matrix
of features by features would take 3.2 GB.
"""

from __future__ import annotations

import _runner as runner
import numpy as np

from ccviz import Problem, start
from ccviz.solvers import SOLVERS

POINTS = 50


HEAD = """# Many features

{points} points of {features:,} features in three clusters, four links; every solver with its
defaults and a limit of {limit:.0f} seconds. Memory is what it took beyond the problem; a matrix of
features by features would take {square:,.0f} MB.

"""


def measured(name: str, features: int, limit: float) -> list[str]:
    rng = np.random.default_rng(0)
    classes = np.arange(POINTS) % 3
    X = 3.0 * rng.normal(size=(3, features))[classes] + rng.normal(size=(POINTS, features))
    problem = Problem(X, 3, must_link=[(0, 3), (1, 4)], cannot_link=[(0, 1), (4, 8)])
    before = runner.peak_mib()
    result, cpu_s = runner.timed(start(problem, name, time_limit=limit).result)
    more = runner.peak_mib() - before
    return [f"`{name}`", f"{cpu_s:.1f}", f"{more:.0f}", result.status]


def main() -> None:
    options = runner.parse(__doc__, features=20_000, limit=120.0)
    given = vars(options)
    rows = [runner.in_a_process(measured, each.name, *given.values()) for each in SOLVERS]
    head = HEAD.format(points=POINTS, square=8 * options.features**2 / 1e6, **given)
    runner.write_page("wide", head + runner.markdown("solver | CPU s | MB | status", rows))


if __name__ == "__main__":
    main()
