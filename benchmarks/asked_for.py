"""What people ask for most, from tables of words and numbers, with a bound.

    CCVIZ_BENCH=FOLDER python benchmarks/asked_for.py [--only pupils stops least]

The tables of pupils and of stops are invented, in the folder `people` of the instances; the others
are scikit-learn's. Rules and links are read as a person types them; features are standardised, but
for those of digits. One thread; at most 60 CPU seconds. Gaps are those that the checker finds, for
a free number of clusters that of `choose_k`. The clusters of digits are fair to even numbers, whose
share in each is theirs of all points, 10 % of the points more or less.

MiniReL (arXiv 2409.02963) asks for a share in some number of clusters; in all of them that is this
rule. Its program is in no package: its method, assignments by a mixed-integer program and centres
in turn, is that of `blp-kmeans`, whose row says how far it ends above the checked bound of `sdp`.
The published sets of microaggregation (Tarragona, Census, EIA) are in no package of pip or Debian,
so clusters of at least 3 and a free number of them are those of a table of scikit-learn.
"""

from __future__ import annotations

import csv
from argparse import Namespace
from collections.abc import Callable, Iterator

import _runner as runner
import numpy as np

from ccviz import Partition, Problem, solve, start
from ccviz.data import load, scale
from ccviz.events import IncumbentFound
from ccviz.problem.asked import read_asked
from ccviz.problem.reduction import with_rules
from ccviz.solvers.advice import advice
from ccviz.studies.choose_k import choose_k


def table(options: Namespace, name: str) -> dict[str, np.ndarray]:
    """Return the columns of a table, as words."""
    with (options.bench / "people" / f"{name}.csv").open(encoding="utf-8") as file:
        rows = [*csv.DictReader(file)]
    return {name: np.array([row[name] for row in rows]) for name in rows[0]}


def features(columns: dict[str, np.ndarray], names: str) -> np.ndarray:
    X = np.column_stack([columns[name].astype(float) for name in names.split(",")])
    return scale(X, "standard")


def ruled(problem: Problem, columns: dict[str, np.ndarray], *rules: str) -> Problem:
    asked = [read_asked(rule, column=columns.__getitem__) for rule in rules]
    return with_rules(problem, asked, keeps_rules=False)


def proof(problem: Problem, limit: float) -> runner.Row:
    cells, _ = runner.proved(problem, "sdp", 1e-4, limit, gap=1.0)
    keys = ("objective", "verified_gap", "cpu_s", "nodes")
    return {"solver": "sdp", "n": problem.n, "k": problem.k} | {key: cells[key] for key in keys}


def pupils(options: Namespace) -> runner.Row:
    columns, pairs = table(options, "pupils96"), table(options, "pupils96_pairs")
    row = {name: at for at, name in enumerate(columns["Name"])}
    links: dict[str, list] = {"must": [], "must not": []}
    for a, b, rule in zip(*pairs.values(), strict=True):
        links[rule].append((row[a], row[b]))
    X = features(columns, "Maths,German,Sport,Distance_km")
    problem = Problem(X, 12, links["must"], links["must not"], sizes=[8] * 12)
    return proof(ruled(problem, columns, "count(Girl=yes)>=3", "count(Class)<=2"), 60.0)


def fair_digits(n: int) -> Problem:
    data = load("digits")
    word = np.where(data.truth[:n] % 2 == 0, "even", "odd")
    share = 100.0 * float(np.mean(word == "even"))
    limits = (f"share(kind=even)>={share - 10:.2f}%", f"share(kind=even)<={share + 10:.2f}%")
    return ruled(Problem(data.X[:n], 3), {"kind": word}, *limits)


def fair(n: int) -> runner.Row:
    return proof(fair_digits(n), 60.0)


def alternating(n: int) -> runner.Row:
    """Return how far assignments and centres in turn end above the bound of the row before."""
    problem = fair_digits(n)
    result, seconds = runner.timed(solve, problem, "blp-kmeans", time_limit=60.0, progress=False)
    (proved,) = runner.results("asked_for", case=f"fair {n}")
    bound = float(proved["objective"]) * (1.0 - float(proved["verified_gap"]))
    own = {"solver": "blp-kmeans", "n": n, "k": problem.k, "cpu_s": f"{seconds:.1f}"}
    gap = f"{1.0 - bound / result.objective:.2e}"
    return own | {"objective": f"{result.objective:.9g}", "verified_gap": gap}


def stops(options: Namespace) -> runner.Row:
    columns = table(options, "points800")
    columns["parcels"] = columns["parcels"].astype(float)
    problem = Problem(features(columns, "lat,lon"), 15)
    problem = ruled(problem, columns, "sum(parcels)<=8%", "diameter<=1.6")
    solver = advice(problem, seconds=10.0).solver
    row = {"solver": solver, "n": problem.n, "k": problem.k, "said": "no answer"}
    for event, seconds in runner.events_within(start(problem, solver), 10.0):
        if isinstance(event, IncumbentFound):
            partition = Partition(problem, event.labels)
            assert partition.violations.none_hard
            cost = f"{partition.objective:.9g}"
            return row | {"objective": cost, "cpu_s": f"{seconds:.1f}", "said": "no bound"}
    return row


def least(_: Namespace) -> runner.Row:
    X = np.random.default_rng(0).normal(size=(23, 2))
    chosen, seconds = runner.timed(choose_k, lambda k: Problem(X, k, sizes="1-5"), "least")
    said = {"said": chosen.words, "cpu_s": f"{seconds:.1f}"}
    return {"solver": "choose_k", "n": 23, "k": chosen.k, **said}


def free(_: Namespace) -> runner.Row:
    X = scale(load("iris").X, "standard")
    chosen, seconds = runner.timed(
        choose_k, lambda k: Problem(X, k, sizes=f"3-{len(X)}"), "free", time_limit=60.0
    )
    found = {"objective": f"{chosen.objective:.9g}", "said": chosen.words}
    gap = f"{1.0 - chosen.lower_bound / chosen.objective:.2e}"
    own = {"solver": "choose_k", "n": len(X), "k": chosen.k, "cpu_s": f"{seconds:.1f}"}
    return own | found | {"verified_gap": gap}


CASES: dict[str, tuple[Callable[[Namespace], runner.Row], str]] = {
    "pupils": (
        pupils,
        "96 pupils in 12 groups of 8: at least 3 girls, at most 2 of one class, 25 pairs apart, 10 "
        "together",
    ),
    "fair 200": (lambda _: fair(200), "200 digits in 3 clusters, fair to even ones"),
    "fair 1000": (lambda _: fair(1000), "1,000 digits in 3 clusters, fair to even ones"),
    "fair 1000 in turn": (lambda _: alternating(1000), "the same, assignments and centres in turn"),
    "stops": (
        stops,
        "800 stops in 15 districts, at most 8 % of the parcels each, diameter at most 1.6: the "
        "first answer within 10 s",
    ),
    "least": (least, "23 points in the fewest clusters of at most 5"),
    "free iris": (free, "iris in clusters of at least 3, their number free"),
}


def cases(options: Namespace) -> Iterator[tuple[str]]:
    return ((name,) for name in options.only)


def measure(options: Namespace, name: str) -> runner.Row:
    return CASES[name][0](options)


def page(rows: runner.Rows) -> str:
    for row in rows:
        row["what"] = CASES[row["case"]][1]
        gap = row["verified_gap"]
        row["gap"] = f"{100 * float(gap):.2f} %" if gap[:1].isdigit() else gap or row["said"]
    return f"# What people ask for\n\n{__doc__}\n" + runner.laid_out(
        "asked | points | k | by | objective | gap | CPU s | nodes",
        "{what} | {n} | {k} | {solver} | {objective} | {gap} | {cpu_s} | {nodes}",
        rows,
    )


def warm_up() -> None:
    rng = np.random.default_rng(0)
    problem = Problem(rng.normal(size=(12, 2)), 3, [(0, 1)], [(2, 3)], sizes=[4] * 3)
    word = np.array(["a", "b"] * 6)
    for rule in ("count(w)<=3", "share(w=a)>=20%"):
        proof(ruled(problem, {"w": word}, rule), 20.0)
        proof(ruled(Problem(problem.X, 3), {"w": word}, rule), 20.0)
    start(problem, "regions", n_init=1).result()


if __name__ == "__main__":
    fields = ("case", "solver", "n", "k", "objective", "verified_gap", "cpu_s", "nodes", "said")
    runner.run(
        __doc__, "asked_for", ("case",), cases, measure, page, fields=fields, warm_up=warm_up,
        cpu_clock=True, bench=runner.BENCH, only=list(CASES),
    )  # fmt: skip
