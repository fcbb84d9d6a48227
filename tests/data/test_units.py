import pytest

from ccviz.data import read_table
from ccviz.data.cells import unit_of, without_unit


@pytest.mark.parametrize(
    ("cells", "unit", "values"),
    [
        (["10%", "20 %", "?", "-5%"], "%", ["10", "20", "?", "-5"]),
        (["$1,200.50", "-$3", "$-4", "+$5"], "$", ["1,200.50", "-3", "-4", "+5"]),
        (["1.200,50 €", "3€"], "€", ["1.200,50", "3"]),
        (["EUR 12", "EUR 7"], "EUR", ["12", "7"]),
        (["US$ 12", "US$7"], "US$", ["12", "7"]),
        (["12 CHF", "7 CHF"], "CHF", ["12", "7"]),
        (["$1", "€2"], "", None),
        (["$1", "2"], "", None),
        (["EUROPE", "EUR"], "", None),
        (["", "?"], "", None),
        ([], "", None),
    ],
)
def test_all_cells_carry_one_unit_or_there_is_none(cells, unit, values):
    assert unit_of(cells) == unit
    if unit:
        assert list(map(without_unit, cells)) == values


def test_prices_are_a_feature_and_said_to_be():
    data = read_table(b"price;x\n1.200,50 \xe2\x82\xac;1\n3,25 \xe2\x82\xac;2\n")
    assert data.X.tolist() == [[1200.5, 1], [3.25, 2]]
    assert "Column 'price' is a feature (€, read as numbers)." in data.notices


def test_mixed_currencies_are_words():
    data = read_table(b"price,x\n$1,1\n\xe2\x82\xac2,2\n$3,3\n")
    assert data.features == ("x",)
