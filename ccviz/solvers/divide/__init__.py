"""Divide and bound: certified gaps where one relaxation over all blocks would not fit."""
