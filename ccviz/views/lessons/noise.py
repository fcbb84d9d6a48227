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
    aim="Find out at which price wrong links are broken and right ones are kept.",
    paper=(
        "PCK-means (Basu, Banerjee and Mooney 2004) adds the weight of every broken link to "
        "the sum of squares, so a link has a price instead of a veto."
    ),
    look=(
        "Watch the red lines, which are broken links, from event to event: at the low price "
        "the points go where the geometry wants them, at the high one they follow the "
        "links."
    ),
    exercises=(
        (
            "What does the objective of such a run add up?",
            "The sum of squares, and the weights of the soft links that are broken.",
        ),
        (
            "Which links are broken at the ideal price?",
            "Just the wrong ones. A lower price breaks right ones too, and a higher one "
            "keeps wrong ones.",
        ),
    ),
)
