"""A run: stepping through one, stopping it, storing it, and its own process."""
