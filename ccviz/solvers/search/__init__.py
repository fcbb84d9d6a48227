"""Branch and bound: the tree, its runs, and the workers that its nodes are given to."""
