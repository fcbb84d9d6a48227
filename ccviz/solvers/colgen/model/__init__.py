"""The model of a node: blocks as arrays, clusters under construction, discs."""
