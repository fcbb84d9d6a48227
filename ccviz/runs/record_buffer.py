"""The records of a run that no archive keeps, as many as fit into little memory."""

from __future__ import annotations

import numpy as np

from ccviz.events import (
    Assigned,
    CentersMoved,
    ColumnsPriced,
    CutsAdded,
    DeadEnded,
    Event,
    GenerationEnded,
    Record,
    RelaxationSolved,
    ResidualsUpdated,
    Restarted,
)

_MOST_BYTES = 16 << 20
_RECORD_BYTES = 300  # assumed size of an event without arrays

_PASSING: frozenset[type[Event]] = frozenset(
    {
        Assigned, CentersMoved, ColumnsPriced, CutsAdded, DeadEnded, GenerationEnded,
        RelaxationSolved, ResidualsUpdated, Restarted,
    }
)  # fmt: skip
"""Those that another of their kind replaces: a run is understood without some of them."""


class RecordBuffer:
    """The records of a run; of the passing ones every second goes where there are too many.

    Parameters
    ----------
    most_bytes : int
        What they may take, about.
    """

    def __init__(self, most_bytes: int = _MOST_BYTES) -> None:
        self._most_bytes = most_bytes
        self._records: list[Record] = []
        self._bytes = 0
        self._lasting = 0

    def append(self, record: Record) -> None:
        """Keep one more record."""
        self._records.append(record)
        size = _size(record)
        self._bytes += size
        if type(record.event) not in _PASSING:
            self._lasting += size
        # What lasts is as large as the run's own tree: only the rest is bounded.
        if self._bytes - self._lasting > self._most_bytes:
            self._thin()

    def _thin(self) -> None:
        kept, passing = [], 0
        for record in self._records:
            passing += type(record.event) in _PASSING
            if type(record.event) not in _PASSING or passing % 2 == 0:
                kept.append(record)
        self._records = kept
        self._bytes = sum(map(_size, kept))

    def records(self) -> list[Record]:
        """Return what is kept, in its order."""
        return list(self._records)


def _size(record: Record) -> int:
    """Return about how many bytes a record takes."""
    event = record.event
    arrays = (getattr(event, name) for name in event.__struct_fields__)
    return _RECORD_BYTES + sum(each.nbytes for each in arrays if isinstance(each, np.ndarray))
