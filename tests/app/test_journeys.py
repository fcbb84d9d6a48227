"""The main job from end to end: links and a proof, a table in and its rows out, a lesson."""

import csv
import io

import numpy as np
import pytest

from ccviz.views.lessons.catalogue import LESSONS
from tests.app.test_features import walk
from tests.app.test_living import run_as_edited
from tests.app.test_table import clustered, load
from tests.app.test_views import lanes, nodes, see_every_node_closed
from tests.data.customers import customer_file

pytestmark = [pytest.mark.browser, pytest.mark.journey]


def test_two_points_are_linked_and_the_best_clustering_is_proved(lab_of, picture):
    # Without cuts the tree has a dozen nodes.
    lab = lab_of("?data=spirals&n=20&k=3&solver=sdp&set.cuts=none&seed=1")
    lab.link("cannot", 3, 10)
    lab.page.locator(".links li").wait_for()
    lab.run()
    assert "Optimal clustering" in lab.card
    assert lab.labels()[3] != lab.labels()[10]
    lab.room("Inside the solver")
    lab.figure("tree")
    see_every_node_closed(lab)
    grown = len(nodes(lab)["node"])
    lab.room("Bounds")
    lab.figure("race-bounds")
    lab.wait_for(lambda: lanes(lab, "race-bounds"))
    (lane,) = lanes(lab, "race-bounds")
    lower = [bound for bound in lane["lower"] if np.isfinite(bound)]
    assert lower[0] < lower[-1] <= lane["upper"][-1] * (1 + 1e-9)
    picture(lab.page, "bounds")

    lab.go_to(4)
    lab.wait_for(
        lambda: all(len(each["at"]) < len(lane["at"]) for each in lanes(lab, "race-bounds"))
    )
    lab.room("Inside the solver")
    lab.figure("tree")
    lab.wait_for(lambda: len(nodes(lab)["node"]) < grown)
    lab.press("Back")
    lab.wait_for(lambda: lab.place[0] == 3)


@pytest.mark.slow
def test_a_proof_survives_a_link_that_it_keeps_and_undo(lab_of, picture):
    lab = lab_of("?data=iris&k=3&solver=sdp&seed=1&speed=max")
    lab.run()
    assert "Optimal clustering" in lab.card
    run_as_edited(lab, False)
    labels = np.array(lab.labels())
    together = np.flatnonzero(labels == labels[0])
    apart = int(np.flatnonzero(labels != labels[0])[0])
    lab.link("must", int(together[0]), int(together[1]))
    lab.wait_for(lambda: "Still optimal" in lab.card)
    picture(lab.page, "still-optimal")
    lab.link("must", int(together[0]), apart)
    lab.wait_for(lambda: "lower bound still holds" in lab.card)
    picture(lab.page, "bound-holds")
    lab.page.keyboard.press("z")
    lab.wait_for(lambda: "Still optimal" in lab.card)
    lab.run()
    assert "keeps every constraint that was added" in lab.card


def test_a_table_comes_in_and_its_rows_go_home_with_their_clusters(lab):
    lab.room("Clusters")
    lab.choose("Speed", "Speed: Live")
    name, content = customer_file("plain", 300)
    load(lab, name, content)
    head, *rows = clustered(lab, 300)
    brought = list(csv.reader(io.StringIO(content.decode())))
    assert head[: len(brought[0])] == brought[0]
    assert [row[0] for row in rows] == [row[0] for row in brought[1:]]


def test_a_lesson_is_walked(lab):
    lesson = LESSONS[0]
    assert len(set(walk(lab, lesson))) == len(lesson.steps)
    lab.press("Finish")
    lab.page.locator(".lesson").wait_for(state="hidden")
