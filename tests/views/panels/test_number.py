from math import isnan

from ccviz.views.panels.number import FloatInput


def test_a_field_without_a_number_is_empty():
    field = FloatInput(value=2.5)
    model = field.get_root()
    field.value = None
    assert model.value is None
    assert not isnan(field.get_root().value or 0.0)
    field.value = 1.5
    assert model.value == 1.5
