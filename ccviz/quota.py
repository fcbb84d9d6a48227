"""How much one person may ask of a server, and the sentences for who asks for more."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

from ccviz.errors import CcvizError


@dataclass(frozen=True)
class Quota:
    """What one person may ask for.

    Attributes
    ----------
    points, cells : int
        Rows of a table, and its rows times its columns.
    links : int
        Of one problem.
    generated : int
        Points of a data set that an address asks for by its name and number.
    file_bytes : int
        Of an upload.
    reading_s, reading_bytes : float, int
        Time and memory that reading an upload may take.
    runs, run_bytes : float
        In the archive, and what their records take.
    at_once : float
        Runs that go on at a time.
    run_s, worker_bytes : float, int or None
        Of one run, or of one more time that it goes on; None where memory is not limited.
    """

    points: int = 1_000_000
    cells: int = 100_000_000
    links: int = 1_000_000
    generated: int = 50_000
    file_bytes: int = 1 << 29
    reading_s: float = 120.0
    reading_bytes: int = 4 << 30
    runs: float = inf
    run_bytes: float = inf
    at_once: float = inf
    run_s: float = inf
    worker_bytes: int | None = None

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
        """Raise `CcvizError` if the archive holds enough of somebody's runs."""
        if runs >= self.runs:
            raise CcvizError(
                f"you have {runs:,} runs, and may have {self.runs:,}: delete some of them first."
            )
        if size >= self.run_bytes:
            raise CcvizError(
                f"your runs take {size >> 20:,} MiB, and may take {int(self.run_bytes) >> 20:,}: "
                "delete some of them first."
            )

    def check_at_once(self, running: int) -> None:
        """Raise `CcvizError` if enough of somebody's runs are under way."""
        if running >= self.at_once:
            raise CcvizError(
                f"{running} runs of yours go on, and {self.at_once} may: stop one, or wait."
            )

    def most_seconds(self, asked: float | None, spent_s: float = 0.0) -> float | None:
        """Return a run's time limit: the one asked for, or the one for everybody if that is less.

        Parameters
        ----------
        asked : float or None
            Seconds for the whole run; None for ever.
        spent_s : float
            What the run has taken already.

        Returns
        -------
        float or None
        """
        if self.run_s == inf:
            return asked
        return min(inf if asked is None else asked, spent_s + self.run_s)


def _refuse(many: int, most: int, what: str) -> None:
    if many > most:
        raise CcvizError(f"{many:,} {what} are more than the {most:,} that are allowed here.")


ONE_PERSON = Quota()
"""Of who has the server alone."""

STUDENT = Quota(
    points=50_000, cells=2_000_000, links=20_000, generated=20_000, file_bytes=1 << 26,
    reading_s=20.0, reading_bytes=2 << 30, runs=100, run_bytes=1 << 28,
    at_once=2, run_s=300.0, worker_bytes=4 << 30,
)  # fmt: skip
"""Of one in a class, where thirty share a machine."""
