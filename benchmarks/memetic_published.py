"""S-MDEClust on the published instances: optimum reached, and time beside the exact solver's.

    python benchmarks/memetic_published.py [--bench DIR] [--seed 0] [--sets iris wine ...]

One run an instance and seed with the default settings (P = 20 and the paper's other parameters,
our local search). A row is added as each instance ends; a run that was stopped goes on where it
was. The table compares our time in all, and our time to the best, with the published seconds of the
exact solver (16 cores) in all: its time to its best, with which the paper of S-MDEClust compares,
is printed for no instance. On link files with seed 0 it also compares with the authors' own program
(`_peers.py`), both in all and to the best.
"""

from __future__ import annotations

import argparse
import math
import statistics
from pathlib import Path

from _memetic import BENCH, RESULTS, measure, warm_up
from _peers import peers
from _rows import append_row, done_keys, read_rows

from ccviz.solvers.s_mdeclust import SMdeClust
from ccviz.studies.suite import Instance, instances

HIT = 1e-5
"""Relative distance to the published optimum, which has six digits, that counts as reaching it."""

UNKNOWN = "vertebral"
"""Its link files are not those behind the published objectives."""

PEERS = peers()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bench", type=Path, default=BENCH / "pc-sos-sdp")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--sets", nargs="*", default=None)
    parser.add_argument("--out", type=Path, default=RESULTS / "memetic_published.csv")
    options = parser.parse_args()
    warm_up(SMdeClust())
    done = done_keys(options.out, KEY)
    for instance in instances(options.bench):
        asked = options.sets is None or instance.dataset in options.sets
        if asked and (*map(str, key(instance)), str(options.seed)) not in done:
            append_row(options.out, row_of(instance, options.seed))
    rows = sorted(read_rows(options.out), key=lambda row: row["dataset"].lower())
    text = "\n\n".join([by_data_set(rows), against_the_peer(rows)]) + "\n"
    options.out.with_suffix(".md").write_text(text)
    print(text)


KEY = ("dataset", "ml", "cl", "links", "seed")


def key(instance: Instance) -> tuple[str, int, int, int]:
    return instance.dataset, instance.ml, instance.cl, instance.seed


def row_of(instance: Instance, seed: int) -> dict[str, object]:
    f = instance.published_f
    peer = PEERS.get((instance.dataset, instance.ml, instance.cl))
    peer_gap = peer.smdeclust_gap if peer else 0.0
    run = measure(instance.problem(), SMdeClust(), seed, target=f * (1.0 + peer_gap + HIT))
    return {
        **dict(zip(KEY, (*key(instance), seed), strict=True)),
        "objective": f"{run.objective:.9g}",
        "published_f": f,
        "gap": f"{run.objective / f - 1.0:.2e}",
        "feasible": run.feasible,
        "time_s": f"{run.time_s:.3f}",
        "best_s": f"{run.best_s:.4f}",
        "target_s": f"{run.target_s:.4f}",
        "generations": run.generations,
        "local_searches": run.local_searches,
        "iterations": run.iterations,
        "published_time_s": instance.published_time_s,
    }


def by_data_set(rows: list[dict[str, str]]) -> str:
    lines = [
        "The last two columns: our seconds in all, and to our best, as shares of the exact",
        "solver's published seconds in all. Its seconds to its best are not printed.",
        "",
        "| data set | runs | feasible | optimum reached | largest gap | CPU s, median "
        "| CPU s, most | to the best, median | local searches, median | in all, most "
        "| to the best, most |",
        "|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    names = list(dict.fromkeys(row["dataset"] for row in rows))
    lines += [summary(name, [row for row in rows if row["dataset"] == name]) for name in names]
    known = [row for row in rows if row["dataset"] != UNKNOWN]
    return "\n".join([*lines, summary("**all with a known optimum**", known)])


def summary(name: str, rows: list[dict[str, str]]) -> str:
    gaps, seconds = ([float(row[column]) for row in rows] for column in ("gap", "time_s"))
    best = [float(row["best_s"]) for row in rows]
    whole = [float(row["published_time_s"]) for row in rows]
    share, best_share = (
        max(ours / theirs for ours, theirs in zip(each, whole, strict=True))
        for each in (seconds, best)
    )
    searches = [float(row["local_searches"]) for row in rows]
    hits = sum(gap <= HIT for gap in gaps)
    known = name != UNKNOWN
    return (
        f"| {name} | {len(rows)} | {sum(row['feasible'] == 'True' for row in rows)} "
        f"| {f'{hits} ({hits / len(rows):.1%})' if known else '-'} "
        f"| {f'{max(gaps):+.1e}' if known else '-'} "
        f"| {statistics.median(seconds):.2f} | {max(seconds):.2f} "
        f"| {statistics.median(best):.2f} | {statistics.median(searches):.0f} "
        f"| {share:.2%} | {best_share:.2%} |"
    )


def against_the_peer(rows: list[dict[str, str]]) -> str:
    lines = [
        "CPU seconds until the peer's best objective, and in all:",
        "",
        "| instance | peer's gap | peer, to its best | ours, to the same | times faster "
        "| peer, in all | ours, in all | times faster |",
        "|---|---|---|---|---|---|---|---|",
    ]
    factors = []
    for row in rows:
        peer = PEERS.get((row["dataset"], int(row["ml"]), int(row["cl"])))
        if (
            peer is None
            or row["links"] != "0"
            or row["seed"] != "0"
            or math.isnan(float(row["target_s"]))
        ):
            continue
        whole, best, gap = peer.smdeclust_s, peer.smdeclust_best_s, peer.smdeclust_gap
        ours, ours_whole = float(row["target_s"]), float(row["time_s"])
        factors.append(best / ours)
        lines.append(
            f"| {row['dataset']} {row['ml']}/{row['cl']} | {gap:.3%} | {best} | {ours:.3f} "
            f"| {best / ours:.0f} | {whole} | {ours_whole:.2f} | {whole / ours_whole:.0f} |"
        )
    if factors:
        lines += [
            "",
            f"Least factor to the same objective: {min(factors):.1f}; "
            f"median {statistics.median(factors):.0f}.",
        ]
    return "\n".join(lines)


if __name__ == "__main__":
    main()
