"""First clusterings for exact solvers."""
