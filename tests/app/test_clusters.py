"""Clusters in a real browser: named, merged, and given a point."""

import re

import pytest

from tests.app.test_rules import TOOLTIP

pytestmark = pytest.mark.browser


def test_clusters_are_named_merged_and_given_a_point(lab_of, picture):
    lab = lab_of("?data=iris&k=3&solver=blp-kmeans")
    lab.choose("Speed", "Speed: Live")
    lab.run()
    lab.room("Clusters")
    lab.page.get_by_role("button", name="Name cluster 1").click()
    lab.answer("large flowers")
    lab.page.get_by_role("button", name="large flowers: ").wait_for()  # of the legend
    labels = lab.labels()
    lab.rest()
    points, at = lab.points(), labels.index(0)
    lab.page.mouse.move(*lab.pixel(points["x"][at], points["y"][at]), steps=3)
    lab.wait_for(lambda: "would cost" in lab.page.evaluate(TOOLTIP))
    picture(lab.page, "why")

    lab.page.get_by_label("Merge", exact=True).select_option("large flowers")
    lab.page.get_by_label("with", exact=True).select_option("cluster 2")
    lab.press("Merge")
    lab.see_notice("k is 2 now, and 9 must-links")
    ends = [int(end) for link in lab.links() for end in re.findall(r"\d+", link)[:2]]
    assert {labels[end] for end in ends} <= {1, 2}
    lab.page.keyboard.press("Escape")
    lab.press("Undo")
    lab.see("k = 3")

    point = labels.index(0)
    lab.click_point(point)
    into = lab.page.get_by_label("belong in", exact=True)
    into.select_option("large flowers")
    lab.wait_for(
        lambda: lab.page.get_by_label("Points", exact=True).last.input_value() == str(point)
    )
    lab.press("Move")
    lab.see_notice("5 must-links and 1 cannot-link were made.")
    lab.run()
    lab.wait_for(lambda: lab.labels()[point] == 1)


def test_clusters_are_kept_and_split_and_links_of_a_source_get_a_weight(lab_of, picture):
    lab = lab_of("?data=iris&k=3&solver=blp-kmeans&ml=0-1&sources=1*rule R")
    lab.choose("Speed", "Speed: Live")
    lab.run()
    lab.room("Clusters")
    whole = lab.page.get_by_label("Cluster", exact=True)
    whole.select_option("cluster 1")
    many = lab.labels().count(1)
    lab.press("Keep together")
    lab.see_notice(f"must-links keep its {many} points together.")
    whole.select_option("cluster 2")
    lab.press("Split")
    lab.see_notice("k is 4 now; 8 must-links and 1 cannot-link make the halves.")
    lab.see("split by hand")
    picture(lab.page, "gestures")
    lab.page.get_by_text("More ways to link").click()
    lab.page.get_by_label("Links of a source").select_option("split by hand (9)")
    lab.page.get_by_label("Their weight").fill("5")
    lab.press("Set their weight")
    lab.wait_for(lambda: lab.page.locator("[data-weight='5']").count() == 3)
    picture(lab.page, "sources")


def test_a_point_says_why_its_wish_is_not_kept(lab_of, picture):
    lab = lab_of("?data=iris&k=3&solver=sdp&ml=0-100*0.01&sizes=50,50,50")
    lab.choose("Speed", "Speed: Live")
    lab.run()
    lab.rest()
    points = lab.points()
    lab.page.mouse.move(*lab.pixel(points["x"][0], points["y"][0]), steps=3)
    lab.wait_for(lambda: "0 and 100 together would cost at most" in lab.page.evaluate(TOOLTIP))
    picture(lab.page, "wish")


def test_a_file_is_handed_over_once_after_the_tab_was_left(lab_of):
    lab = lab_of("?data=iris&k=3&solver=blp-kmeans")
    lab.choose("Speed", "Speed: Live")
    lab.run()
    handed = []
    lab.page.on("download", lambda download: handed.append(download.suggested_filename))
    for room in ("Clusters", "Result", "Clusters"):
        lab.room(room)
        lab.page.get_by_role("tab", name=room, selected=True).wait_for()
        if room == "Clusters":
            lab.see("Take home")
    for name in ("This table (CSV)", "This table (Markdown)"):
        with lab.page.expect_download():
            lab.press(name)
    assert handed == ["iris-profile.csv", "iris-profile.md"]
