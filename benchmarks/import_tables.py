"""Thirty tables as people have them, read by ccviz, pandas and clevercsv; and large ones by time.

    python benchmarks/import_tables.py [--large]

The tables are made up (`tests/data/real_tables.py`). No reader gets a setting: pandas is called as
`read_csv(sep=None, engine="python")`, `read_excel` or `read_parquet`; clevercsv, of text only, as
`read_dataframe`. A table counts as read if it has the right number of rows, and its columns of
numbers are numbers with the right values in the first row; without a header the names are free.
``--large`` measures the CPU seconds from the bytes to the sheet of roles, the fewest of three
times. clevercsv is for this benchmark only: `pip install clevercsv`.
"""

from __future__ import annotations

import argparse
import csv
import sys
import time
import warnings
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pandas as pd

sys.path.insert(0, str(Path(__file__).parents[1]))

from ccviz.data.read_table import read_table
from ccviz.data.sheet import open_sheet
from tests.data.real_tables import RealTable, real_tables

RESULTS = Path(__file__).parent / "results"
LARGE = ((60_000, 12), (1_000_000, 10))
Read = Callable[[RealTable], tuple[int, dict[str, object]]]


def by_ccviz(table: RealTable) -> tuple[int, dict[str, object]]:
    """Return rows, and the first row's values by column."""
    data = read_table(table.content, table.name, missing="median")
    return len(data.X), dict(zip(data.features, data.X[0], strict=True))


def by_pandas(table: RealTable) -> tuple[int, dict[str, object]]:
    """Read as pandas does when it is told to find the separator."""
    file = BytesIO(table.content)
    if table.name.endswith(".xlsx"):
        return _first(pd.read_excel(file))
    if table.name.endswith(".parquet"):
        return _first(pd.read_parquet(file))
    return _first(pd.read_csv(file, sep=None, engine="python"))


def by_clevercsv(table: RealTable) -> tuple[int, dict[str, object]]:
    """Read as clevercsv does: it finds the dialect, and pandas the rest."""
    import clevercsv

    with TemporaryDirectory() as folder:
        path = Path(folder) / table.name
        path.write_bytes(table.content)
        return _first(clevercsv.read_dataframe(str(path)))


def _first(frame: pd.DataFrame) -> tuple[int, dict[str, object]]:
    numbers = frame.select_dtypes("number")
    return len(frame), dict(zip(map(str, numbers.columns), numbers.iloc[0], strict=True))


READERS: dict[str, Read] = {"ccviz": by_ccviz, "pandas": by_pandas, "clevercsv": by_clevercsv}


def outcome(read: Read, table: RealTable) -> str:
    """Return "read", or in a few words what is wrong."""
    if read is by_clevercsv and not table.name.endswith(("csv", "tsv", "txt")):
        return "-"
    try:
        rows, values = read(table)
    except Exception as error:  # noqa: BLE001, whatever a reader raises
        return f"refused ({type(error).__name__})"
    if rows != table.rows:
        return f"{rows} rows"
    wanted = table.numbers
    if list(wanted) == [f"x{at}" for at in range(len(wanted))]:
        wanted = (
            dict(zip(values, wanted.values(), strict=False))
            if len(values) == len(wanted)
            else wanted
        )
    if missing := [name for name in wanted if name not in values]:
        return f"no numbers in {missing[0]}"
    wrong = [name for name, value in wanted.items() if not np.isclose(float(values[name]), value)]
    return f"wrong numbers in {wrong[0]}" if wrong else "read"


def compare() -> None:
    """Write what each reader makes of each table."""
    warnings.simplefilter("ignore")
    found = [
        {"table": table.name} | {name: outcome(read, table) for name, read in READERS.items()}
        for table in real_tables()
    ]
    with (RESULTS / "import_tables.csv").open("w", newline="") as file:
        rows = csv.DictWriter(file, list(found[0]))
        rows.writeheader()
        rows.writerows(found)
    lines = [f"| {' | '.join(found[0])} |", "|---|---|---|---|"]
    lines += [f"| {' | '.join(row.values())} |" for row in found]
    read = {name: sum(row[name] == "read" for row in found) for name in READERS}
    lines.append(
        f"| **read** | {' | '.join(f'{many} of {len(found)}' for many in read.values())} |"
    )
    (RESULTS / "import_tables.md").write_text("\n".join(lines) + "\n")
    print(lines[-1])


def large() -> None:
    """Write the CPU seconds from the bytes of large tables to their sheets."""
    lines = [
        "| Table | MB | ccviz, to the sheet of roles, CPU s | pandas read_csv, CPU s |",
        "|---|---|---|---|",
    ]
    for n, d in LARGE:
        content = _content(n, d)
        own = _seconds(lambda content=content: open_sheet(content, "large.csv"))
        rival = _seconds(lambda content=content: pd.read_csv(BytesIO(content)))
        lines.append(f"| {n:,} × {d} | {len(content) / 1e6:.0f} | {own:.2f} | {rival:.2f} |")
    (RESULTS / "import_large.md").write_text("\n".join(lines) + "\n")
    print("\n".join(lines))


def _content(n: int, d: int) -> bytes:
    values = np.random.default_rng(0).normal(size=(n, d)).round(4)
    file = BytesIO()
    head = ",".join(f"x{at}" for at in range(d))
    np.savetxt(file, values, fmt="%.4f", delimiter=",", header=head, comments="")
    return file.getvalue()


def _seconds(work: Callable[[], object]) -> float:
    """Return the fewest CPU seconds of three times: other programs slow a processor down."""

    def once() -> float:
        began = time.process_time()
        work()
        return time.process_time() - began

    return min(once() for _ in range(3))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--large", action="store_true", help="only the large ones")
    (large if parser.parse_args().large else compare)()
