"""The dashboard: ``panel serve apps/main.py``."""

from ccviz.views.page import build

build().servable(title="ccviz")
