"""Repetitive branch and bound: ever more points, each problem bounded by the last."""
