"""Commands by click: the annotation of a function's parameter says which option or argument it is.

Typer does the same, but its newest version imports pydantic and makes a validator for each
option: 0.2 CPU seconds before a command begins.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from types import NoneType
from typing import Any, get_args, get_origin, get_type_hints

import click


@dataclass(frozen=True)
class Argument:
    """An argument of a command, for ``Annotated``; ``help`` is its line in the help."""

    help: str


@dataclass(frozen=True)
class Option:
    """An option of a command, for ``Annotated``; `option` makes one.

    Parameters
    ----------
    names
        As on the command line, ``"--archive/--no-archive"`` for a switch; if there is none, the
        parameter's name with dashes.
    help
        Its line in the help.
    min, max
        Limits of a number, which are allowed values.
    metavar
        The word for the value in the help.
    """

    names: tuple[str, ...]
    help: str
    min: int | float | None = None
    max: int | float | None = None
    metavar: str | None = None


def option(*names: str, help: str, **about: Any) -> Option:
    """Return the option of some names; `Option` has the rest."""
    return Option(names, help, **about)


def command(name: str, function: Callable[..., None]) -> click.Command:
    """Return the command that calls a function; the function's docstring is its help."""
    hints = get_type_hints(function, include_extras=True)
    parameters = inspect.signature(function).parameters.values()
    made = [_parameter(each.name, hints[each.name], each.default) for each in parameters]
    about = inspect.getdoc(function) or ""
    return _Command(
        name, callback=function, params=made, help=about, short_help=about.split("\n")[0]
    )


class _Command(click.Command):
    """A command whose help lists the arguments."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the arguments, then the options."""
        arguments = [each for each in self.get_params(ctx) if isinstance(each, _Argument)]
        if arguments:
            with formatter.section("Arguments"):
                formatter.write_dl([(each.make_metavar(ctx), each.about) for each in arguments])
        super().format_options(ctx, formatter)


class _Argument(click.Argument):
    """An argument with a line for the help, which those of click have from 8.5 on."""

    def __init__(self, name: str, about: str, **given: Any) -> None:
        super().__init__([name], **given)
        self.about = about


def _parameter(name: str, hint: Any, default: Any) -> click.Parameter:
    """Return the parameter of a command, from that of its function."""
    kind, about = get_args(hint)
    if NoneType in get_args(kind):
        [kind] = set(get_args(kind)) - {NoneType}
    is_needed = default is inspect.Parameter.empty
    is_list = get_origin(kind) is list
    given: dict[str, Any] = {"required": is_needed}
    if is_list:
        [kind] = get_args(kind)
        given["callback"] = lambda context, parameter, values: list(values) or None
    elif not is_needed:
        given["default"] = default
    if isinstance(about, Argument):
        return _Argument(name, about.help, type=kind, nargs=-1 if is_list else 1, **given)
    names = about.names or (f"--{name.replace('_', '-')}",)
    if kind is not bool:
        given |= {"type": _type(kind, about), "multiple": is_list, "metavar": about.metavar}
    shown = default not in (None, "", ("", ""), False) and not is_needed
    return click.Option(
        [name, *names], help=about.help, show_default=shown, is_flag=kind is bool, **given
    )


def _type(kind: Any, about: Option) -> Any:
    """Return click's type of an option's value."""
    if get_origin(kind) is tuple:
        return get_args(kind)
    if about.min is None and about.max is None:
        return kind
    numbers: Any = click.IntRange if kind is int else click.FloatRange
    return numbers(about.min, about.max)
