"""One person's laboratory, without Panel: the session, its run, and the picked points."""
