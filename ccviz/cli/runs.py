"""`ccviz runs`: what is in the archive."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from rich.table import Table

from ccviz.cli.common import out
from ccviz.cli.parameters import option
from ccviz.data.scaling import scaling_name
from ccviz.numbers import number, percent
from ccviz.runs.archive import Archive
from ccviz.runs.check import check_archive
from ccviz.runs.database import default_path
from ccviz.runs.info import RunInfo

_COLUMNS = (
    "run", "name", "started", "data", "k", "links", "scaling", "solver", "state", "status",
    "objective", "gap", "nodes", "time", "broken", "ari",
)  # fmt: skip


def runs(
    delete: Annotated[str, option(help="Delete this run.")] = "",
    rename: Annotated[tuple[str, str], option(help="Give a run a name.")] = ("", ""),
    check: Annotated[
        bool, option("--check", help="Mend the archive, and say what cannot be mended.")
    ] = False,
) -> None:
    """List the runs in the archive, the newest first; or delete or rename one, or mend them."""
    if check:
        said = list(check_archive(default_path()))
        for sentence in said or ["nothing is wrong with the archive."]:
            out.print(sentence)
        return
    archive = Archive()
    if delete:
        run_id = archive.find(delete)
        archive.check_idle(run_id)
        archive.delete(run_id)
    if rename[0]:
        archive.rename(archive.find(rename[0]), rename[1])
    if delete or rename[0]:
        return
    table = Table(*_COLUMNS, box=None, pad_edge=False)
    for info in archive.runs():
        table.add_row(*_row(info))
    out.print(table)


def _row(info: RunInfo) -> list[str]:
    return [
        info.id,
        info.name if info.name != info.id else "",
        datetime.fromtimestamp(info.created).strftime("%Y-%m-%d %H:%M"),
        info.dataset,
        str(info.k),
        "-" if info.links is None else str(info.links),
        scaling_name(info.scaling) or "-",
        info.solver,
        info.termination or info.state,
        info.status,
        number(info.objective),
        percent(info.gap),
        str(info.nodes),
        f"{info.time_s:.3g} s",
        "-" if info.violations is None else str(info.violations),
        number(info.ari, 4),
    ]
