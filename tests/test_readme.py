"""What the README says is true."""

import csv
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
    assert names["result"].status == "feasible"


def test_the_table_of_solvers_is_the_registry():
    rows = re.findall(r"^\| `([\w-]+)` \| (.*?) \| (.*?) \|", README, flags=re.MULTILINE)
    registry = [(solver.name, solver.title, solver.paper) for solver in SOLVERS]
    assert rows == registry, "the README's table needs a row for each of SOLVERS, in its order"


def test_the_table_says_what_each_solver_supports():
    for solver in SOLVERS:
        row = re.search(rf"^\| `{solver.name}` \|(.*)\|$", README, flags=re.MULTILINE)
        assert row, f"the README's table has no row for {solver.name}"
        can = [cell.strip() == "yes" for cell in row.group(1).split("|")[2:]]
        has = solver.supports
        assert can == [has.hard, has.soft, has.sizes, has.bounds, has.exact], solver.name


def test_every_picture_is_there():
    for path in re.findall(r"!\[[^\]]*\]\(([^)]+)\)", README):
        assert (ROOT / path).stat().st_size > 0


def test_the_gap_of_many_points_is_the_tables():
    with (ROOT / "benchmarks" / "results" / "divide.csv").open(newline="") as file:
        rows = {(row["set"], row["links"]): row for row in csv.DictReader(file)}
    row = rows["gaussians-210000", "no"]
    gap, points = f"{100 * float(row['verified_gap']):.3f} %", f"{int(row['n']):,} points"
    claim = re.search(r"- `divide` certifies (.*?)\n-", README, flags=re.DOTALL).group(1)
    assert f"a gap of {gap} for {points}" in claim
    assert f"in {float(row['cpu_s']):.0f} CPU" in claim
    assert float(row["verify_s"]) <= 7
