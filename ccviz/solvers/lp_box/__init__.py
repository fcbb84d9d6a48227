"""The ℓp-box splitting of Bibi, Wu and Ghanem (2019): its variables, and the solver."""
