import pytest

from ccviz.views.link_table import Link
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
    session.edits.move_point(point, 1)
    *musts, cannot = session.draft.links
    ends = {end for link in musts for end in (link.i, link.j)}
    assert {int(labels[end]) for end in ends - {point}} == {1}
    [middle] = {cannot.i, cannot.j} - {point}
    assert labels[middle] == 0
    session.start()
    play_out(session)
    after = session.cluster_colors.of(session.answer)
    assert after[point] == 1


def test_what_cannot_be_done_is_a_sentence_and_changes_nothing(answered):
    session, labels = answered
    before = session.draft
    for do, said in (
        (lambda: session.edits.merge_clusters(1, 1), "two clusters"),
        (lambda: session.edits.merge_clusters(1, 7), "cluster 7"),
        (lambda: session.edits.move_point(int((labels == 2).argmax()), 2), "already"),
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
