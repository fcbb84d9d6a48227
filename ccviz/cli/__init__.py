"""The command line: one command a file, progress on stderr, results on stdout.

Exit codes: 0 done (for `solve`: a feasible clustering), 1 a proof that was not accepted, 2 bad
input, 3 proved infeasible, 4 no clustering found and none proved impossible, 5 the run broke off,
6 the run was stopped by a signal, 7 a feasible clustering, but the archive does not hold all of the
run.
"""

from __future__ import annotations

import errno
import gc
import os
import sys
import warnings
from functools import partial
from importlib import import_module
from typing import Any

import click
from click.exceptions import NoArgsIsHelpError
from click.shell_completion import get_completion_class

from ccviz.cli.common import out, say
from ccviz.cli.parameters import command
from ccviz.distribution import __version__, install_command, wrong_package_message
from ccviz.errors import CcvizError
from ccviz.plugins import PluginWarning

# --- The commands by name: only the module of the one that is called is imported ------------------


_WHERE = {
    "solve": "solve.solve",
    "describe": "solve.describe",
    "elbow": "batch.elbow",
    "batch": "batch.batch",
    "solvers": "solve.solvers",
    "rules": "solve.rules",
    "ask": "ask.ask",
    "bench": "batch.bench",
    "noise-study": "studies.noise_study",
    "app": "serve.serve",
    "desktop": "serve.desktop",
    "mcp": "mcp.mcp",
    "runs": "archive.runs",
    "show": "archive.show",
    "replay": "archive.replay",
    "export": "archive.export",
    "import": "archive.import_",
    "lesson": "serve.lesson",
    "verify": "archive.verify",
    "resume": "archive.resume",
    "prices": "studies.prices",
    "margins": "studies.margins",
    "nearest": "studies.nearest",
    "why": "studies.why",
}
"""The module in `ccviz.cli` and the function of each command, in the order of the help."""


_ALIASES = {"sure": "margins", "stay": "nearest", "sweep": "noise-study"}
"""Names of before, which still work and are in no help."""


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
        name = _ALIASES.get(cmd_name, cmd_name)
        if name not in _WHERE:
            return None
        module, function = _WHERE[name].split(".")
        return command(name, getattr(import_module(f"ccviz.cli.{module}"), function))


BAD_INPUT = 2


def _show_version(context: click.Context, _: click.Parameter, asked: bool) -> None:
    if asked:
        out.print(f"ccviz {__version__}")
        if sentence := wrong_package_message():
            say(sentence)
        context.exit()


def _show_completion(context: click.Context, _: click.Parameter, shell: str | None) -> None:
    if shell is not None and (found := get_completion_class(shell)):
        out.print(found(app, {}, "ccviz", "_CCVIZ_COMPLETE").source())
        context.exit()


app = CommandGroup(
    "ccviz",
    help="A laboratory for constrained clustering.",
    no_args_is_help=True,
    params=[
        click.Option(
            ["--version"], is_flag=True, is_eager=True, expose_value=False,
            callback=_show_version, help="Show the version.",
        ),
        click.Option(
            ["--completion"], type=click.Choice(["bash", "zsh", "fish"]), is_eager=True,
            expose_value=False, callback=_show_completion,
            help="Print a script that lets this shell complete commands and options.",
        ),
    ],
)  # fmt: skip


def main() -> None:
    """Run the command line; bad input ends in one sentence on stderr and exit code 2."""
    gc.freeze()  # what was imported stays, so that the garbage collector need not search it
    warnings.showwarning = partial(_show_warning, warnings.showwarning)
    try:
        code = app(standalone_mode=False)
    except NoArgsIsHelpError as no_command:
        no_command.show()
        code = BAD_INPUT
    except click.ClickException as bad:
        say(" ".join(bad.format_message().split()))
        code = BAD_INPUT
    except CcvizError as bad:
        say(str(bad))
        code = BAD_INPUT
    except (KeyboardInterrupt, click.Abort):
        code = 130
    except BrokenPipeError:
        _drop_output()  # the program that read it has ended
        code = 0
    except OSError as broken:
        _drop_output()
        say(f"the output cannot be written: {os.strerror(broken.errno or errno.EIO)}.")
        code = BAD_INPUT
    except MemoryError:
        say("there is not enough memory for this.")
        code = BAD_INPUT
    sys.exit(code)


def _show_warning(others: Any, message: Any, category: type[Warning], *where: Any) -> None:
    if issubclass(category, PluginWarning):
        say(str(message))
    else:
        others(message, category, *where)


def cli() -> None:
    """Say which package this is, for the index's ``ccviz``, which calls it if installed over it."""
    say(
        wrong_package_message()
        or f"the command of this package was replaced; {install_command()} mends it."
    )
    sys.exit(BAD_INPUT)


def _drop_output() -> None:
    """Discard what is still buffered for a closed output, so that no error follows at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
