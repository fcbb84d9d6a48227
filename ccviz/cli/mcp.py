"""`ccviz mcp`: commands as tools of the Model Context Protocol, on standard input and output.

A call is a command in a process of its own, which ends with it and cannot write to the protocol's
output. What a caller gives is the value of one option or argument, and never becomes an option.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryFile
from typing import Annotated, Any

import click
import msgspec

from ccviz.cli import BAD_INPUT, app
from ccviz.cli.common import visible
from ccviz.cli.parameters import Argument
from ccviz.data import datasets
from ccviz.distribution import __version__, install_command
from ccviz.errors import CcvizError, quote
from ccviz.problem.asked import split_either, split_rule
from ccviz.problem.rules import RULE_KINDS
from ccviz.runs.database import default_path
from ccviz.runs.fork_client import clean_environment

_TABLE = (
    "data columns class_column name_column missing header_row worksheet unknown skip_rows skip_last"
)
_TOOLS = {
    "describe": f"{_TABLE} weight_column",
    "solve": f"{_TABLE} weight_column k links link_file links_repeated solver param sizes rule "
    "together apart outliers fixed_centers neighbors at scale time_limit gap seed start_from name",
    "runs": "words top",
    "show": "run",
    "verify": "run gap",
    "why": f"run points other time_limit {_TABLE}",
    "prices": "run solver prove time_limit top",
    "margins": "run rise solver prove time_limit top",
    "solvers": "name",
    "rules": "",
}
"""The commands that a caller may start, with the parameters that it may give, in their order."""
_STORING = {"solve", "prices", "margins"}  # in the archive; the others only read
_FILES = {"data", "link_file", "fixed_centers", "neighbors", "start_from", "run"}  # may name one

_TIME_S, _MOST_TIME_S = 60.0, 600.0  # of a run or of each proof, by default and at most
_MOST_CALL_S = _MOST_TIME_S + 60.0  # after which a call is stopped; a run has its own limit
_MOST_LABELS = 5_000  # points up to which an answer has the cluster of each

_JSON = {"boolean": "boolean", "integer": "integer", "float": "number"}
_ABOUT = {
    "runs": "List the runs in the archive, the newest first.",
    "data": "File in the folder of this server (CSV, Excel, Parquet, Arrow, .npy, GeoJSON), or a "
    f"built-in data set: {', '.join(datasets.NAMES)}.",
    "links": "Links as text: lines 'ML i j' or 'CL i j' from 0 on, with a weight if soft; or JSON.",
    "link_file": "Links as a file in the folder of this server.",
    "time_limit": f"Seconds of a run or of each proof: {_TIME_S:g}, or up to {_MOST_TIME_S:g}.",
}


def _command(tool: str) -> tuple[str, dict[str, click.Parameter]]:
    """Return the help of a tool's command, and what a caller may give it."""
    command = app.get_command(click.Context(app), tool)
    assert command is not None
    known = {str(each.name): each for each in command.params}
    takes = {each: known["links" if each == "link_file" else each] for each in _TOOLS[tool].split()}
    return command.help or "", takes


def _about(tool: str) -> dict[str, Any]:
    """Return what callers read of a tool, with the JSON schema of its arguments."""
    help_text, takes = _command(tool)
    properties: dict[str, Any] = {}
    for name, each in takes.items():
        kind: dict[str, Any] = {"type": _JSON.get(each.type.name.partition(" ")[0], "string")}
        if name not in ("links", "link_file") and (each.nargs < 0 or each.multiple):
            kind = {"type": "array", "items": kind}
        said = getattr(each, "about", None) or getattr(each, "help", "")
        properties[name] = {**kind, "description": _ABOUT.get(name, said)}
    needed = [name for name, each in takes.items() if each.required]
    schema = {"type": "object", "properties": properties, "required": needed}
    about = _ABOUT.get(tool) or help_text.partition("\n\nExit code")[0]
    hints = {"read_only_hint": tool not in _STORING, "destructive_hint": False}
    return {"name": tool, "description": about, "input_schema": schema, "annotations": hints}


def _words(tool: str, given: Mapping[str, Any], folder: Path) -> tuple[list[str], str]:
    """Return the words of a command and its standard input, which is links; refuse all else."""
    if tool not in _TOOLS:
        raise CcvizError(f"there is no tool {quote(tool)}; there are {', '.join(_TOOLS)}.")
    takes, links = _command(tool)[1], ""
    if unknown := next((name for name in given if name not in takes), None):
        raise CcvizError(f"{tool} does not take {quote(unknown)}; it takes: {' '.join(takes)}.")
    options, values = ["--json=-"] if tool in ("solve", "show") else [], []
    for name, each in takes.items():
        default: Any = _TIME_S if name == "time_limit" else []
        value = default if given.get(name) in (None, []) else given[name]
        for one in value if isinstance(value, list) else [value]:
            if isinstance(one, bool) and each.secondary_opts:
                options.append((each.opts if one else each.secondary_opts)[0])
                continue
            word = _checked(name, one, folder)
            if isinstance(each, click.Argument):
                values.append(word)
            else:
                options.append(f"{each.opts[-1]}={'-' if name == 'links' else word}")
                links = word if name == "links" else links
    return [tool, *options, "--", *values], links


def _checked(name: str, value: Any, folder: Path) -> str:
    """Return a value as a word; a sentence if it is none, or names a file outside the folder."""
    text = str(value).strip()
    is_word = isinstance(value, str | int | float) and not isinstance(value, bool)
    if not is_word or (name != "links" and visible(text) != text):
        raise CcvizError(f"{name} is {quote(value)}, neither a number nor plain text.")
    if name == "time_limit" and (isinstance(value, str) or not 0.0 < value <= _MOST_TIME_S):
        raise CcvizError(f"time_limit is {quote(value)}, no number up to {_MOST_TIME_S:g}.")
    for words in map(split_rule, split_either(text) if name == "rule" else []):
        if RULE_KINDS[words.kind].names == "run":  # or a file of labels
            _path(words.name, folder)
    path = _path(text, folder) if name in _FILES else ""
    if not path and (name == "link_file" or (name == "data" and text not in datasets.NAMES)):
        raise CcvizError(f"{quote(text)} is no file in the folder {folder}.")
    return path or text


def _path(text: str, folder: Path) -> str:
    """Return the whole path of a file in the folder, empty if there is none of this name."""
    try:
        path = (folder / text).resolve()
        if not path.is_relative_to(folder):
            raise CcvizError(f"{quote(text)} is not in {folder}, whose files alone may be read.")
        return str(path) if path.is_file() else ""
    except (OSError, RuntimeError):  # a long name, or links that lead to themselves
        return ""


async def _called(tool: str, given: Mapping[str, Any], folder: Path) -> list[str]:
    """Return what a command prints, and then its notices; progress is left out."""
    import anyio

    words, links = _words(tool, given, folder)
    command = [sys.executable, "-P", "-m", "ccviz", *words]
    with TemporaryFile() as file, anyio.move_on_after(_MOST_CALL_S):
        file.write(links.encode())  # a pipe could break before all is written
        file.seek(0)
        env = {**clean_environment(), "CCVIZ_HOME": str(default_path().parent.resolve())}
        done = await anyio.run_process(command, stdin=file, check=False, cwd=folder, env=env)
        lines = done.stderr.decode(errors="replace").splitlines()
        said = [line.removeprefix("ccviz: ") for line in lines if line.startswith("ccviz: ")]
        if printed := done.stdout.decode(errors="replace").rstrip():
            return [_compact(printed), *said]
        is_refused = said and done.returncode == BAD_INPUT
        raise CcvizError(said[-1] if is_refused else f"{tool} broke off without an answer.")
    raise CcvizError(f"{tool} was stopped after {_MOST_CALL_S:g} s.")


def _compact(printed: str) -> str:
    """Return a result as short JSON, without the labels of very many points; a table as it is."""
    if not printed.startswith("{"):
        return "\n".join(map(str.rstrip, printed.splitlines()))
    result = msgspec.json.decode(printed)
    if len(result["labels"] or ()) > _MOST_LABELS:
        result["labels"] = f"left out, as there are more than {_MOST_LABELS}"
    return msgspec.json.encode(result).decode()


def mcp(
    folder: Annotated[str, Argument(help="Folder whose files may be read, and no others.")],
) -> None:
    """Serve an agent tools of the Model Context Protocol, on standard input and output alone."""
    try:
        import anyio
        from mcp.server.lowlevel import Server
        from mcp.server.stdio import stdio_server
        from mcp_types import CallToolResult, ListToolsResult, TextContent, Tool
    except ImportError:
        raise CcvizError(f"there is no package mcp; {install_command('mcp')} brings it.") from None
    place = Path(folder).resolve()
    if not place.is_dir():
        raise CcvizError(f"{folder} is no folder.")
    free = anyio.Semaphore(2)  # calls at once; others wait

    async def on_list(*_: Any) -> Any:
        return ListToolsResult(tools=[Tool(**_about(name)) for name in _TOOLS])

    async def on_call(_: Any, asked: Any) -> Any:
        try:
            async with free:
                said, is_error = await _called(asked.name, asked.arguments or {}, place), False
        except (ValueError, OSError) as refused:  # or the words are too long, or hold half a letter
            said, is_error = [str(refused)], True
        return CallToolResult(content=[TextContent(text=each) for each in said], is_error=is_error)

    async def serve() -> None:
        async with stdio_server() as (requests, answers):
            await server.run(requests, answers, server.create_initialization_options())

    server = Server("ccviz", version=__version__, on_list_tools=on_list, on_call_tool=on_call)
    anyio.run(serve)
