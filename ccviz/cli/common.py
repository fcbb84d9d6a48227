"""What several commands share: consoles, figures for people, the exit code of a result."""

from __future__ import annotations

import sys

from rich.console import Console

from ccviz.runs.run import Result

_FILE_WIDTH = 240  # of tables that go to a file or another program, where nothing need be cut

out = Console(highlight=False, soft_wrap=True, width=None if sys.stdout.isatty() else _FILE_WIDTH)
err = Console(stderr=True, highlight=False, soft_wrap=True)

FEASIBLE, INFEASIBLE, NONE_FOUND = 0, 3, 4


def exit_code(result: Result) -> int:
    """Return what `solve` ends with: a clustering, none possible, or none found."""
    if result.status == "infeasible":
        return INFEASIBLE
    found = result.partition is not None and result.partition.violations.none_hard
    return FEASIBLE if found else NONE_FOUND
