"""`read_data`: points, features and known classes from a file."""

from __future__ import annotations

from ccviz.data.datasets import Dataset
from ccviz.data.header import Header
from ccviz.data.read_table import read_table
from ccviz.data.sources import Source


def read_data(
    source: Source, name: str = "", label: str | None = None, header: Header = None
) -> Dataset:
    """Read points from a file; `ccviz.data.read_table` has more options for its columns.

    Parameters
    ----------
    source : path or bytes
    name : str
        File name of the bytes; its suffix decides the format.
    label : str, optional
        Column of the known classes, by name or zero-based number; ``""`` for none. By default it
        is detected.
    header : int or bool, optional
        Number of the line or row that names the columns; see `ccviz.data.read_table`.

    Returns
    -------
    Dataset

    Raises
    ------
    FileFormatError
        If the file cannot be read, is too large, or is not a table of numbers; the sentence names
        file, line and reason.
    """
    return read_table(source, name, label=label, header=header)
