"""Exact clustering by semidefinite branch-and-cut (Piccialli, Russo Russo and Sudoso 2022).

Read `ccviz.solvers.relaxation` first: `model`, `admm`, `cuts`, `certificate`, `rounds`. Then `node`
(one node of the tree), `rounding` (Algorithm 1) and `solver` (Algorithm 2).
"""
