"""Feasibility of links and sizes: a clustering, a witness of infeasibility, or undecided."""
