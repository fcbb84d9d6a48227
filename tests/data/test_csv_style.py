"""Tables are written like the file that they came from, and read again as what they were."""

import math

import numpy as np
import pytest

from ccviz.data import read_table
from ccviz.data.cells import DELIMITERS, PLAIN_CSV, CsvStyle
from ccviz.data.scaling import SCALINGS, scale, scaling_of


@pytest.mark.parametrize(
    ("value", "point", "comma"),
    [
        (12.0, "12", "12"), (-0.5, "-0.5", "-0,5"), (0.1, "0.1", "0,1"), (math.nan, "", ""),
        (math.inf, "", ""), (1e300, "1e+300", "1e+300"), (7, "7", "7"),
        ("1.5 kg", "1.5 kg", "1.5 kg"),
    ],
)  # fmt: skip
def test_a_cell_is_as_short_as_it_goes(value, point, comma):
    assert PLAIN_CSV.cell(value) == point
    assert CsvStyle(";", comma=True).cell(value) == comma


def test_a_measure_has_six_digits():
    assert PLAIN_CSV.measure(2 / 3) == "0.666667"
    assert CsvStyle(";", comma=True).measure(1234567.8) == "1234570"


def test_a_mark_that_csv_lacks_becomes_the_usual_one():
    assert CsvStyle.of("", comma=True).delimiter == ";"
    assert CsvStyle.of("", comma=False) == PLAIN_CSV
    assert CsvStyle.of("\t", comma=True).delimiter == "\t"


@pytest.mark.parametrize("comma", [False, True])
@pytest.mark.parametrize("delimiter", DELIMITERS)
def test_what_is_written_is_read_again(delimiter, comma):
    style = CsvStyle(delimiter, comma)
    rows = [["Größe", "Ort", "x"], [1.5, 'Köln "a"; b, c|d', 12.0], [2.25, "Jülich", math.nan]]
    rows += [[j / 8, f"Ort {j}", float(j)] for j in range(20)]
    text = style.table(rows)
    assert text.startswith("\ufeff") == (delimiter == ";")
    data = read_table(text.encode(), missing="drop")
    assert data.features == ("Größe", "x")
    assert data.X[:3].tolist() == [[1.5, 12.0], [0.0, 0.0], [0.125, 1.0]]
    assert data.style == style


def test_how_points_were_scaled():
    X = read_table(b"x,y\n1,2\n3,9\n4,1\n").X
    assert [scaling_of(X, scale(X, how)) for how in SCALINGS] == list(SCALINGS)
    assert scaling_of(X, 2 * X) == "weights:4,4"
    assert scaling_of(X, -X) == scaling_of(X, X[:, :1]) == scaling_of(X, X**2) == ""


@pytest.mark.parametrize("how", SCALINGS)
def test_float32_is_scaled_as_its_numbers_are_and_stays(how):
    X = np.random.default_rng(0).normal(1e4, 1.0, size=(500, 3)).astype(np.float32)
    scaled = scale(X, how)
    assert scaled.dtype == np.float32
    assert np.allclose(scaled, scale(X.astype(np.float64), how), rtol=1e-6, atol=1e-6)
    assert scaling_of(X, scaled) == how
