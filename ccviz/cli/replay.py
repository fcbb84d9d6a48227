"""`ccviz replay`: a stored run again, event by event."""

from __future__ import annotations

import time
from typing import Annotated

import numpy as np

from ccviz.cli.common import out
from ccviz.cli.parameters import Argument, option
from ccviz.cli.progress import describe
from ccviz.events import Record
from ccviz.numbers import number
from ccviz.runs.archive import Archive
from ccviz.runs.run import Run, status_sentence

_PAGE = 1000


def replay(
    run: Annotated[str, Argument(help="Id, name or end of the id of a run, or 'last'.")],
    speed: Annotated[
        float, option(help="1 is the pace of the run, 0 as fast as it can be read.", min=0)
    ] = 0.0,
    upto: Annotated[int | None, option(help="Stop after this event.")] = None,
) -> None:
    """Show a run again, event by event, and its result."""
    archive = Archive()
    run_id = archive.find(run)
    state = Run(archive.problem(run_id))
    while page := archive.records(run_id, after=state.seq, upto=upto, limit=_PAGE):
        for record in page:
            if speed > 0:
                time.sleep(max(record.time_s - state.time_s, 0.0) / speed)
            state.apply(record)
            out.print(_line(record), markup=False)
    out.print(f"{describe(state)}. {status_sentence(state)}", markup=False)


def _line(record: Record) -> str:
    event = record.event
    values = ((name, getattr(event, name)) for name in event.__struct_fields__)
    shown = (f"{name}={_short(value)}" for name, value in values if _is_short(value))
    return f"{record.seq:>6} {record.time_s:>9.3f} s  {type(event).__name__}  {' '.join(shown)}"


def _is_short(value: object) -> bool:
    return value is not None and not isinstance(value, np.ndarray | dict)


def _short(value: object) -> str:
    return number(value) if isinstance(value, float) else str(value)
