"""Panels: thin views with the widgets of one part of the page, over one session."""
