"""One person's laboratory, without Panel: the session, its run, and what is picked."""
