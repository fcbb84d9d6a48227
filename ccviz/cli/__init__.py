"""The command line: one command a file, progress on stderr, results on stdout.

Exit codes: 0 done (for `solve`: a feasible clustering), 1 a proof that was not accepted, 2 bad
input, 3 proved infeasible, 4 no clustering found and none proved impossible, 5 the run broke off,
6 the run was stopped by a signal, 7 a feasible clustering, but the archive holds only a part of the
run.
"""

from __future__ import annotations

import errno
import gc
import os
import sys

import click
from click.exceptions import NoArgsIsHelpError
from click.shell_completion import get_completion_class

from ccviz.cli.commands import CommandGroup
from ccviz.cli.common import out, tell
from ccviz.distribution import __version__, install_command, stranger
from ccviz.errors import CcvizError

BAD_INPUT = 2


def _show_version(context: click.Context, _: click.Parameter, asked: bool) -> None:
    if asked:
        out.print(f"ccviz {__version__}")
        if sentence := stranger():
            tell(sentence)
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
    try:
        code = app(standalone_mode=False)
    except NoArgsIsHelpError as no_command:
        no_command.show()
        code = BAD_INPUT
    except click.ClickException as bad:
        tell(" ".join(bad.format_message().split()))
        code = BAD_INPUT
    except CcvizError as bad:
        tell(str(bad))
        code = BAD_INPUT
    except (KeyboardInterrupt, click.Abort):
        code = 130
    except BrokenPipeError:
        _drop_output()  # the program that read it has ended
        code = 0
    except OSError as broken:
        _drop_output()
        tell(f"the output cannot be written: {os.strerror(broken.errno or errno.EIO)}.")
        code = BAD_INPUT
    except MemoryError:
        tell("there is not enough memory for this.")
        code = BAD_INPUT
    sys.exit(code)


def cli() -> None:
    """Say which package this is, for the index's ``ccviz``, which calls it if installed over it."""
    tell(stranger() or f"the command of this package was replaced; {install_command()} mends it.")
    sys.exit(BAD_INPUT)


def _drop_output() -> None:
    """Discard what is still buffered for a closed output, so that no error follows at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
