"""Noise, and the price of a soft link."""

from __future__ import annotations

from ccviz.views.lessons.course import Lesson
from ccviz.views.lessons.needs import answered, cost, is_refused, takes
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
    "Noise, and the price of a soft link",
    (
        step(
            "Draw 200 hard links from iris's classes, a fifth of them wrong.",
            set_up("iris", "pck-means", links=200, noise=0.2),
            says("Wrong hard links soon contradict each other. Such links must be soft."),
            is_refused,
        ),
        step(
            "Draw them again as soft links that cost 0.1 each.",
            set_up("iris", "pck-means", links=200, noise=0.2, weight=0.1),
            says("A soft link may be broken, at its price."),
            takes("iris", links=200),
            cost(0.1),
        ),
        run_step(
            "Run PCK-means.",
            run_solver("pck-means"),
            remembers("WCSS {wcss}, {broken} broken: at this price the geometry wins."),
            "pck-means",
            answered,
            takes("iris", links=200),
            cost(0.1),
        ),
        run_step(
            "Now let each link cost 10, and run again.",
            set_up_and_run("iris", "pck-means", links=200, noise=0.2, weight=10.0),
            remembers(
                "{broken} broken instead of {first_broken}, and WCSS {wcss} instead of "
                "{first_wcss}: a high price buys links, the wrong ones too."
            ),
            "pck-means",
            answered,
            takes("iris", links=200),
            cost(10.0),
        ),
    ),
)
