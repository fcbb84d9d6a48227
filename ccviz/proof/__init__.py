"""Checking a run's proof. Shares no line with the solvers: that wall is the point of it."""
