"""The semidefinite relaxation, shared by `sdp`, `divide`, `ipc-kmeans` and `colgen`.

Read in this order: `model` (the relaxation), `admm` (its solver), `cuts`, `certificate` (the proof
of its bound), `engine` (iterations and cuts in turn).
"""
