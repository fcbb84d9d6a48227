"""Random small problems with constraints of a kind or of several, and what is wrong with a run."""

import math

import numpy as np

from ccviz import Problem, start
from ccviz.bounds import OPTIMAL_GAP
from ccviz.errors import ProblemError
from ccviz.problem.asked import read_asked
from ccviz.problem.reduction import with_rules
from ccviz.problem.sums import sum_limits
from ccviz.proof.verify import verify
from tests.enumeration import assignments, clusterings, objectives


def draw(kind, seed):
    """Return keyword arguments of a problem, and its rules, for a kind's name."""
    rng = np.random.default_rng(seed)
    k = int(rng.integers(2, 4))
    n = int(rng.integers(2 * k, 10))
    X = rng.normal(size=(n, int(rng.integers(1, 4)))) * 10.0 ** rng.integers(-2, 3)
    more, rules = _GIVEN[kind](rng, X, k)
    return {"X": X, "k": k, **more}, _asked(rng, rules, n)


def _asked(rng, rules, n):
    known = rng.integers(0, 2, n)
    column = rng.integers(0, 9, n) / rng.choice([1, 10])
    columns = {"column": column, "word": np.arange(n) % 2, "pair": np.arange(n) // 2}
    columns["label"] = ["a", "b", "a", *[""] * (n - 3)]
    return [read_asked(rule, lambda _: known, columns.__getitem__) for rule in rules]


def draw_several(seed):
    """Return what `draw` does for two or three kinds at once, twice over the same points.

    The second time one kind is another one, as after an edit. Points may coincide, lie far from
    zero, or weigh nothing, and there may be as many clusters as points, or one.
    """
    rng = np.random.default_rng(seed)
    n = int(rng.integers(3, 7))
    k = int(rng.choice([1, 2, 2, 3, 3, 3, n - 1, n]))
    X = rng.normal(size=(n, int(rng.integers(1, 4))))
    X = [X, np.round(X), X[rng.integers(0, n, n)], X + 1e6, X * 1e-3][rng.integers(5)]
    kinds = rng.choice(sorted(set(_GIVEN) - _ALONE), rng.integers(3, 5), replace=False)
    parts = [_GIVEN[kind](rng, X, k) for kind in kinds]
    for more, _ in parts:
        if "weights" in more and rng.random() < 0.3:
            more["weights"][0] = 0.0
    rules = [_asked(rng, part[1], n) for part in parts]
    made = [(part[0], its) for part, its in zip(parts, rules, strict=True)]
    return [_together({"X": X, "k": k}, some) for some in (made[:-1], made[1:])]


def _together(given, made):
    """Return arguments and rules of several kinds in one; of sizes or weights the last count."""
    for more, _ in made:
        for name, value in more.items():
            is_list = name in ("must_link", "cannot_link")
            given = {**given, name: [*given.get(name, []), *value] if is_list else value}
    return given, [rule for _, rules in made for rule in rules]


def _hard(name):
    return lambda rng, X, k: ({name: _pairs(rng, len(X))}, ())


def _pairs(rng, n, *price):
    return [(*map(int, rng.choice(n, 2, replace=False)), *price) for _ in range(rng.integers(1, 4))]


def _soft(rng, X, k):
    price = float(X.var(axis=0).sum()) * rng.exponential(size=2)
    must, cannot = (_pairs(rng, len(X), float(each)) for each in price)
    return {"must_link": must, "cannot_link": cannot}, ()


def _exact(rng, X, k):
    return {"sizes": rng.multinomial(len(X) - k, np.ones(k) / k) + 1}, ()


def _ranges(rng, X, k):
    size = _exact(rng, X, k)[0]["sizes"]
    return {"sizes": (np.maximum(size - 1, 1), size + 1)}, ()


def _equal(rng, X, k):
    return {"sizes": ([len(X) // k] * k, [-(-len(X) // k)] * k)}, ()


def _distance(word, low, high):
    def given(rng, X, k):
        far = np.linalg.norm(X[:, None] - X, axis=2)[np.triu_indices(len(X), 1)]
        return {}, [f"{word}{np.quantile(far, rng.uniform(low, high)):.6g}"]

    return given


def _outliers(rng, X, k):
    few = len(X) < 8  # so that every assignment can be listed
    links = {"must_link": _pairs(rng, len(X))[:1], "cannot_link": _pairs(rng, len(X))}
    return {"outliers": int(rng.integers(1, 2 + few)), **(links if rng.random() < 0.5 else {})}, ()


def _fixed(rng, X, k):
    centers = X[rng.choice(len(X), rng.integers(1, k + 1))] + 0.3 * X.std() * rng.normal(
        size=X.shape[1]
    )
    links = {"must_link": _pairs(rng, len(X))[:1], "cannot_link": _pairs(rng, len(X))}
    return {"fixed_centers": centers, **(links if rng.random() < 0.5 else {})}, ()


def _weights(rng, X, k):
    return {"weights": 10.0 ** rng.uniform(-1, 1, len(X))}, ()


def _weights_and_sizes(rng, X, k):
    sizes = (_exact, _ranges, _equal)[rng.integers(3)]
    return {**_weights(rng, X, k)[0], **sizes(rng, X, k)[0]}, ()


_GIVEN = {
    "must-link": _hard("must_link"),
    "cannot-link": _hard("cannot_link"),
    "soft links": _soft,
    "exact sizes": _exact,
    "ranges": _ranges,
    "equal sizes": _equal,
    "diameter<=": _distance("diameter<=", 0.6, 1.0),
    "separation>=": _distance("separation>=", 0.0, 0.2),
    "diameter()<=": lambda rng, X, k: ({}, [f"diameter(column)<={rng.uniform(5, 9):.3g}"]),
    "separation()>=": lambda rng, X, k: ({}, [f"separation(column)>={rng.uniform(0, 1):.3g}"]),
    "size<=": lambda rng, X, k: ({}, [f"size<={-(-len(X) // k) + int(rng.integers(2))}"]),
    "size>=": lambda rng, X, k: ({}, [f"size>={int(rng.integers(1, len(X) // k + 1))}"]),
    "overlap()<=": lambda rng, X, k: ({}, [f"overlap(known)<={int(rng.integers(2, 4))}"]),
    "difference()>=": lambda rng, X, k: ({}, ["difference(known)>=1"]),
    "outside()<=": lambda rng, X, k: ({}, [f"outside(known)<={int(rng.integers(1, 3))}"]),
    "conflicts<=": lambda rng, X, k: (
        {"cannot_link": _soft(rng, X, k)[0]["cannot_link"] + _pairs(rng, len(X), 0.01)},
        [f"conflicts<={int(rng.integers(0, 2))}"],
    ),
    "sum()<=": lambda rng, X, k: ({}, [f"sum(column)<={rng.uniform(110, 160) / k:.3g}%"]),
    "sum()>=": lambda rng, X, k: ({}, [f"sum(column)>={rng.uniform(40, 90) / k:.3g}%"]),
    "count()<=": lambda rng, X, k: ({}, [f"count(word)<={int(rng.integers(1, 3))}"]),
    "count()>=": lambda rng, X, k: ({}, ["count(word=1)>=1"]),
    "together()": lambda rng, X, k: ({}, ["together(pair)"]),
    "apart()": lambda rng, X, k: ({}, ["apart(pair)"]),
    "labels()": lambda rng, X, k: ({}, ["labels(label)"]),
    "share()<=": lambda rng, X, k: ({}, [f"share(word=1)<={rng.integers(50, 90)}%"]),
    "share()>=": lambda rng, X, k: ({}, [f"share(word=1)>={rng.integers(5, 30)}%"]),
    "mean()<=": lambda rng, X, k: ({}, [f"mean(column)<={rng.uniform(4, 8):.3g}"]),
    "mean()>=": lambda rng, X, k: ({}, [f"mean(column)>={rng.uniform(1, 4):.3g}"]),
    "A or B": lambda rng, X, k: (
        {},
        [
            f"size<={int(rng.integers(1, 4))} or overlap(known)<={int(rng.integers(1, 3))}"
            f" or diameter<={rng.uniform(0.2, 0.8) * np.ptp(X, axis=0).max():.6g}"
        ],
    ),
    "weights": _weights,
    "outliers": _outliers,
    "fixed centres": _fixed,
    "weights and sizes": _weights_and_sizes,
}

_ALONE = {"outliers", "fixed centres"}  # most others are refused beside these


def problem_of(kind, seed, keeps_rules):
    """Return a problem as a solver is given it, None where its constraints contradict."""
    return _made(*draw(kind, seed), keeps_rules)


def _made(given, rules, keeps_rules):
    try:
        return with_rules(Problem(**given), rules, keeps_rules)
    except ProblemError:
        return None


def optimum(problem):
    """Return the least objective of all clusterings that keep what is hard, inf without any."""
    sized = problem.sizes is not None
    labels = (assignments if sized or problem.is_soft else clusterings)(problem.n, problem.k)
    for links, same in ((problem.must_link.hard, True), (problem.cannot_link.hard, False)):
        i, j = links.pairs.T
        labels = labels[((labels[:, i] == labels[:, j]) == same).all(axis=1)]
    inside = labels[:, :, None] == np.arange(problem.k)
    count = inside.sum(axis=1)
    lower, upper = (problem.sizes.lower, problem.sizes.upper) if sized else (1, problem.n)
    kept = ((count >= lower) & (count <= upper)).all(axis=1)
    kept &= (inside * problem.masses[:, None]).any(axis=1).all(axis=1)
    if problem.neighbors is not None:
        kept[kept] = [problem.neighbors.are_connected(each) for each in labels[kept]]
    labels = labels[kept]
    costs = objectives(problem, labels)
    for at in np.argsort(costs, kind="stable") if problem.rules else ():
        clusters = [np.flatnonzero(labels[at] == j) for j in range(problem.k)]
        if all(rule.allows(problem, each) for rule in problem.rules for each in clusters):
            return float(costs[at])
    return math.inf if problem.rules else float(costs.min(initial=math.inf))


def faults(problem, solver, level, seconds=None):
    """Yield what is wrong with a run of a solver at a level of `ccviz.solvers.advice`."""
    result = start(problem, solver, seed=1, time_limit=seconds).result()
    yield from faults_of(result, level, seconds is None)


def faults_of(result, level, is_whole=True):
    """Yield what is wrong with a run at a level, `is_whole` if no time limit ended it."""
    best = optimum(result.run.problem)
    if result.lower_bound > best * (1.0 + 1e-9):
        yield f"the bound {result.lower_bound} is above the optimum {best}"
    if result.status == "infeasible" and best < math.inf:
        yield "it is called infeasible and has a clustering"
    if result.status in ("optimal", "feasible"):
        if not result.partition.violations.none_hard:
            yield "the clustering breaks a constraint"
        if result.objective < best * (1.0 - 1e-9):
            yield f"the objective {result.objective} is below the optimum {best}"
        if result.status == "optimal" and result.objective > best * (1.0 + 1.1e-4):
            yield f"{result.objective} is called optimal, and {best} is"
    if level == "bound" and best < math.inf and not result.lower_bound >= 0.0:
        yield "there is no bound"
    if level == "proof":
        yield from _proof_faults(result, best, is_whole)


def _proof_faults(result, best, is_whole):
    """Yield what is wrong with a proof, which a checker reads of the solvers that leave one."""
    problem, wanted = result.run.problem, "infeasible" if math.isinf(best) else "optimal"
    # Soft weights far above all costs leave more to rounding than the tolerance of `colgen`.
    rounded = result.termination == "stalled" and result.gap <= OPTIMAL_GAP
    if is_whole and result.status != wanted and not rounded:
        yield f"it is {wanted}, and the run ended {result.status}: {result.message}"
    ended = rounded or result.status in ("optimal", "infeasible")
    if result.run.started.solver == "rbba" or not ended:
        return
    verdict = verify(problem, [record.event for record in result.records()])
    under_sums = result.status == "infeasible" and sum_limits(problem)  # these may have no tree
    if not (verdict.accepted or under_sums):
        yield f"it is called {result.status}, and {verdict.sentence}"
    if verdict.lower_bound > best:
        yield f"the checked bound {verdict.lower_bound} is above the optimum {best}"
