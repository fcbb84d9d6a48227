"""Limits of one person on a server, and the errors for exceeding them."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

from ccviz.errors import CcvizError


@dataclass(frozen=True)
class Quota:
    """Limits of one person."""

    points: int = 1_000_000  # points, cells: Most rows of a table, and most rows times columns
    cells: int = 100_000_000
    links: int = 1_000_000
    generated: int = 50_000  # Most points of a generated data set in an address
    file_bytes: int = 1 << 29
    # reading_s, reading_bytes: Limits on time (s) and memory (bytes) for reading an upload.
    reading_s: float = 120.0
    reading_bytes: int = 4 << 30
    runs: float = inf  # runs, run_bytes: Most runs in the archive, and most bytes of their content
    run_bytes: float = inf
    at_once: float = inf  # Most runs in progress at a time
    # run_s, worker_bytes: Limits on time (s) and memory (bytes) of a run, or of each continuation
    # of it; None for unlimited memory.
    run_s: float = inf
    worker_bytes: int | None = None
    # kept, kept_bytes: Most tables and lessons under an address at a time, and bytes of one of them
    kept: int = 50
    kept_bytes: int = 1 << 26

    @property
    def call_bytes(self) -> int:
        """Limit on memory (bytes) of a process that works beside runs; there always is one."""
        return self.worker_bytes or self.reading_bytes

    def check_table(self, n: int, d: int) -> None:
        """Raise `CcvizError` if there are too many points or cells."""
        _refuse(n, self.points, "points")
        _refuse(n * d, self.cells, "values")

    def check_links(self, many: int) -> None:
        """Raise `CcvizError` if there are too many links."""
        _refuse(many, self.links, "links")

    def check_generated(self, n: int) -> None:
        """Raise `CcvizError` if a generator is asked for too many points."""
        _refuse(n, self.generated, "generated points")

    def check_file(self, size: int) -> None:
        """Raise `CcvizError` if an upload has too many bytes."""
        _refuse(size, self.file_bytes, "bytes in a file")

    def check_runs(self, runs: int, size: int) -> None:
        """Raise `CcvizError` if a person's runs in the archive have reached a limit."""
        if runs >= self.runs:
            raise CcvizError(
                f"you have {runs:,} runs of at most {self.runs:,}: delete some of them first."
            )
        if size >= self.run_bytes:
            raise CcvizError(
                f"your runs take {size >> 20:,} MiB of at most {int(self.run_bytes) >> 20:,}: "
                "delete some of them first."
            )

    def check_kept(self, kept: int, size: int) -> None:
        """Raise `CcvizError` if who has some tables under addresses may not keep one more."""
        if kept >= self.kept:
            raise CcvizError(f"you have {kept} addresses of at most {self.kept}: delete one first.")
        _refuse(size, self.kept_bytes, "bytes of a table under an address")

    def check_at_once(self, running: int) -> None:
        """Raise `CcvizError` if a person has the most runs in progress that are allowed."""
        if running >= self.at_once:
            raise CcvizError(
                f"{running} of your runs are in progress, of at most {self.at_once}: stop one, or "
                "wait."
            )

    def most_seconds(self, asked: float | None, spent_s: float = 0.0) -> float | None:
        """Return a run's time limit: the requested one, or the quota's if that is less."""
        if self.run_s == inf:
            return asked
        return min(inf if asked is None else asked, spent_s + self.run_s)


def _refuse(many: int, most: int, what: str) -> None:
    if many > most:
        raise CcvizError(f"{many:,} {what} are more than the {most:,} that are allowed here.")


ONE_PERSON = Quota()
"""Limits for a person who has the server alone."""

STUDENT = Quota(
    points=50_000, cells=2_000_000, links=20_000, generated=20_000, file_bytes=1 << 26,
    reading_s=20.0, reading_bytes=2 << 30, runs=100, run_bytes=1 << 28,
    at_once=2, run_s=300.0, worker_bytes=4 << 30, kept=10, kept_bytes=1 << 24,
)  # fmt: skip
"""Limits for a student in a class of thirty on one machine."""
