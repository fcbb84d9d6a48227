"""What the gallery says of each solver, and which small run stands beside it."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import inf
from typing import Any


@dataclass(frozen=True)
class Entry:
    """A solver's page.

    Attributes
    ----------
    paper, look : str
        What the paper says, and what to look for in the run.
    exercises : tuple of (question, answer)
    data : str
    k, n : int, optional
        Clusters and points, where they are not the data set's.
    links, noise, weight : int, float, float
        Links drawn from the known classes, the share of wrong ones, and what each costs.
    settings : dict
        The solver's parameters.
    """

    paper: str
    look: str
    exercises: tuple[tuple[str, str], ...]
    data: str = "iris"
    k: int | None = None
    n: int | None = None
    links: int = 40
    noise: float = 0.0
    weight: float = inf
    settings: dict[str, Any] = field(default_factory=dict)


ENTRIES: dict[str, Entry] = {
    "bh-kmeans": Entry(
        "Baumann and Hochbaum (2022) weigh, in each assignment step, the distances against the "
        "soft links that would be broken: a link of weight w costs w times the largest distance "
        "between a point and a centre.",
        "Red lines are broken links. Between two assignments a link is given up where the "
        "geometry pays more than it costs.",
        (("Which points move between the first assignment and the last?",
          "Those between two clusters: far from both centres a distance changes little, so a link "
          "decides."),),
        noise=0.2, weight=0.5,
    ),
    "blp-kmeans": Entry(
        "Baumann (2020) solves the assignment step of k-means as a whole, as a binary linear "
        "program: whenever the links can be kept, they are.",
        "Assignments and means take turns. Each new assignment costs at most as much as the last, "
        "and no line is ever red.",
        (("When does it end?",
          "When an assignment changes nothing. That is a local optimum: another start may be "
          "better, and no bound says how good it is."),),
    ),
    "cop-kmeans": Entry(
        "Wagstaff, Cardie, Rogers and Schrödl (2001) give each point in turn to the closest "
        "cluster that its links allow, and give up if there is none.",
        "A ring marks a dead end: that point has no cluster left. The next start takes the points "
        "in another order.",
        (("What does a dead end say about the links?",
          "Nothing: the order was unlucky. Whether the links can be kept is another question."),),
        links=80, settings={"n_init": 4},
    ),
    "pck-means": Entry(
        "Basu, Banerjee and Mooney (2004) charge for each broken link, and assign point by point: "
        "each takes the cluster where distance and broken links cost least.",
        "Count the red lines from one assignment to the next: links are broken where it pays.",
        (("Why can the order of the points matter?",
          "A point counts the links to those that were assigned before it as they are then; what "
          "they do later it does not know."),),
        noise=0.2, weight=1.0,
    ),
    "cvqe": Entry(
        "Davidson and Ravi (2005) add to the error of k-means a distance between centres for each "
        "link that stays broken, and give both ends of a link whichever clusters cost least.",
        "Red lines are links that stay broken: there the distance between two centres costs less "
        "than to move a point.",
        (
            (
                "Has a link a weight here?",
                "No: what a broken link costs follows from where the centres are.",
            ),
        ),
        noise=0.2,
    ),
    "lcvqe": Entry(
        "Pelleg and Baras (2007) price broken links by points instead of centres, so that an "
        "iteration looks at each link once: large and noisy sets of links can be had.",
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
                "It is not what is fitted: a likelihood has clusters of their own shapes and "
                "sizes.",
            ),
        ),
    ),
    "ccl": Entry(
        "Klein, Kamvar and Manning (2002) bend the distances: must-linked points come to distance "
        "0, shortest paths carry that on, and cannot-linked points go farther than all others. "
        "Complete-link clustering does the rest.",
        "There is one answer and no iteration to watch: the links have done their work before.",
        (
            (
                "What does one must-link do to the neighbours of its ends?",
                "It brings them together too: the shortest path between them leads over the link.",
            ),
        ),
    ),
    "spectral": Entry(
        "Kamvar, Klein and Manning (2003) change the affinities by the links, and cluster the rows "
        "of the first eigenvectors of the normalised matrix.",
        "Clusters need not be round: points that hang together stay together.",
        (
            (
                "Why may a centre lie outside its cluster?",
                "The clusters were found among eigenvectors, and a mean of points knows nothing of "
                "these.",
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
        "Links are not looked at: red lines are what a method with links would have to change.",
        (
            (
                "Why does it end?",
                "The sum of squares falls with each step, and there are finitely many clusterings.",
            ),
        ),
    ),
    "post-process": Entry(
        "Nghiem, Vrain, Dao and Davidson (2020) cluster without links first, and then change the "
        "clustering so that all are kept, at the least loss of membership.",
        "The first clustering breaks links; the one after it keeps them all.",
        (("What is not done, compared with BLP k-means?",
          "The centres are not moved again for the links: they enter once, at the end."),),
    ),
    "ipc-kmeans": Entry(
        "Piccialli, Russo Russo and Sudoso (2022) start k-means from the semidefinite relaxation: "
        "its matrix gives centres, from which exact assignments descend.",
        "The lower bound rises with each round of cuts, and the gap on the card says how good "
        "the clustering is at worst.",
        (("What does it tell that BLP k-means cannot?",
          "A bound: no clustering costs less than that."),),
        data="spirals", n=30, links=0, k=3,
    ),
    "lp-box": Entry(
        "Bibi, Wu and Ghanem (2019) write the assignment as a point of a box that lies on a "
        "sphere too, and split both constraints by ADMM.",
        "Open Residuals: both fall while the assignment below turns from grey to black and white.",
        (("What does a grey cell mean?",
          "A block that is shared between clusters: it has yet to decide."),),
    ),
    "s-mdeclust": Entry(
        "Mansueto and Schoen (2024) keep a population of clusterings, cross their centres by "
        "differential evolution, and improve each offspring by a local search.",
        "Open Population: a line leads from a member that had to go to the one that came.",
        (("Why is diversity drawn below?",
          "Once all members are alike, crossing makes nothing new: a fresh population follows."),),
        data="wine", links=20,
    ),
    "hg-means": Entry(
        "Gribel, Gendreau and Vidal (2022) take links as observations that may be wrong, and look "
        "for the clustering that is most probable given points and links.",
        "What the population lowers is no sum of squares: it is the negative logarithm of a "
        "probability, and may be below zero.",
        (("A fifth of these links is wrong. Should all be kept?",
          "No: a clustering that keeps wrong links is less probable than one that breaks them."),),
        noise=0.2, weight=1.0,
    ),
    "dils": Entry(
        "González-Almagro, Luengo, Cano and García (2020) keep two clusterings: they cross them, "
        "mutate and improve the result, and it replaces the worse one.",
        "Open Population: there are two members, and the better one never rises.",
        (("What does it lower?",
          "The mean distance within the clusters, times one plus the broken links' weight."),),
        settings={"generations": 120},
    ),
    "sdp": Entry(
        "Piccialli, Russo Russo and Sudoso (2022) bound from below by a semidefinite relaxation "
        "with cuts, and split on a pair of points where a gap stays.",
        "Without cuts, as here, the tree is needed. Click a node: its decisions are drawn on the "
        "points, and its sentence says why it was closed.",
        (("Why are deeper nodes never above their parents in the picture?",
          "The axis points down, and a child's bound is at least its parent's: a decision takes "
          "clusterings away."),
         ("When is the proof done?",
          "When no node is open: each bound reaches the incumbent within the tolerance.")),
        data="spirals", n=30, k=3, links=0, settings={"cuts_per_block": 0.0},
    ),
    "colgen": Entry(
        "Babaki, Guns and Nijssen (2014) choose clusters from a list that grows: a linear program "
        "picks k of them, and its prices say which cluster is missing.",
        "Open Columns: the master's objective falls, the bound rises, and the best reduced cost "
        "goes to zero. Squares would be rounds that prove that no cluster is missing.",
        (("What is the price of a block?",
          "What the linear program would save if that block had not to be covered."),),
        k=30, links=0, n=None,
    ),
    "rbba": Entry(
        "Guns, Dao, Vrain and Duong (2016) solve the problem for ever more points; the optimum of "
        "the points that are not placed yet, known from an earlier problem, bounds what they will "
        "add (Brusco 2006).",
        "The lower bound rises with each point that comes in: the optimum of some of the points is "
        "a lower bound for all of them.",
        (
            (
                "Why is the optimum of fewer points a lower bound?",
                "Leave points out of the best clustering: what remains costs no more, and is a "
                "clustering of the fewer points that keeps their links.",
            ),
        ),
        data="spirals",
        n=30,
        k=3,
        links=0,
    ),
    "divide": Entry(
        "Croella, Piccialli, Russo Russo and Sudoso (2025) cut many points into parts that are "
        "alike, and bound each part: the parts' bounds add up to one for the whole.",
        "Both bounds meet from two sides: a clustering of all points, and the sum of the parts.",
        (("Why must the parts be alike?",
          "What is lost is what lies between the parts' own centres: were they equal, the sum of "
          "their optima would be the whole optimum."),),
        links=0, data="moons", n=120, k=4,
    ),
    "pccc": Entry(
        "Baumann and Hochbaum (2023) take links of any confidence in one run: certain ones are "
        "kept, a broken one costs its confidence times the mean distance. In each assignment an "
        "object can go to its nearest centres only, which keeps the model small.",
        "When a descent has ended, one centre jumps onto that of the worst cluster, and another "
        "descent begins: look whether fewer lines are red afterwards.",
        (("Why may a point be kept from far centres?",
          "Few points would ever go there, and each such choice is a variable and its links are "
          "rows. Where links stay broken, all centres are opened at last."),),
        noise=0.2, weight=0.5,
    ),
}  # fmt: skip
