"""The parts of the memetic solvers: instance, assignment, operators, local search, generations."""
