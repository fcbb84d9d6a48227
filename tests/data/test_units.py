import pytest

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
