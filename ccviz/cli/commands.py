"""The commands by name: only the module of the one that is called is imported."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import click

from ccviz.cli.parameters import command

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


class CommandGroup(click.Group):
    """The group of the commands of `ccviz`."""

    def __init__(self, name: str, **about: Any) -> None:
        super().__init__(name, **about)
        names: dict[str, Any] = dict.fromkeys(_WHERE)  # for the help and for misspelled ones
        self.commands = names

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names in the order of the help."""
        return list(_WHERE)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return a command, None if there is none of this name."""
        if cmd_name not in _WHERE:
            return None
        module, function = _WHERE[cmd_name].split(".")
        return command(cmd_name, getattr(import_module(f"ccviz.cli.{module}"), function))
