"""Links from files and back: lines ``ML i j [weight]`` / ``CL i j [weight]``, a table, or JSON.

A table may use the names of points: two points and the kind of link in each row, such as
``Anna;Bert;must`` or ``cl,Anna,Carl``, with an optional weight. A table of wishes has a header with
the column *wish*: ``person,wish,weight``. Each is a soft link, of weight 1 if none is given; a
weight below 0 is a wish to be apart. By such a header, or one with the column *to*, the columns
*kind* and *weight* may be anywhere: ``from,to,weight,kind``.

The words *together* and *apart* are read as *must* and *cannot*.

The rest of a line after ``#`` is the source of its link, what it comes from: ``ML 3 8 # same
account``. In a table the column *source* has it. Without one it is the file.

The JSON form is ``{"ml": [[i, j], [i, j, weight], ...], "cl": [...]}``; the soft lists ``sml`` and
``scl`` with their weights in ``sml_proba`` and ``scl_proba`` are read too, as the instances of
S-MDEClust have them. Points are numbered from 0; a link without a weight is hard.
"""

from __future__ import annotations

import csv
import math
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

import msgspec

from ccviz.data.cells import unguarded
from ccviz.data.names import NameBook
from ccviz.data.table import Source, decode_text, read_bytes
from ccviz.errors import CcvizError, FileFormatError
from ccviz.problem.links import Links
from ccviz.problem.points import is_number

Row = tuple[int, int] | tuple[int, int, float]
Link = Row  # its name up to 0.3
_LONGEST_SOURCE = 60  # letters


@dataclass
class GivenLinks:
    """Links as read from a file, valid arguments of `ccviz.Problem`.

    Attributes
    ----------
    must_link, cannot_link : list of (i, j) or (i, j, weight)
    must_sources, cannot_sources : list of str
        What each of them comes from.
    notice : str
        A sentence where the numbers may count points from 1; empty otherwise.
    """

    must_link: list[Row] = field(default_factory=list)
    cannot_link: list[Row] = field(default_factory=list)
    must_sources: list[str] = field(default_factory=list)
    cannot_sources: list[str] = field(default_factory=list)
    notice: str = ""

    @property
    def sources(self) -> list[str]:
        """What all links come from, must-links first."""
        return self.must_sources + self.cannot_sources

    def _add(self, kind: str, row: Row, source: str) -> None:
        getattr(self, f"{kind}_link").append(row)
        getattr(self, f"{kind}_sources").append(short_source(source))


@lru_cache
def short_source(text: str) -> str:
    """Return what a link comes from in one short line of letters, numbers, signs and blanks."""
    printable = "".join(letter if letter.isprintable() else " " for letter in text)
    return " ".join(printable.split())[:_LONGEST_SOURCE].strip()


def read_links_file(
    source: Source, n: int, name: str = "", names: Sequence[str] = ()
) -> GivenLinks:
    """Read links between n points.

    Parameters
    ----------
    n : int
        Number of points.
    name : str
        File name of the bytes.
    names : sequence of str
        Names of the points, which lines of text may use.

    Raises
    ------
    FileFormatError
        If the file cannot be read or a link is malformed, joins a point to itself or names a
        point that does not exist; the sentence names file and line.
    """
    name = name or (str(source) if not isinstance(source, bytes) else "the links")
    data = read_bytes(source, name)
    try:
        text = decode_text(data)
        is_json = Path(name).suffix.lower() == ".json" or text.lstrip().startswith("{")
        # In lines "ML i j" i and j are always numbers, even if points have numbers for names.
        is_table = any(mark in _first_line(text) for mark in _MARKS)
        named = is_table and (len(names) > 0 or _has_wishes(text))
        if is_json:
            given = _from_json(text, n)
        elif named:
            given = _from_table(text, NameBook(n, names))
        else:
            given = _from_lines(text, n, names)
    except FileFormatError as broken:
        guess = _guess(text, n) if isinstance(broken, _NoPointError) else ""
        raise FileFormatError(f"{name}: {broken}{guess}") from None
    if not (named and names):
        given.notice = _counted_from_one(given, n, names, name)
    file = short_source(Path(name).name)
    for kind in ("must", "cannot"):
        sources = getattr(given, f"{kind}_sources") or [""] * len(getattr(given, f"{kind}_link"))
        setattr(given, f"{kind}_sources", [each or file for each in sources])
    return given


class _NoPointError(FileFormatError):
    """A link names a point by a number that no point has."""


_PAIR = re.compile(r"(?:[MC]L|\[)[\s,]*(\d{1,9})[\s,]+(\d{1,9})\b", re.IGNORECASE)


def _guess(text: str, n: int) -> str:
    """Return what is wrong where all numbers of points are from 1 to n."""
    numbers = [int(number) for pair in _PAIR.findall(text) for number in pair]
    from_one = bool(numbers) and min(numbers) >= 1 and max(numbers) == n
    return f" The largest number is {n}: did you count from 1?" if from_one else ""


def _counted_from_one(given: GivenLinks, n: int, names: Sequence[str], name: str) -> str:
    """Return a notice where all numbers are valid and none is 0, by points' names or by chance.

    A file that names half of the points misses that one point half of the time.
    """
    some = {point for row in given.must_link + given.cannot_link for point in row[:2]}
    if not some or 0 in some:
        return ""
    least = min(some)
    if list(names) == [str(number) for number in range(1, n + 1)]:
        return (
            f"{name}: its numbers count points from 0, and the names of the points are 1 to {n}: "
            f"{least} is the point named {least + 1}. A table of names, such as "
            f"{least},{least + 1},must, goes by names."
        )
    if 2 * len(some) < n:
        return ""
    return f"{name}: its numbers count points from 0, and none is 0. Did you count from 1?"


def _from_lines(text: str, n: int, names: Sequence[str]) -> GivenLinks:
    given = GivenLinks()
    book = NameBook(n, names)
    for number, line in enumerate(text.splitlines(), 1):
        link, _, source = line.partition("#")
        words = link.replace(",", " ").split()
        if not words:
            continue
        if words[0].upper() not in ("ML", "CL") or len(words) not in {3, 4}:
            raise FileFormatError(
                f"line {number} is {line.strip()!r}, not 'ML i j' or 'CL i j' and maybe a weight."
            )
        place, has_numbers = f"line {number}", all(map(is_number, words[1:3]))
        row = (
            _link(words[1:], n, place)
            if has_numbers or not names
            else _named_link(words[1:], book, place)
        )
        given._add(_KINDS[words[0].lower()], row, source)
    return given


_MARKS = ";\t,"
_KINDS = {
    "ml": "must", "must": "must", "must-link": "must",
    "cl": "cannot", "cannot": "cannot", "cannot-link": "cannot", "must not": "cannot",
    "must-not": "cannot", "together": "must", "apart": "cannot",
}  # fmt: skip
_WISHES = {"with": "must", "like": "must", "without": "cannot", "dislike": "cannot"}
"""Kinds of links that are soft, of weight 1 if none is given."""


def _has_wishes(text: str) -> bool:
    words = re.split(f"[{_MARKS}]", _first_line(text).casefold())
    return not {"wish", "wishes"}.isdisjoint(word.strip() for word in words)


def _first_line(text: str) -> str:
    return next((line for line in text.splitlines() if line.strip()), "")


def _from_table(text: str, book: NameBook) -> GivenLinks:
    given, lines, has_wishes = GivenLinks(), text.splitlines(), _has_wishes(text)
    mark = next(mark for mark in _MARKS if any(mark in line for line in lines))
    heads = [cell.strip().casefold() for cell in next(csv.reader(lines, delimiter=mark))]
    has_header = not _kind_of(heads)[0]
    at = heads.index("source") if "source" in heads and has_header else sys.maxsize - 1
    order = _order(heads) if has_header else []
    for number, cells in enumerate(csv.reader(lines, delimiter=mark), 1):
        if not any(cell.strip() for cell in cells):
            continue
        source = unguarded("".join(cells[at : at + 1]))
        if len(cells) > max(order[:2], default=sys.maxsize):
            rest = [*(cells[each] for each in order[2:] if each < len(cells)), *cells[len(heads) :]]
            cells = [*(cells[each] for each in order[:2]), *filter(str.strip, rest)]
        elif at < len(cells):
            del cells[at]
        kind, words = _kind_of(cells)
        if not kind and number == 1:
            continue  # the names of the columns
        if not kind and has_wishes and len(words) in {2, 3}:
            if not words[1]:
                continue  # a person without a wish
            kind, words = _wish_of(words)
        if not kind or len(words) not in {2, 3}:
            hint = (
                " If these are neighbours, give the file under Neighbours (--neighbors)."
                if not kind and len(words) == 2
                else ""
            )
            raise FileFormatError(
                f"line {number} is not two points and 'must' or 'cannot', and maybe a weight.{hint}"
            )
        given._add(kind, _named_link(words, book, f"line {number}"), source)
    return given


def _order(heads: Sequence[str]) -> list[int]:
    """Return the columns of two points, kind and weight by their names; empty if one is unknown."""
    two, more = ("wish", "wishes", "to"), ("kind", "weight")
    one = [head for head in heads if head not in (*two, *more, "source")]
    other = [head for head in heads if head in two]
    if not len(one) == len(other) == 1:
        return []
    return [heads.index(head) for head in (*one, *other, *more) if head in heads]


def _kind_of(cells: Sequence[str]) -> tuple[str, list[str]]:
    """Return a row's kind of link and its other cells; the kind is the first or third cell."""
    words = [unguarded(cell.strip()) for cell in cells]
    kinds = {**_KINDS, **_WISHES}
    at = next((at for at in (0, 2) if at < len(words) and words[at].lower() in kinds), None)
    if at is None:
        return "", words
    kind, others = words[at].lower(), words[:at] + words[at + 1 :]
    others = others[:2] if others[2:] == [""] else others  # without a weight
    return kinds[kind], [*others, "1"] if kind in _WISHES and len(others) == 2 else others


def _wish_of(words: list[str]) -> tuple[str, list[str]]:
    """Return the kind of link that a wish is, and person, wish and weight."""
    pair, weight = words[:2], "".join(words[2:]) or "1"
    return ("cannot" if weight.startswith("-") else "must"), [*pair, weight.removeprefix("-")]


def _named_link(words: Sequence[str], book: NameBook, place: str) -> Row:
    try:
        i, j = (book.find(word) for word in words[:2])
    except CcvizError as unknown:
        raise FileFormatError(f"{place}: {unknown}") from None
    if i == j:
        raise FileFormatError(f"{place} links point {i} to itself.")
    return (i, j, _weight(words[2], place)) if len(words) == 3 else (i, j)


def _link(words: Sequence[str | float], n: int, place: str) -> Row:
    try:
        i, j = (int(word) for word in words[:2])
        if [i, j] != [float(word) for word in words[:2]]:
            raise ValueError
    except (ValueError, OverflowError):
        raise FileFormatError(f"{place} does not name two points by whole numbers.") from None
    for index in (i, j):
        if not 0 <= index < n:
            raise _NoPointError(f"{place} names point {index}, but the points are 0 to {n - 1}.")
    if i == j:
        raise FileFormatError(f"{place} links point {i} to itself.")
    return (i, j, _weight(words[2], place)) if len(words) == 3 else (i, j)


def _weight(word: str | float, place: str) -> float:
    try:
        weight = float(word)
    except ValueError:
        weight = math.nan
    if not weight > 0:
        raise FileFormatError(f"{place} has the weight {word}, which is not a positive number.")
    return weight


class _JsonLinks(msgspec.Struct, forbid_unknown_fields=True):
    ml: list[list[float]] = []
    cl: list[list[float]] = []
    sml: list[list[float]] = []
    scl: list[list[float]] = []
    sml_proba: list[float] = []
    scl_proba: list[float] = []


def _from_json(text: str, n: int) -> GivenLinks:
    try:
        raw = msgspec.json.decode(text, type=_JsonLinks)
    except (msgspec.MsgspecError, RecursionError) as broken:
        raise FileFormatError(
            f'this is not {{"ml": [[i, j], ...], "cl": [[i, j], ...]}}: {broken}.'
        ) from None
    return GivenLinks(
        _json_list(raw.ml, "ml", n) + _soft_list(raw.sml, raw.sml_proba, "sml", n),
        _json_list(raw.cl, "cl", n) + _soft_list(raw.scl, raw.scl_proba, "scl", n),
    )


def _soft_list(links: list[list[float]], weights: list[float], kind: str, n: int) -> list[Row]:
    if len(weights) != len(links):
        raise FileFormatError(
            f"{kind} has {len(links)} links but {kind}_proba {len(weights)} weights."
        )
    return _json_list(
        [[*link, weight] for link, weight in zip(links, weights, strict=True)], kind, n
    )


def _json_list(links: list[list[float]], kind: str, n: int) -> list[Row]:
    for at, link in enumerate(links):
        if len(link) not in {2, 3}:
            raise FileFormatError(f"{kind}[{at}] is {link}, not two points and maybe a weight.")
    return [_link(link, n, f"{kind}[{at}]") for at, link in enumerate(links)]


def added_up(rows: Sequence[Row]) -> list[Row]:
    """Return links with each pair once, of the sum of its weights: two wishes count as two."""
    total: dict[tuple[int, int], float] = {}
    for row in rows:
        pair = (min(row[:2]), max(row[:2]))
        total[pair] = total.get(pair, 0.0) + (row[2] if len(row) == 3 else math.inf)
    return [(i, j, weight) for (i, j), weight in total.items()]


def softened(
    rows: Sequence[Row], sources: Sequence[str], weights: Mapping[str, float]
) -> list[Row]:
    """Return links of which the hard ones of some sources are soft, of the weights given."""
    return [
        (row[0], row[1], weights[source])
        if source in weights and math.isinf((*row, math.inf)[2])
        else row
        for row, source in zip(rows, sources, strict=True)
    ]


def links_text(must_link: Links, cannot_link: Links, sources: Sequence[str] = ()) -> str:
    """Return links as lines that `read_links_file` reads back.

    `sources`: What each comes from, must-links first; empty where that is not known.
    """
    lines = []
    for kind, links in (("ML", must_link), ("CL", cannot_link)):
        for (i, j), weight in zip(links.pairs.tolist(), links.weights.tolist(), strict=True):
            lines.append(f"{kind} {i} {j}" + ("" if math.isinf(weight) else f" {weight!r}"))
    notes = [f"  # {source}" if source else "" for source in sources or [""] * len(lines)]
    return "".join(f"{line}{note}\n" for line, note in zip(lines, notes, strict=True))
