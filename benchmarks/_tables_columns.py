"""The tables of Babaki, Guns and Nijssen (2014) beside ours."""

from __future__ import annotations

import math
import statistics

from _cells import NO_TIME, owing, spread
from _runner import Rows, markdown, results
from printed import COLUMNS, SOYBEAN

DRAWS = 6


def by_case(part: str, case: str, k: int, links: int) -> Rows:
    """Return the draws of links of a case, in their order."""
    rows = results("papers_columns", part=part, case=case, k=str(k), links=str(links))
    return sorted(rows, key=lambda row: int(row["draw"]))


def columns() -> str:
    rows, missing = [], 0
    for (case, k), printed in COLUMNS.items():
        for links, (sat, best, value, is_proved) in printed.items():
            cop, begun, own = (by_case(part, case, k, links) for part in ("cop", "start", "own"))
            missing += sum(DRAWS - len(each) for each in (cop, begun, own))
            rows.append(
                (case, k, links, sat, kept(cop), best or "-", objectives(cop),
                 value + "*" * bool(is_proved), objectives(own) + proofs(own),
                 seconds(own) + proofs(own), seconds(begun) + proofs(begun))
            )  # fmt: skip
    header = ("set", "k", "links", "COP keeps all, %", "ours", "COP best", "ours",
              "columns (* proved)", "ours", "ours, CPU s", "from COP, CPU s")  # fmt: skip
    return owing(markdown(header, rows), "papers_columns.py", missing, 30)


def kept(rows: Rows) -> str:
    return spread([float(row["sat_pct"]) for row in rows], 1)


def seconds(rows: Rows) -> str:
    return spread([float(row["cpu_s"]) for row in rows], 2)


def objectives(rows: Rows) -> str:
    """Return the mean and the deviation over the draws that have an answer, and their number."""
    values = [float(row["objective"]) for row in rows if math.isfinite(float(row["objective"]))]
    if not rows:
        return NO_TIME
    if not values:
        return "-"
    large = statistics.mean(values) > 1e4
    some = f" ({len(values)} of {len(rows)})" if len(values) < len(rows) else ""
    return spread(values, 0 if large else 3) + some


def proofs(rows: Rows) -> str:
    """Return a star where all draws are proved, and how many where not all are."""
    proved = sum(is_proof(row) for row in rows)
    if not rows or proved == len(rows):
        return "*" * bool(rows)
    return f" ({proved} of {len(rows)} proved)"


def is_proof(row: dict[str, str]) -> bool:
    return row["status"] in ("optimal", "infeasible")


def soybean() -> str:
    """Return table 8: printed of soybean's 47 points, ours of points like them."""
    rows, missing = [], 0
    for (k, links), (sat, gap) in SOYBEAN.items():
        cop, begun = (by_case(part, "like soybean", k, links) for part in ("cop", "start"))
        missing += not cop or not begun
        rows.append((k, links, sat, kept(cop), gap, improved(cop, begun) + proofs(begun)))
    header = ("k", "links", "COP keeps all, %", "ours", "gap to columns (* proved)", "ours")
    return owing(markdown(header, rows), "papers_columns.py", missing, 30)


def soybean_draws() -> int:
    """Return how many draws of links the smallest case of table 8 has."""
    return min(len(by_case("start", "like soybean", k, links)) for k, links in SOYBEAN)


def improved(cop: Rows, begun: Rows) -> str:
    """Return how far the best of COP-k-means is above the columns, or their value without one."""
    both = [
        (float(one["objective"]), float(other["objective"]))
        for one, other in zip(cop, begun, strict=False)
    ]
    gaps = [100 * (best / value - 1) for best, value in both if math.isfinite(best)]
    parts = [f"{spread(gaps, 2)} %"] if gaps else []
    alone = [value for best, value in both if math.isinf(best) and math.isfinite(value)]
    parts += [f"{spread(alone, 1)} without an answer of COP-k-means"] if alone else []
    none = sum(row["status"] == "infeasible" for row in begun)
    parts += [f"infeasible in {none}"] if none else []
    return ", ".join(parts)
