"""Example problems whose search tree grows while one watches: recipes for points and links.

`ccviz.data.datasets.load` makes a data set of each; its `Setup` holds the links, and the solver's
settings under which the tree has 50 to 500 nodes (`benchmarks/results/living.md`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ccviz.arrays import IntArray
from ccviz.data.random_links import random_pairs


@dataclass(frozen=True, eq=False)
class Setup:
    """What comes with the points of an example problem.

    Attributes
    ----------
    story : str
        What makes the problem hard, in one or two sentences.
    must_link, cannot_link : (m, 2) int64
    settings : mapping
        Of the solver.
    """

    story: str
    must_link: IntArray
    cannot_link: IntArray
    solver: str
    settings: Mapping[str, Any]


@dataclass(frozen=True)
class Recipe:
    """How an example problem is made.

    Attributes
    ----------
    points : str
        A data set of `ccviz.data.datasets`.
    options : mapping
        Of the data set's generator.
    links : int
        Random pairs that are linked by the known classes.
    wrong : float
        Share of the links that are of the wrong kind.
    seed : int
        Of the links.
    cuts : {"all", "paper", "none"}
        Of `sdp`.
    """

    points: str
    k: int
    story: str
    options: Mapping[str, Any] = field(default_factory=dict)
    links: int = 0
    wrong: float = 0.0
    seed: int = 0
    cuts: str = "none"

    def setup(self, truth: IntArray) -> Setup:
        """Return what comes with the points.

        Parameters
        ----------
        truth : (n,) int64
            Their known classes.
        """
        drawn = random_pairs(truth, self.links, self.wrong, self.seed)
        settings = {"cuts": self.cuts}
        return Setup(self.story, drawn.must_link, drawn.cannot_link, "sdp", settings)


EXAMPLES: dict[str, Recipe] = {
    "ring_around_ring": Recipe(
        "circles",
        3,
        "Two rings, three clusters and twelve links along the rings: compact clusters cut both "
        "rings, and the links pull them round.",
        {"n": 50},
        links=12,
    ),
    "tangled_moons": Recipe(
        "moons",
        4,
        "Two interleaved moons and four clusters: links along each moon fight the geometry, which "
        "would cut straight across.",
        {"n": 60},
        links=20,
        seed=1,
    ),
    "overlapping_classes": Recipe(
        "blobs",
        3,
        "Three classes that overlap, and twelve links by class: points of one class lie among "
        "those of another.",
        {"n": 40, "k": 3, "noise": 4.0},
        links=12,
    ),
    "six_crowded_classes": Recipe(
        "blobs",
        6,
        "Six classes in one crowd and fifty links by class. The cuts of the paper leave a gap that "
        "only the tree closes; with all cuts the proof is far shorter.",
        {"n": 100, "k": 6, "noise": 4.0},
        links=50,
        cuts="paper",
    ),
    "wrong_answers": Recipe(
        "blobs",
        5,
        "Three wide classes in five clusters, and seventy links of which a fifth are wrong: no "
        "clustering that keeps them is compact.",
        {"n": 120, "k": 3, "noise": 6.0},
        links=70,
        wrong=0.2,
        cuts="paper",
    ),
}
"""Example problems by name. The first is behind the opening page's *Try it*."""
