"""The laboratory and its pictures in Jupyter."""
