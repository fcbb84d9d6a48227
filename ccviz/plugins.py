"""Registries to which other installed packages add, by entry points."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from importlib.metadata import EntryPoint, entry_points
from typing import Any, Generic, Protocol, TypeVar, overload


class Named(Protocol):
    """What a registry holds."""

    @property
    def name(self) -> Any:
        """Name by which it is found."""


Added = TypeVar("Added", bound=Named)


class Registry(Sequence[Added], Generic[Added]):
    """What ccviz has of a kind, and then what other packages add, in the order of their names.

    Entry points are loaded when the registry is first read: a package that adds to it imports
    ccviz, which has to be loaded by then. One that cannot be loaded or does not fit is left out
    with a warning that names it: a broken package must not keep ccviz from starting.

    Parameters
    ----------
    group : str
        Group of the entry points.
    own : sequence
        What ccviz has; names of others have to differ.
    refuse : callable
        Returns why an object does not fit; an empty string if it does.
    """

    def __init__(self, group: str, own: Sequence[Added], refuse: Callable[[object], str]) -> None:
        self._group, self._own, self._refuse = group, tuple(own), refuse

    @cached_property
    def _all(self) -> tuple[Added, ...]:
        found = list(self._own)
        for point in sorted(entry_points(group=self._group), key=lambda each: each.name):
            added, reason = self._load(point, {each.name for each in found})
            if reason:
                whose = f"{point.value} of {point.dist.name if point.dist else 'a package'}"
                sentence = f"{self._group}: {whose} is left out: {reason}."
                warnings.warn(sentence, RuntimeWarning, stacklevel=4)
            else:
                found.append(added)
        return tuple(found)

    def _load(self, point: EntryPoint, taken: set[Any]) -> tuple[Any, str]:
        """Return what an entry point names, and why it is left out if it is."""
        try:
            added = point.load()
        except (ImportError, AttributeError, SyntaxError) as broken:
            return None, f"it cannot be loaded: {broken}"
        reason = self._refuse(added)
        if not reason and added.name in taken:
            reason = f"the name {added.name!r} is taken"
        return added, reason

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
