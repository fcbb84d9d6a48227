"""A file on its way from the browser: parts of bytes, joined while they fit together."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from ccviz.errors import FileFormatError

_MOST_LETTERS = 200
"""Largest number of letters of a file's name; the rest is cut off at its start."""


@dataclass(eq=False)
class Upload:
    """A file of which some parts have arrived.

    Attributes
    ----------
    name : str
        File name without folders; it is shown, and its ending says the format.
    size : int
        Number of bytes of the whole file.
    content : bytearray
        The bytes that have arrived.
    """

    name: str
    size: int
    content: bytearray = field(default_factory=bytearray)

    @property
    def is_whole(self) -> bool:
        """Whether every byte has arrived."""
        return len(self.content) == self.size

    def add(self, at: int, part: bytes) -> None:
        """Join the next part.

        Parameters
        ----------
        at : int
            Offset of the part in the file, bytes.
        part : bytes

        Raises
        ------
        FileFormatError
            If the part is not the next one, or goes beyond the end of the file.
        """
        if at != len(self.content) or at + len(part) > self.size:
            raise FileFormatError(f"{self.name}: the parts of the file do not fit together.")
        self.content += part


def begin_upload(name: Any, size: Any, most: int) -> Upload:
    """Return an upload of which nothing has arrived.

    Parameters
    ----------
    name, size : object
        As the browser states them.
    most : int
        Largest number of bytes of a file.

    Returns
    -------
    Upload

    Raises
    ------
    FileFormatError
        If the file is too large, or the browser states no name and number of bytes.
    """
    if not isinstance(name, str) or not isinstance(size, int) or size < 0:
        raise FileFormatError("the browser stated no name and size of the file.")
    plain = name.replace("\\", "/").rpartition("/")[2][-_MOST_LETTERS:]
    if size > most:
        raise FileFormatError(
            f"{plain} has {size / 1e6:,.0f} MB; at most {most / 1e6:,.0f} MB are taken."
        )
    return Upload(plain, size)
