"""A data set that is chosen on the page, with what comes with it."""

from __future__ import annotations

from typing import Any

from ccviz.data.datasets import Dataset
from ccviz.solvers import Solver, make_solver
from ccviz.views.draft import Draft
from ccviz.views.lab.notice import Notice
from ccviz.views.lab.session import Session
from ccviz.views.lab.watching import watched_settings


def load_data(session: Session, data: Dataset) -> None:
    """Load a data set into a session; an example problem brings its solver and its story.

    Parameters
    ----------
    session : Session
    data : Dataset
    """
    session.load(data)
    if data.setup is not None and session.draft.data is data:  # it was not refused
        solver: Any = solver_of(session.draft)
        session.param.update(solver=solver, notice=Notice("info", data.setup.story))


def solver_of(draft: Draft) -> Solver | None:
    """Return the solver that comes with a draft's data, None if they have none.

    Parameters
    ----------
    draft : Draft
    """
    setup = draft.data.setup
    if setup is None:
        return None
    watched = watched_settings(setup.solver, draft.problem)
    return make_solver(setup.solver, **watched | dict(setup.settings))
