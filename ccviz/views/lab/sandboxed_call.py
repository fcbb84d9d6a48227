"""A function call in a process of its own, with limits on time and memory.

An uploaded file may be long, large or hostile, so it is read in such a process while the server
continues. This module is both sides: the child is forked by the fork server, which has the
libraries loaded, or is a new interpreter that runs this module as a script. The server pickles the
function and its arguments. The answer may be that of a hostile file, so it is MessagePack that is
checked and not a pickle, and the process gives up its rights before it reads the file
(`ccviz.views.lab.confinement`).
"""

from __future__ import annotations

import dataclasses
import os
import pickle
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import suppress
from functools import cache
from pathlib import Path
from types import UnionType
from typing import IO, Any, Literal, Union, get_args, get_origin, get_type_hints

import msgspec
import numpy as np

from ccviz.errors import CcvizError
from ccviz.runs.fork_client import ForkedProcess, clean_environment, one_thread
from ccviz.runs.worker_pool import WorkerPool
from ccviz.system import await_end, kill_group
from ccviz.views.lab.confinement import Confinement

# --- The answer of a process as bytes and back, without running what it holds ---------------------
#
# A hostile file may control the process that reads it, so the server does not unpickle its answer.
# The answer is MessagePack: numbers, texts, lists, arrays and dataclasses, each with a tag. The
# signature of the called function says which dataclasses may occur, and their fields are checked.


_PLAIN = frozenset({type(None), bool, int, float, str, bytes})
_SEQUENCES = {"list": list, "tuple": tuple}
_ARRAY_KINDS = frozenset("biufM")
_BROKEN = (msgspec.MsgspecError, ValueError, TypeError, LookupError, RecursionError, CcvizError)


def encode_answer(value: Any) -> bytes:
    """Return a value as bytes.

    `value`: Plain values, tuples, lists, dicts, arrays and dataclasses of them. Raises `TypeError`
    if there is no way to write something in it.
    """
    return msgspec.msgpack.encode(_tagged(value, {}))


def decode_answer(data: bytes, kind: Any) -> Any:
    """Return the value in the bytes.

    Raises `CcvizError` if they hold none, or one of another kind.
    """
    classes = {each.__name__: each for each in _dataclasses(kind)}
    try:
        value = _Reader(classes).value(msgspec.msgpack.decode(data))
    except _BROKEN:
        raise CcvizError("It cannot be read.") from None
    if not _fits(value, kind):
        raise CcvizError("It cannot be read.")
    return value


def returned_by(work: Any) -> Any:
    """Return the type hint of what a function returns; plain values where it has none."""
    return get_type_hints(work).get("return", Any) if hasattr(work, "__annotations__") else Any


# --- Values with tags -----------------------------------------------------------------------------


def _tagged(value: Any, known: dict[int, int]) -> Any:
    """Return plain values and lists for a value.

    `known`: By the ids of the arrays before: their numbers. An array that comes again is named by
    its number, since a table's numbers may be its cells too.
    """
    if type(value) in _PLAIN:
        return value
    if isinstance(value, np.generic):
        return _tagged(value.item(), known)
    if type(value) is range:
        return ["range", value.start, value.stop, value.step]
    if isinstance(value, np.ndarray) and value.dtype.kind in _ARRAY_KINDS:
        if id(value) in known:
            return ["again", known[id(value)]]
        known[id(value)] = len(known)
        return ["array", value.dtype.str, value.shape, value.tobytes()]
    if type(value) in _SEQUENCES.values():
        name = type(value).__name__
        # A column of a million texts is passed on as it is.
        if set(map(type, value)) <= _PLAIN:
            return [name, True, value]
        return [name, False, [_tagged(each, known) for each in value]]
    if type(value) is dict:
        pairs = [(_tagged(key, known), _tagged(each, known)) for key, each in value.items()]
        return ["dict", pairs]
    if dataclasses.is_dataclass(value):
        fields = {each.name: getattr(value, each.name) for each in dataclasses.fields(value)}
        made = {key: _tagged(each, known) for key, each in fields.items()}
        return ["class", type(value).__name__, made]
    raise TypeError(f"no way to write a {type(value).__name__}")


@dataclasses.dataclass(frozen=True)
class _Reader:
    """Makes values of tagged ones."""

    classes: Mapping[str, Any]  # Dataclasses that may occur, by their names
    # Those that were made, in their order.
    arrays: list[np.ndarray] = dataclasses.field(default_factory=list)

    def value(self, tagged: Any) -> Any:
        """Return the value of a tagged one."""
        if type(tagged) in _PLAIN:
            return tagged
        if type(tagged) is not list:
            raise ValueError("a value has no tag")
        tag, *content = tagged
        if tag in _SEQUENCES:
            plain, items = content
            return _SEQUENCES[tag](self._items(plain, items))
        if tag == "dict":
            return {self.value(key): self.value(each) for key, each in content[0]}
        if tag == "class":
            return self._made(self.classes[content[0]], content[1])
        if tag == "array":
            self.arrays.append(_array(*content))
            return self.arrays[-1]
        if tag == "again":
            return self.arrays[content[0]]
        return {"range": range}[tag](*content)

    def _items(self, plain: bool, items: list[Any]) -> list[Any]:
        """Return the items of a sequence; plain ones are there already."""
        if plain and not set(map(type, items)) <= _PLAIN:
            raise ValueError("a value has no tag")
        return items if plain else [self.value(each) for each in items]

    def _made(self, cls: Any, fields: dict[str, Any]) -> Any:
        """Return a dataclass, each field of its type."""
        if type(fields) is not dict:
            raise ValueError("a dataclass has no fields")
        made = {key: self.value(each) for key, each in fields.items()}
        hints = _hints(cls)
        if made.keys() != hints.keys() or not all(_fits(made[key], hints[key]) for key in hints):
            raise ValueError("a field is of another type")
        return cls(**made)


def _array(kind: str, shape: list[int], data: bytes) -> np.ndarray:
    if np.dtype(kind).kind not in _ARRAY_KINDS:
        raise ValueError("an array is of an unknown type")
    array = np.frombuffer(data, dtype=kind).reshape(shape)
    if array.dtype == bool and array.size and int(array.view(np.uint8).max()) > 1:
        raise ValueError("a truth value is neither 0 nor 1")
    return array


# --- Type hints -----------------------------------------------------------------------------------


@cache
def _hints(cls: Any) -> dict[str, Any]:
    """Return the type hint of each field of a dataclass."""
    hints = get_type_hints(cls)
    return {each.name: hints[each.name] for each in dataclasses.fields(cls)}


def _dataclasses(kind: Any, known: frozenset[Any] = frozenset()) -> Iterator[Any]:
    """Yield every dataclass that a type hint names, by itself or in the fields of another."""
    if dataclasses.is_dataclass(kind) and isinstance(kind, type) and kind not in known:
        yield kind
        for hint in _hints(kind).values():
            yield from _dataclasses(hint, known | {kind})
    if get_origin(kind) is not Literal:
        for part in get_args(kind):
            yield from _dataclasses(part, known)


def _fits(value: Any, kind: Any) -> bool:
    """Whether a value is of a kind; every field of a dataclass was checked when it was made."""
    if alias := getattr(get_origin(kind), "__value__", None):  # as NDArray is since NumPy 2.5
        kind = alias[get_args(kind)]
    origin, args = get_origin(kind), get_args(kind)
    if kind is Any:
        return True
    if origin in _FITS:
        return _FITS[origin](value, args)
    if kind is float:
        return type(value) in (int, float)
    if kind in _PLAIN:
        return type(value) is kind
    return value is None if kind is None else isinstance(value, kind)


def _sequence_fits(value: Any, args: tuple[Any, ...]) -> bool:
    if type(value) is range:
        return args[0] in (int, Any)
    known = isinstance(value, (list, tuple))
    return known and (args[0] is Any or all(_fits(each, args[0]) for each in value))


def _tuple_fits(value: Any, args: tuple[Any, ...]) -> bool:
    if type(value) is tuple and args[-1:] == (Ellipsis,):
        return all(_fits(each, args[0]) for each in value)
    return type(value) is tuple and len(value) == len(args) and all(map(_fits, value, args))


def _array_fits(value: Any, args: tuple[Any, ...]) -> bool:
    """Whether a value is an array of the kind of numbers that is named, in any precision."""
    numbers = get_args(args[1])[0]
    known = isinstance(value, np.ndarray)
    return known and (numbers is Any or value.dtype.kind == np.dtype(numbers).kind)


_FITS: dict[Any, Callable[[Any, tuple[Any, ...]], bool]] = {
    **dict.fromkeys((Union, UnionType), lambda value, args: any(_fits(value, a) for a in args)),
    Literal: lambda value, args: value in args,
    tuple: _tuple_fits,
    list: lambda value, args: type(value) is list and _sequence_fits(value, args),
    Sequence: _sequence_fits,
    dict: lambda value, args: (
        type(value) is dict
        and all(_fits(key, args[0]) and _fits(each, args[1]) for key, each in value.items())
    ),
    np.ndarray: _array_fits,
}
"""For each generic type, whether a value is of it with these arguments."""


_SHORT_OF_MEMORY = "Reading it needs more memory than is allowed for a file."
_TOO_LONG = "What is read of it is longer than is allowed for a file."
_MOST_SHOWN = 500
_REFUSAL_BYTES = 4 * _MOST_SHOWN + 8
_ANSWERED, _REFUSED = b"a", b"r"  # the first byte of an answer


class SandboxedCall:
    """A call in progress. Poll `done`, then take the `answer`.

    `seconds`: Time limit, after which the call is abandoned. `pool`: Its fork server forks the
    process. `confined`: Whether the process gives up network, other processes and files. `archive`:
    The archive that a confined process may read and write; empty if none. A thread waits for the
    process and reads its answer, so that a long one blocks no request.
    """

    def __init__(
        self,
        work: Callable[..., Any],
        args: tuple[Any, ...],
        seconds: float,
        memory: int | None,
        pool: WorkerPool | None = None,
        confined: bool = False,
        archive: str = "",
    ) -> None:
        self._end, self._seconds = time.monotonic() + seconds, seconds
        self._kind = returned_by(work)
        self._order: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115, closed in _close_files
        self._answer: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115, closed in _close_files
        self._folder = tempfile.mkdtemp(prefix="ccviz-") if archive else ""
        self._rights = Confinement(memory, seconds, confined, archive, self._folder)
        environment = {} if confined else one_thread()
        pickle.dump((self._rights, environment, work, args), self._order)
        self._order.seek(0)
        client = pool.fork_client() if pool is not None else None
        self._process: ForkedProcess | subprocess.Popen[bytes]
        if client is None:
            self._process = self._fresh()
        else:
            with Path(os.devnull).open("wb") as nowhere:
                streams = [each.fileno() for each in (self._order, self._answer, nowhere)]
                self._process = client.fork(__name__, "", *streams)
        self._reaping, self._left = threading.Lock(), False
        self._code: Future[int] = Future()
        self._value: Future[Any] = Future()
        threading.Thread(target=self._follow, daemon=True).start()

    def _fresh(self) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [sys.executable, "-P", "-m", __name__],
            stdin=self._order, stdout=self._answer, stderr=subprocess.DEVNULL,
            start_new_session=True, env=clean_environment(),
        )  # fmt: skip

    def _follow(self) -> None:
        """Wait for the process, end its group, and read its answer."""
        try:
            self._code.set_result(self._reaped())
            self._value.set_result(self._read(self._code.result()))
        except CcvizError as refused:
            self._value.set_exception(refused)
        except MemoryError:
            self._value.set_exception(CcvizError(_SHORT_OF_MEMORY))
        finally:
            self._order.close()
            self._answer.close()
            shutil.rmtree(self._folder, ignore_errors=True)

    def _reaped(self) -> int:
        """Wait for the process and return its exit code; nothing that it started goes on."""
        _await(self._process)
        with self._reaping:
            if not self._process.pid and not self._left:  # the fork server ended before it forked
                self._process.wait()
                with suppress(OSError):
                    self._process = self._fresh()
        _await(self._process)
        with self._reaping:
            kill_group(self._process.pid)  # its number is its own until it is reaped
            return self._process.wait()

    @property
    def pid(self) -> int:
        """Process id."""
        return self._process.pid

    @property
    def done(self) -> bool:
        """Whether the call has returned, failed or exceeded its time limit."""
        late = time.monotonic() > self._end and not self._code.done()
        return self._value.done() or late

    def answer(self) -> Any:
        """Return the value that the function returned.

        Raises `CcvizError` if the function raised one, exceeded a limit or crashed.
        """
        if not self._code.done():
            self.close()
            raise CcvizError(
                f"Reading it took more than {self._seconds:g} seconds and was stopped."
            )
        return self._value.result()

    def _read(self, code: int) -> Any:
        """Return the value in the answer of a process that has ended."""
        size = os.fstat(self._answer.fileno()).st_size
        if code or not size:
            raise CcvizError(_SHORT_OF_MEMORY if code != 1 else "It cannot be read.")
        if size > self._rights.answer_bytes:
            raise CcvizError(_TOO_LONG)
        self._answer.seek(0)
        refused = self._answer.read(1) == _REFUSED
        if refused:
            raise CcvizError(decode_answer(self._answer.read(_REFUSAL_BYTES), str)[:_MOST_SHOWN])
        return decode_answer(self._answer.read(), self._kind)

    def close(self) -> None:
        """Kill the process if it still runs."""
        with self._reaping:
            self._left = True
            if not self._code.done():
                kill_group(self._process.pid)
        self._code.result()


def _await(process: ForkedProcess | subprocess.Popen[bytes]) -> None:
    """Wait for the end of a process that is not reaped by it."""
    if isinstance(process, ForkedProcess):
        process.await_end()
    else:
        await_end(process)


def drive(_: str = "") -> None:
    """Call the function on standard input and write its answer to standard output."""
    rights, environment, work, args = pickle.load(sys.stdin.buffer)
    os.environ.update(environment)
    rights.enter()
    try:
        answer = _ANSWERED + encode_answer(work(*args))
    except CcvizError as refused:
        answer = _REFUSED + encode_answer(str(refused)[:_MOST_SHOWN])
    except MemoryError:
        answer = _REFUSED + encode_answer(_SHORT_OF_MEMORY)
    if len(answer) > rights.answer_bytes:
        answer = _REFUSED + encode_answer(_TOO_LONG)
    sys.stdout.buffer.write(answer)


if __name__ == "__main__":
    drive()
