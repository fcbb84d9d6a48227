"""The page around the panels: its shell, its keys, its clock, and where the panels are."""

from ccviz.views.page.shell import build

__all__ = ["build"]
