"""Column generation on the protocol of Babaki, Guns and Nijssen 2014, and beyond it.

    python benchmarks/colgen_protocol.py [--bench DIR] [--parts iris ...] [--budget SECONDS]

Parts: ``iris`` and ``wine`` (tables 6 and 7: links drawn at random from the labels, k = 3 and 5),
``infeasible`` (table 8: data like soybean, four classes in fewer clusters), ``schemes`` (iterations
by stabilisation), ``plane`` (s-mdeclust, k = 100) and ``published`` (pc-sos-sdp, held against the
SDP solver's objective). A row is added as each case ends; a run that was stopped goes on where it
was. Every proof is checked by `ccviz.proof.verify` after the clock has stopped, with ``--work``
units of work. Seconds are CPU seconds of one process. ``--budget`` ends the run after about that
number of them; ``--table`` only writes the summary; ``--again`` drops the rows of a verdict first.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(name, "1")

import numpy as np  # noqa: E402
from _rows import append_row, done_keys, read_rows  # noqa: E402
from sklearn.datasets import load_iris, load_wine  # noqa: E402

from ccviz import Problem, start  # noqa: E402
from ccviz.events import ColumnsPriced, Record  # noqa: E402
from ccviz.proof.verify import Verdict, verify  # noqa: E402
from ccviz.runs.archive import Archive  # noqa: E402
from ccviz.runs.file import export_run  # noqa: E402
from ccviz.studies.suite import instances  # noqa: E402

sys.path.insert(0, str(Path(__file__).parents[1] / "tools"))
from check_proof import judge  # noqa: E402

LINKS = {
    "iris": (2, 60, 100, 140, 200, 240, 300, 340, 400, 440, 500),
    "wine": (240, 300, 340, 380, 420, 460, 500),
}
PARTS = ("iris", "wine", "infeasible", "schemes", "published", "plane")
SCHEMES = ("interior", "smoothing", "perturbation", "none")
GAP = 1e-4
PAPER_LIMIT_S = 1800.0
LIMIT_S = PAPER_LIMIT_S / 10
WORK = 1000.0
PLANE_LIMIT_S = 3600.0
RESULTS = Path(__file__).parent / "results"
SHARED = Path(__file__).parents[2] / "shared" / "bench"
BENCH = Path(os.environ.get("CCVIZ_BENCH", SHARED))
FIELDS = (
    "part", "case", "k", "links", "settings", "status", "objective", "lower_bound", "gap", "nodes",
    "iterations", "cpu_s", "verdict", "verify_s", "second", "second_s", "reference", "difference",
)  # fmt: skip


@dataclass(frozen=True)
class Case:
    """One run: its name, its problem, its limit and what its objective should be."""

    part: str
    name: str
    problem: Problem
    limit_s: float
    reference: str = ""
    settings: dict[str, Any] = field(default_factory=dict)

    @property
    def key(self) -> tuple[str, ...]:
        """The first five fields of its row."""
        links = len(self.problem.must_link) + len(self.problem.cannot_link)
        return self.part, self.name, str(self.problem.k), str(links), self.described

    @property
    def described(self) -> str:
        """Settings other than the solver's own."""
        return " ".join(f"{name}={value}" for name, value in self.settings.items())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bench", type=Path, default=BENCH, help="the folder with the instances")
    parser.add_argument("--parts", nargs="*", default=PARTS, choices=PARTS)
    parser.add_argument("--budget", type=float, default=float("inf"))
    parser.add_argument("--work", type=float, default=WORK, help="units for the checker")
    parser.add_argument("--again", default=None, help="drop rows with this verdict first")
    parser.add_argument("--no-verify", action="store_true", help="leave the verdict empty")
    parser.add_argument("--out", type=Path, default=RESULTS / "colgen.csv")
    parser.add_argument("--table", action="store_true", help="only write the summary")
    options = parser.parse_args()
    if not options.table:
        measure_all(options)
    write_table(options.out)


def measure_all(options: argparse.Namespace) -> None:
    rng = np.random.default_rng(0)
    start(Problem(rng.normal(size=(40, 2)), 3, cannot_link=[(0, 1)]), "colgen").result()
    if options.again is not None:
        keep = [row for row in read_rows(options.out) if row["verdict"] != options.again]
        options.out.unlink()
        for row in keep:
            append_row(options.out, row, FIELDS)
    done = done_keys(options.out, FIELDS[:5])
    for part in options.parts:
        for case in cases(part, options.bench):
            if time.process_time() > options.budget:
                return
            if case.key not in done:
                append_row(
                    options.out, measure(case, 0.0 if options.no_verify else options.work), FIELDS
                )


def cases(part: str, bench: Path) -> Iterator[Case]:
    """Yield the cases of a part."""
    if part in LINKS:
        yield from protocol(part)
    elif part == "plane":
        yield from plane(bench / "s-mdeclust")
    elif part == "published":
        yield from published(bench / "pc-sos-sdp")
    elif part == "infeasible":
        yield from infeasible()
    else:
        problem = with_links(load_iris().data, load_iris().target, 5, 100)
        for scheme in SCHEMES:
            yield Case(part, "iris", problem, LIMIT_S, "", {"stabilisation": scheme})


def protocol(part: str) -> Iterator[Case]:
    data = load_iris() if part == "iris" else load_wine()
    for k in (3, 5):
        for count in LINKS[part]:
            yield Case(part, part, with_links(data.data, data.target, k, count), LIMIT_S)


def infeasible() -> Iterator[Case]:
    """Yield four classes in fewer clusters, with ever more links."""
    X, classes = like_soybean()
    for k in (2, 3):
        for count in (40, 80, 120, 160, 200):
            yield Case("infeasible", "like soybean", with_links(X, classes, k, count), LIMIT_S)


def plane(folder: Path) -> Iterator[Case]:
    for n in (500, 1000):
        for count in (100, 1000):
            table = np.loadtxt(folder / f"n{n}_k100.csv", delimiter=",", skiprows=1)
            links = json.loads((folder / f"n{n}_k100_c{count}.json").read_text())
            must, cannot = ([tuple(pair) for pair in links[name]] for name in ("ml", "cl"))
            problem = Problem(table[:, :2], 100, must_link=must, cannot_link=cannot)
            yield Case("plane", f"n{n}_k100_c{count}", problem, PLANE_LIMIT_S)


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


def published(folder: Path) -> Iterator[Case]:
    """Yield iris, wine and seeds; the reference is what the SDP solver found."""
    for row in read_rows(RESULTS / "sdp_published.csv"):
        if row["dataset"] in ("iris", "wine", "seeds"):
            name = "{dataset}/ml_{ml}_cl_{cl}_{seed}".format(**row)
            (instance,) = instances(folder, name)
            yield Case("published", name, instance.problem(), LIMIT_S, row["objective"])


def measure(case: Case, work: float) -> dict[str, Any]:
    """Run a case and return its row; no check without work for it."""
    began = time.process_time()
    stepper = start(case.problem, "colgen", time_limit=case.limit_s, **case.settings)
    records = list(stepper)
    cpu_s = time.process_time() - began
    result = stepper.result()
    began = time.process_time()
    events = [record.event for record in records]
    verdict = describe(verify(case.problem, events, work=work)) if work else ""
    verify_s = time.process_time() - began
    second, second_s = describe_second(case.problem, records) if work else ("", 0.0)
    finite = np.isfinite(result.objective)
    difference = result.objective / float(case.reference) - 1.0 if case.reference else None
    row = {
        **dict(zip(FIELDS, case.key, strict=False)),
        "status": result.status,
        "objective": f"{result.objective:.9g}",
        "lower_bound": f"{result.lower_bound:.9g}",
        "gap": f"{result.gap:.1e}" if finite else "",
        "nodes": result.nodes,
        "iterations": sum(isinstance(event, ColumnsPriced) for event in events),
        "cpu_s": f"{cpu_s:.2f}",
        "verdict": verdict,
        "verify_s": f"{verify_s:.2f}" if work else "",
        "second": second,
        "second_s": f"{second_s:.2f}" if work else "",
        "reference": case.reference,
        "difference": "" if difference is None else f"{difference:+.1e}",
    }
    print(*(row[name] for name in FIELDS), file=sys.stderr, flush=True)
    return row


def describe(verdict: Verdict) -> str:
    if verdict.accepted:
        return "accepted"
    return "trust" if verdict.trusted else verdict.sentence


def describe_second(problem: Problem, records: list[Record]) -> tuple[str, float]:
    """Return what `tools/check_proof.py` says, and its seconds."""
    with tempfile.TemporaryDirectory() as folder, Archive(Path(folder) / "runs") as archive:
        run_id = archive.create(problem, "colgen", {})
        archive.append(run_id, records, None)
        path = Path(folder) / "run.ccviz"
        export_run(archive, run_id, path)
        began = time.process_time()
        proved, sentence = judge(path, GAP)
        return "accepted" if proved else sentence, time.process_time() - began


HEADINGS = {
    "iris": "Iris, the paper's protocol (its limit was 30 minutes a case)",
    "wine": "Wine, the paper's protocol (the paper's limit was 30 minutes a case)",
    "infeasible": "Like soybean: 47 seeded points, 35 features; four classes, fewer clusters",
    "schemes": "Iterations by stabilisation, iris, k = 5, 100 links",
    "plane": "Plane data, k = 100",
}
COLUMNS = ("case", "k", "links", "settings", "status", "objective", "gap", "nodes", "iterations",
           "cpu_s", "verdict", "verify_s")  # fmt: skip


def write_table(source: Path) -> None:
    """Write a table a part; of the published instances only a summary."""
    rows = sorted(read_rows(source), key=lambda row: (int(row["k"]), int(row["links"])))
    lines = [
        "# Column generation",
        "",
        "CPU seconds of one process, compiled code loaded. The verdict is that of `ccviz verify`:",
        "*accepted* if every leaf has a semidefinite certificate or its pricing was searched",
        "again in plain NumPy, *trust* if that was too long and all else was checked, empty if it",
        f"was not asked for. The checker had {WORK:.0f} units of work, as in",
        f"`ccviz verify --work {WORK:.0f}`, a unit about a second.",
        "",
    ]
    for part, heading in HEADINGS.items():
        members = [row for row in rows if row["part"] == part]
        if members:
            lines += [f"## {heading}", "", *table(members), ""]
    lines += agreement([row for row in rows if row["part"] == "published"])
    source.with_suffix(".md").write_text("\n".join(lines).rstrip() + "\n")


def table(rows: list[dict[str, str]]) -> list[str]:
    shown = [name for name in COLUMNS if any(row[name] for row in rows)]
    lines = ["| " + " | ".join(shown) + " |", "|---" * len(shown) + "|"]
    return lines + ["| " + " | ".join(row[name] for name in shown) + " |" for row in rows]


def agreement(rows: list[dict[str, str]]) -> list[str]:
    if not rows:
        return []
    lines = [
        "## Published instances, held against the SDP solver's objective",
        "",
        "The second checker is `tools/check_proof.py`.",
        "",
        "| data set | instances | proved | accepted | on trust | by the second "
        "| largest difference | nodes | CPU s | longest | verify s | verify / solving, most |",
        "|---|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    for dataset in ("iris", "wine", "seeds"):
        members = [row for row in rows if row["case"].startswith(dataset)]
        if members:
            lines.append("| " + " | ".join(map(str, summary(dataset, members))) + " |")
    return lines


def summary(dataset: str, rows: list[dict[str, str]]) -> tuple[Any, ...]:
    seconds = [float(row["cpu_s"]) for row in rows]
    checked = [float(row["verify_s"]) for row in rows]
    differences = [abs(float(row["difference"])) for row in rows]
    return (
        dataset,
        len(rows),
        sum(row["status"] == "optimal" for row in rows),
        sum(row["verdict"] == "accepted" for row in rows),
        sum(row["verdict"] == "trust" for row in rows),
        sum(row["second"] == "accepted" for row in rows),
        f"{max(differences):.0e}",
        sum(int(row["nodes"]) for row in rows),
        f"{sum(seconds):.1f}",
        f"{max(seconds):.1f}",
        f"{sum(checked):.1f}",
        f"{max(a / b for a, b in zip(checked, seconds, strict=True)):.2f}",
    )


if __name__ == "__main__":
    main()
