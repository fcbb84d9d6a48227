"""Numbers that may be missing."""

from __future__ import annotations

from math import isnan
from typing import Any

import panel as pn


class FloatInput(pn.widgets.FloatInput):
    """A field that is empty without a number; Panel would write NaN into it."""

    def _process_param_change(self, params: dict[str, Any]) -> dict[str, Any]:
        changed = super()._process_param_change(params)
        return {
            name: None if isinstance(value, float) and isnan(value) else value
            for name, value in changed.items()
        }
