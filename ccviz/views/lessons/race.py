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
            tab="Bounds",
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
            tab="Bounds",
        ),
    ),
    aim="See two methods prove the same optimum, each with its own lower bounds.",
    paper=(
        "Piccialli, Russo Russo and Sudoso (2022) bound from below by a semidefinite "
        "relaxation with cuts; Aloise, Hansen and Liberti (2012) by a linear program with a "
        "column for each cluster, whose columns are generated as they are needed."
    ),
    look=(
        "Both runs are played by their own clocks. Which bound leaves zero first, and which "
        "one arrives first?"
    ),
    exercises=(
        (
            "Why must both optima be equal?",
            "The optimum belongs to the problem and not to the method; each run has proved "
            "its own up to its tolerance.",
        ),
        (
            "Which of the two would you take for k = 60?",
            "Column generation: small clusters have few rivals, so pricing is easy, while "
            "the matrix stays as large as there are blocks.",
        ),
    ),
)
