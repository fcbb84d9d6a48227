"""Trees of the example problems, prices of links, and proofs that go on after an edit.

One thread, CPU seconds. An example problem is solved with the settings that it names, and its proof
is checked by `ccviz.proof.verify`. For prices 50 links are drawn from the classes of iris, wine and
glass, 5 or 10 % of them wrong; a draw whose links contradict one another is left out. The table has
the CPU time of one cold proof, of the first limits and of all proofs, and the number of wrong links
among the ten highest prices, with the number that chance would put there. For edits 20 links are
added one by one to an instance of each published data set (Piccialli et al. 2022): each proof goes
on with the one before, and beside it the same problem is solved from nothing. Both checkers look at
every proof that went on. The same is done for nine edits of two links each that the clustering
before breaks, so that the optimum changes.
"""

from __future__ import annotations

import tempfile
import time
from argparse import Namespace
from collections.abc import Iterator
from contextlib import suppress
from itertools import product
from pathlib import Path
from statistics import median
from typing import Any

import _runner as runner
from check_proof import judge

from ccviz import Problem, solve
from ccviz.data import load, random_pairs
from ccviz.data.datasets import EXAMPLES
from ccviz.errors import ContradictionError
from ccviz.proof.verify import verify
from ccviz.runs.codec import encode_event, encode_problem
from ccviz.runs.file import write_frames
from ccviz.studies.link_prices import price_steps
from ccviz.studies.suite import instances

PUBLISHED = (
    "iris", "wine", "seeds", "glass", "connectionist", "heart", "vertebral", "ecoli", "accent",
    "ECG5000", "computers",
)  # fmt: skip
SETTINGS: dict[str, dict[str, Any]] = {"divide": {"part_size": 50}}
"""Settings of the edits: with smaller parts `divide` has some of these data sets."""
SETS = ("iris", "wine", "glass")
LINKS = 50
TOP = 10


def warm_up() -> None:
    data = load("iris")
    drawn = random_pairs(data.truth, 10, seed=1)
    problem = Problem(data.X, 3, drawn.must_link, drawn.cannot_link)
    list(price_steps(solve(problem, "sdp").run))


def trees(_: Namespace, name: str) -> dict[str, Any]:
    """Solve an example problem with the settings that it names."""
    data = load(name)
    assert data.setup is not None
    problem = Problem(data.X, data.k, data.setup.must_link, data.setup.cannot_link)
    result, cpu = runner.timed(solve, problem, data.setup.solver, **data.setup.settings)
    verdict = verify(problem, [record.event for record in result.records()])
    return {
        "n": problem.n, "k": problem.k, "links": EXAMPLES[name].links,
        "cuts": EXAMPLES[name].cuts, "status": result.status, "nodes": result.nodes,
        "cpu_s": round(cpu, 1), "verified": verdict.accepted,
    }  # fmt: skip


def prices(_: Namespace, name: str, wrong: float, seed: int) -> dict[str, Any] | None:
    """Price the links of a draw; none where they contradict one another."""
    X, truth = runner.suite_set(name)
    drawn = random_pairs(truth, LINKS, wrong, seed)
    try:
        problem = Problem(X, len(set(truth.tolist())), drawn.must_link, drawn.cannot_link)
    except ContradictionError:
        return None
    result, cold = runner.timed(solve, problem, "sdp")
    began, first, steps = time.process_time(), 0.0, []
    for known in price_steps(result.run):
        steps.append(known)
        first = first or time.process_time() - began
    whole, last = time.process_time() - began, steps[-1].rows
    is_wrong = [(truth[row.i] == truth[row.j]) != (row.kind == "must") for row in last]
    return {
        "cold_s": round(cold, 2), "first_s": round(first, 2), "all_s": round(whole, 2),
        "proofs": len(steps) - 1, "proved": sum(row.is_proved for row in last), "links": len(last),
        "wrong_in_top": sum(is_wrong[:TOP]), "by_chance": round(TOP * sum(is_wrong) / LINKS, 2),
    }  # fmt: skip


def edited(options: Namespace, solver: str, name: str) -> Iterator[tuple[Any, ...]]:
    """Yield the steps of a published data set: links of a second instance, added to the first."""
    found = instances(runner.SUITE, f"{name}/*")
    base, more = [each.problem() for each in found if each.ml and each.cl][:2]
    both = zip(more.must_link.pairs.tolist(), more.cannot_link.pairs.tolist(), strict=False)
    added = [(kind, pair) for two in both for kind, pair in enumerate(two)][: options.steps]
    table, settings = edits_of(solver), SETTINGS.get(solver, {})
    if sum(row["set"] == name for row in runner.read_rows(table)) >= len(added):
        return
    links = [base.must_link.pairs.tolist(), base.cannot_link.pairs.tolist()]
    result = solve(base, solver, **settings)
    for step, (kind, pair) in enumerate(added):
        links[kind].append(pair)
        problem, before = Problem(base.X, base.k, *links), result
        result, warm = runner.timed(solve, problem, solver, start=result, **settings)
        yield name, step, ("must", "cannot")[kind], problem, before, result, warm


def changed(_: Namespace, name: str) -> Iterator[tuple[Any, ...]]:
    """Yield edits of a must-link and a cannot-link, of which the clustering before breaks one."""
    found = instances(runner.SUITE, f"{name}/*")
    base, more = [each.problem() for each in found if each.ml and each.cl][:2]
    must, cannot = base.must_link.pairs.tolist(), base.cannot_link.pairs.tolist()
    result, step = solve(base, "sdp"), 0
    both = zip(more.must_link.pairs.tolist(), more.cannot_link.pairs.tolist(), strict=False)
    for (i, j), (a, b) in both:
        labels = result.labels
        if step == CHANGES or (labels[i] == labels[j] and labels[a] != labels[b]):
            continue
        with suppress(ContradictionError):
            problem = Problem(base.X, base.k, [*must, (i, j)], [*cannot, (a, b)])
            must, cannot, before = [*must, (i, j)], [*cannot, (a, b)], result
            result, warm = runner.timed(solve, problem, "sdp", start=result)
            yield name, step, "both", problem, before, result, warm
            step += 1


def edits(_: Namespace, _name: str, _step: int, added: str, *case: Any) -> dict[str, Any]:
    """Compare a run that went on with one from nothing."""
    problem, before, result, warm = case
    cold, cpu = runner.timed(solve, problem, result.solver, **SETTINGS.get(result.solver, {}))
    kept, events = result.run.kept_tree, [record.event for record in result.records()]
    with tempfile.TemporaryDirectory() as folder, (path := Path(folder) / "run").open("wb") as file:
        frames: list[Any] = [{"problem": encode_problem(problem)}]
        frames += [[at, 0.0, encode_event(event)] for at, event in enumerate(events)]
        write_frames(file, frames)
        file.flush()
        second, _said = judge(path, 1e-4)
    return {
        "n": problem.n, "k": problem.k, "added": added,
        "leaves": kept.leaves, "reopened": kept.reopened, "nodes": result.nodes,
        "cold_nodes": cold.nodes, "warm_s": round(warm, 3), "cold_s": round(cpu, 3),
        "share": round(warm / cpu, 3),
        "same": abs(result.objective - cold.objective) <= 1e-4 * cold.objective,
        "bound_held": result.lower_bound >= before.lower_bound,
        "verified": verify(problem, events).accepted, "verified_again": second,
    }  # fmt: skip


def edits_of(solver: str) -> Path:
    """Return the table of a solver's edits."""
    end = "" if solver == "sdp" else f"_{solver}"
    return runner.RESULTS / f"living_edits{end}.csv"


def _edits_by_set() -> Iterator[dict[str, Any]]:
    """Yield a row for each published data set that has any."""
    for solver, name in product(SOLVERS, PUBLISHED):
        its = [row for row in runner.read_rows(edits_of(solver)) if row["set"] == name]
        if its:
            shares = [float(row["share"]) for row in its]
            warm, cold = (sum(float(row[key]) for row in its) for key in ("warm_s", "cold_s"))
            true = {
                key: sum(row[key] == "True" for row in its)
                for key in ("same", "verified", "verified_again")
            }
            yield {
                "set": name, "solver": solver, "n": its[0]["n"], "links": len(its),
                "searched": sum(row["reopened"] != "0" for row in its),
                "median_share": round(median(shares), 3), "largest_share": round(max(shares), 2),
                "all_warm_s": round(warm, 2), "all_cold_s": round(cold, 2), **true,
            }  # fmt: skip


def _changes_by_set() -> Iterator[dict[str, Any]]:
    """Yield a row for each published data set, and one of all."""
    known = runner.read_rows(CHANGED)
    for name in (*PUBLISHED, "all"):
        its = [row for row in known if row["set"] == name or name == "all"]
        if its:
            shares, nodes = [float(row["share"]) for row in its], [int(row["nodes"]) for row in its]
            yield {
                "set": name, "edits": len(its), "median_share": round(median(shares), 2),
                "least_share": round(min(shares), 2), "largest_share": round(max(shares), 2),
                "nodes": sum(nodes), "cold_nodes": sum(int(row["cold_nodes"]) for row in its),
                "verified": sum(row["verified"] == "True" for row in its),
                "verified_again": sum(row["verified_again"] == "True" for row in its),
            }  # fmt: skip


def page() -> str:
    rows = [row["set"] for row in runner.read_rows(edits_of("sdp"))]
    missing = [name for name in PUBLISHED if rows.count(name) < STEPS]
    text = f"# Links added one by one\n\n{runner.whole_table(list(_edits_by_set()))}"
    if missing:
        text += f"\nNot measured by sdp, or not with all {STEPS} links: {', '.join(missing)}.\n"
    text += f"\n# Edits that change the optimum\n\n{runner.whole_table(list(_changes_by_set()))}"
    for title, name in (("Example problems with a tree", "trees"), ("Prices of links", "prices")):
        if known := runner.results(f"living_{name}"):
            text += f"\n# {title}\n\n{runner.whole_table(known)}"
    return text


def main() -> None:
    options = runner.parse(
        __doc__, only=[*SETS, *EXAMPLES], edits=list(PUBLISHED), solvers=["sdp"], steps=STEPS,
        draws=3, table=False,
    )  # fmt: skip
    if not options.table:
        warm_up()
        folder, draws = runner.RESULTS, range(options.draws)
        examples = zip(name for name in options.only if name in EXAMPLES)
        drawn = product((name for name in options.only if name in SETS), (0.05, 0.1), draws)
        runner.grow(folder / "living_trees.csv", ("example",), examples, trees, options)
        key = ("set", "wrong", "seed")
        runner.grow(folder / "living_prices.csv", key, drawn, prices, options)
        for name, solver in product(options.edits, options.solvers):
            steps = edited(options, solver, name)
            runner.grow(edits_of(solver), ("set", "step"), steps, edits, options)
        for name in options.edits:
            runner.grow(CHANGED, ("set", "step"), changed(options, name), edits, options)
    runner.write_page("living", page())


SOLVERS, STEPS, CHANGES = ("sdp", "colgen", "divide"), 20, 9
CHANGED = runner.RESULTS / "living_changed.csv"

if __name__ == "__main__":
    main()
