"""Axes that forget what was drawn in a tab that was left."""

from __future__ import annotations

from pathlib import Path

from panel.custom import JSComponent


class FreshRanges(JSComponent):
    """Nothing to see: put once into a page, it mends the ranges of all figures there."""

    _esm = Path(__file__).parent / "ranges.js"
