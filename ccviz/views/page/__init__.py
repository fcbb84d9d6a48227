"""The page around the panels: its shell, its keys, its clock, and where the panels stand."""

from ccviz.views.page.shell import build

__all__ = ["build"]
