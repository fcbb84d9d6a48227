"""An empty number field shows *NaN* in Panel.

Defect: `panel.widgets.FloatInput` sends NaN to the browser for None.
Seen in: Panel 1.9.4.
Upstream: https://github.com/holoviz/panel/issues/5205.
"""

from __future__ import annotations

from math import isnan
from typing import Any

import panel as pn


class FloatInput(pn.widgets.FloatInput):
    """A number field that is empty for None."""

    def _process_param_change(self, params: dict[str, Any]) -> dict[str, Any]:
        changed = super()._process_param_change(params)
        return {
            name: None if isinstance(value, float) and isnan(value) else value
            for name, value in changed.items()
        }
