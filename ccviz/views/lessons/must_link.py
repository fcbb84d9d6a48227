"""What a must-link does to the relaxation."""

from __future__ import annotations

from math import inf

from ccviz.views.lessons.course import Lesson
from ccviz.views.lessons.needs import cost, has_must_link, proved, same_points, takes
from ccviz.views.lessons.steps import remembers, run_solver, run_step, says, set_up_and_run, step
from ccviz.views.link_table import Link

LESSON = Lesson(
    "What a must-link does to the relaxation",
    (
        run_step(
            "Take iris without links, and prove its best clustering with the SDP solver; let it "
            "show its relaxation.",
            set_up_and_run("iris", "sdp", show_relaxation=True),
            remembers("The optimum is {objective}. Look at the matrix under Inside the solver."),
            "sdp",
            takes("iris"),
            proved,
            tab="Inside the solver",
        ),
        step(
            "Link two points that lie in different clusters: 60 and 100, say.",
            lambda session: session.add_links([Link("must", 60, 100)]),
            says("The two points are now one block: the matrix has a row and a column less."),
            has_must_link,
            cost(inf),
            same_points,
        ),
        run_step(
            "Prove the optimum again.",
            run_solver("sdp", show_relaxation=True),
            remembers(
                "The optimum was {first_objective} and is {objective} now: a link takes "
                "clusterings away and adds none, so neither the optimum nor the relaxation can "
                "fall."
            ),
            "sdp",
            has_must_link,
            same_points,
            proved,
            tab="Inside the solver",
        ),
    ),
    aim="See what a single link takes away, and why it can never lower the optimum.",
    paper=(
        "In the semidefinite relaxation of Piccialli, Russo Russo and Sudoso (2022) the "
        "points of a must-link become one super-point: their rows and columns of the matrix "
        "are added up, so a link makes the problem smaller."
    ),
    look=(
        "Open the tab Relaxation of both runs, and step from the first matrix to the last: "
        "grey cells are pairs about which the relaxation hesitates, black blocks are "
        "clusters."
    ),
    exercises=(
        (
            "Why can a link never lower the optimum?",
            "Whatever keeps the link was allowed before: the minimum is taken over fewer "
            "clusterings.",
        ),
        (
            "How many rows has the matrix of the second run?",
            "149: of the 150 points two are one block.",
        ),
    ),
)
