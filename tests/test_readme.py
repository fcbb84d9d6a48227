"""What the README says is true."""

import re
from pathlib import Path

from ccviz.solvers import SOLVERS

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_two_commands_come_first():
    commands = re.findall(r"^    (make \w+)", README, flags=re.MULTILINE)
    assert commands[:2] == ["make app", "make test"]


def test_the_library_example_runs_as_it_stands():
    example = re.search(r"```python\n(.*?)```", README, flags=re.DOTALL).group(1)
    names: dict[str, object] = {}
    exec(compile(example, "README.md", "exec"), names)
    assert names["model"].status_ == "optimal"


def tables_of_solvers():
    """Return the tables of solvers on hand-written pages: the rows of each, by solver."""
    for path in (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))):
        if path.name != "solvers.md":  # made from the registry, see docs/conf.py
            # Rows that docs/fill.py writes are compared with the code by tests/test_docs.py.
            row = r"^\| `([\w-]+)` \|((?! <!--n:).*)\|$"
            cells = re.findall(row, path.read_text("utf-8"), re.MULTILINE)
            rows = {name: [cell.strip() for cell in rest.split("|")] for name, rest in cells}
            if {"sdp", "colgen"} <= rows.keys():
                yield rows


def test_a_table_of_solvers_is_the_registry():
    tables = list(tables_of_solvers())
    assert tables, "README or a page of docs has a table of all solvers"
    for rows in tables:
        registry = [(solver.name, solver.title, solver.paper) for solver in SOLVERS]
        assert [(name, *row[:2]) for name, row in rows.items()] == registry


def test_a_table_of_solvers_says_what_each_supports():
    for rows in tables_of_solvers():
        for solver in SOLVERS:
            has = solver.supports
            can = [cell == "yes" for cell in rows[solver.name][2:]]
            assert can == [has.hard, has.soft, has.sizes, has.bounds, has.exact], solver.name


def test_every_picture_is_there():
    for path in re.findall(r"!\[[^\]]*\]\(([^)]+)\)", README):
        assert 0 < (ROOT / path).stat().st_size < 2_000_000


def test_every_link_of_the_readme_leads_somewhere():
    links = re.findall(r"(?<!!)\[[^\]]*\]\(([^)#]+)", README)
    assert len(links) > 15
    assert not [path for path in links if "://" not in path and not (ROOT / path).exists()]
