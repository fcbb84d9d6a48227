"""Workarounds for defects of Panel and Bokeh, one file per defect.

Each file names the defect, the versions in which it was seen, and the upstream issue nearest to
it. Its test in ``tests/views/upstream`` shows the defect in the plain library and fails once
upstream has mended it; then the file can go.
"""
