"""Thirty tables as people have them, made up: exports of spreadsheets, instruments, shops, surveys.

Each says what a reader should find: the number of rows, the columns of numbers with their values in
the first row.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from io import BytesIO


@dataclass(frozen=True)
class RealTable:
    """A file and what is in it."""

    name: str
    content: bytes
    rows: int
    numbers: dict[str, float]  # Columns of numbers and their values in the first row


def _text(lines: list[str], encoding: str = "utf-8", end: str = "\n") -> bytes:
    return (end.join(lines) + end).encode(encoding)


def _many(make, rows: int = 12) -> list[str]:
    return [make(row) for row in range(rows)]


def workbook(**sheets: list[list[object]]) -> bytes:
    """Return a workbook of these worksheets and their rows."""
    from openpyxl import Workbook

    book, file = Workbook(), BytesIO()
    book.remove(book.active)
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(row)
    book.save(file)
    return file.getvalue()


def _parquet() -> bytes:
    import pyarrow as pa
    from pyarrow import parquet

    file = BytesIO()
    table = pa.table({"length": [1.5 + i for i in range(12)], "count": list(range(12))})
    parquet.write_table(table, file)
    return file.getvalue()


def _german(row: int) -> str:
    return f"Stück {row};1.{234 + row}.500,25;{row},5 %"


def real_tables() -> list[RealTable]:
    """Return the thirty tables."""
    return [
        RealTable("plain.csv", _text(["age,income", *_many(lambda i: f"{20 + i},{1000 + i}.5")]),
                  12, {"age": 20, "income": 1000.5}),
        RealTable("tabs.tsv", _text(["age\tincome", *_many(lambda i: f"{20 + i}\t{900 + i}")]),
                  12, {"age": 20, "income": 900}),
        RealTable("semicolons.csv", _text(["x;y", *_many(lambda i: f"{i},5;{2 * i},25")]),
                  12, {"x": 0.5, "y": 0.25}),
        RealTable("pipes.txt", _text(["a|b|c", *_many(lambda i: f"{i}|{i + 1}|{i + 2}.5")]),
                  12, {"a": 0, "b": 1, "c": 2.5}),
        RealTable("spaces.txt", _text(_many(lambda i: f"{i}.25   {i + 1}   {i * i}")),
                  12, {"x0": 0.25, "x1": 1, "x2": 0}),
        RealTable("bom.csv", b"\xef\xbb\xbf" + _text(["size,weight", *_many(
            lambda i: f"{i},{i + 3}")]), 12, {"size": 0, "weight": 3}),
        RealTable("utf16.csv", _text(["size,weight", *_many(lambda i: f"{i}.5,{i + 3}")], "utf-16"),
                  12, {"size": 0.5, "weight": 3}),
        RealTable("windows.csv", _text(["Größe;Länge", *_many(lambda i: f"{i},5;{i + 3}")],
                  "windows-1252", "\r\n"), 12, {"Größe": 0.5, "Länge": 3}),
        RealTable("old_mac.csv", _text(["a,b", *_many(lambda i: f"{i}.5,{i + 3}")], end="\r"),
                  12, {"a": 0.5, "b": 3}),
        RealTable("titles.csv", _text(["Customer report, Q3", "", "age,income", *_many(
            lambda i: f"{20 + i},{1000 + i}.5")]), 12, {"age": 20, "income": 1000.5}),
        RealTable("comments.csv", _text(["# spectrometer 7", "# 2026-03-01", "wave,power", *_many(
            lambda i: f"{400 + i},{i}.125")]), 12, {"wave": 400, "power": 0.125}),
        RealTable("no_header.csv", _text(_many(lambda i: f"{i}.5,{i + 2},{i * 3}.25")),
                  12, {"x0": 0.5, "x1": 2, "x2": 0.25}),
        RealTable("quoted.csv", _text(['"name","age","city"', *_many(
            lambda i: f'"Doe, J{i}","{30 + i}","Rome, IT"')]), 12, {"age": 30}),
        RealTable("quotes_inside.csv", _text(["note,score", *_many(
            lambda i: f'"said ""yes"", {i} times",{i}.5')]), 12, {"score": 0.5}),
        RealTable("line_in_cell.csv", _text(["note,score,level", *_many(
            lambda i: f'"first line\nsecond {i}",{i}.5,{i + 4}')]), 12,
            {"score": 0.5, "level": 4}),
        RealTable("percent.csv", _text(["share,n", *_many(lambda i: f"{40 + i}.6%,{i}")]),
                  12, {"share": 40.6, "n": 0}),
        RealTable("percent_german.csv", _text(["Anteil;n", *_many(lambda i: f"{46 + i},6 %;{i}")]),
                  12, {"Anteil": 46.6, "n": 0}),
        RealTable("money.csv", _text(["price,n", *_many(lambda i: f'"${1200 + i:,}.50",{i}')]),
                  12, {"price": 1200.5, "n": 0}),
        RealTable("euro.csv", _text(["Preis;n", *_many(lambda i: f"1.2{10 + i},50 €;{i}")]),
                  12, {"Preis": 1210.5, "n": 0}),
        RealTable("thousands.csv", _text(["sold,n", *_many(lambda i: f'"{12300 + i:,}",{i}')]),
                  12, {"sold": 12300, "n": 0}),
        RealTable("german.csv", _text(["Name;Umsatz;Anteil", *_many(_german)], "windows-1252"),
                  12, {"Umsatz": 1234500.25, "Anteil": 0.5}),
        RealTable("missing_words.csv", _text(["a,b", *_many(lambda i: f"{i}.5,{i}"), "n/a,3",
                  "1,-", "NULL,2"]), 15, {"a": 0.5, "b": 0}),
        RealTable("scientific.csv", _text(["mass,charge", *_many(
            lambda i: f"{i + 1}.5e-3,+{i}")]), 12, {"mass": 0.0015, "charge": 0}),
        RealTable("units.csv", _text(["id;speed;t", *_many(lambda i: f"u{i};{i},5;{i + 7}")]),
                  12, {"speed": 0.5, "t": 7}),
        RealTable("ragged_end.csv", _text(["a,b,", *_many(lambda i: f"{i},{i + 1},")]),
                  12, {"a": 0, "b": 1}),
        RealTable("blank_lines.csv", _text(["", "a,b", "", *_many(lambda i: f"{i}.5,{i + 1}"), ""]),
                  12, {"a": 0.5, "b": 1}),
        RealTable("ids_and_words.csv", _text(["customer,segment,age,spend", *_many(
            lambda i: f"C{1000 + i},{'AB'[i % 2]},{20 + i},{i}.75")]), 12,
            {"age": 20, "spend": 0.75}),
        RealTable("title_row.xlsx", workbook(Q3=[["Customer report, Q3"], [], ["age", "income"],
                  *[[20 + i, 1000.5 + i] for i in range(12)]]), 12, {"age": 20, "income": 1000.5}),
        RealTable("two_sheets.xlsx", workbook(Notes=[], Data=[["a", "when", "b"], *[
            [i + 0.5, datetime.combine(date(2026, 1, 1 + i), datetime.min.time()), i]
            for i in range(12)]]), 12, {"a": 0.5, "b": 0}),
        RealTable("columns.parquet", _parquet(), 12, {"length": 1.5, "count": 0}),
    ]  # fmt: skip
