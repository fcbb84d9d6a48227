"""The phases of the work on one node, in the order in which they come."""
