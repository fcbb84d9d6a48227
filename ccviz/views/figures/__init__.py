"""Figures: each takes frames and draws them with Bokeh; a refresh never resets the view."""
