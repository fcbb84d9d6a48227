"""The archive of one person: their policy on the shared archive, and runs read from files."""

from __future__ import annotations

import tempfile
from collections import OrderedDict
from dataclasses import dataclass, replace
from pathlib import Path
from secrets import token_urlsafe
from threading import Lock
from weakref import WeakKeyDictionary

from ccviz.errors import ArchiveError
from ccviz.problem.problem import Problem
from ccviz.runs.archive import Archive
from ccviz.runs.file import import_run
from ccviz.runs.info import Holdings, Policy, RunInfo
from ccviz.runs.stop import NO_LIMITS, Limits
from ccviz.views.draft import Draft
from ccviz.views.person import Person

# --- A finished run for the opening page: iris under eight links, proved optimal ------------------
#
# The run ships as a file, so that the page opens without waiting. It is in its own archive, apart
# from the runs of people.


FILE = Path(__file__).parent / "example.ccviz"
"""The run, as ``ccviz export`` writes it."""

WORDS = "A finished example: 150 irises in three clusters under eight links, proved optimal."


class Example:
    """The example of a server, read once."""

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="ccviz-", ignore_cleanup_errors=True)
        self.archive = Archive(Path(self._folder.name) / "example.sqlite")
        self.run_id = import_run(self.archive, FILE)


@dataclass(frozen=True)
class PersonalPolicy(Policy):
    """Own and shared runs are visible, own runs can be changed, new runs obey the quota."""

    person: Person

    def sees(self, run: RunInfo) -> bool:
        """Return whether the person may read a run."""
        return self.person.sees(run)

    def owns(self, run: RunInfo) -> bool:
        """Return whether the person may change a run."""
        return self.person.owns(run)

    def owner_of_new(self, given: str) -> str:
        """Return the person, for any owner."""
        return self.person.browser

    def limits_of_new(self, holdings: Holdings, problem: Problem, limits: Limits) -> Limits:
        """Return the limits of a new run within the quota."""
        quota = self.person.quota
        quota.check_table(problem.n, problem.d)
        quota.check_links(len(problem.must_link) + len(problem.cannot_link))
        quota.check_runs(*holdings.size_of(self.person.browser))
        self._check_at_once(holdings)
        return self._within(limits)

    def limits_of_resumed(
        self, holdings: Holdings, run: RunInfo, limits: Limits | None
    ) -> Limits | None:
        """Return the limits of a resumed run within the quota."""
        self._check_at_once(holdings)
        return self._within(limits or NO_LIMITS, run.time_s)

    def name(self, path: Path) -> str:
        """Return the name of the archive in messages, without its path on the server."""
        return "this archive"

    def _within(self, limits: Limits, spent_s: float = 0.0) -> Limits:
        most = self.person.quota.most_seconds(limits.time_limit, spent_s)
        return replace(limits, time_limit=most)

    def _check_at_once(self, holdings: Holdings) -> None:
        if self.person.in_class:
            running = sum(self.owns(info) and info.state == "running" for info in holdings.runs())
            self.person.quota.check_at_once(running)


def personal_archive(archive: Archive, person: Person, example: Example | None = None) -> Archive:
    """Return the shared archive as one person may use it.

    `archive`: Shared with all people of the server. `example`: A finished run that each person may
    read; it is in no list.
    """
    return archive.under(PersonalPolicy(person), example.archive if example else None)


def import_for(content: bytes, name: str, path: Path, person: Person) -> str:
    """Read a run from a file into a person's part of the archive and return its id."""
    with Archive(path) as archive, tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / (Path(name).name or "run.ccviz")
        file.write_bytes(content)
        try:
            return import_run(personal_archive(archive, person), file)
        except ArchiveError as refused:
            raise ArchiveError(str(refused).replace(f"{folder}/", "")) from None


# --- Problems that no address can hold, kept on the server for the page that is loaded again ------


MOST_DRAFTS = 50
"""Most problems that are kept; the one that was not used for longest goes first."""

MOST_VALUES = 20_000_000
"""Most values of their tables, together: 160 megabytes."""


class KeptDrafts:
    """Drafts by the secret word in the address of their page."""

    def __init__(self) -> None:
        self._kept: OrderedDict[str, tuple[str, Draft]] = OrderedDict()
        self._words: WeakKeyDictionary[object, str] = WeakKeyDictionary()
        self._lock = Lock()

    def keep(self, page: object, person: Person, draft: Draft) -> str:
        """Keep the draft of a page, in place of an earlier one, and return its secret word.

        `page`: What the word belongs to as long as it lives. `person`: Who alone gets it back.
        """
        with self._lock:
            word = self._words.setdefault(page, token_urlsafe(16))
            self._kept[word] = (person.browser, draft)
            self._kept.move_to_end(word)
            while len(self._kept) > 1 and self._is_full():
                self._kept.popitem(last=False)
        return word

    def _is_full(self) -> bool:
        tables = {id(draft.data.X): draft.data.X.size for _, draft in self._kept.values()}
        return len(self._kept) > MOST_DRAFTS or sum(tables.values()) > MOST_VALUES

    def find(self, word: str, person: Person) -> Draft | None:
        """Return the draft under a word, None if there is none for this person."""
        with self._lock:
            owner, draft = self._kept.get(word, ("", None))
            return draft if owner == person.browser else None
