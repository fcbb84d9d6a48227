"""Registries to which other installed packages add, by entry points."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from importlib.metadata import EntryPoint, entry_points
from traceback import format_exception_only
from typing import Any, Generic, Protocol, TypeVar, overload


class Named(Protocol):
    """What a registry holds."""

    @property
    def name(self) -> Any:
        """Name by which it is found."""


class PluginWarning(RuntimeWarning):
    """Something of another package that is left out."""


Added = TypeVar("Added", bound=Named)


class Registry(Sequence[Added], Generic[Added]):
    """What ccviz has of a kind, and then what other packages add, in the order of their names.

    Entry points are loaded when the registry is first read: a package that adds to it imports
    ccviz, which has to be loaded by then. One that cannot be loaded or does not fit is left out
    with a `PluginWarning` that names it: a broken package must not keep ccviz from starting.

    `refuse`: Returns why an object does not fit; an empty string if it does.
    """

    def __init__(self, group: str, own: Sequence[Added], refuse: Callable[[object], str]) -> None:
        self._group, self._own, self._refuse = group, tuple(own), refuse

    @cached_property
    def _all(self) -> tuple[Added, ...]:
        found = list(self._own)
        for point in self._points():
            added, reason = self._load(point, {each.name for each in found})
            if reason:
                self._warn(f"{point.value} of {_package(point)} is left out: {reason}")
            else:
                found.append(added)
        return tuple(found)

    def _points(self) -> list[EntryPoint]:
        try:
            return sorted(entry_points(group=self._group), key=lambda each: each.name)
        except (ValueError, TypeError, AttributeError, KeyError, OSError) as broken:
            self._warn(f"packages that add to ccviz cannot be listed: {_words(broken)}")
            return []

    def _load(self, point: EntryPoint, taken: set[Any]) -> tuple[Any, str]:
        """Return what an entry point names, and why it is left out if it is."""
        try:
            added = point.load()
            reason = self._refuse(added)
            if not reason and added.name in taken:
                reason = f"the name {added.name!r} is taken"
        except KeyboardInterrupt:
            raise
        except BaseException as broken:  # noqa: BLE001 - others' code may raise whatever it likes
            return None, f"it cannot be loaded: {_words(broken)}"
        return added, reason

    def _warn(self, sentence: str) -> None:
        warnings.warn(f"{self._group}: {sentence}.", PluginWarning, stacklevel=5)

    def __iter__(self) -> Iterator[Added]:
        return iter(self._all)

    def __len__(self) -> int:
        return len(self._all)

    @overload
    def __getitem__(self, at: int) -> Added: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[Added]: ...
    def __getitem__(self, at: int | slice) -> Added | Sequence[Added]:
        return self._all[at]


def _package(point: EntryPoint) -> str:
    """Return the name of the package that an entry point is of; its metadata may lack it."""
    try:
        name = point.dist.name if point.dist else None
    except (KeyError, OSError, ValueError):
        name = None
    return name or "a package"


def _words(broken: BaseException) -> str:
    """Return what an error says in one line."""
    said = " ".join("".join(format_exception_only(broken)).split())  # its own text may fail, too
    return said[:_MOST_LETTERS].rstrip(".")


_MOST_LETTERS = 400
