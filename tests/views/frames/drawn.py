"""A search tree as it is drawn, fed records."""

from ccviz.runs.run import Run
from ccviz.views.frames.tree import Tree


class Drawn:
    """A tree's layout beside the nodes of its run, fed the same records."""

    def __init__(self, problem, most_shown=500):
        self.layout, self.run = Tree(problem, most_shown), Run(problem)

    def feed(self, records):
        for record in records:
            self.run.apply(record)
        self.layout.feed(records)

    def frame(self, axis="bound"):
        return self.layout.frame(self.run.tree, axis)
