"""Prices of links on the page: proved in the background, in the list, and on the plot."""

import re

import pytest

pytestmark = pytest.mark.browser


def _widest(lab):
    """Return the name of the must-link that is drawn widest."""
    drawn = lab.source("must", "width")
    return max(zip(drawn["width"], drawn["name"], strict=True))[1]


def test_the_wrong_link_has_the_highest_price(lab_of, picture):
    lab = lab_of("?data=iris&k=3&solver=sdp&seed=1&ml=0-1,2-60,50-51&cl=3-70,10-120")
    lab.run()
    lab.press("Prices")
    lab.see("5 of 5 prices proved")
    lab.press("Highest first")
    first = lab.page.locator(".links li").first
    lab.wait_for(lambda: "2 – 60" in first.inner_text())
    assert "proved" in first.locator(".price").get_attribute("title")
    lab.page.get_by_text("More ways to link").click()
    lab.choose("Which links are drawn", "By price")
    lab.see(re.compile("wide lines: links of a high price, up to"))
    lab.wait_for(lambda: _widest(lab) == "must-link 2-60")
    picture(lab.page, "prices")
    lab.delete_link("must-link 2-60")
    lab.wait_for(lambda: len(lab.links()) == 4)
    lab.page.keyboard.press("z")
    lab.wait_for(lambda: "2 – 60" in first.inner_text() and first.locator(".price").count())
    lab.see("5 of 5 prices proved")
