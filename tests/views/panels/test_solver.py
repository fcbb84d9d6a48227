from ccviz.views.panels.solver import SolverPanel


def texts(panel):
    return [getattr(each, "object", "") or each.name for each in panel.__panel__().select()]


def test_settings_are_called_by_words(session):
    panel = SolverPanel(session)
    assert {"Starts", "Most iterations", "First centres", "Step limit, s"} <= set(texts(panel))
    session.set_solver("lp-box")
    assert "Penalty ρ" in texts(panel)


def test_a_solver_that_cannot_handle_the_problem_says_so_at_once(session):
    panel = SolverPanel(session)
    session.set_sizes("50, 50, 50")
    assert "cannot handle" not in "".join(texts(panel))
    session.set_solver("sdp")
    assert "sdp cannot handle cluster sizes; these can: " in "".join(texts(panel))
    session.set_sizes("")
    assert "cannot handle" not in "".join(texts(panel))
