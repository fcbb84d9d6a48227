"""The commands by name: only the module of the one that is called is imported."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import typer
import typer.main
from typer.core import TyperGroup

_WHERE = {
    "solve": "solve.solve",
    "elbow": "elbow.elbow",
    "batch": "batch.batch",
    "solvers": "solvers.solvers",
    "ask": "ask.ask",
    "bench": "bench.bench",
    "sweep": "sweep.sweep_command",
    "app": "serve.serve",
    "desktop": "desktop.desktop",
    "runs": "runs.runs",
    "replay": "replay.replay",
    "export": "export.export",
    "import": "export.import_",
    "lesson": "lesson.lesson",
    "verify": "verify.verify",
    "resume": "resume.resume",
    "prices": "prices.prices",
    "sure": "sure.sure",
    "stay": "stay.stay",
}
"""The module in `ccviz.cli` and the function of each command, in the order of the help."""


class CommandGroup(TyperGroup):
    """The group of the commands of `ccviz`."""

    def __init__(self, **about: Any) -> None:
        super().__init__(**about)
        names: dict[str, Any] = dict.fromkeys(_WHERE)  # for the help and for misspelled ones
        self.commands = names

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Return a command, None if there is none of this name."""
        if cmd_name not in _WHERE:
            return None
        module, function = _WHERE[cmd_name].split(".")
        alone = typer.Typer(add_completion=False)
        alone.command(cmd_name)(getattr(import_module(f"ccviz.cli.{module}"), function))
        return typer.main.get_command(alone)
