"""What a person asks of the clusters: how many, how large, and how features and points count."""

from __future__ import annotations

from ccviz.problem.fixed_centers import read_centers_text
from ccviz.problem.sizes import read_sizes
from ccviz.views.lab.picking import Picking


class Demands(Picking):
    """The fields beside the plot, each of which edits the problem."""

    def set_k(self, k: int) -> None:
        """Ask for another number of clusters."""
        with self.in_words():
            self._edit(self.draft.with_k(k))

    def set_scaling(self, scaling: str) -> None:
        """Scale the features another way."""
        with self.in_words():
            self._edit(self.draft.with_scaling(scaling))

    def set_sizes(self, text: str) -> None:
        """Ask for a size of each cluster: ``50, 50, 50``, ``40-60``, ``equal``."""
        with self.in_words():
            draft = self.draft
            self._edit(draft.with_sizes(*read_sizes(text, draft.n, draft.k)))

    def set_outliers(self, outliers: int) -> None:
        """Let another number of points be left out."""
        with self.in_words():
            self._edit(self.draft.with_outliers(outliers))

    def set_fixed_centers(self, text: str) -> None:
        """Give centres that do not move, ``5.1, 3.5; 6.2, 2.9``; an empty text frees them."""
        with self.in_words():
            self._edit(self.draft.with_fixed_centers(read_centers_text(text)))
