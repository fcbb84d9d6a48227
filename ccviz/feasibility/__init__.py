"""Can the links be kept? A clustering, a witness, or that nobody knows."""
