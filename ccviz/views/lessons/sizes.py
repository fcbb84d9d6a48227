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
            tab="Clusters",
        ),
        step(
            "There were 50 flowers of each kind. Ask for the sizes 50, 50, 50.",
            lambda session: session.set_sizes("50, 50, 50"),
            says("Sizes are constraints like links: no clustering may break them."),
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
            tab="Clusters",
        ),
    ),
    aim="See what it costs to ask for clusters of a given size.",
    paper=(
        "With sizes the assignment step is a transportation problem: points are shipped to "
        "clusters of limited capacity (Bradley, Bennett and Demiriz 2000). It is solved as "
        "a whole, not point by point."
    ),
    look=(
        "Compare the bars under both result cards, and the points between the two clusters "
        "on the right: they are the ones that had to move."
    ),
    exercises=(
        (
            "Why did the sum of squares rise?",
            "Sizes take clusterings away and add none, as links do.",
        ),
        (
            "The sizes are those of the three kinds now. Are the clusters the kinds?",
            "No: an ARI of 1 would say so. As many points, but not the same ones.",
        ),
    ),
)
