"""What proofs cost to check: both checkers on published instances of Piccialli et al. 2022.

Each instance is solved by ``sdp`` and its run checked by `ccviz.proof.verify` and, from its file,
by ``tools/check_proof.py``; seconds are CPU seconds of one thread. With ``--runs`` the run files
stay in a folder, and those that are there are not solved again: their seconds are in its
``solve.csv``. What altered proofs come to is in ``alterations.py``.
"""

from __future__ import annotations

import tempfile
from argparse import Namespace
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import _runner as runner
import numpy as np
from check_proof import judge

from ccviz import Problem, start
from ccviz.events import NodeOpened
from ccviz.proof.verify import verify
from ccviz.runs.archive import Archive
from ccviz.runs.file import export_run, import_run
from ccviz.studies.suite import instances

GAP = 1e-4


def cases(options: Namespace) -> Iterator[tuple[str]]:
    for row in runner.read_rows(runner.SUITE / "published.csv"):
        sets, seeds = options.sets or [row["dataset"]], options.seeds or [row["seed"]]
        if row["dataset"] in sets and row["seed"] in seeds:
            yield (f"{row['dataset']}/ml_{row['ml']}_cl_{row['cl']}_{row['seed']}",)


def measure(options: Namespace, name: str) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        runs = options.runs or Path(folder)
        path = runs / f"{name.replace('/', '__')}.ccviz"
        if not path.exists():
            solve(name, path)
        solved = {row["instance"]: row["solve_s"] for row in runner.read_rows(runs / "solve.csv")}
        with Archive(Path(folder) / "runs") as archive:
            run_id = import_run(archive, path)
            problem = archive.problem(run_id)
            events = [record.event for record in archive.records(run_id)]
        verdict, first_s = runner.timed(verify, problem, events, GAP)
        (proved, sentence), second_s = runner.timed(judge, path, GAP)
    nodes = sum(isinstance(event, NodeOpened) for event in events)
    return {
        "n": problem.n, "nodes": nodes, "gap": f"{verdict.gap:.1e}", "solve_s": solved[name],
        "first": "accepted" if verdict.accepted else verdict.sentence, "first_s": f"{first_s:.2f}",
        "second": "accepted" if proved else sentence, "second_s": f"{second_s:.2f}",
    }  # fmt: skip


def solve(name: str, path: Path) -> None:
    (instance,) = instances(runner.SUITE, name)
    problem = instance.problem()
    records, seconds = runner.timed(lambda: list(start(problem, "sdp")))
    with tempfile.TemporaryDirectory() as folder, Archive(Path(folder) / "runs") as archive:
        run_id = archive.create(problem, "sdp", {})
        archive.append(run_id, records, None)
        export_run(archive, run_id, path)
    solved = {"instance": name, "solve_s": f"{seconds:.2f}"}
    runner.append_row(path.parent / "solve.csv", solved)


HEAD = """# What proofs cost to check

`sdp` on published instances, gap 1e-4; CPU seconds, one thread. The first checker is
`ccviz verify`, the second `tools/check_proof.py`, which reads the run file as well.

"""


def page(rows: runner.Rows) -> str:
    names = dict.fromkeys(row["instance"].split("/")[0] for row in rows)
    groups = {name: [r for r in rows if r["instance"].startswith(f"{name}/")] for name in names}
    return HEAD + runner.markdown(
        "data set | instances | first accepts | second accepts | solving s | first s | second s "
        "| first / solving, most | second / solving, most",
        [summary(*group) for group in (groups | {"**all**": rows}).items()],
    )


def summary(name: str, rows: runner.Rows) -> list[object]:
    accepted = [sum(row[way] == "accepted" for row in rows) for way in ("first", "second")]
    columns = {
        field: [float(row[field]) for row in rows] for field in ("solve_s", "first_s", "second_s")
    }
    shares = [
        max(
            one / max(whole, 0.01)
            for one, whole in zip(columns[field], columns["solve_s"], strict=True)
        )
        for field in ("first_s", "second_s")
    ]
    totals = [f"{sum(values):.1f}" for values in columns.values()]
    return [name, len(rows), *accepted, *totals, *(f"{share:.2f}" for share in shares)]


def warm_up() -> None:
    start(Problem(np.random.default_rng(0).normal(size=(40, 2)), 3), "sdp").result()


if __name__ == "__main__":
    runner.run(
        __doc__, "proofs", ("instance",), cases, measure, page, warm_up=warm_up,
        sets=[str], seeds=[str], runs=Path,
    )  # fmt: skip
