"""Column generation on the protocol of Babaki, Guns and Nijssen 2014, and beyond it.

Parts: ``iris`` and ``wine`` (tables 6 and 7: links drawn at random from the labels, k = 3 and 5),
``infeasible`` (table 8: data like soybean, four classes in fewer clusters), ``schemes`` (iterations
by stabilisation), ``plane`` (s-mdeclust, k = 100) and ``published`` (pc-sos-sdp, held against the
SDP solver's objective). Every proof is checked by `ccviz.proof.verify` after the clock has stopped,
with ``--work`` units of work. Seconds are CPU seconds of one process.
"""

from __future__ import annotations

import tempfile
from argparse import Namespace
from collections.abc import Iterator
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import _runner as runner
import numpy as np
from memetic_large import read
from sklearn.datasets import load_iris, load_wine

from ccviz import Problem, start
from ccviz.events import ColumnsPriced, Record
from ccviz.proof.verify import verify
from ccviz.runs.archive import Archive
from ccviz.runs.file import export_run
from ccviz.studies.suite import instances

LINKS = {
    "iris": (2, 60, 100, 140, 200, 240, 300, 340, 400, 440, 500),
    "wine": (240, 300, 340, 380, 420, 460, 500),
}
SCHEMES = ("interior", "smoothing", "perturbation", "none")
GAP = 1e-4
PAPER_LIMIT_S = 1800.0
LIMIT_S = PAPER_LIMIT_S / 10
WORK = 1000.0
PLANE_LIMIT_S = 3600.0


def with_links(X: np.ndarray, classes: np.ndarray, k: int, count: int, seed: int = 0) -> Problem:
    """Draw pairs and compare their labels, as Wagstaff and Cardie did."""
    rng = np.random.default_rng(seed)
    must, cannot = set(), set()
    while len(must) + len(cannot) < count:
        i, j = sorted(rng.choice(len(classes), 2, replace=False).tolist())
        (must if classes[i] == classes[j] else cannot).add((i, j))
    return Problem(X, k, must_link=sorted(must), cannot_link=sorted(cannot))


def like_soybean() -> tuple[np.ndarray, np.ndarray]:
    """Draw 47 points with 35 small whole numbers each, in four classes of soybean's sizes."""
    rng = np.random.default_rng(0)
    classes = np.repeat(np.arange(4), (10, 10, 10, 17))
    usual = rng.integers(0, 4, size=(4, 35))
    noise = rng.integers(-1, 2, size=(47, 35)) * (rng.random((47, 35)) < 0.3)
    return np.clip(usual[classes] + noise, 0, 6).astype(float), classes


HEADINGS = {
    "iris": "Iris, the paper's protocol (its limit was 30 minutes a case)",
    "wine": "Wine, the paper's protocol (the paper's limit was 30 minutes a case)",
    "infeasible": "Like soybean: 47 seeded points, 35 features; four classes, fewer clusters",
    "schemes": "Iterations by stabilisation, iris, k = 5, 100 links",
    "plane": "Plane data, k = 100",
}


KEY = ("part", "case", "k", "links", "settings")
Case = tuple[str, str, Problem, float, str, dict[str, Any]]
"""Part, name, problem, limit, the objective that it should have, and settings."""


def cases(options: Namespace) -> Iterator[tuple[Any, ...]]:
    for part in options.parts:
        for name, problem, limit_s, reference, settings in PARTS[part]():
            links = len(problem.must_link) + len(problem.cannot_link)
            words = " ".join(f"{key}={value}" for key, value in settings.items())
            yield part, name, problem.k, links, words, problem, limit_s, reference, settings


def of_classes(name: str) -> Iterator[Case]:
    data = load_iris() if name == "iris" else load_wine()
    for k, count in product((3, 5), LINKS[name]):
        yield name, with_links(data.data, data.target, k, count), LIMIT_S, "", {}


def infeasible() -> Iterator[Case]:
    """Yield four classes in fewer clusters, with ever more links."""
    X, classes = like_soybean()
    for k, count in product((2, 3), (40, 80, 120, 160, 200)):
        yield "like soybean", with_links(X, classes, k, count), LIMIT_S, "", {}


def schemes() -> Iterator[Case]:
    problem = with_links(load_iris().data, load_iris().target, 5, 100)
    for scheme in SCHEMES:
        yield "iris", problem, LIMIT_S, "", {"stabilisation": scheme}


def plane() -> Iterator[Case]:
    for n, count in product((500, 1000), (100, 1000)):
        path = runner.BENCH / "s-mdeclust" / f"n{n}_k100_c{count}.json"
        yield path.stem, read(path), PLANE_LIMIT_S, "", {}


def published() -> Iterator[Case]:
    """Yield iris, wine and seeds; the reference is what the SDP solver found."""
    for row in runner.results("sdp_published"):
        if row["dataset"] in SETS:
            name = "{dataset}/ml_{ml}_cl_{cl}_{seed}".format(**row)
            (instance,) = instances(runner.SUITE, name)
            yield name, instance.problem(), LIMIT_S, row["objective"], {}


PARTS = {
    "iris": partial(of_classes, "iris"), "wine": partial(of_classes, "wine"),
    "infeasible": infeasible, "schemes": schemes, "published": published, "plane": plane,
}  # fmt: skip
SETS = ("iris", "wine", "seeds")


def measure(options: Namespace, *case: Any) -> dict[str, Any]:
    """Run a case and check its proof; no check without work for it."""
    problem, limit_s, reference, settings = case[len(KEY) :]
    stepper = start(problem, "colgen", time_limit=limit_s, **settings)
    records, cpu_s = runner.timed(list, stepper)
    result, events = stepper.result(), [record.event for record in records]
    row: dict[str, Any] = dict.fromkeys(("verdict", "verify_s", "second", "second_s"), "")
    if options.work:
        verdict, verify_s = runner.timed(verify, problem, events, work=options.work)
        said = "trust" if verdict.trusted else verdict.sentence
        row |= {"verdict": "accepted" if verdict.accepted else said, "verify_s": f"{verify_s:.2f}"}
        (proved, sentence), second_s = second(problem, records)
        row |= {"second": "accepted" if proved else sentence, "second_s": f"{second_s:.2f}"}
    off = f"{result.objective / float(reference) - 1.0:+.1e}" if reference else ""
    return {
        "status": result.status, "objective": f"{result.objective:.9g}",
        "lower_bound": f"{result.lower_bound:.9g}",
        "gap": f"{result.gap:.1e}" if np.isfinite(result.objective) else "",
        "nodes": result.nodes,
        "iterations": sum(isinstance(event, ColumnsPriced) for event in events),
        "cpu_s": f"{cpu_s:.2f}", **row, "reference": reference, "difference": off,
    }  # fmt: skip


def second(problem: Problem, records: list[Record]) -> tuple[tuple[bool, str], float]:
    """Return what `tools/check_proof.py` says, and its seconds."""
    from check_proof import judge

    with tempfile.TemporaryDirectory() as folder, Archive(Path(folder) / "runs") as archive:
        run_id = archive.create(problem, "colgen", {})
        archive.append(run_id, records, None)
        path = Path(folder) / "run.ccviz"
        export_run(archive, run_id, path)
        return runner.timed(judge, path, GAP)


COLUMNS = ("case", "k", "links", "settings", "status", "objective", "gap", "nodes", "iterations",
           "cpu_s", "verdict", "verify_s")  # fmt: skip
HEAD = f"""# Column generation

CPU seconds of one process, compiled code loaded. The verdict is that of `ccviz verify`:
*accepted* if every leaf has a semidefinite certificate or its pricing was searched
again in plain NumPy, *trust* if that was too long and all else was checked, empty if it
was not asked for. The checker had {WORK:.0f} units of work, as in
`ccviz verify --work {WORK:.0f}`, a unit about a second.

"""


def page(rows: runner.Rows) -> str:
    """Return a table a part; of the published instances only a summary."""
    rows, text = sorted(rows, key=lambda row: (int(row["k"]), int(row["links"]))), HEAD
    for part, heading in HEADINGS.items():
        own = [row for row in rows if row["part"] == part]
        shown = [name for name in COLUMNS if any(row[name] for row in own)]
        table = runner.markdown(shown, [[row[name] for name in shown] for row in own])
        text += f"## {heading}\n\n{table}\n"
    known = [row for row in rows if row["part"] == "published"]
    by_set = {name: [row for row in known if row["case"].startswith(name)] for name in SETS}
    table = runner.markdown(
        "data set | instances | proved | accepted | on trust | by the second "
        "| largest difference | nodes | CPU s | longest | verify s | verify / solving, most",
        [summary(name, own) for name, own in by_set.items() if own],
    )
    return (
        f"{text}## Published instances, held against the SDP solver's objective\n\n"
        f"The second checker is `tools/check_proof.py`.\n\n{table}"
    )


def summary(dataset: str, rows: runner.Rows) -> list[object]:
    seconds, checked, differences, nodes = (
        np.array([float(row[name]) for row in rows])
        for name in ("cpu_s", "verify_s", "difference", "nodes")
    )
    said = (("status", "optimal"), ("verdict", "accepted"), ("verdict", "trust"),
            ("second", "accepted"))  # fmt: skip
    counts = [sum(row[name] == value for row in rows) for name, value in said]
    return [
        dataset, len(rows), *counts, f"{abs(differences).max():.0e}", int(nodes.sum()),
        f"{seconds.sum():.1f}", f"{seconds.max():.1f}", f"{checked.sum():.1f}",
        f"{(checked / seconds).max():.2f}",
    ]  # fmt: skip


def warm_up() -> None:
    rng = np.random.default_rng(0)
    start(Problem(rng.normal(size=(40, 2)), 3, cannot_link=[(0, 1)]), "colgen").result()


if __name__ == "__main__":
    runner.run(
        __doc__, "colgen", KEY, cases, measure, page, warm_up=warm_up, parts=PARTS, work=WORK
    )
