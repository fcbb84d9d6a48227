"""Compiled loops of the assignment step."""
