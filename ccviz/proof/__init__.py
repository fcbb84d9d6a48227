"""Verification of a run's proof, independent of the solvers: the two share no code."""
