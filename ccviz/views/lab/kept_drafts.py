"""Problems that no address can hold, kept on the server for the page that is loaded again."""

from __future__ import annotations

from collections import OrderedDict
from secrets import token_urlsafe
from threading import Lock
from weakref import WeakKeyDictionary

from ccviz.views.draft import Draft
from ccviz.views.person import Person

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

        Parameters
        ----------
        page : object
            What the word belongs to as long as it lives.
        person : Person
            Who alone gets it back.
        draft : Draft
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
        """Return the draft under a word, None if there is none for this person.

        Parameters
        ----------
        word : str
        person : Person
        """
        with self._lock:
            owner, draft = self._kept.get(word, ("", None))
            return draft if owner == person.browser else None
