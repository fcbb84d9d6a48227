"""Two exact methods race on one problem."""

from __future__ import annotations

from ccviz.views.lessons.course import Lesson
from ccviz.views.lessons.needs import proved, same_problem, takes
from ccviz.views.lessons.steps import remembers, run_solver, run_step, set_up_and_run

LESSON = Lesson(
    "Two exact methods race",
    (
        run_step(
            "Take iris with 60 links, and prove its optimum by semidefinite programming.",
            set_up_and_run("iris", "sdp", links=60),
            remembers("Proved in {time}: {objective}."),
            "sdp",
            takes("iris", links=60),
            proved,
        ),
        run_step(
            "Now by column generation, on the same problem.",
            run_solver("colgen"),
            remembers(
                "Proved in {time} instead of {first_time}, with the same optimum {objective}. "
                "Both runs lie over one another in the tab Bounds."
            ),
            "colgen",
            same_problem,
            proved,
        ),
    ),
)
