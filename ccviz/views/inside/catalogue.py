"""Every view of a solver's inner life: an explicit tuple, one line each."""

from __future__ import annotations

from ccviz.views.inside import columns, parts, population, relaxation, residuals, tree
from ccviz.views.lab.view import View

CATALOGUE: tuple[View, ...] = (
    tree.VIEW,
    relaxation.VIEW,
    columns.VIEW,
    residuals.VIEW,
    population.VIEW,
    parts.VIEW,
)
