"""`ccviz resume`: let a stopped or killed run go on."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from ccviz.cli.common import exit_code
from ccviz.cli.drive import drive
from ccviz.cli.report import Files, report
from ccviz.cli.solve import Gap, JsonFile, LabelsFile, NodeLimit
from ccviz.runs.archive import Archive
from ccviz.runs.resume import open_run, reopen


def resume(
    run: Annotated[str, typer.Argument(help="Id, name or end of the id of a run, or 'last'.")],
    time_limit: Annotated[float | None, typer.Option(help="Seconds more.")] = None,
    gap: Gap = None,
    node_limit: NodeLimit = None,
    json: JsonFile = None,
    labels: LabelsFile = None,
) -> None:
    """Let a run go on where it ended, under new limits; the exit codes are those of solve."""
    files = Files(json, labels)
    files.check()
    archive = Archive()
    run_id = archive.find(run)
    limits: dict[str, Any] = {"gap": gap, "node_limit": node_limit}
    if time_limit is not None:
        limits["time_limit"] = archive.info(run_id).time_s + time_limit
    reopen(archive, run_id, limits)
    stepper = open_run(archive, run_id, resume=True)
    result = drive(stepper, archive, run_id)
    report(stepper.problem, result, run_id, files)
    raise typer.Exit(exit_code(result))
