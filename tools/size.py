"""Lines, files and functions of each package, which `tests/test_size.py` holds to a budget.

`make size` prints the table; with ``--write`` it goes into docs/development.md.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "development.md"
_OPEN, _CLOSE = "<!--size-->", "<!--/size-->"
SMALL = 150


@dataclass(frozen=True)
class Size:
    """Python files of a folder, their lines and their functions."""

    files: int
    lines: int
    functions: int


def sources(folder: str) -> list[Path]:
    """Return the Python files below a folder of the project; tests/truth is counted by itself."""
    found = (ROOT / folder).rglob("*.py")
    return sorted(path for path in found if folder != "tests" or "truth" not in path.parts)


@dataclass(frozen=True)
class Source:
    """What is counted of a file: lines, functions, and the names that it imports."""

    lines: int
    functions: int
    imports: frozenset[str]


@cache
def read(path: Path) -> Source:
    """Count a file, once."""
    text = path.read_text(encoding="utf-8")
    found = list(_statements(ast.parse(text)))
    functions = sum(isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef) for each in found)
    imports = frozenset(name for each in found for name in _imported(each))
    return Source(len(text.splitlines()), functions, imports)


def _statements(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the statements below a node; expressions, most of a tree, have none."""
    for name in ("body", "orelse", "finalbody", "handlers", "cases"):
        for child in getattr(node, name, ()):
            yield child
            yield from _statements(child)


def size(paths: list[Path]) -> Size:
    """Return the size of some files."""
    files = [read(path) for path in paths]
    return Size(
        len(files), sum(each.lines for each in files), sum(each.functions for each in files)
    )


def packages() -> dict[str, Size]:
    """Return the size of each package of ccviz, of its top level, and of the folders beside it."""
    top = {path.parent for path in (ROOT / "ccviz").glob("*/__init__.py")}
    own = {f"ccviz.{path.name}": size(sources(f"ccviz/{path.name}")) for path in sorted(top)}
    return (
        {"ccviz, top level": size(sorted((ROOT / "ccviz").glob("*.py")))}
        | own
        | {name: size(sources(name)) for name in ("ccviz", "tests", "benchmarks")}
    )


def module_of(path: Path) -> str:
    """Return the dotted name of a source file."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def small_modules() -> dict[str, int]:
    """Return the lines of each module below `SMALL` lines that one other module imports."""
    paths = {module_of(path): path for path in sources("ccviz")}
    importers: dict[str, set[str]] = {name: set() for name in paths}
    for name, path in paths.items():
        for other in read(path).imports & paths.keys() - {name}:
            importers[other].add(name)
    lines = {name: read(path).lines for name, path in paths.items()}
    once = [name for name, path in paths.items() if path.stem != "__init__"]
    return {name: lines[name] for name in once if lines[name] < SMALL and len(importers[name]) == 1}


def _imported(node: ast.AST) -> set[str]:
    if isinstance(node, ast.Import):
        return {alias.name for alias in node.names}
    if isinstance(node, ast.ImportFrom) and node.module:
        return {node.module} | {f"{node.module}.{alias.name}" for alias in node.names}
    return set()


def table() -> str:
    """Return the sizes as a table in Markdown."""
    rows = ["| | files | lines | functions |", "|--|--:|--:|--:|"]
    for name, each in packages().items():
        shown = f"**{name}**" if name == "ccviz" else name
        rows.append(f"| {shown} | {each.files:,} | {each.lines:,} | {each.functions:,} |")
    few = small_modules()
    return "\n".join([*rows, "", f"Modules below {SMALL} lines with one importer: {len(few)}."])


def main() -> None:
    print(table())
    if "--write" in sys.argv[1:]:
        before, _, rest = PAGE.read_text(encoding="utf-8").partition(_OPEN)
        after = rest.partition(_CLOSE)[2]
        PAGE.write_text(f"{before}{_OPEN}\n\n{table()}\n\n{_CLOSE}{after}", encoding="utf-8")


if __name__ == "__main__":
    main()
