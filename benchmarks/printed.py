"""What the papers print (`printed.toml`), as far as it is set beside ours."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

_PRINTED = tomllib.loads(Path(__file__).with_name("printed.toml").read_text(encoding="utf-8"))


def _frozen(value: Any) -> Any:
    return tuple(map(_frozen, value)) if isinstance(value, list) else value


def _by(name: str, columns: int = 1) -> dict[Any, Any]:
    """Return a table by its first columns; what is alone stands without a tuple."""
    found = {}
    for row in map(_frozen, _PRINTED[name]):
        key, values = row[:columns], row[columns:]
        found[key if columns > 1 else key[0]] = values if len(values) > 1 else values[0]
    return found


BRANCH_AND_CUT = _by("BRANCH_AND_CUT", 3)
UNSOLVED = _by("UNSOLVED", 3)
CPRBBA = _by("CPRBBA", 3)
SCORES = _by("SCORES", 2)
SOYBEAN = _by("SOYBEAN", 2)
RIVALS = _by("RIVALS", 2)
INDICES = _by("INDICES", 2)
RIVALS_BROKEN = _by("RIVALS_BROKEN", 2)
PLAIN = _by("PLAIN")
MADE = _by("MADE", 2)
MIXED = _by("MIXED")
MEMETIC = _by("MEMETIC")
HEURISTICS = _by("HEURISTICS")
VIOLATED = _by("VIOLATED")
LARGE_VIOLATED = _by("LARGE_VIOLATED")
MADE_VIOLATED = _by("MADE_VIOLATED", 2)
BROKEN = _by("BROKEN")
SECONDS = _by("SECONDS")
SYNTHETIC = _by("SYNTHETIC", 2)
HG_MEANS = _by("HG_MEANS")

COLUMNS: dict[tuple[str, int], dict[int, Any]] = {}
for (_set, _k, _links), _case in _by("COLUMNS", 3).items():
    COLUMNS.setdefault((_set, _k), {})[_links] = _case

LP_BOX = {
    name: {tuple(key): _frozen(cell) for *key, cell in rows}
    for name, rows in _PRINTED["LP_BOX"].items()
}
