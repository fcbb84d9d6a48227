from ccviz import solve
from ccviz.proof.verify import verify
from ccviz.views.lab.personal_archive import Example
from ccviz.views.panels.prices import SureTools
from ccviz.views.share.address import reload_query


def test_what_ships_is_what_its_solver_finds_and_its_proof_holds():
    example = Example()
    run = example.archive.load(example.run_id)
    assert run.status == "optimal"
    assert run.incumbent.violations.none_hard
    again = solve(run.problem, run.started.solver, seed=run.started.seed)
    assert abs(again.objective - run.objective) < 1e-4 * run.objective
    events = [record.event for record in example.archive.records(example.run_id)]
    assert verify(run.problem, events).accepted


def test_it_lies_on_the_table_of_a_session_and_an_edit_puts_it_away(
    example_session, example, archive
):
    session = example_session
    session.show_example(example.run_id)
    assert session.draft.data.name == "iris"
    assert session.draft.data.is_named
    assert len(session.draft.links) == 8
    assert session.run.status == "optimal"
    assert session.solver.name == session.run.started.solver == "sdp"
    assert not session.edits.can_undo
    assert archive.runs() == []
    assert "run=" not in reload_query(session)
    session.edits.set_scaling("standard")
    assert session.player.shot is None


def test_the_example_says_why_it_has_no_margins(example_session, example):
    tools = SureTools(example_session)
    assert not tools.__panel__().visible
    example_session.show_example(example.run_id)
    assert tools.__panel__().visible
    words = [each.object for each in tools.__panel__().select() if hasattr(each, "object")]
    assert any("Run it yourself to see how sure" in str(each) for each in words)
