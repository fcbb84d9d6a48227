"""The events of many small problems, to see whether a change of the code changes what it does.

    python benchmarks/same_events.py record DIR [--only colgen]
    python benchmarks/same_events.py compare DIR [--only colgen]

``record`` writes a text file for each problem to a directory outside the repository, one line an
event: its fields with every digit, arrays as a hash and their first numbers. Times are left out.
``compare`` runs the problems again and prints the first line that differs in each file; it ends
with exit code 1 if there is one. Record with the old commit, compare with the new one, on the same
machine: another processor or another BLAS may round otherwise.

The problems are in ``_events_*.py``, one file a family of solvers.
"""

from __future__ import annotations

import argparse
import hashlib
import sys
import time
from pathlib import Path

import _events_colgen
import _events_engine
import _runner  # noqa: F401, gives libraries one thread
import msgspec
import numpy as np

FAMILIES = {"colgen": _events_colgen, "engine": _events_engine}
_FIRST_NUMBERS = 4


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=("record", "compare"))
    parser.add_argument("directory", type=Path)
    parser.add_argument("--only", choices=FAMILIES, help="one family of solvers")
    parser.add_argument("--case", default="", help="only problems whose name contains this")
    options = parser.parse_args()
    differing = 0
    for family in (options.only,) if options.only else FAMILIES:
        directory = options.directory / family
        directory.mkdir(parents=True, exist_ok=True)
        for name, run in FAMILIES[family].cases():
            if options.case not in name:
                continue
            began, path = time.process_time(), directory / f"{name}.txt"
            lines = [line_of(event) for event in run()]
            if options.what == "record":
                path.write_text("\n".join(lines) + "\n")
                said = "recorded"
            else:
                difference = first_difference(path, lines)
                differing += difference is not None
                said = difference or "equal"
            spent = f"{time.process_time() - began:.1f} s"
            print(f"{family}/{name}: {len(lines)} events, {spent}: {said}", flush=True)
    sys.exit(f"{differing} problems differ." if differing else 0)


def line_of(event: msgspec.Struct) -> str:
    fields = msgspec.structs.asdict(event)
    return " ".join([type(event).__name__, *(f"{k}={shown(v)}" for k, v in fields.items())])


def shown(value: object) -> str:
    """Return a value with every digit; an array by its shape, a hash and its first numbers."""
    if isinstance(value, np.ndarray):
        content = hashlib.sha256(np.ascontiguousarray(value).tobytes()).hexdigest()[:16]
        first = ",".join(repr(each) for each in value.ravel()[:_FIRST_NUMBERS].tolist())
        return f"{value.dtype}{value.shape}:{content}[{first}]".replace(" ", "")
    if isinstance(value, dict):
        inside = (f"{name}:{shown(value[name])}" for name in sorted(value))
        return "{" + ",".join(inside) + "}"
    if isinstance(value, tuple):
        return "(" + ",".join(map(shown, value)) + ")"
    return repr(value)


def first_difference(path: Path, lines: list[str]) -> str | None:
    """Return the first line that differs from a record, with that of the record; None if equal."""
    if not path.exists():
        return "not recorded"
    before = path.read_text().splitlines()
    for number, (old, new) in enumerate(zip(before, lines, strict=False), start=1):
        if old != new:
            return f"line {number} differs\n  before: {old[:400]}\n  now:    {new[:400]}"
    if len(before) != len(lines):
        return f"{len(before)} events before, {len(lines)} now"
    return None


if __name__ == "__main__":
    main()
