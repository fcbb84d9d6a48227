from math import isnan

import panel as pn

from ccviz.views.upstream import FloatInput


def test_panel_sends_nan_for_an_empty_field():
    """If it does not any more, the workaround can go."""
    field = pn.widgets.FloatInput(value=2.5)
    model = field.get_root()
    field.value = None
    assert isnan(model.value)


def test_a_field_without_a_number_is_empty():
    field = FloatInput(value=2.5)
    model = field.get_root()
    field.value = None
    assert model.value is None
    assert not isnan(field.get_root().value or 0.0)
    field.value = 1.5
    assert model.value == 1.5
