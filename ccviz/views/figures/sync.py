"""Bringing a data source up to date with the smallest message."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from bokeh.models import ColumnDataSource

_MOST_PATCHED = 0.3


def sync(source: ColumnDataSource, columns: Mapping[str, np.ndarray]) -> None:
    """Make a source hold these columns: patch changed rows, stream new ones.

    Where much of it changed, or rows are gone, everything is sent again. A source that holds the
    columns already sends nothing.

    Parameters
    ----------
    source : ColumnDataSource
        With the same columns, empty at first.
    columns : mapping of str to (m,) array
    """
    old_length = len(next(iter(source.data.values())))
    new_length = len(next(iter(columns.values())))
    if new_length < old_length or old_length == 0:
        if old_length or new_length:
            source.data = dict(columns)
        return
    changed = {
        name: np.flatnonzero(_differs(np.asarray(source.data[name]), column[:old_length]))
        for name, column in columns.items()
    }
    if sum(map(len, changed.values())) > _MOST_PATCHED * old_length * len(columns):
        source.data = dict(columns)
        return
    patches = {
        name: [(int(at), _plain(columns[name][at])) for at in rows]
        for name, rows in changed.items()
        if len(rows)
    }
    if patches:
        source.patch(patches)
    if new_length > old_length:
        source.stream({name: column[old_length:] for name, column in columns.items()})


def _differs(old: np.ndarray, new: np.ndarray) -> Any:
    if new.dtype.kind == "f":
        return (old != new) & ~(np.isnan(old.astype(float)) & np.isnan(new))
    return old != new


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value
