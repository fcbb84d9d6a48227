"""The search tree, and the details of a node."""

from __future__ import annotations

from ccviz.events import NodeOpened
from ccviz.views.lab.view import View
from ccviz.views.panels.tree import TreePanel

VIEW = View("tree", "Tree", frozenset({NodeOpened}), TreePanel)
