"""A run in one line: what a list of runs shows of it."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from math import inf
from pathlib import Path
from typing import Any, Literal, Protocol

from ccviz.errors import ArchiveError
from ccviz.events import Termination
from ccviz.problem.problem import Problem
from ccviz.runs.run import Run, Status
from ccviz.runs.stop import Limits
from ccviz.system import exists

_SILENT_S = 30.0
"""Seconds of silence after which a run's driver counts as gone; it writes every few seconds."""

_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")

State = Literal["running", "finished", "lost"]


@dataclass(frozen=True)
class Summary:
    """What a run has reached so far; infinities where nothing is known."""

    status: Status
    termination: Termination | None
    message: str
    objective: float
    lower_bound: float
    gap: float
    nodes: int
    time_s: float
    violations: int | None


def summarise(run: Run) -> Summary:
    """Sum up the state of a run; cheap, for it is done at every event."""
    broken = run.incumbent.violations if run.incumbent else None
    return Summary(
        status=run.status,
        termination=run.termination,
        message=run.finished.message if run.finished else "",
        objective=run.objective,
        lower_bound=run.lower_bound,
        gap=run.gap,
        nodes=len(run.tree),
        time_s=run.time_s,
        violations=(
            broken.must_link + broken.cannot_link + broken.sizes + broken.rules if broken else None
        ),
    )


@dataclass(frozen=True, kw_only=True)
class RunInfo(Summary):
    """What the archive knows about a run without reading its records.

    `status`, `termination`, `message`, `objective`, `lower_bound`, `gap`, `nodes`, `time_s`,
    `violations`: As in `ccviz.runs.run.Result`, so far. ``violations`` counts every broken
    constraint of the incumbent, soft ones included; None without an incumbent.
    """

    id: str  # id, name: The id is short, unique and stays; the name is for people
    name: str
    # created, beat: Seconds since 1970: when the run was entered, when its driver last wrote.
    created: float
    beat: float
    pid: int
    dataset: str
    solver: str
    settings: dict[str, Any]
    limits: Limits
    seed: int
    workers: str
    n: int
    d: int
    k: int
    # Adjusted Rand index of the incumbent, once the run has ended, where the truth is known.
    ari: float | None
    last_seq: int
    owner: str = ""  # Whose it is where several people share the archive, empty where they do not
    shared: bool = False  # Whether its owner shows it to the others
    # boot, tick: The machine's start since which it runs, and seconds since then at the last beat:
    # a clock that is not set.
    boot: str = ""
    tick: float = -inf
    scaling: str = ""  # How the features were scaled before, as the caller said; else empty
    # Must-links and cannot-links of the problem; None where version 0.1 did not count them.
    links: int | None = None

    @property
    def state(self) -> State:
        """Whether the run goes on, has finished, or lost its worker without a word."""
        if self.termination is not None:
            return "finished"
        silence = time.monotonic() - self.tick
        heard = self.boot == boot_id() and 0.0 <= silence <= _SILENT_S
        return "running" if heard and exists(self.pid) else "lost"

    @classmethod
    def from_row(cls, row: Mapping[str, Any]) -> RunInfo:
        """Build from a row of the archive.

        Raises `ArchiveError` if it lacks a column, or one of them holds something else: the file is
        damaged.
        """
        try:
            return cls(**_values(row))
        except (KeyError, ValueError, TypeError, RecursionError):
            raise ArchiveError("the archive is damaged: a run in it cannot be read.") from None


def _values(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a run from its row."""
    values = {name: row[name] for name in RunInfo.__dataclass_fields__}
    unknown = {"objective": float("inf"), "lower_bound": -float("inf"), "gap": float("inf")}
    values |= {name: worst for name, worst in unknown.items() if values[name] is None}
    values["settings"] = json.loads(values["settings"])
    values["limits"] = Limits(**json.loads(values["limits"]))
    values["shared"] = bool(values["shared"])
    values["last_seq"] = -1 if values["last_seq"] is None else values["last_seq"]
    return values


def alive() -> dict[str, Any]:
    """Return the archive's columns that say that this process drives a run now."""
    return {
        "beat": time.time(), "tick": time.monotonic(), "boot": boot_id(), "pid": os.getpid(),
    }  # fmt: skip


@cache
def boot_id() -> str:
    """Return an identifier of the machine's current boot; empty if there is none."""
    return _BOOT_ID.read_text().strip() if _BOOT_ID.exists() else ""


# --- Access policies of an archive: which runs are visible, which can be changed, and quotas ------


class Holdings(Protocol):
    """What a policy asks an archive for, to count runs against a quota."""

    def runs(self) -> list[RunInfo]:
        """Return the visible runs."""

    def size_of(self, owner: str) -> tuple[int, int]:
        """Return the number of runs of an owner and the bytes of their records and problems."""


class Policy:
    """The policy of an archive for one person: everything is allowed.

    Subclasses restrict it; `ccviz.runs.archive.Archive` asks it at each access.
    """

    def sees(self, run: RunInfo) -> bool:
        """Return whether a run can be read."""
        return True

    def owns(self, run: RunInfo) -> bool:
        """Return whether a visible run can be changed."""
        return True

    def owner_of_new(self, given: str) -> str:
        """Return the owner of a new run, for which an owner may be given."""
        return given

    def limits_of_new(self, holdings: Holdings, problem: Problem, limits: Limits) -> Limits:
        """Return the limits of a new run."""
        return limits

    def limits_of_resumed(
        self, holdings: Holdings, run: RunInfo, limits: Limits | None
    ) -> Limits | None:
        """Return the limits of a run that is resumed, None for its old ones."""
        return limits

    def name(self, path: Path) -> str:
        """Return the name of the archive in messages."""
        return str(path)


UNRESTRICTED = Policy()
"""The policy of the command line, of notebooks and of a server for one person."""
