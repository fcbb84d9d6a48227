"""`ccviz solvers`: the registry."""

from __future__ import annotations

from dataclasses import asdict, fields
from typing import Annotated, Any

import msgspec
from rich.table import Table

from ccviz.cli.common import out
from ccviz.cli.parameters import Argument, option
from ccviz.solvers import SOLVERS, Solver, solver_class

_ABILITIES = ("hard", "soft", "sizes", "rules", "weights", "exact", "bounds", "resume")


def solvers(
    name: Annotated[str, Argument(help="Show the parameters of one solver.")] = "",
    json: Annotated[bool, option("--json", help="Print JSON, parameters included.")] = False,
) -> None:
    """List the solvers, their papers and what each supports, or the parameters of one."""
    if json:
        found = _as_json(solver_class(name)) if name else [_as_json(each) for each in SOLVERS]
        out.print(msgspec.json.format(msgspec.json.encode(found)).decode())
    else:
        out.print(_parameters(solver_class(name)) if name else _registry())


def _as_json(solver: type[Solver]) -> dict[str, Any]:
    """Return a solver as plain values."""
    parameters = [
        {"name": each.name, "default": each.default, "meaning": each.metadata["doc"],
         "choices": list(each.metadata["choices"] or ())}
        for each in fields(solver)
    ]  # fmt: skip
    return {
        "name": solver.name, "title": solver.title, "paper": solver.paper,
        "supports": asdict(solver.supports), "parameters": parameters,
    }  # fmt: skip


def _registry() -> Table:
    table = Table("name", "title", "paper", *_ABILITIES, box=None, pad_edge=False)
    for solver in SOLVERS:
        marks = ("yes" if getattr(solver.supports, ability) else "-" for ability in _ABILITIES)
        table.add_row(solver.name, solver.title, solver.paper, *marks)
    return table


def _parameters(solver: type[Solver]) -> Table:
    table = Table(
        "parameter", "default", "meaning", box=None, title=f"{solver.title}. {solver.paper}"
    )
    for each in fields(solver):
        choices = each.metadata["choices"]
        also = f" One of {', '.join(choices)}." if choices else ""
        table.add_row(each.name, str(each.default), f"{each.metadata['doc']}{also}")
    return table
