"""Why COP-k-means dies: it never takes an assignment back."""

from __future__ import annotations

from math import inf

from ccviz.views.lessons.course import Lesson
from ccviz.views.lessons.needs import (
    answered,
    breaks_no_link,
    cost,
    kept_by_truth,
    met_dead_end,
    takes,
)
from ccviz.views.lessons.steps import (
    remembers,
    run_solver,
    run_step,
    says,
    set_up,
    set_up_and_run,
    step,
)

LESSON = Lesson(
    "Why COP-k-means dies",
    (
        step(
            "Take iris with 100 links drawn from its true classes, and COP-k-means with one start. "
            "It gives one point after another to the nearest centre that its links allow.",
            set_up("iris", "cop-kmeans", links=100, n_init=1),
            says("Solid lines must stay together, dashed ones apart. The true classes keep all."),
            takes("iris", links=100),
            cost(inf),
            kept_by_truth,
        ),
        run_step(
            "Run it.",
            # Not every choice of links and seed leads to a dead end; these do.
            set_up_and_run("iris", "cop-kmeans", links=100, n_init=1),
            says(
                "A dead end: the point with the ring has no cluster left, because COP-k-means "
                "never takes an assignment back. That says nothing about the problem, which has "
                "a solution."
            ),
            "cop-kmeans",
            met_dead_end,
            takes("iris", links=100),
            kept_by_truth,
        ),
        run_step(
            "Now let BLP k-means have the same problem.",
            run_solver("blp-kmeans"),
            remembers(
                "Objective {objective}, and no link is broken: it solves every assignment step as "
                "a whole, so it finds a clustering whenever there is one."
            ),
            "blp-kmeans",
            answered,
            takes("iris", links=100),
            breaks_no_link,
        ),
    ),
    aim="See how a greedy assignment can fail although a clustering exists.",
    paper=(
        "COP-k-means (Wagstaff, Cardie, Rogers and Schrödl 2001, Table 1) gives each point "
        "to the closest cluster such that no link is broken. If there is no such cluster, "
        "it fails: no step takes an assignment back."
    ),
    look=(
        "Go to the last events of the first run: the ring is around the point that has "
        "no cluster left. Follow its lines: each cluster holds a point that it must not be "
        "with."
    ),
    exercises=(
        (
            "The first run ends without a clustering. Is there none?",
            "There is one: the second run has the same links and breaks none of them. A "
            "search that fails proves nothing.",
        ),
        (
            "Would more starts help?",
            "Often, since each takes the points in another order and from other centres. But "
            "however many starts fail, that is no proof that there is no clustering.",
        ),
    ),
)
