"""Draws the packages and who imports whom, from the sources: `python docs/packages.py`.

The picture is `assets/packages.svg`; a test holds that it shows the imports as they are.
"""

from __future__ import annotations

import ast
from html import escape
from pathlib import Path

ROOT = Path(__file__).parents[1]
PICTURE = ROOT / "assets" / "packages.svg"

# From what knows nothing of the others, at the bottom, to what knows all. A row is what stands side
# by side; tests/test_layers.py has the full order.
ROWS = (
    (("errors, events, arrays, …", ""), ("problem", "problem")),
    (("feasibility", "feasibility"), ("data", "data"), ("proof", "proof")),
    (("solvers", "solvers"),),
    (("runs", "runs"),),
    (("api", "api"), ("active", "active"), ("studies", "studies")),
    (("estimator", "estimator"),),
    (("views", "views"), ("cli", "cli")),
)
API_FILES = ("notebook", "row_links", "testing")
_WIDTH, _HEIGHT, _BOX = 700, 78, (190, 40)


def package_of(module: str) -> str:
    """Return the box of a module: its package, `api`, or the small files that all may know."""
    part = module.split(".")[1] if "." in module else ""
    known = {name for row in ROWS for _, name in row}
    if part == "__main__":
        return "cli"
    if part.startswith("estimator") or module == "ccviz":
        return "estimator"
    if part in API_FILES:
        return "api"
    return part if part in known else ""


def arrows() -> set[tuple[str, str]]:
    """Return who imports whom, lazily or not, between the boxes."""
    found = set()
    for path in sorted((ROOT / "ccviz").rglob("*.py")):
        parts = path.relative_to(ROOT).with_suffix("").parts
        here = package_of(".".join(parts[:-1] if parts[-1] == "__init__" else parts))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("ccviz"):
                found.add((here, package_of(node.module)))
    return {(here, there) for here, there in found if here != there}


def shown(links: set[tuple[str, str]]) -> set[tuple[str, str]]:
    """Return those arrows that no way over other boxes stands for."""
    below = {here: {there for start, there in links if start == here} for here, _ in links}

    def reached(start: str) -> set[str]:
        return set().union(*({each} | reached(each) for each in below.get(start, ())))

    return {
        (here, there)
        for here, there in links
        if not any(there in reached(each) for each in below[here])
    }


def draw(links: set[tuple[str, str]]) -> str:
    """Return the picture as SVG; an arrow that a way over other boxes stands for is left out."""
    height = _HEIGHT * len(ROWS)
    place = {
        name: (_WIDTH * (column + 0.5) / len(boxes), height - _HEIGHT * (row + 0.5))
        for row, boxes in enumerate(ROWS)
        for column, (_, name) in enumerate(boxes)
    }
    lines = [_arrow(place[here], place[there]) for here, there in sorted(shown(links))]
    boxes = [_box(*place[name], words) for row in ROWS for words, name in row]
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}"'
        ' font-family="sans-serif" font-size="14">',
        '<defs><marker id="tip" markerWidth="8" markerHeight="8" refX="7" refY="4" orient="auto">'
        '<path d="M0,0 L8,4 L0,8 z" fill="#5b6876"/></marker></defs>',
        f'<rect width="{_WIDTH}" height="{height}" fill="#ffffff"/>',
        *lines, *boxes, "</svg>", "",
    ])  # fmt: skip


def _box(x: float, y: float, words: str) -> str:
    w, h = _BOX
    return (
        f'<rect x="{x - w / 2:.0f}" y="{y - h / 2:.0f}" width="{w}" height="{h}" rx="8" '
        'fill="#e6f1fb" stroke="#0b4f8a"/>'
        f'<text x="{x:.0f}" y="{y + 5:.0f}" text-anchor="middle">{escape(words)}</text>'
    )


def _arrow(start: tuple[float, float], end: tuple[float, float]) -> str:
    (x, y), (a, b), (width, height) = start, end, _BOX
    if y == b:  # neighbours of one row
        side = width / 2 if a > x else -width / 2
        ends, middle = (x + side, y, a - side, b), ((x + a) / 2, y)
    else:  # a long way bends out, past the boxes between
        ends = (x, y + height / 2, a, b - height / 2)
        out = 150.0 if b - y > 1.5 * _HEIGHT else 0.0
        middle = ((x + a) / 2 + (out if x > _WIDTH / 2 else -out), (y + b) / 2)
    return (
        f'<path d="M{ends[0]:.0f},{ends[1]:.0f} Q{middle[0]:.0f},{middle[1]:.0f} '
        f'{ends[2]:.0f},{ends[3]:.0f}" fill="none" stroke="#5b6876" marker-end="url(#tip)"/>'
    )


if __name__ == "__main__":
    PICTURE.write_text(draw(arrows()), encoding="utf-8")
