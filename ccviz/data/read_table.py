"""`read_table`: points, names and known classes from a file, by the role of each column."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ccviz.data.datasets import Dataset
from ccviz.data.sheet import open_sheet
from ccviz.data.table import MISSING, Header, Source
from ccviz.errors import FileFormatError


def read_table(
    source: Source,
    name: str = "",
    *,
    roles: Mapping[str, str] | None = None,
    columns: Sequence[str] | None = None,
    label: str | None = None,
    missing: str | None = None,
    header: Header = None,
    worksheet: str | None = None,
    unknown: Sequence[str] = (),
    skip_rows: int | None = None,
    skip_last: int | None = None,
) -> Dataset:
    """Read points from a table: CSV, TSV, Excel, Parquet, Arrow, GeoJSON, .npy, or ``n d [k]``.

    Separators, decimal commas, thousands and the encoding of text are detected. Columns are
    given by name or zero-based number. By default a column of numbers is a feature, unless it is
    an id; ids, dates and words are left out; a column of unique values is never the class.

    Parameters
    ----------
    name : str
        File name of the bytes; its suffix decides the format.
    roles : mapping of str to str, optional
        Roles of columns: "feature", "class", "name", "weight" or "ignore". A column of words as a
        feature becomes one column of 0 and 1 for each word, or for *yes* alone. Of more than 100
        words the 99 most frequent are kept; the rest is *others*.
    columns : sequence of str, optional
        The features; no other column is one. With an empty list all points are alike, and links
        alone decide.
    label : str, optional
        The column of the known classes; ``""`` for none.
    missing : {"drop", "median"}, optional
        Treatment of missing values in features: leave out their rows, or fill in the column's
        median. Without it they are an error.
    header : int or bool, optional
        Number of the line or row that names the columns, 0 or False for none, True for the first
        one. By default it is found: the first line below titles without a number.
    worksheet : str, optional
        Name of the worksheet of a workbook; by default the first one that is not empty.
    unknown : sequence of str, optional
        Words that mean a missing value or an unknown class, beside the empty cell, NA, ? and -.
    skip_rows : int, optional
        Number of rows below the names that are left out. By default a row of units is found. Either
        way its units go into the names.
    skip_last : int, optional
        Number of last rows that are left out. By default short notes and a row of totals are found.

    Returns
    -------
    Dataset
        Its ``origin`` holds every column and its role; its ``notices`` report these decisions.

    Raises
    ------
    FileFormatError
        If the file cannot be read, is too large, or leaves nothing to cluster; the sentence names
        file, line and reason.
    """
    if missing is not None and missing not in MISSING:
        raise FileFormatError(f"missing = {missing!r} is not one of {', '.join(MISSING)}.")
    if min(skip_rows or 0, skip_last or 0) < 0:
        raise FileFormatError("the number of rows to leave out is below 0.")
    skip = (skip_rows, skip_last)
    sheet = open_sheet(source, name, header, worksheet, unknown, skip)
    has_features = columns is None or len(columns) > 0
    return sheet.dataset(sheet.decide(roles, columns, label), missing, has_features)


# --- `read_data`: points, features and known classes from a file ----------------------------------


def read_data(
    source: Source, name: str = "", label: str | None = None, header: Header = None
) -> Dataset:
    """Read points from a file by some of the options of `read_table`; the errors are the same.

    By default the column of the known classes is found.
    """
    return read_table(source, name, label=label, header=header)
