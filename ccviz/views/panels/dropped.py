"""What was dropped on a file dropper, each file once."""

from __future__ import annotations

from collections.abc import Mapping


class Dropped:
    """Tells what is new in a dropper's value, which may still hold the file dropped before."""

    def __init__(self) -> None:
        self._before: dict[str, str | bytes] = {}

    def fresh(self, value: Mapping[str, str | bytes]) -> list[tuple[str, bytes]]:
        """Return the files that were not there the last time, by name and content."""
        # Panel changes its dict in place, so the event's old value is no other than the new one;
        # a file dropped again is an object of its own.
        new = [name for name, content in value.items() if self._before.get(name) is not content]
        self._before = dict(value)
        return [(name, _as_bytes(value[name])) for name in new]


def _as_bytes(content: str | bytes) -> bytes:
    return content.encode() if isinstance(content, str) else content
