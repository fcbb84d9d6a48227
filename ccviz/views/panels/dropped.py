"""What was dropped on a file dropper, each file once."""

from __future__ import annotations

from collections.abc import MutableMapping


class _Taken(bytes):
    """What stays in a dropper in place of a file: its bytes may be many."""


def take_dropped(value: MutableMapping[str, str | bytes]) -> list[tuple[str, bytes]]:
    """Take the files that are new in a dropper's value out of it; only their names stay.

    Parameters
    ----------
    value : mapping of str to str or bytes
        The dropper's own, which Panel changes in place as files come and go.

    Returns
    -------
    list of (str, bytes)
        Names and contents.
    """
    new = [name for name, content in value.items() if not isinstance(content, _Taken)]
    files = [(name, _as_bytes(value[name])) for name in new]
    value.update(dict.fromkeys(new, _Taken()))
    return files


def _as_bytes(content: str | bytes) -> bytes:
    return content.encode() if isinstance(content, str) else content
