"""`ccviz prices`: what each link of a run costs, between two proved bounds."""

from __future__ import annotations

from typing import Annotated

from rich.table import Table

from ccviz.cli.common import err, out
from ccviz.cli.options import TimeLimit
from ccviz.cli.parameters import Argument, option
from ccviz.cli.progress import Progress
from ccviz.cli.report import check_writable, output
from ccviz.numbers import count
from ccviz.runs.archive import Archive
from ccviz.studies.price_table import LinkPrice, Prices
from ccviz.studies.stored_prices import price_stored

_COLUMNS = ("kind", "i", "j", "at least", "at most", "")


def prices(
    run: Annotated[str, Argument(help="Id, name or end of the id of a run, or 'last'.")],
    solver: Annotated[str, option(help="Exact solver of the proofs.")] = "sdp",
    prove: Annotated[
        bool, option("--prove/--estimate", help="Prove both limits, or only estimate them.")
    ] = True,
    time_limit: TimeLimit = None,
    top: Annotated[int, option(min=1, help="Number of rows printed.")] = 20,
    out_file: Annotated[str | None, option("--out", help="Write all as CSV.")] = None,
) -> None:
    """Say how much each link raises the optimum, the highest price first.

    A price is the optimum less that without the link. A wrong link often has a high one. The time
    limit is that of each proof. What is proved is kept with the run.
    """
    check_writable(out_file)
    archive = Archive()
    run_id = archive.find(run)
    with Progress(err) as progress:
        for known in price_stored(
            archive, run_id, prove=prove, solver=solver, time_limit=time_limit
        ):
            progress.say(_state(known))
    rows = known.rows
    if out_file is not None:
        with output(out_file) as file:
            file.write(_csv(rows).encode())
    if out_file != "-":
        out.print(_table(rows[:top]))
        if len(rows) > top:
            out.print(f"and {count(len(rows) - top, 'link')} more: --top, or --out")


def _state(known: Prices) -> str:
    proved = sum(price.is_proved for price in known.rows)
    return f"{proved} of {count(len(known.pairs), 'price')} proved"


def _table(rows: tuple[LinkPrice, ...]) -> Table:
    table = Table(*_COLUMNS, box=None, pad_edge=False)
    for price in rows:
        table.add_row(*map(str, (price.kind, price.i, price.j)), *_limits(price), _note(price))
    return table


def _limits(price: LinkPrice) -> tuple[str, str]:
    return f"{price.lower:.6g}", f"{price.upper:.6g}"


def _note(price: LinkPrice) -> str:
    return "implied by others" if price.is_implied else "proved" if price.is_proved else ""


def _csv(rows: tuple[LinkPrice, ...]) -> str:
    lines = [
        f"{price.kind},{price.i},{price.j},{price.lower!r},{price.upper!r},{_note(price)}"
        for price in rows
    ]
    return "\n".join(["kind,i,j,lower,upper,note", *lines, ""])
