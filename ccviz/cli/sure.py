"""`ccviz sure`: how much the cost must rise before a point leaves its cluster, by two bounds."""

from __future__ import annotations

from typing import Annotated

from rich.table import Table

from ccviz.cli.common import err, out
from ccviz.cli.options import TimeLimit
from ccviz.cli.parameters import Argument, option
from ccviz.cli.progress import Progress
from ccviz.cli.report import check_writable, output
from ccviz.errors import CcvizError
from ccviz.numbers import count
from ccviz.runs.archive import Archive
from ccviz.studies.how_sure import pair_margin
from ccviz.studies.margin_table import Margin, Margins
from ccviz.studies.stored_margins import margins_of_stored

_COLUMNS = ("point", "with", "at least", "at most", "")


def sure(
    run: Annotated[str, Argument(help="Id, name or end of the id of a run, or 'last'.")],
    rise: Annotated[float, option(min=0.0, help="Tolerated rise of the cost, in percent.")] = 2.0,
    pair: Annotated[
        tuple[int, int] | None,
        option(help="Only these two points: what the opposite of their decision costs."),
    ] = None,
    solver: Annotated[str, option(help="Exact solver of whole proofs.")] = "sdp",
    prove: Annotated[
        bool,
        option(
            "--prove/--root", help="A whole proof where the bound of the root does not suffice."
        ),
    ] = False,
    time_limit: TimeLimit = None,
    top: Annotated[int, option(min=1, help="Number of rows printed.")] = 20,
    out_file: Annotated[str | None, option("--out", help="Write all as CSV.")] = None,
) -> None:
    """Say how much the cost must rise before a point leaves its cluster, the least sure first.

    A margin is the optimum with the point and the most central block of its cluster apart, less
    the optimum, as a share of the cost. What is proved is kept with the run.
    """
    check_writable(out_file)
    if pair is not None and out_file is not None:
        raise CcvizError("--out writes the margins of all points: leave out --pair.")
    archive = Archive()
    run_id = archive.find(run)
    if pair is not None:
        found = pair_margin(
            archive.load(run_id), *pair, prove=prove, solver=solver, time_limit=time_limit
        )
        out.print(_table((found,)))
        return
    with Progress(err) as progress:
        for known in margins_of_stored(
            archive, run_id, prove=prove, solver=solver, time_limit=time_limit
        ):
            progress.say(f"{count(len(known.todo), 'block')} left")
    rows = known.rows
    if out_file is not None:
        with output(out_file) as file:
            file.write(_csv(rows).encode())
    if out_file != "-":
        out.print(_table(rows[:top]))
        out.print(_words(known, rise))


def _words(known: Margins, rise: float) -> str:
    stay = int(known.surely_there(rise / 100.0).sum())
    points = count(known.problem.n, "point")
    return f"{stay:,} of {points} proved to stay unless the cost rises by more than {rise:g} %"


def _table(rows: tuple[Margin, ...]) -> Table:
    table = Table(*_COLUMNS, box=None, pad_edge=False)
    for margin in rows:
        low, high = (f"{100.0 * share:.3g} %" for share in margin.shares)
        other = "" if margin.j < 0 else str(margin.j)
        table.add_row(str(margin.i), other, low, high, _note(margin))
    return table


def _note(margin: Margin) -> str:
    return "proved" if margin.is_proved else ""


def _csv(rows: tuple[Margin, ...]) -> str:
    lines = [
        f"{margin.i},{margin.j},{margin.lower!r},{margin.upper!r},{_note(margin)}"
        for margin in rows
    ]
    return "\n".join(["point,with,lower,upper,note", *lines, ""])
