"""Pricing: clusters of negative reduced cost, heuristically and exactly."""
