"""Features whose weights are learned from the links."""

import pytest

from tests.app.test_accessibility import faults

pytestmark = pytest.mark.browser

LINKS = "ml=0-20,30-50,60-100,80-110,130-170,140-160&cl=0-60,0-140,100-170"


def test_weights_are_learned_kept_and_learned_again(lab_of, picture):
    lab = lab_of(f"?data=wine&k=3&{LINKS}")
    before = lab.points()
    lab.choose("Features", "learned from the links")
    lab.see("Weights learned from 9 links.")
    lab.wait_for(lambda: lab.points() != before)
    learned = lab.points()
    lab.page.locator("summary", has_text="Most:").click()
    lab.see("malic_acid")
    picture(lab.page, "list")
    assert not faults(lab)
    lab.link("cannot", 1, 141)
    lab.see("Weights learned from 9 links; the links have changed since.")
    assert lab.points() == learned
    lab.press("Learn again")
    lab.see("Weights learned from 10 links.")
    lab.wait_for(lambda: lab.points() != learned)
    lab.room("Share")
    lab.see("scaling=weights")


def test_without_links_there_is_nothing_to_learn_from(lab_of):
    lab = lab_of("?data=wine&k=3")
    before = lab.points()
    lab.choose("Features", "learned from the links")
    lab.see_notice("There are no links to learn weights of features from")
    chosen = lab.page.get_by_label("Features", exact=True).first
    lab.wait_for(lambda: chosen.input_value() == "not scaled")
    assert lab.points() == before
