"""Every view of a solver's inner life: an explicit tuple, and the views of other packages."""

from __future__ import annotations

from ccviz.plugins import Registry
from ccviz.views.inside import columns, parts, population, relaxation, residuals, tree
from ccviz.views.lab.view import View

_OWN: tuple[View, ...] = (
    tree.VIEW,
    relaxation.VIEW,
    columns.VIEW,
    residuals.VIEW,
    population.VIEW,
    parts.VIEW,
)


def _refuse(added: object) -> str:
    return "" if isinstance(added, View) else "it is no view"


CATALOGUE: Registry[View] = Registry("ccviz.views", _OWN, _refuse)
