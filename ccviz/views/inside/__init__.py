"""Views of a solver's inner life, one file each; `catalogue` lists them."""
