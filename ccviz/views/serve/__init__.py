"""The page as a server gives it out: at which names, to whom, and under which rules."""
