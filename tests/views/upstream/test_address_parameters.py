import pytest
from panel.io import location
from panel.util import parse_query

from ccviz.views.upstream import keep_parameters_as_text

LONG = "9" * 5000


def test_panel_still_converts_digits(monkeypatch):
    monkeypatch.setattr(location, "parse_query", parse_query)
    with pytest.raises(ValueError, match="4300 digits"):
        location.Location().param.update(search=f"?k={LONG}")


def test_a_number_of_many_digits_stays_text(monkeypatch):
    monkeypatch.setattr(location, "parse_query", parse_query)
    keep_parameters_as_text()
    place = location.Location()
    place.param.update(search=f"?k={LONG}&x=a%20b")
    assert place.query_params == {"k": LONG, "x": "a b"}
