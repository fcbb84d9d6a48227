"""Certified gaps on many points.

The sets of AVOC; Gaussians as Hua, Shi and Cao drew them; NORM-10 and NORM-25 after the program of
Clum, Mixon, Villar and Xie, who have a bound with 99 % confidence; large sets without a published
gap.

One thread. The seconds are CPU seconds, so that what else the machine does counts little; a run is
stopped after `--cpu-limit`. Electric and letter have 1,200 seconds, which are ten minutes of two
cores. For a peak of memory that is a row's own, ask for one row a call. Every proof is checked by
`ccviz.proof.verify` after the clock has stopped. "links" joins n / 8 random pairs, n / 4 points, as
the classes of a k-means clustering say.
"""

from __future__ import annotations

from argparse import Namespace
from itertools import product
from typing import Any

import _runner as runner
import numpy as np

from ccviz import Problem, start
from ccviz.arrays import FloatArray
from ccviz.data.read_table import read_data
from ccviz.data.scaling import scale
from ccviz.events import Event, IncumbentFound, PartBounded, PartsCut
from ccviz.proof.verify import verify
from ccviz.solvers.common.seeding import plain_kmeans

PUBLISHED = "3 %"  # AVOC's gap on these sets, "in most cases"
AVOC = {
    "10000_2_05": 2, "10000_2_075": 2, "10000_2_10": 2,
    "10000_3_05": 3, "10000_3_075": 3, "10000_3_10": 3,
    "Abalone": 3, "Facebook": 3, "Electric": 3,
}  # fmt: skip
GAUSSIANS = {
    "gaussians-210000": (210_000, 3),
    "gaussians-210000-k10": (210_000, 10),
    "gaussians-1000000": (1_000_000, 3),
}
NORM = {"NORM-10": (10, 5, 10), "NORM-25": (25, 15, 25), "NORM-25-k10": (25, 15, 10)}
"""Centres that are drawn, dimensions, and clusters that are sought."""
UNKNOWN = {"letter": 26, "shuttle": 7, "urbanGB": 10}
TOLERANCES = {"Facebook": 5e-3, "Electric": 5e-3, "gaussians-1000000": 5e-3}
SETTINGS = {"Electric": {"part_size": 2000}}
"""Settings other than the defaults: relaxations of small parts of Electric cannot reach 1 %."""


def warm_up() -> None:
    points = np.random.default_rng(0).normal(size=(80, 2))
    plain_kmeans(points, 3, 0)
    start(Problem(points, 3, cannot_link=[(0, 1)]), "divide", part_size=20).result()


def points_of(which: str) -> tuple[FloatArray, int]:
    """Return the points of a set, and its clusters; Electric, letter, shuttle are standardised."""
    if which in GAUSSIANS:
        return gaussians(*GAUSSIANS[which])
    if which in NORM:
        return norm(*NORM[which])
    if which == "urbanGB":
        X = np.loadtxt(runner.BENCH / "large" / "sets" / "urbanGB_L_10.txt", delimiter=",")[:, :2]
        return X, UNKNOWN[which]
    if which in UNKNOWN:
        X = read_data(str(runner.BENCH / "classes" / f"{which}.parquet"), label="class").X
        return scale(X, "standard"), UNKNOWN[which]
    X = np.loadtxt(runner.BENCH / "large" / "avoc" / f"{which}.txt", skiprows=1)
    return scale(X, "standard") if which == "Electric" else X, AVOC[which]


def gaussians(n: int, k: int) -> tuple[FloatArray, int]:
    """Return points around k centres, ten standard deviations apart, in rows of four or three."""
    rng = np.random.default_rng(0)
    row, place = np.divmod(np.arange(k), 2 if k == 3 else 4)
    centers = 10.0 * np.column_stack([place + 0.5 * (row % 2), 0.9 * row])
    return centers[rng.integers(k, size=n)] + rng.normal(size=(n, 2)), k


def norm(centers: int, d: int, k: int) -> tuple[FloatArray, int]:
    """Return 10,000 points of unit variance around centres in a cube of side 500."""
    rng = np.random.default_rng(0)
    drawn = rng.uniform(0.0, 500.0, (centers, d))
    return drawn[rng.integers(centers, size=10_000)] + rng.normal(size=(10_000, d)), k


def linked(X: FloatArray, k: int) -> Problem:
    """Return the problem with n / 8 random pairs linked as a k-means clustering has them."""
    i, j = np.random.default_rng(1).integers(len(X), size=(2, len(X) // 8))
    pairs = np.column_stack([i, j])[i != j]
    classes = plain_kmeans(X, k, 5).labels_
    same = classes[pairs[:, 0]] == classes[pairs[:, 1]]
    return Problem(X, k, must_link=pairs[same], cannot_link=pairs[~same])


def parts_left(events: list[Event]) -> int:
    """Return how many parts there are in the end, merged ones as one."""
    group_of: dict[int, tuple[int, ...]] = {}
    for event in events:
        if isinstance(event, PartsCut):
            group_of = {part: (part,) for part in range(event.parts)}
        elif isinstance(event, PartBounded):
            group_of.update(dict.fromkeys(event.group, event.group))
    return len(set(group_of.values()))


def measure(options: Namespace, which: str, links: str) -> dict[str, Any]:
    X, k = points_of(which)
    problem = linked(X, k) if links == "yes" else Problem(X, k)
    tolerance = TOLERANCES.get(which, 1e-3)
    stepper = start(problem, "divide", tolerance=tolerance, **SETTINGS.get(which, {}))
    events: list[Event] = []
    first: dict[type[Event], float] = {}
    for event, spent in runner.events_within(stepper, options.cpu_limit):
        events.append(event)
        first.setdefault(type(event), spent)
    result = stepper.result()
    verdict, verify_s = runner.timed(verify, problem, events, gap=1.0)
    cuts = [event for event in events if isinstance(event, PartsCut)]
    return {
        "n": problem.n, "k": k, "n_blocks": result.n_blocks, "tolerance": f"{tolerance:g}",
        "parts": cuts[-1].parts if cuts else 0, "parts_at_end": parts_left(events),
        "shared": int((cuts[-1].part_of < 0).sum()) if cuts else 0,
        "dropped": cuts[-1].dropped if cuts else 0,
        "objective": f"{result.objective:.9g}", "gap": f"{result.gap:.2e}",
        "termination": result.termination,
        "first_s": f"{first.get(IncumbentFound, np.nan):.1f}",
        "cut_s": f"{first.get(PartsCut, np.nan):.1f}", "cpu_s": f"{spent:.1f}",
        "cpu_limit_s": f"{options.cpu_limit:g}",
        "verified_gap": f"{verdict.gap:.2e}" if verdict.accepted else verdict.sentence,
        "verify_s": f"{verify_s:.1f}", "peak_mib": f"{runner.peak_mib():.0f}",
    }  # fmt: skip


def page(rows: runner.Rows) -> str:
    """Return the rows as a table, with what AVOC published of its sets."""

    def shown(row: runner.Row) -> runner.Row:
        is_avoc = row["set"] in AVOC and row["links"] == "no"
        stopped = (
            f" (stopped at {row['cpu_limit_s']})" if row["termination"] == "interrupted" else ""
        )
        cells = {"published": f"< {PUBLISHED}" if is_avoc else "–", "cpu": row["cpu_s"] + stopped}
        return row | cells | {name: percent(row[name]) for name in ("gap", "verified_gap")}

    text = runner.laid_out(
        "set | n | k | links | parts, merged to | gap | checked gap | CPU seconds "
        "| of them to the cut | checking, s | peak, MiB | published gap",
        "{set} | {n} | {k} | {links} | {parts}, {parts_at_end} | {gap} | {verified_gap} | {cpu} "
        "| {cut_s} | {verify_s} | {peak_mib} | {published}",
        map(shown, sorted(rows, key=lambda row: (SETS.index(row["set"]), row["links"]))),
    )
    note = 'AVOC publishes gaps < 3 % "in most cases", "often under a few hours", no links.'
    return f"{text}\n{note}\n"


def percent(gap: str) -> str:
    return f"{100 * float(gap):.3f} %" if gap[0].isdigit() else gap


SETS = (*AVOC, *GAUSSIANS, *NORM, *UNKNOWN)

if __name__ == "__main__":
    runner.run(
        __doc__, "divide", ("set", "links"),
        lambda options: product(options.only, options.links), measure, page,
        warm_up=warm_up, only=SETS, links=("no", "yes"), cpu_limit=600.0,
    )  # fmt: skip
