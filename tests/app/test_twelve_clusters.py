"""Twelve clusters on a small screen: the legend and the table of clusters are whole."""

import pytest

pytestmark = pytest.mark.browser

# What overhangs a part of the page, across and down, in pixels: more has scroll bars.
_OVERHANG = "(node) => [node.scrollWidth - node.clientWidth, node.scrollHeight - node.clientHeight]"


def is_whole(place) -> bool:
    return max(place.evaluate(_OVERHANG)) <= 1


def test_the_legend_and_the_table_of_twelve_clusters_have_no_scroll_bar(lab_of, picture):
    lab = lab_of("?data=iris&k=12&solver=k-means&example=no")
    lab.page.set_viewport_size({"width": 1280, "height": 720})
    lab.run()
    legend = lab.page.locator(".legend").last
    lab.wait_for(lambda: legend.get_by_role("button").count() == 12)
    lab.wait_for(lambda: is_whole(legend))
    lab.rest()
    top = lab.page.get_by_role("figure", name="150 points").bounding_box()["y"]
    assert all(
        box["y"] + box["height"] <= top + 1
        for box in (each.bounding_box() for each in legend.get_by_role("button").all())
    )
    lab.room("Clusters")
    table = lab.page.get_by_role("table", name="What marks the clusters")
    lab.wait_for(lambda: table.locator("tbody tr").count() == 12)
    lab.wait_for(lambda: is_whole(lab.page.locator(".clusters .scroll")))
    picture(lab.page, "table")
    table.get_by_role("button", name="cluster 11", exact=True).click()
    lab.wait_for(lambda: set(lab.labels()) == {-1, 11})
