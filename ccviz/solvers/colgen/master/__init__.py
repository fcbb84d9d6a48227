"""The restricted master problem, over columns and over facilities, and its duals."""
