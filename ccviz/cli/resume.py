"""`ccviz resume`: let a stopped or killed run go on."""

from __future__ import annotations

from typing import Annotated

from click.exceptions import Exit

from ccviz.cli.common import exit_code
from ccviz.cli.drive import drive
from ccviz.cli.options import Gap, JsonFile, LabelsFile, NodeLimit, Quiet, Workers
from ccviz.cli.parameters import Argument, option
from ccviz.cli.report import Files, report
from ccviz.runs.archive import Archive
from ccviz.runs.limits import Limits
from ccviz.runs.resume import open_run, reopen
from ccviz.solvers.search.workforce import check_workers


def resume(
    run: Annotated[str, Argument(help="Id, name or end of the id of a run, or 'last'.")],
    time_limit: Annotated[float | None, option(help="Seconds more.")] = None,
    gap: Gap = None,
    node_limit: NodeLimit = None,
    workers: Workers = "1",
    json: JsonFile = None,
    labels: LabelsFile = None,
    quiet: Quiet = False,
) -> None:
    """Let a run go on where it ended, under new limits; the exit codes are those of solve."""
    files = Files(json, labels)
    files.check()
    archive = Archive()
    run_id = archive.find(run)
    age = archive.info(run_id).time_s
    whole = None if time_limit is None else age + time_limit
    check_workers(workers)
    reopen(archive, run_id, Limits(whole, gap, node_limit))
    stepper = open_run(archive, run_id, resume=True, workers=workers)
    result, stored = drive(stepper, archive, run_id, quiet=quiet)
    report(stepper.problem, result, stored, files, quiet=quiet)
    raise Exit(exit_code(result, is_lost=not stored))
