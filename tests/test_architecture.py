"""The picture of the packages, and the way of a click, are those of the sources."""

import importlib
import importlib.util
import itertools
import operator
import re
from pathlib import Path

import pytest

from tests.test_layers import MODULES, ORDER

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def packages():
    """Load the script that draws the picture."""
    spec = importlib.util.spec_from_file_location("packages", ROOT / "docs" / "packages.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_picture_is_of_these_imports(packages):
    drawn = packages.PICTURE.read_text(encoding="utf-8")
    assert drawn == packages.draw(packages.arrows()), "run python docs/packages.py"


def test_every_package_has_a_box(packages):
    shown = {packages.package_of(name) for name in MODULES}
    assert shown == {name for row in packages.ROWS for _, name in row}


def test_no_arrow_goes_up(packages):
    row_of = {name: row for row, boxes in enumerate(packages.ROWS) for _, name in boxes}
    assert all(row_of[here] >= row_of[there] for here, there in packages.arrows())


def test_the_rows_are_in_the_order_of_the_layers(packages):
    named = [name for row in packages.ROWS for _, name in row if f"ccviz.{name}" in ORDER]
    rows = [[name for _, name in row if name in named] for row in packages.ROWS]
    for below, above in itertools.pairwise(rows):
        places = [[ORDER.index(f"ccviz.{each}") for each in row] for row in (below, above)]
        assert max(places[0], default=-1) < min(places[1], default=len(ORDER))


_HOP = re.compile(r"^\| `(ccviz[\w.]+)` \| `([\w.]+)` \|", re.MULTILINE)


def test_every_step_from_a_click_to_a_bound_exists():
    hops = _HOP.findall((ROOT / "docs" / "architecture.md").read_text(encoding="utf-8"))
    for module, name in hops:
        assert callable(operator.attrgetter(name)(importlib.import_module(module))), name
    assert 20 < len(hops) <= 35
    assert len({module for module, _ in hops}) <= 25
