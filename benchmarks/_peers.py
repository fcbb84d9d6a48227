"""What others' programs took on published instances: `peers.csv`, link files with seed 0.

Measured once, in November 2026, with one thread on a two-core machine of the kind that our tables
come from; seconds are CPU seconds, gaps are relative to the published optimum. ``smdeclust`` is the
authors' own program for S-MDEClust (github.com/pierlumanzu/s_mdeclust, variant SG, P = 20): one
run, its seconds in all and to its best. ``blp`` is a published program for BLP k-means: seconds a
run, and the best gap of up to 100 runs. On ecoli and ECG5000 both had HiGHS for a MILP solver,
elsewhere Gurobi, whose free licence these two exceed; so they cannot be run by every reader again.
"""

from __future__ import annotations

import csv
from dataclasses import dataclass
from pathlib import Path

PEERS = Path(__file__).with_name("peers.csv")


@dataclass(frozen=True)
class Peer:
    """A row."""

    k: int
    smdeclust_s: float
    smdeclust_best_s: float
    smdeclust_gap: float
    blp_s: float
    blp_gap_pct: float


def peers() -> dict[tuple[str, int, int], Peer]:
    """Return the rows by data set, must-links and cannot-links."""
    with PEERS.open(newline="", encoding="utf-8") as file:
        return {
            (row["set"], int(row["ml"]), int(row["cl"])): Peer(
                int(row["k"]),
                float(row["smdeclust_s"]),
                float(row["smdeclust_best_s"]),
                float(row["smdeclust_gap_pct"]) / 100,
                float(row["blp_s"]),
                float(row["blp_gap_pct"]),
            )
            for row in csv.DictReader(file)
        }
