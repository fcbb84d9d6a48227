"""The tables of Babaki, Guns and Nijssen (2014) beside ours."""

from __future__ import annotations

from _cells import NO_TIME, found, owing, read, table
from printed import COLUMNS, SOYBEAN


def proofs() -> dict[tuple[str, ...], dict[str, str]]:
    """Return the proved optima by case, k and links."""
    return {by_case(row): row for part in ("iris", "wine") for row in read("colgen", part=part)}


def by_case(row: dict[str, str]) -> tuple[str, ...]:
    return row["case"], row["k"], row["links"]


def columns() -> str:
    cop, start = (
        {by_case(row): row for row in read("papers_columns", part=part)}
        for part in ("cop", "start")
    )
    proved = proofs()
    rows: list[tuple[object, ...]] = []
    for (case, k), printed in COLUMNS.items():
        for links, (sat, best, value, is_proved) in printed.items():
            key = (case, str(k), str(links))
            own, begun, proof = cop.get(key), start.get(key), proved[key]
            kept = f"{float(own['sat_pct']):.1f}" if own else NO_TIME
            rows.append(
                (case, k, links, sat, kept, best or "-", found(own), value + "*" * bool(is_proved),
                 f"{float(proof['objective']):.7g}*", f"{float(proof['cpu_s']):.2f}",
                 from_cop(begun))
            )  # fmt: skip
    header = ("set", "k", "links", "COP keeps all, %", "ours", "COP best", "ours",
              "columns (* proved)", "ours", "ours, CPU s", "from COP, CPU s")  # fmt: skip
    missing = sum(row[-1] == NO_TIME for row in rows)
    return owing(table(header, rows), "papers_columns.py", missing, 30)


def from_cop(row: dict[str, str] | None) -> str:
    if row is None:
        return NO_TIME
    return row["cpu_s"] + "*" * (row["status"] == "optimal")


def soybean() -> str:
    """Return table 8: printed of soybean's 47 points, ours of points like them."""
    cop, start = (
        {by_case(row): row for row in read("papers_columns", part=part, case="like soybean")}
        for part in ("cop", "start")
    )
    rows = []
    for (k, links), (kept, gap) in SOYBEAN.items():
        key = ("like soybean", str(k), str(links))
        rows.append((k, links, kept, cop[key]["sat_pct"], gap, improved(cop[key], start[key])))
    header = ("k", "links", "COP keeps all, %", "ours", "gap to columns (* proved)", "ours")
    return table(header, rows)


def improved(cop: dict[str, str], columns: dict[str, str]) -> str:
    """Return how far the best of COP-k-means is above the columns, or their value without one."""
    if columns["status"] == "infeasible":
        return "infeasible*"
    best, proved = float(cop["objective"]), float(columns["objective"])
    text = f"{100 * (best / proved - 1):.2f} %" if best < float("inf") else f"{proved:.5g}"
    return text + "*" * (columns["status"] == "optimal")
