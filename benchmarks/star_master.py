"""The facility master: `ccviz.solvers.colgen.master.barrier` against HiGHS on the same program.

Points drawn evenly in the square, each a block; a star at every mean of many k-means clusterings of
them, of which those are kept that the duals of a first solution are of worth to: what a spot has in
column generation on thousands of points. Both solve to a relative gap of 1e-6; HiGHS by its
interior-point method without crossover, its best for these, on one thread. Seconds are CPU seconds
of the solution alone.
"""

from __future__ import annotations

import _runner as runner
import highspy
import numpy as np

from ccviz import Problem
from ccviz.highs_output import make_highs
from ccviz.problem.blocks import contract
from ccviz.solvers.colgen.instance import make_instance
from ccviz.solvers.colgen.master.barrier import DualProgram, ascend
from ccviz.solvers.colgen.master.covering import cluster_columns
from ccviz.solvers.colgen.master.facilities import band_order, make_facilities
from ccviz.solvers.common.seeding import plain_kmeans

GAP = 1e-6
SPREAD = 0.9  # stars worth less of the price are left out, as in column generation


def program_of(blocks: int, k: int, runs: int) -> DualProgram:
    """Return the program over stars at the means of many clusterings."""
    X = np.random.default_rng(0).uniform(size=(blocks, 2))
    instance = make_instance(contract(Problem(X, k)))
    options = {"n_init": 1, "init": "random", "max_iter": 5}
    fits = (plain_kmeans(instance.points, k, seed, **options) for seed in range(runs))
    columns = np.unique(np.concatenate([cluster_columns(fit.labels_) for fit in fits]), axis=0)
    far = np.full(blocks, float(((X - X.mean(axis=0)) ** 2).sum(axis=1).max()))
    stars = make_facilities(instance, columns, 0.2 * far)
    order = band_order(instance)
    first = DualProgram(stars.ordered(order, blocks, 1.0), np.zeros(len(columns)), far, k)
    rough = ascend(first, 0.5 * far, 0.0, 1e-2)
    worth = -first.facilities.reduced_costs(rough.row) >= SPREAD * rough.cardinality_dual
    return first._replace(facilities=first.facilities.chosen(worth), own=np.zeros(int(worth.sum())))


def model_of(program: DualProgram) -> highspy.Highs:
    """Return the program for HiGHS: variables x of entries, y of stars, what is left out."""
    stars, own, most, k = program
    e, p, s = len(stars.block), len(own), len(most)
    model = make_highs(solver="ipm", run_crossover="off", ipm_optimality_tolerance=GAP)
    cost = np.concatenate([stars.cost, own, most])
    nothing, endless = np.zeros(e + p + s), np.full(e + p + s, highspy.kHighsInf)
    model.addVars(len(cost), nothing, endless)
    model.changeColsCost(len(cost), np.arange(len(cost), dtype=np.int32), cost)
    order = np.argsort(stars.block, kind="stable")
    by_block = np.split(order, np.cumsum(np.bincount(stars.block, minlength=s))[:-1])
    for b, entries in enumerate(by_block):
        row = np.append(entries, e + p + b).astype(np.int32)
        model.addRow(1.0, highspy.kHighsInf, len(row), row, np.ones(len(row)))
    all_stars = np.arange(e, e + p, dtype=np.int32)
    model.addRow(-highspy.kHighsInf, float(k), p, all_stars, np.ones(p))
    rows = np.stack([np.arange(e), e + stars.facility], axis=1).astype(np.int32)
    sign = np.tile([-1.0, 1.0], e)
    first = 2 * np.arange(e, dtype=np.int32)
    lower, upper = np.zeros(e), np.full(e, highspy.kHighsInf)
    model.addRows(e, lower, upper, 2 * e, first, rows.ravel(), sign)
    return model


def measure(program: DualProgram) -> dict[str, object]:
    """Solve by both; return the seconds and the objectives."""
    start, block, _ = program.facilities
    found = ascend(program, 0.5 * program.most, 0.0, 1e-12)
    best = float(found.row.sum()) - program.k * found.cardinality_dual
    found, ours = runner.timed(ascend, program, 0.5 * program.most, 0.0, GAP * abs(best))
    value = float(found.row.sum()) - program.k * found.cardinality_dual
    model = model_of(program)
    _, theirs = runner.timed(model.run)
    return {
        "clusters": program.k, "stars": len(start) - 1, "entries": len(block),
        "gap": f"{abs(1.0 - value / best):.1e}",
        "highs_gap": f"{abs(1.0 - model.getObjectiveValue() / best):.1e}",
        "cpu_s": f"{ours:.2f}", "highs_s": f"{theirs:.2f}", "ratio": f"{theirs / ours:.0f}",
    }  # fmt: skip


def page(rows: runner.Rows) -> str:
    return (
        "# The master over stars\n\n"
        "`python benchmarks/star_master.py`; its docstring says what is measured.\n\n"
        + runner.markdown(
            "blocks | clusters | stars | entries | gap | HiGHS | CPU s | HiGHS | ratio",
            (row.values() for row in rows),
        )
    )


if __name__ == "__main__":
    runner.run(
        __doc__, "star_master", ("blocks",), lambda options: zip(options.blocks),
        lambda given, blocks: measure(
            program_of(blocks, max(2, blocks // given.size), given.runs)
        ),
        page, warm_up=lambda: measure(program_of(120, 6, 5)),
        blocks=[150, 300], size=60, runs=150,
    )  # fmt: skip
