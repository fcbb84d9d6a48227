"""Active learning of links: `Learner` asks about the most informative pairs of points."""

from ccviz.active.learner import Learner

__all__ = ["Learner"]
