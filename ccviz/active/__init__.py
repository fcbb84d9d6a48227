"""Which pair to ask about next: a learner that is told answers, and how it chooses."""
