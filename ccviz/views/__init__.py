"""What people see: state, frames (numpy only), figures, panels, and the page around them.

    run + draft ── frames/ ──▶ figures/ ──▶ panels/ ──▶ page/ ──▶ apps/main.py

State (`session`, `draft`, `runner`, `player`) knows nothing of Panel or Bokeh, frames know nothing
but numpy, each figure draws one kind of frame, and only `page` knows that there is a page.
"""
