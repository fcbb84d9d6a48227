import numpy as np
import pytest

from ccviz import solve
from ccviz.data.datasets import Dataset, load
from ccviz.errors import FileFormatError
from ccviz.proof.verify import verify
from ccviz.views.frames.links import entries
from ccviz.views.lab.importing import begin_upload
from ccviz.views.lab.personal_archive import Example
from ccviz.views.lab.runner import RunQueue
from ccviz.views.lab.session import Session
from ccviz.views.link_table import Link
from ccviz.views.panels.prices import SureTools
from ccviz.views.share.address import reload_query
from tests.patience import wait_until
from tests.views.lab.test_session import play_out


@pytest.fixture
def answered(session):
    """Return a session with an answer, and the numbers of its clusters on the page."""
    session.start()
    play_out(session)
    answer = session.answer
    return session, session.cluster_colors.of(answer)


def test_without_an_answer_there_is_a_sentence(session):
    session.edits.name_cluster(0, "small")
    assert session.notice.text == "There are no clusters yet: run a solver first."
    assert session.draft.cluster_names == ()


def test_a_name_stays_with_its_cluster_and_can_be_undone(answered):
    session, labels = answered
    session.edits.name_cluster(1, "setosa")
    assert session.cluster_names(labels) == {1: "setosa"}
    session.edits.name_cluster(1, "")
    assert session.cluster_names(labels) == {}
    session.edits.undo()
    assert session.cluster_names(labels) == {1: "setosa"}
    session.edits.set_k(4)  # names stay
    assert session.draft.cluster_names
    session.edits.load(session.draft.data)  # other points have other clusters
    assert not session.draft.cluster_names


def test_to_merge_two_clusters_links_them_and_lowers_k(answered):
    session, labels = answered
    session.edits.merge_clusters(0, 2)
    assert {link.kind for link in session.draft.links} == {"must"}
    assert {int(labels[i]) for link in session.draft.links for i in (link.i, link.j)} == {0, 2}
    assert session.draft.k == 2
    assert "k is 2 now, and 9 must-links" in session.notice.text
    session.start()
    play_out(session)
    after = session.answer.labels
    assert len({int(after[link.i]) for link in session.draft.links}) == 1
    session.edits.undo()
    assert (session.draft.k, len(session.draft.links)) == (3, 0)


def test_to_move_a_point_links_it_there_and_apart_from_where_it_was(answered):
    session, labels = answered
    point = int((labels == 0).argmax())
    session.edits.move_points([point], 1)
    *musts, cannot = session.draft.links
    ends = {end for link in musts for end in (link.i, link.j)}
    assert {int(labels[end]) for end in ends - {point}} == {1}
    [middle] = {cannot.i, cannot.j} - {point}
    assert labels[middle] == 0
    session.start()
    play_out(session)
    after = session.cluster_colors.of(session.answer)
    assert after[point] == 1


def ran(session):
    """Run the problem, and return the numbers of its clusters on the page."""
    session.start()
    play_out(session)
    return session.cluster_colors.of(session.answer)


def test_several_points_move_at_once(answered):
    session, labels = answered
    points = [*np.flatnonzero(labels == 0)[:3].tolist(), *np.flatnonzero(labels == 2)[:2].tolist()]
    session.edits.move_points([*points, int((labels == 1).argmax())], 1)
    assert "9 must-links and 2 cannot-links" in session.notice.text
    assert session.draft.links.many_of() == {"moved by hand": 11}
    musts, cannots = (list(session.draft.links.of_kind(kind)) for kind in ("must", "cannot"))
    assert len([*entries(musts)]) == 1
    for link in cannots:
        [moved] = {*link.pair} & {*points}
        [middle] = {*link.pair} - {moved}
        assert labels[middle] == labels[moved]
    after = ran(session)
    assert len({int(after[end]) for link in musts for end in link.pair}) == 1
    assert not any(after[link.i] == after[link.j] for link in cannots)
    session.edits.undo()
    assert not session.draft.links


def test_a_point_moves_into_a_full_cluster_and_the_run_chooses_who_leaves(session):
    session.edits.load(Dataset("people", np.arange(12.0)[:, None], ("age",)), 3)
    session.edits.set_sizes("4")
    labels = ran(session)
    point, into = 5, int(labels[0])
    session.edits.move_points([point], into)
    assert "full, at 4 by the sizes" in session.notice.text
    assert len(session.draft.links) == 3
    after = ran(session)
    assert after[point] == into
    assert np.bincount(after).tolist() == [4, 4, 4]


def test_points_that_sizes_leave_no_room_for_do_not_move(session):
    session.edits.load(Dataset("people", np.arange(12.0)[:, None], ("age",)), 3)
    session.edits.set_sizes("4")
    labels = ran(session)
    before = session.draft
    session.edits.move_points(np.flatnonzero(labels != labels[0])[:4].tolist(), int(labels[0]))
    assert "hold at most 4 points" in session.notice.text
    assert session.draft is before
    session.edits.add_links([Link("must", 0, 1), Link("must", 1, 2), Link("must", 2, 3)])
    before = session.draft
    session.edits.move_points([11], int(labels[0]))
    assert "No clustering can keep these links" in session.notice.text
    assert session.draft is before


def test_a_cluster_is_kept_by_a_tree_of_links(answered):
    session, labels = answered
    own = np.flatnonzero(labels == 2)
    first = [Link("must", int(own[0]), int(own[1])), Link("must", int(own[2]), int(own[3]), 1.0)]
    session.edits.add_links(first)
    session.edits.keep_cluster(2)
    assert session.draft.links.many_of() == {"": 2, "kept by hand": len(own) - 2}
    session.edits.set_k(2)
    after = ran(session)[own]
    assert (after == after[0]).all()
    before = session.draft
    session.edits.keep_cluster(int(after[0]))  # others are in it by now
    session.edits.keep_cluster(int(after[0]))
    assert "together already" in session.notice.text
    session.edits.undo()
    assert session.draft.links == before.links


def test_a_cluster_is_split_into_the_halves_of_k_means_or_of_two_points(answered):
    session, labels = answered
    own = np.flatnonzero(labels == 1)
    session.edits.split_cluster(1)
    assert (session.draft.k, session.draft.links.many_of()) == (4, {"split by hand": 9})
    assert "k is 4 now; 8 must-links and 1 cannot-link" in session.notice.text
    assert {int(labels[end]) for link in session.draft.links for end in link.pair} == {1}
    [apart] = session.draft.links.of_kind("cannot")
    after = ran(session)
    assert after[apart.i] != after[apart.j]
    session.edits.undo()
    assert (session.draft.k, len(session.draft.links)) == (3, 0)
    session.playback.show(session.archive.runs()[-1].id)
    ends = (int(own[0]), int(own[1]))
    session.edits.pick_group(ends)
    session.edits.split_cluster(1)
    [apart] = session.draft.links.of_kind("cannot")
    assert apart.pair == ends


def test_gestures_that_contradict_links_are_a_sentence(answered):
    session, labels = answered
    session.edits.keep_cluster(1)
    before = session.draft
    session.edits.split_cluster(1)
    assert session.notice.title == "links contradict each other"
    point = int((labels == 1).argmax())
    session.edits.move_points([point], 0)
    assert session.notice.title == "links contradict each other"
    assert session.draft is before


def test_points_in_one_place_are_not_split(session):
    data = Dataset("twins", np.repeat([[0.0], [9.0]], 4, axis=0), ("x",))
    session.edits.load(data, 2)
    session.edits.split_cluster(int(ran(session)[0]))
    assert "in one place" in session.notice.text


def test_what_cannot_be_done_is_a_sentence_and_changes_nothing(answered):
    session, labels = answered
    before = session.draft
    for do, said in (
        (lambda: session.edits.merge_clusters(1, 1), "two clusters"),
        (lambda: session.edits.merge_clusters(1, 7), "cluster 7"),
        (lambda: session.edits.move_points([int((labels == 2).argmax())], 2), "already"),
    ):
        do()
        assert said in session.notice.text
    assert session.draft is before


def test_clusters_that_are_linked_apart_are_not_merged(answered):
    session, labels = answered
    session.edits.merge_clusters(0, 2)
    joining = [link for link in session.draft.links if labels[link.i] != labels[link.j]]
    session.edits.undo()
    session.edits.add_links(Link("cannot", link.i, link.j) for link in joining)
    session.edits.merge_clusters(0, 2)
    assert session.notice.title == "links contradict each other"
    assert session.draft.k == 3


# --- A run that more than one page holds goes on until the last of them leaves --------------------


def test_a_page_that_is_loaded_again_holds_the_run_of_the_old_one(archive):
    queue = RunQueue(limit=1)
    old, new = (Session(archive, queue, load("iris")) for _ in range(2))
    old.set_solver("cop-kmeans", n_init=100_000_000)
    old.start()
    wait_until(lambda: old.tick() or (old.run is not None and old.run.labels is not None))
    run_id = old.runner.run_id
    new.playback.join(run_id)
    assert (new.runner.state, new.runner.run_id) == ("running", run_id)

    old.close()
    new.tick()
    assert new.runner.state == "running"
    assert archive.info(run_id).state == "running"
    assert len(queue) == 1

    new.playback.stop()
    wait_until(lambda: new.tick() or new.runner.state == "ended")
    assert archive.info(run_id).termination == "interrupted"
    assert len(queue) == 0
    new.close()


def test_a_run_that_no_page_holds_is_only_watched(archive):
    session = Session(archive, RunQueue(), load("iris"))
    assert not session.runner.join("elsewhere")
    assert session.runner.state == "idle"
    session.close()


def test_the_first_few_may_run_and_the_others_move_up():
    queue = RunQueue(limit=2)
    first, second, third, fourth = (queue.join() for _ in range(4))
    assert [ticket.waiting for ticket in (first, second, third, fourth)] == [0, 0, 1, 2]
    first.release()
    assert third.waiting == 0
    assert fourth.waiting == 1
    third.release()
    third.release()
    assert len(queue) == 2


# --- Upload ---------------------------------------------------------------------------------------


def test_parts_are_joined_in_their_order():
    upload = begin_upload("a.csv", 5, 10)
    upload.add(0, b"a,b")
    assert not upload.is_whole
    upload.add(3, b"\n1")
    assert upload.is_whole
    assert bytes(upload.content) == b"a,b\n1"


def test_an_empty_file_is_whole_at_once():
    assert begin_upload("empty.csv", 0, 10).is_whole


@pytest.mark.parametrize(("at", "part"), [(0, b"again"), (4, b"d"), (3, b"too long")])
def test_parts_that_do_not_fit_are_refused(at, part):
    upload = begin_upload("a.csv", 6, 10)
    upload.add(0, b"abc")
    with pytest.raises(FileFormatError, match=r"a\.csv: the parts"):
        upload.add(at, part)
    assert bytes(upload.content) == b"abc"


@pytest.mark.parametrize("name", ["../../etc/a.csv", "C:\\Users\\ann\\a.csv", "/a.csv", "a.csv"])
def test_a_name_has_no_folders(name):
    assert begin_upload(name, 1, 10).name == "a.csv"


def test_of_a_long_name_the_ending_stays():
    name = begin_upload("a" * 5000 + ".xlsx", 1, 10).name
    assert len(name) == 200
    assert name.endswith("a.xlsx")


@pytest.mark.parametrize(("name", "size"), [(None, 1), ("a.csv", -1), ("a.csv", "1"), ("a", 1.5)])
def test_what_is_no_name_and_size_is_refused(name, size):
    with pytest.raises(FileFormatError, match="no name and size"):
        begin_upload(name, size, 10)


def test_a_file_over_the_limit_is_refused_before_a_byte_is_kept():
    with pytest.raises(FileFormatError, match=r"a\.csv has 201 MB; at most 200 MB are taken\."):
        begin_upload("a.csv", 201_000_000, 200_000_000)


# --- Example --------------------------------------------------------------------------------------


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
