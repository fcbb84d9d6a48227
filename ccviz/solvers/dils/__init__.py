"""DILS, dual iterative local search (González-Almagro et al. 2020): the solver and its kernel."""
