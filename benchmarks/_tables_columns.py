"""The tables of Babaki, Guns and Nijssen (2014) beside ours."""

from __future__ import annotations

from _cells import NO_TIME, Rows, found, owing, read, table
from printed import COLUMNS


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
    rows: Rows = read("papers_columns", part="cop", case="like soybean")
    cells = [(row["k"], row["links"], row["sat_pct"], found(row)) for row in rows]
    return table(("k", "links", "COP keeps all, %", "best"), cells)
