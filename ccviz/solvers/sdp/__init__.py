"""Exact clustering by semidefinite branch-and-cut (Piccialli, Russo Russo and Sudoso 2022).

Read in this order: `relaxation` (what is bounded), `splitting` (how), `cuts`, `certificate` (why
the bound can be trusted), `node` (one node of the tree), `solver` (Algorithm 2).
"""
