from ccviz import solve
from ccviz.data import load
from ccviz.proof.verify import verify
from ccviz.runs.archive import Archive
from ccviz.views.lab.example import Example
from ccviz.views.lab.queue import RunQueue
from ccviz.views.lab.session import Session
from ccviz.views.share.address import way_back


def test_what_ships_is_what_its_solver_finds_and_its_proof_holds():
    example = Example()
    run = example.archive.load(example.run_id)
    assert run.status == "optimal"
    assert run.incumbent.violations.none_hard
    again = solve(run.problem, run.started.solver, seed=run.started.seed)
    assert abs(again.objective - run.objective) < 1e-4 * run.objective
    events = [record.event for record in example.archive.records(example.run_id)]
    assert verify(run.problem, events).accepted


def test_it_lies_on_the_table_of_a_session_and_an_edit_puts_it_away(tmp_path):
    with Archive(tmp_path / "runs.sqlite") as archive:
        example = Example()
        session = Session(archive, RunQueue(), load("iris"), example=example)
        session.show_example(example.run_id)
        assert session.draft.data.name == "iris"
        assert session.draft.data.is_named
        assert len(session.draft.links) == 8
        assert session.run.status == "optimal"
        assert session.solver.name == session.run.started.solver == "sdp"
        assert not session.can_undo
        assert archive.runs() == []
        assert "run=" not in way_back(session)
        session.set_scaling("standard")
        assert session.player.shot is None
        session.close()
