"""Texts of the gallery: for each solver the paper, a small run, and exercises."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import inf
from typing import Any


@dataclass(frozen=True)
class Entry:
    """A solver's page."""

    paper: str  # paper, look: Summary of the paper; what to look for in the run
    look: str
    exercises: tuple[tuple[str, str], ...]
    data: str = "iris"
    k: int | None = None  # k, n: Clusters and points, where they differ from the data set's
    n: int | None = None
    # links, noise, weight: Links drawn from the known classes, the share of wrong ones, and the
    # weight of each.
    links: int = 40
    noise: float = 0.0
    weight: float = inf
    settings: dict[str, Any] = field(default_factory=dict)


ENTRIES: dict[str, Entry] = {
    "bh-kmeans": Entry(
        "Baumann and Hochbaum (2022) add, in each assignment step, a penalty for broken soft links "
        "to the distances: a link of weight w costs w times the largest distance "
        "between a point and a centre.",
        "Red lines are broken links. Between two assignments a link is broken where that saves "
        "more distance than it costs.",
        (("Which points move between the first assignment and the last?",
          "Those between two clusters: their distances to both centres are about equal, so a link "
          "decides."),),
        noise=0.2, weight=0.5,
    ),
    "blp-kmeans": Entry(
        "Baumann (2020) solves the assignment step of k-means as a whole, as a binary linear "
        "program: whenever the links can be kept, it keeps them.",
        "Assignments and means take turns. Each new assignment costs at most as much as the last, "
        "and no line is ever red.",
        (("When does it end?",
          "When an assignment changes nothing. That is a local optimum: another start may be "
          "better, and no bound says how good it is."),),
    ),
    "cop-kmeans": Entry(
        "Wagstaff, Cardie, Rogers and Schrödl (2001) give each point in turn to the closest "
        "cluster that its links allow, and give up if there is none.",
        "A ring marks a dead end: no cluster is left for that point. The next start takes the "
        "points in another order.",
        (("What does a dead end say about the links?",
          "Nothing: another order may succeed, and the links may still be kept."),),
        links=80, settings={"n_init": 4},
    ),
    "pck-means": Entry(
        "Basu, Banerjee and Mooney (2004) add a penalty for each broken link, and assign point by "
        "point: each takes the cluster where distance and broken links cost least.",
        "Count the red lines from one assignment to the next: links are broken where that lowers "
        "the objective.",
        (("Why can the order of the points matter?",
          "A point counts only the links to points that were assigned before it, and these may "
          "move later."),),
        noise=0.2, weight=1.0,
    ),
    "cvqe": Entry(
        "Davidson and Ravi (2005) add to the error of k-means a distance between centres for each "
        "link that stays broken, and give both ends of a link whichever clusters cost least.",
        "Red lines are links that stay broken: there the distance between two centres costs less "
        "than to move a point.",
        (
            (
                "Does a link have a weight here?",
                "No: the cost of a broken link follows from the positions of the centres.",
            ),
        ),
        noise=0.2,
    ),
    "lcvqe": Entry(
        "Pelleg and Baras (2007) price broken links by points instead of centres, so that an "
        "iteration visits each link once. This allows large and noisy sets of links.",
        "Compare with CVQE on the same links: the ends of a broken must-link pull the other's "
        "centre with half their weight.",
        (
            (
                "What does linear mean in its name?",
                "An iteration takes time in proportion to the number of links.",
            ),
        ),
        noise=0.2,
    ),
    "ppc": Entry(
        "Lu and Leen (2004, 2007) fit a mixture of Gaussians whose prior is larger for clusterings "
        "that keep more links; EM with a mean-field step fits it.",
        "Clusters are ellipses here: points may belong to a centre that is not the nearest one.",
        (
            (
                "Why may a clustering of this method have a larger sum of squares?",
                "The method maximises a likelihood instead, in which clusters have shapes and "
                "sizes of their own.",
            ),
        ),
    ),
    "ccl": Entry(
        "Klein, Kamvar and Manning (2002) change the distances: must-linked points get distance 0, "
        "shortest paths propagate it, and cannot-linked points get the largest distance. "
        "Complete-link clustering follows.",
        "There is one answer and no iteration: the links have changed the distances before.",
        (
            (
                "What does one must-link do to the neighbours of its ends?",
                "It brings them nearer too: the shortest path between them uses the link.",
            ),
        ),
    ),
    "spectral": Entry(
        "Kamvar, Klein and Manning (2003) change the affinities by the links, and cluster the rows "
        "of the first eigenvectors of the normalised matrix.",
        "Clusters need not be round: connected points stay together.",
        (
            (
                "Why may a centre lie outside its cluster?",
                "The clusters were found among eigenvectors; the mean of the points is computed "
                "afterwards.",
            ),
        ),
        data="moons",
        n=120,
        links=20,
    ),
    "k-means": Entry(
        "Lloyd (1982) assigns each point to its nearest centre and moves each centre to the mean "
        "of its points, in turn; the first centres are drawn far apart (Arthur and Vassilvitskii "
        "2007).",
        "Links are ignored: red lines are the links that a constrained method would have to keep.",
        (
            (
                "Why does it end?",
                "The sum of squares decreases with each step, and clusterings are finitely many.",
            ),
        ),
    ),
    "post-process": Entry(
        "Nghiem, Vrain, Dao and Davidson (2020) cluster without links first, and then change the "
        "clustering so that all links are kept, with the least loss of membership.",
        "The first clustering breaks links; the one after it keeps them all.",
        (("What is not done, compared with BLP k-means?",
          "The centres are not moved again: the links are used once, at the end."),),
    ),
    "ipc-kmeans": Entry(
        "Piccialli, Russo Russo and Sudoso (2022) start k-means from the semidefinite relaxation: "
        "its matrix gives centres, from which exact assignments descend.",
        "The lower bound rises with each round of cuts, and the gap says how far the "
        "clustering is at most from the optimum.",
        (("What does it compute that BLP k-means cannot?",
          "A bound: no clustering costs less."),),
        data="spirals", n=30, links=0, k=3,
    ),
    "lp-box": Entry(
        "Bibi, Wu and Ghanem (2019) write the assignment as a point of a box that lies on a "
        "sphere too, and split both constraints by ADMM.",
        "Open Residuals: both decrease while the assignment below turns from grey to black and "
        "white.",
        (("What does a grey cell mean?",
          "A block that is still shared between clusters."),),
    ),
    "s-mdeclust": Entry(
        "Mansueto and Schoen (2024) keep a population of clusterings, cross their centres by "
        "differential evolution, and improve each offspring by a local search.",
        "Open Population: a line leads from a member to the one that replaced it.",
        (("Why is diversity drawn below?",
          "Once all members are alike, crossover creates nothing new: a new population follows."),),
        data="wine", links=20,
    ),
    "hg-means": Entry(
        "Gribel, Gendreau and Vidal (2022) take links as observations that may be wrong, and "
        "search for the clustering that is most probable given points and links.",
        "The objective is not a sum of squares but the negative logarithm of a "
        "probability, and may be below zero.",
        (("A fifth of these links is wrong. Should all be kept?",
          "No: a clustering that keeps wrong links is less probable than one that breaks them."),),
        noise=0.2, weight=1.0,
    ),
    "dils": Entry(
        "González-Almagro, Luengo, Cano and García (2020) keep two clusterings: they cross them, "
        "mutate and improve the result, and it replaces the worse one.",
        "Open Population: there are two members, and the better one never gets worse.",
        (("What does it minimise?",
          "The mean distance within the clusters, times one plus the broken links' weight."),),
        settings={"generations": 120},
    ),
    "sdp": Entry(
        "Piccialli, Russo Russo and Sudoso (2022) bound from below by a semidefinite relaxation "
        "with cuts, and split on a pair of points where a gap stays.",
        "Without cuts, as here, the tree is needed. Click a node: its decisions are drawn on the "
        "points, and its sentence says why it was closed.",
        (("Why are deeper nodes never above their parents in the picture?",
          "The axis points down, and a child's bound is at least its parent's: a decision excludes "
          "clusterings."),
         ("When is the proof done?",
          "When no node is open: each bound reaches the incumbent within the tolerance.")),
        data="spirals", n=30, k=3, links=0, settings={"cuts": "none"},
    ),
    "colgen": Entry(
        "Babaki, Guns and Nijssen (2014) choose clusters from a growing list: a linear program "
        "selects k of them, and its duals show which cluster is missing.",
        "Open Columns: the master's objective decreases, the bound rises, and the minimal reduced "
        "cost approaches zero. Squares are rounds which prove that no cluster is missing.",
        (("What is the dual of a block?",
          "The saving of the linear program if that block did not have to be covered."),),
        k=30, links=0, n=None,
    ),
    "rbba": Entry(
        "Guns, Dao, Vrain and Duong (2016) solve the problem for more and more points; the optimum "
        "of the points that are not placed yet, known from an earlier problem, bounds their cost "
        "(Brusco 2006).",
        "The lower bound rises with each added point: the optimum of some of the points is "
        "a lower bound for all of them.",
        (
            (
                "Why is the optimum of fewer points a lower bound?",
                "Leave points out of the best clustering: the rest costs no more, and is a "
                "clustering of the fewer points that keeps their links.",
            ),
        ),
        data="spirals",
        n=30,
        k=3,
        links=0,
    ),
    "divide": Entry(
        "Croella, Piccialli, Russo Russo and Sudoso (2025) partition many points into similar "
        "parts, and bound each: the bounds of the parts add up to one for the whole.",
        "The upper bound is a clustering of all points, the lower bound the sum over the parts.",
        (("Why should the parts be similar?",
          "The loss comes from different centres in different parts: with equal centres the sum "
          "of their optima would be the optimum of the whole."),),
        links=0, data="moons", n=120, k=4,
    ),
    "pccc": Entry(
        "Baumann and Hochbaum (2023) take links of any confidence in one run: certain ones are "
        "kept, a broken one costs its confidence times the mean distance. In each assignment an "
        "object can go to its nearest centres only, which keeps the model small.",
        "When a descent has ended, one centre moves to that of the worst cluster, and another "
        "descent follows: count the red lines afterwards.",
        (("Why may a point be excluded from far centres?",
          "Few points would go there, and each choice adds a variable and rows for its links. "
          "Where links stay broken, all centres are allowed in the end."),),
        noise=0.2, weight=0.5,
    ),
    "regions": Entry(
        "Regions grow from seeds or are cut out of a spanning tree (Assunção et al. 2006), and "
        "blocks at their borders move where that costs least (Openshaw and Rao 1995).",
        "With neighbours every region stays in one piece, whatever moves. Without them, as here, "
        "every two points count as neighbours.",
        (("Why may a move that costs more be made?",
          "Each single move may be worse and several together better: the tabu search makes the "
          "best move there is, and keeps the best clustering that it has seen."),),
        settings={"n_init": 4},
    ),
}  # fmt: skip
