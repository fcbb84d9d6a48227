"""Many runs at once: a suite of published instances, a sweep of penalties."""
