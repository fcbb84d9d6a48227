"""What to branch on: pairs of blocks, discs, disjunctions."""
