"""Clusters of a given size."""

from __future__ import annotations

from ccviz.views.lessons.course import Lesson
from ccviz.views.lessons.needs import answered, has_sizes, same_points, takes
from ccviz.views.lessons.steps import remembers, run_solver, run_step, says, set_up_and_run, step

LESSON = Lesson(
    "Clusters of a given size",
    (
        run_step(
            "Run BLP k-means on iris without links or sizes.",
            set_up_and_run("iris", "blp-kmeans"),
            remembers("The clusters have {sizes} points; WCSS is {wcss}."),
            "blp-kmeans",
            answered,
            takes("iris"),
        ),
        step(
            "There were 50 flowers of each kind. Ask for the sizes 50, 50, 50.",
            lambda session: session.set_sizes("50, 50, 50"),
            says("Sizes are constraints like links: a clustering keeps them or is none."),
            has_sizes,
        ),
        run_step(
            "Run it again.",
            run_solver("blp-kmeans"),
            remembers("Now they have {sizes} points, and WCSS went from {first_wcss} to {wcss}."),
            "blp-kmeans",
            answered,
            has_sizes,
            same_points,
        ),
    ),
)
