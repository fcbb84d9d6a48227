"""Trees of the example problems, prices of links, and proofs that go on after an edit.

    python benchmarks/living.py [--only NAME ...] [--edits NAME ...] [--solvers NAME ...] [--table]

One thread, CPU seconds. An example problem is solved with the settings that it names, and its proof
is checked by `ccviz.proof.verify`. For prices 50 links are drawn from the classes of iris, wine and
glass, 5 or 10 % of them wrong; a draw whose links contradict one another is left out. The table has
the CPU time of one cold proof, of the first limits and of all proofs, and the number of wrong links
among the ten highest prices, with the number that chance would put there. For edits 20 links are
added one by one to an instance of each published data set (Piccialli et al. 2022): each proof goes
on with the one before, and beside it the same problem is solved from nothing. Both checkers look
at every proof that went on. A row is added as each
case ends; one that is in the table is not repeated. `--table` only writes the summary.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from statistics import median
from typing import Any

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(name, "1")

import numpy as np  # noqa: E402
from _rows import append_row, read_rows  # noqa: E402

from ccviz import Problem, solve  # noqa: E402
from ccviz.data import load, random_pairs  # noqa: E402
from ccviz.data.examples import EXAMPLES  # noqa: E402
from ccviz.errors import ContradictionError  # noqa: E402
from ccviz.proof.verify import verify  # noqa: E402
from ccviz.runs.codec import encode_event, encode_problem  # noqa: E402
from ccviz.runs.file import write_frames  # noqa: E402
from ccviz.runs.run import Result  # noqa: E402
from ccviz.studies.link_prices import price_steps  # noqa: E402
from ccviz.studies.suite import instances  # noqa: E402

sys.path.append(str(Path(__file__).parents[1] / "tools"))
from check_proof import judge  # noqa: E402

RESULTS = Path(__file__).parent / "results"
TREES, PRICES = RESULTS / "living_trees.csv", RESULTS / "living_prices.csv"
EDITS = {
    "sdp": RESULTS / "living_edits.csv",
    "colgen": RESULTS / "living_edits_colgen.csv",
    "divide": RESULTS / "living_edits_divide.csv",
}
SHARED = Path(__file__).parents[2] / "shared" / "bench"
BENCH = Path(os.environ.get("CCVIZ_BENCH", SHARED)) / "pc-sos-sdp"
PUBLISHED = (
    "iris", "wine", "seeds", "glass", "connectionist", "heart", "vertebral", "ecoli", "accent",
    "ECG5000", "computers",
)  # fmt: skip
SETTINGS: dict[str, dict[str, Any]] = {"divide": {"part_size": 50}}
"""Settings of the edits: with smaller parts `divide` has some of these data sets."""
STEPS = 20
SETS = ("iris", "wine", "glass")
LINKS = 50
TOP = 10


def main() -> None:
    """Measure what is not in the tables yet, and write the summary."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--only", nargs="*", default=[*SETS, *EXAMPLES])
    parser.add_argument("--edits", nargs="*", default=PUBLISHED)
    parser.add_argument("--solvers", nargs="*", default=["sdp"], help="of the edits")
    parser.add_argument("--steps", type=int, default=STEPS, help="links added one by one")
    parser.add_argument("--bench", type=Path, default=BENCH, help="the folder pc-sos-sdp")
    parser.add_argument("--draws", type=int, default=3)
    parser.add_argument("--table", action="store_true")
    asked = parser.parse_args()
    if not asked.table:
        warm_up()
        for name in asked.only:
            measure(name, asked.draws)
        for name in asked.edits:
            for solver in asked.solvers:
                edits(asked.bench, name, solver, asked.steps)
    (RESULTS / "living.md").write_text(summary(), encoding="utf-8")


def warm_up() -> None:
    """Compile the loops, which no clock shall count."""
    data = load("iris")
    drawn = random_pairs(data.truth, 10, seed=1)
    problem = Problem(data.X, 3, drawn.must_link, drawn.cannot_link)
    list(price_steps(solve(problem, "sdp").run))


def measure(name: str, draws: int) -> None:
    """Add the rows of a data set or of an example problem."""
    if name in EXAMPLES:
        if name not in {row["example"] for row in read_rows(TREES)}:
            append_row(TREES, tree(name))
        return
    known = {(row["set"], row["wrong"], row["seed"]) for row in read_rows(PRICES)}
    for wrong in (0.05, 0.1):
        for seed in range(draws):
            if (name, str(wrong), str(seed)) in known:
                continue
            try:
                append_row(PRICES, prices(name, wrong, seed))
            except ContradictionError:
                continue


def tree(name: str) -> dict[str, Any]:
    """Return the row of an example problem."""
    data = load(name)
    assert data.setup is not None
    problem = Problem(data.X, data.k, data.setup.must_link, data.setup.cannot_link)
    began = time.process_time()
    result = solve(problem, data.setup.solver, **data.setup.settings)
    cpu = time.process_time() - began
    verdict = verify(problem, [record.event for record in result.records()])
    return {
        "example": name, "n": problem.n, "k": problem.k, "links": EXAMPLES[name].links,
        "cuts": EXAMPLES[name].cuts, "status": result.status, "nodes": result.nodes,
        "cpu_s": round(cpu, 1), "verified": verdict.accepted,
    }  # fmt: skip


def prices(name: str, wrong: float, seed: int) -> dict[str, Any]:
    """Return the row of a draw of links."""
    X = np.loadtxt(BENCH / "data" / f"{name}.txt", skiprows=1)
    truth = np.loadtxt(BENCH / "labels" / f"{name}.txt", dtype=str)
    drawn = random_pairs(truth, LINKS, wrong, seed)
    problem = Problem(X, len(set(truth.tolist())), drawn.must_link, drawn.cannot_link)
    began = time.process_time()
    run = solve(problem, "sdp").run
    cold = time.process_time() - began
    began, first = time.process_time(), 0.0
    steps = []
    for known in price_steps(run):
        steps.append(known)
        first = first or time.process_time() - began
    whole = time.process_time() - began
    last = steps[-1].rows
    is_wrong = [(truth[row.i] == truth[row.j]) != (row.kind == "must")
                for row in last]  # fmt: skip
    return {
        "set": name, "wrong": wrong, "seed": seed, "cold_s": round(cold, 2),
        "first_s": round(first, 2), "all_s": round(whole, 2), "proofs": len(steps) - 1,
        "proved": sum(row.is_proved for row in last), "links": len(last),
        "wrong_in_top": sum(is_wrong[:TOP]), "by_chance": round(TOP * sum(is_wrong) / LINKS, 2),
    }  # fmt: skip


def edits(bench: Path, name: str, solver: str, steps: int) -> None:
    """Add the rows of a published data set: links of a second instance, added to the first."""
    one, other = [each for each in instances(bench, f"{name}/*") if each.ml and each.cl][:2]
    base, more = one.problem(), other.problem()
    both = zip(more.must_link.pairs.tolist(), more.cannot_link.pairs.tolist(), strict=False)
    added = [(kind, pair) for two in both for kind, pair in enumerate(two)][:steps]
    done = sum(row["set"] == name for row in read_rows(EDITS[solver]))
    if done >= len(added):
        return
    links = [base.must_link.pairs.tolist(), base.cannot_link.pairs.tolist()]
    result = solve(base, solver, **SETTINGS.get(solver, {}))
    for step, (kind, pair) in enumerate(added):
        links[kind].append(pair)
        problem = Problem(base.X, base.k, *links)
        began = time.process_time()
        before, result = result, solve(problem, solver, start=result, **SETTINGS.get(solver, {}))
        warm = time.process_time() - began
        if step >= done:
            append_row(EDITS[solver], {"set": name, "n": base.n, "k": base.k, "step": step,
                                       "added": ("must", "cannot")[kind],
                                       **_beside(problem, before, result, warm)})  # fmt: skip


def _beside(problem: Problem, before: Result, result: Result, warm: float) -> dict[str, Any]:
    """Return the columns of a run that went on, beside one from nothing."""
    began = time.process_time()
    cold = solve(problem, result.solver, **SETTINGS.get(result.solver, {}))
    cpu = time.process_time() - began
    kept, events = result.run.kept_tree, [record.event for record in result.records()]
    assert kept is not None
    with tempfile.TemporaryDirectory() as folder, (path := Path(folder) / "run").open("wb") as file:
        frames: list[Any] = [{"problem": encode_problem(problem)}]
        frames += [[at, 0.0, encode_event(event)] for at, event in enumerate(events)]
        write_frames(file, frames)
        file.flush()
        second, _ = judge(path, 1e-4)
    return {
        "leaves": kept.leaves, "reopened": kept.reopened, "nodes": result.nodes,
        "cold_nodes": cold.nodes, "warm_s": round(warm, 3), "cold_s": round(cpu, 3),
        "share": round(warm / cpu, 3),
        "same": abs(result.objective - cold.objective) <= 1e-4 * cold.objective,
        "bound_held": result.lower_bound >= before.lower_bound,
        "verified": verify(problem, events).accepted, "verified_again": second,
    }  # fmt: skip


def _edits_by_set() -> list[dict[str, Any]]:
    """Return a row for each published data set that has any."""
    found = []
    for solver, name in product(EDITS, PUBLISHED):
        its = [row for row in read_rows(EDITS[solver]) if row["set"] == name]
        if not its:
            continue
        shares = [float(row["share"]) for row in its]
        warm, cold = (sum(float(row[key]) for row in its) for key in ("warm_s", "cold_s"))
        found.append({
            "set": name, "solver": solver, "n": its[0]["n"], "links": len(its),
            "searched": sum(row["reopened"] != "0" for row in its),
            "median_share": round(median(shares), 3), "largest_share": round(max(shares), 2),
            "all_warm_s": round(warm, 2), "all_cold_s": round(cold, 2),
            "same": sum(row["same"] == "True" for row in its),
            "verified": sum(row["verified"] == "True" for row in its),
            "verified_again": sum(row["verified_again"] == "True" for row in its),
        })  # fmt: skip
    return found


def _not_measured() -> list[str]:
    """Return a sentence on the published data sets without all rows."""
    rows = [row["set"] for row in read_rows(EDITS["sdp"])]
    missing = [name for name in PUBLISHED if rows.count(name) < STEPS]
    if not missing:
        return []
    return ["", f"Not measured by sdp, or not with all {STEPS} links: {', '.join(missing)}."]


def summary() -> str:
    """Return the tables as Markdown."""
    parts = (("Example problems with a tree", TREES), ("Prices of links", PRICES))
    by_set = _edits_by_set()
    lines = ["# Links added one by one", "", *_markdown(by_set), *_not_measured(), ""]
    lines += [
        line
        for title, path in parts
        if (rows := read_rows(path))
        for line in (f"# {title}", "", *_markdown(rows), "")
    ]
    return "\n".join(lines)


def _markdown(rows: list[dict[str, Any]]) -> Iterator[str]:
    if not rows:
        return
    yield f"| {' | '.join(rows[0])} |"
    yield f"|{'---|' * len(rows[0])}"
    for row in rows:
        yield f"| {' | '.join(map(str, row.values()))} |"


if __name__ == "__main__":
    main()
