"""A finished run for the opening page: iris under eight links, proved optimal.

The run ships as a file, so that the page opens without waiting. It is in its own archive, apart
from the runs of people.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from ccviz.runs.archive import Archive
from ccviz.runs.file import import_run

FILE = Path(__file__).parent / "example.ccviz"
"""The run, as ``ccviz export`` writes it."""

WORDS = "A finished example: 150 irises in three clusters under eight links, proved optimal."


class Example:
    """The example of a server, read once.

    Attributes
    ----------
    archive : Archive
        Holds one run.
    run_id : str
        Its id there.
    """

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="ccviz-", ignore_cleanup_errors=True)
        self.archive = Archive(Path(self._folder.name) / "example.sqlite")
        self.run_id = import_run(self.archive, FILE)
