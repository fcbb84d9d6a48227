"""Hostile and broken inputs, drawn by Hypothesis: an `Attack` each, which says what it is for.

Half are made of the words that a reader looks for, in a wrong order; half are sound inputs with
some bytes changed; and a few are small for who writes them and large for who reads them.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import msgspec
from hypothesis import strategies as st

from ccviz.data.datasets import NAMES
from ccviz.solvers import SOLVERS
from tests.fuzz import sound

MANY_DIGITS = ("9" * 4301, "1" + "0" * 5000, "0" * 6000 + "1", "1e" + "9" * 4400, "-" + "7" * 4500)
ODD = (
    "", "0", "1", "-1", "1.5", "1e308", "-1e400", "1e-320", "nan", "inf", "-inf", "NaN", "None",
    "true", "0x10", "1_000", "१२", "٣", "²", "9223372036854775808", "18446744073709551616", "\0",
    "[/x]", "[bold]", "<img src=x onerror=alert(1)>", "'; DROP TABLE runs; --", "../../etc/passwd",
    "\ud800", "\u202e", "é", "a" * 300, "{}", "[]", '"', "'", "\\", ",", ";", "\t", "-", "--", "=",
    "1-2", "0-0", "3-", "-3", "1*2", "0-1*nan", "0-1*-2", "0-1*1e999", *MANY_DIGITS,
)  # fmt: skip
"""Words that were or might be misread somewhere."""

numbers = st.integers(-3, 200).map(str) | st.floats(width=32).map(str)
words = st.sampled_from(ODD) | numbers | st.text(max_size=12)
plain_words = words.filter(lambda word: "\0" not in word and "\ud800" not in word)


@dataclass(frozen=True)
class Attack:
    """An input, and whom it is for."""

    kind: str  # A key of `tests.fuzz.targets.TARGETS`
    value: Any  # What the target takes
    about: dict[str, Any] = field(default_factory=dict)


# --- Bytes -------------------------------------------------------------------------------------


@st.composite
def damaged(draw: Any, sources: Callable[[], list[bytes]]) -> bytes:
    """Return one of the sources with some places changed, lost, doubled or filled."""
    data = bytearray(draw(st.sampled_from(sources())))
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, max(0, len(data) - 1)))
        to = min(len(data), at + draw(st.integers(0, 40)))
        how = draw(st.sampled_from(("byte", "cut", "end", "double", "fill", "insert")))
        if how == "byte" and data:
            data[at] = draw(st.integers(0, 255))
        elif how == "cut":
            del data[at:to]
        elif how == "end":
            del data[at:]
        elif how == "double":
            data[at:at] = data[at:to]
        elif how == "fill":
            data[at:to] = draw(st.sampled_from((b"\0", b"\xff", b"\x80"))) * (to - at)
        else:
            data[at:at] = draw(st.binary(max_size=8) | words.map(_as_bytes))
    return bytes(data)


def _as_bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


@st.composite
def texts(draw: Any) -> bytes:
    """Return a table as people write it, more or less."""
    mark = draw(st.sampled_from((",", ";", "\t", "|", " ", ", ")))
    width = draw(st.integers(1, 5))
    rows = draw(st.lists(st.lists(words, min_size=width, max_size=width), min_size=1, max_size=9))
    if draw(st.booleans()):
        rows[draw(st.integers(0, len(rows) - 1))].append(draw(words))
    end = draw(st.sampled_from(("\n", "\r\n", "\r", "\n\n", "\u2028", "\x0c")))
    text = end.join(mark.join(row) for row in rows)
    encoding = draw(st.sampled_from(("utf-8", "utf-16", "latin-1")))
    return text.encode(encoding, "surrogatepass" if encoding != "latin-1" else "replace")


@st.composite
def npy_headers(draw: Any) -> bytes:
    """Return a .npy file whose header is in a wrong hand."""
    key = st.sampled_from(("descr", "fortran_order", "shape", "extra", "'"))
    value = st.sampled_from((
        "'<f8'", "'|O'", "'<f99'", "'<U9'", "(3, 4)", "(3,)", "()", "(-1, 2)", "True", "None", "[",
        "(1" + ", 1" * 80 + ")", "(99999999999, 99999999)", "3, 4", "{", "'", "[('a', '<f8')]",
        "(" * 120, "1" * 4400, "'<M8[s]'", "-" * 3000 + "1", "lambda: 0", "2.5",
    ))  # fmt: skip
    parts = draw(st.lists(st.tuples(key, value), max_size=4))
    inner = ", ".join(f"'{name}': {what}" for name, what in parts)
    text = draw(st.sampled_from((f"{{{inner}}}", inner, f"{{{inner}", "")))
    version = draw(st.sampled_from((b"\x01\0", b"\x02\0", b"\x03\0", b"\x09\0")))
    length = len(text) + draw(st.sampled_from((0, 0, 0, -1, 1, 60000)))
    size = max(0, length).to_bytes(2 if version == b"\x01\0" else 4, "little")
    return b"\x93NUMPY" + version + size + text.encode() + draw(st.binary(max_size=64))


BIG: dict[str, tuple[str, bytes, bytes, int]] = {
    "one line of digits": ("csv", b"", b"7", 5_000_000),
    "one line of blanks": ("csv", b"1", b" ", 5_000_000),
    "one line of commas": ("csv", b"", b",", 5_000_000),
    "one line of cells": ("csv", b"", b"1,", 2_500_000),
    "one line of quotes": ("csv", b"1,", b'"', 5_000_000),
    "one line of dots": ("csv", b"", b"1.", 2_500_000),
    "blank-separated cells": ("txt", b"", b"1 ", 2_500_000),
    "nine million cells": ("csv", b"", b"1," * 94 + b"1\n", 100_000),
    "many short rows": ("csv", b"", b"1,2\n", 190_000),
    "many long words": ("csv", b"a,b\n", b"x" * 500 + b",1\n", 20_000),
    "many names alike": ("csv", b"", b"a,", 60_000),
    "twenty million cells": ("csv", b"", b"1," * 199 + b"1\n", 100_000),
    "a million links": ("links", b"", b"ML 0 1\n", 1_000_000),
    "a million odd links": ("links", b"", b"CL 3 4 0.5 # why\n", 1_000_000),
    "json links": ("links", b'{"ml": [', b"[0, 1],", 700_000),
    "nested json": ("links", b'{"ml": ', b"[", 3_000_000),
    "one long link": ("links", b"ML 0 ", b"9", 5_000_000),
    "one long comment": ("links", b"#", b"x", 5_000_000),
}
"""A beginning, what follows it, and how many times."""


def big() -> st.SearchStrategy[Attack]:
    """Return what is long."""

    def made(name: str) -> Attack:
        suffix, start, part, many = BIG[name]
        data = start + part * many
        if suffix == "links":
            return Attack("links", data, {"name": "links.json" if b"{" in start else "links.txt"})
        return Attack("data", data, {"name": f"big.{suffix}"})

    return st.sampled_from(sorted(BIG)).map(made)


@cache
def _bomb(size: int) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("project.json", b" " * size)
        archive.writestr("[Content_Types].xml", b" " * size)
    return file.getvalue()


# --- What each reader is given -----------------------------------------------------------------


def data_files() -> st.SearchStrategy[Attack]:
    """Return tables: texts, arrays, Parquet, Arrow and Excel."""
    names = {
        "csv": texts() | damaged(sound.csv_files),
        "txt": texts() | damaged(sound.csv_files),
        "npy": npy_headers() | damaged(sound.npy_files),
        "parquet": damaged(sound.parquet_files),
        "feather": damaged(sound.feather_files),
        "xlsx": damaged(sound.excel_files) | excel_parts(),
    }
    about = st.fixed_dictionaries(
        {},
        optional={
            "label": words,
            "header": st.booleans(),
            "columns": st.lists(words, max_size=3),
            "missing": st.sampled_from(("drop", "median", "x")),
            "roles": st.dictionaries(words, st.sampled_from(("feature", "name", "x")), max_size=2),
        },
    )
    one = [
        st.builds(
            lambda value, more, name=name: Attack("data", value, {"name": f"a.{name}", **more}),
            content, about,
        )
        for name, content in names.items()
    ]  # fmt: skip
    return st.one_of(one)


@st.composite
def excel_parts(draw: Any) -> bytes:
    """Return a workbook one of whose parts holds something else."""
    given = zipfile.ZipFile(io.BytesIO(draw(st.sampled_from(sound.excel_files()))))
    names = given.namelist()
    victim = draw(st.sampled_from(names))
    text = given.read(victim)
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as packed:
        for name in names:
            body = given.read(name)
            if name == victim:
                body = draw(damaged(lambda: [text]) | words.map(_as_bytes))
            if name != victim or draw(st.booleans()):
                packed.writestr(name, body)
    return file.getvalue()


def link_files() -> st.SearchStrategy[Attack]:
    """Return links as lines and as JSON."""
    line = st.builds(
        lambda kind, rest: " ".join([kind, *rest]),
        st.sampled_from(("ML", "CL", "ml", "#", "XL", "", "0")), st.lists(words, max_size=4),
    )  # fmt: skip
    lines = st.lists(line, max_size=8).map(lambda many: _as_bytes("\n".join(many)))
    leaf = st.none() | st.booleans() | st.integers(-3, 12) | st.floats() | st.text(max_size=4)
    value = st.recursive(leaf, lambda inner: st.lists(inner, max_size=4), max_leaves=12)
    keys = st.sampled_from(("ml", "cl", "sml", "sml_proba", "scl", "odd"))
    json = st.dictionaries(keys, value, max_size=4).map(msgspec.json.encode)
    name = st.sampled_from(("a.txt", "a.json", ""))
    content = lines | json | damaged(sound.link_files)
    return st.builds(lambda data, called: Attack("links", data, {"name": called}), content, name)


odd_value = st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats() | words
"""A value that a message may hold in another's place."""


@st.composite
def altered(draw: Any, tree: Any) -> Any:
    """Return a tree of lists and dicts with some leaves, or whole branches, replaced."""
    if draw(st.integers(0, 11)) == 0:
        return draw(odd_value.filter(_fits_message))
    if isinstance(tree, dict):
        return {name: draw(altered(value)) for name, value in tree.items()}
    if isinstance(tree, list):
        return [draw(altered(value)) for value in tree[:40]]
    return tree


def _fits_message(value: Any) -> bool:
    if isinstance(value, str):
        return "\ud800" not in value
    return not isinstance(value, int) or -(2**63) <= value < 2**64


huge_shapes = st.sampled_from(([2**40], [2**20, 2**20], [10**8, 3], [0, 2**62], [-1, 4], [2**63]))


@st.composite
def forged_runs(draw: Any) -> bytes:
    """Return a run file whose frames are sound messages that say something else."""
    frames = [*draw(st.sampled_from(sound.run_frames()))]
    at = draw(st.integers(0, min(5, len(frames) - 1)) | st.integers(0, len(frames) - 1))
    message = msgspec.msgpack.decode(frames[at])
    inner = "problem" if isinstance(message, dict) else 2
    how = draw(st.sampled_from(("message", "inner", "array", "order")))
    if how == "message":
        message = draw(altered(message))
    elif how == "order":
        order = draw(st.permutations(range(len(frames))))
        return sound.as_run_file([frames[i] for i in order])
    else:
        content = msgspec.msgpack.decode(message[inner])
        content = draw(altered(content)) if how == "inner" else draw(forged_arrays(content))
        message[inner] = msgspec.msgpack.encode(content)
    frames[at] = msgspec.msgpack.encode(message)
    return sound.as_run_file(frames)


@st.composite
def forged_arrays(draw: Any, tree: Any) -> Any:
    """Return a tree whose arrays claim another type, shape or content."""
    if isinstance(tree, dict):
        return {name: draw(forged_arrays(value)) for name, value in tree.items()}
    if isinstance(tree, list) and len(tree) == 5 and isinstance(tree[3], bool):
        place = draw(st.integers(0, 4))
        tree[place] = draw(
            (st.sampled_from(("f8", "i1", "b1", "O", "U9", "")), st.sampled_from(("f8", "i1", "V")),
             huge_shapes, st.booleans(), st.binary(max_size=30))[place]
        )  # fmt: skip
    return tree


def run_files() -> st.SearchStrategy[Attack]:
    """Return exported runs."""
    content = forged_runs() | damaged(sound.run_files)
    return content.map(lambda data: Attack("run", data))


def proof_files() -> st.SearchStrategy[Attack]:
    """Return exported proofs, for both checkers."""
    content = forged_runs() | damaged(sound.proof_files)
    return content.map(lambda data: Attack("proof", data))


def archive_files() -> st.SearchStrategy[Attack]:
    """Return files of archives."""
    return damaged(sound.archives).map(lambda data: Attack("archive", data))


@st.composite
def forged_answers(draw: Any) -> bytes:
    """Return an answer of the parsing process with other values in it."""
    answer = msgspec.msgpack.decode(draw(st.sampled_from(sound.answers())))
    return msgspec.msgpack.encode(draw(altered(answer)))


def answers() -> st.SearchStrategy[Attack]:
    """Return what a process that reads uploads may answer once a file has taken it over."""
    content = forged_answers() | damaged(sound.answers)
    return content.map(lambda data: Attack("answer", data))


@st.composite
def projects(draw: Any) -> Attack:
    """Return project files: whole, damaged, packed otherwise, with parts that say otherwise."""
    if draw(st.integers(0, 2)) == 0:
        return Attack("project", draw(damaged(sound.projects)))
    given = zipfile.ZipFile(io.BytesIO(draw(st.sampled_from(sound.projects()))))
    parts = {name: given.read(name) for name in given.namelist()}
    how = draw(st.sampled_from(("head", "data", "run", "packed", "nested", "bomb")))
    method = zipfile.ZIP_STORED
    if how == "head":
        head = draw(altered(msgspec.json.decode(parts["project.json"])))
        parts["project.json"] = _as_bytes(sound.as_json(head))
    elif how == "data":
        parts["data.msgpack"] = draw(damaged(lambda: [parts["data.msgpack"]]))
    elif how == "run":
        parts["runs/009.ccviz"] = draw(forged_runs() | damaged(sound.run_files))
    elif how == "packed":
        method = draw(st.sampled_from((zipfile.ZIP_LZMA, zipfile.ZIP_BZIP2, zipfile.ZIP_DEFLATED)))
    elif how == "nested":
        part = draw(st.sampled_from(("project.json", "data.msgpack")))
        parts[part] = draw(st.sampled_from((b"[", b'{"a":', b"\x91", b"\x81\xa1a"))) * 100_000
    else:
        return Attack("project", _bomb(draw(st.sampled_from((10**6, 6 * 10**8)))))
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method) as packed:
        for name, body in parts.items():
            packed.writestr(name, body)
    whole = file.getvalue()
    if how == "packed" and draw(st.booleans()):
        at = draw(st.integers(0, len(whole) - 1))
        whole = whole[:at] + bytes([whole[at] ^ draw(st.integers(1, 255))]) + whole[at + 1 :]
    return Attack("project", whole)


def addresses() -> st.SearchStrategy[Attack]:
    """Return the queries of addresses."""
    keys = st.sampled_from((
        "data", "k", "n", "scaling", "x", "y", "ml", "cl", "sizes", "rules", "solver", "seed",
        "limit.time_limit", "limit.gap", "limit.node_limit", "set.n_init", "set.tolerance",
        "set.incumbent", "theme", "odd",
    ))  # fmt: skip
    right = st.sampled_from(
        (
            *NAMES, *(each.name for each in SOLVERS), "0-1", "3-4,5-6*2", "equal",
            "diameter<=9;size>=2", "overlap(x:0123)<=2", f"size>={'9' * 4000}",
        )
    )  # fmt: skip
    pairs = st.lists(st.tuples(keys, words | right), max_size=6).map(dict)
    return pairs.map(lambda values: Attack("address", values))


def settings_of() -> st.SearchStrategy[Attack]:
    """Return a solver's settings, of any type, and as texts."""
    value = odd_value | st.sampled_from(MANY_DIGITS).map(_whole) | st.binary(max_size=4)

    def of(solver: Any) -> st.SearchStrategy[Attack]:
        names = st.sampled_from([*sound.setting_names(solver), "odd", "seed", "time_limit", "gap"])
        given = st.dictionaries(names, value, max_size=3)
        as_text = st.dictionaries(names, words, max_size=3)
        return st.builds(
            lambda real, text: Attack("settings", real, {"solver": solver.name, "texts": text}),
            given, as_text,
        )  # fmt: skip

    return st.sampled_from(SOLVERS).flatmap(of)


def _whole(text: str) -> int:
    digits = sum(letter.isdigit() for letter in text)
    return 10**digits


def problems() -> st.SearchStrategy[Attack]:
    """Return what a problem may be asked to be made of, and sizes and rules as texts."""
    cell = st.floats() | st.integers(-5, 5) | st.sampled_from((10**400, None, "1", 1e200))
    odd = st.lists(st.lists(cell, min_size=1, max_size=3), max_size=6)
    X = odd | st.lists(st.tuples(st.floats(-9, 9), st.integers(-5, 5)), min_size=5, max_size=8)
    end = st.integers(-1, 7) | st.floats() | st.sampled_from((10**30, "1"))
    link = st.lists(end, max_size=4) | st.tuples(st.integers(0, 4), st.integers(0, 4))
    rule = st.builds(
        lambda kind, sign, limit: f"{kind}{sign}{limit}",
        st.sampled_from(("diameter", "separation", "size", "overlap(a)", "difference(last)", "x")),
        st.sampled_from(("<=", ">=", "=", "")), words,
    )  # fmt: skip
    about = st.fixed_dictionaries({
        "k": st.integers(1, 3) | st.integers(-1, 7) | st.sampled_from((10**5000, 2.5, None, "2")),
        "must_link": st.lists(link, max_size=2),
        "cannot_link": st.lists(link, max_size=2),
        "weights": st.none() | st.lists(st.floats() | st.integers(-1, 3), min_size=4, max_size=7),
        "start": st.none() | st.lists(end, max_size=7) | st.lists(st.integers(0, 1), min_size=5),
        "sizes": words,
        "rule": rule | words,
    })  # fmt: skip
    return st.builds(lambda rows, more: Attack("problem", rows, more), X, about)


def commands() -> st.SearchStrategy[Attack]:
    """Return command lines."""
    files = st.sampled_from(("good.csv", "bad.csv", "links.txt", "run.ccviz", "none.csv", "folder"))
    name = st.sampled_from((
        "--links", "--solver", "--param", "--sizes", "--rule", "--columns", "--class-column",
        "--name-column", "--missing", "--scale", "--gap", "--node-limit", "--seed", "--json",
        "--labels", "--table", "--profile", "--report", "--name", "-k", "--odd", "--delete",
        "--rename", "--upto", "--work", "--strategy", "--questions", "--noise", "--out", "--check",
    ))  # fmt: skip
    value = files | plain_words | st.sampled_from(
        ("sdp", "colgen", "divide", "n_init=3", "n_init=x", "=", "equal", "size<=9", "last", "-")
    )  # fmt: skip
    option = st.tuples(name, value).map(list) | plain_words.map(lambda word: [word])
    command = st.sampled_from((
        ("solve", "good.csv", "-k", "2", "--time-limit", "0.05"), ("solve",), ("solve", "bad.csv"),
        ("elbow", "good.csv", "-k", "1-2"), ("solvers",), ("runs",), ("replay", "last"),
        ("export", "last"), ("import", "run.ccviz"), ("import", "bad.csv"), ("verify", "last"),
        ("resume", "last", "--time-limit", "0.05"), ("ask", "good.csv", "--by-class"), ("app", "x"),
    ))  # fmt: skip
    return st.builds(
        lambda start, more: Attack("command", [*start, *(word for each in more for word in each)]),
        command, st.lists(option, max_size=3),
    )  # fmt: skip


KINDS: dict[str, Callable[[], st.SearchStrategy[Attack]]] = {
    "data": data_files,
    "links": link_files,
    "run": run_files,
    "proof": proof_files,
    "archive": archive_files,
    "answer": answers,
    "project": projects,
    "address": addresses,
    "settings": settings_of,
    "problem": problems,
    "command": commands,
    "big": big,
}
