"""Exact clustering by column generation: master, pricing, stabilisation, branching."""
