"""The clustering problem: points, links, sizes and rules, and its contraction to blocks."""
