"""An analyst's own table: from the file to clusters, what marks them, and her rows again."""

import csv
import io
import re
from importlib.util import find_spec

import pytest

from tests.data.customers import CITIES, VARIANTS, customer_file

pytestmark = pytest.mark.browser


def taken_home(lab, button: str) -> tuple[str, str]:
    with lab.page.expect_download() as download:
        lab.press(button)
    path = download.value.path()
    return download.value.suggested_filename, path.read_text(encoding="utf-8")


def profile(lab):
    return lab.page.get_by_role("table", name="What marks the clusters")


def clustered(lab, n: int) -> list[list[str]]:
    """Cluster the current problem into four, see the profile, and return the rows taken home."""
    lab.see(f"{n:,} points")
    lab.fill("Clusters k", "4")
    lab.see("k = 4")
    lab.press("Run")
    lab.page.get_by_role("button", name="Run", exact=True, disabled=False).wait_for()
    lab.wait_for(lambda: profile(lab).locator("thead [data-cluster]").count() == 4)
    lab.wait_for(lambda: profile(lab).locator("tbody tr").count() == 12)
    name, text = taken_home(lab, "My rows with clusters (CSV)")
    assert name == "customers-clusters.csv"
    text = text.removeprefix("\ufeff")
    sign = max(",;\t", key=text.partition("\n")[0].count)  # as in the file that was brought
    head, *rows = csv.reader(io.StringIO(text), delimiter=sign)
    assert {"spent_0", "cluster", "distance"} <= set(head)
    at = head.index("cluster")
    assert {row[at] for row in rows} == {"0", "1", "2", "3"}
    assert len(rows) == n
    return [head, *rows]


def load(lab, name: str, content: bytes) -> str:
    """Take a table with scaled features, and return what the sheet said."""
    lab.upload(name, content)
    sheet = lab.page.get_by_role("dialog")
    button = sheet.get_by_role("button", name="Load", exact=True)
    button.wait_for()
    sheet.get_by_label("Scale features").select_option("standard")
    said = sheet.inner_text()
    button.click()
    sheet.wait_for(state="hidden")
    return said


@pytest.mark.timeout(900)  # a busy machine takes long over seven
def test_a_table_without_classes_offers_no_links_from_them(lab):
    lab.take_table("mine.csv", b"a,b\n" + b"1,2\n3,4\n15,17\n" * 3)
    lab.see("mine · 9 points")
    lab.page.get_by_text("More ways to link").click()
    lab.page.get_by_role("button", name="Delete all").wait_for()
    assert not lab.page.get_by_role("button", name="Draw from classes").is_visible()


def test_each_of_seven_tables_reaches_clusters_profile_and_rows(lab, picture):
    lab.room("Clusters")
    lab.choose("Speed", "Speed: Live")
    for variant in VARIANTS:
        if variant == "excel" and find_spec("openpyxl") is None:
            continue
        said = load(lab, *customer_file(variant))
        missing = "blanks" in variant
        assert ("values in 176 of 3,000 rows missing" in said) == missing
        head, *rows = clustered(lab, 2824 if missing else 3000)
        assert ("customer_id" in head) == (variant != "no id")
        cities = {row[head.index("city")].partition(" ")[0] for row in rows}
        assert cities == set(CITIES)
        picture(lab.page, f"clusters-{variant}")
    customer, cluster = head.index("customer_id"), head.index("cluster")
    named_by_name(lab, rows[0][customer], rows[1][customer])
    one_alone(lab, {int(row[cluster]) for row in rows})
    which_k(lab)


def named_by_name(lab, one: str, other: str) -> None:
    """Keep two customers apart, called by their ids."""
    lab.page.get_by_text("More ways to link").click()
    lab.fill("Pick points by number or name", f"{one}, {other}")
    lab.see(f"{one} and {other}")
    lab.page.keyboard.press("c")
    lab.page.locator(".links li").get_by_text(f"{one} – {other}").wait_for()


def one_alone(lab, clusters: set[int]) -> None:
    """Leave one cluster in colour, by the legend, and let it go in the profile."""
    assert set(lab.labels()) == clusters == {0, 1, 2, 3}
    lab.page.get_by_role("button", name=re.compile("^cluster 1: ")).click()
    lab.wait_for(lambda: set(lab.labels()) == {-1, 1})
    chosen = profile(lab).get_by_role("button", name="cluster 1", exact=True)
    assert chosen.get_attribute("aria-pressed") == "true"
    chosen.click()
    lab.wait_for(lambda: set(lab.labels()) == clusters)


def which_k(lab) -> None:
    """Sweep two numbers of clusters under the link, and take one of them."""
    lab.press("Which k?")
    sheet = lab.page.get_by_role("dialog", name="How many clusters?")
    for field, value in (("k from", "3"), ("to", "4"), ("seconds to raise each bound", "0")):
        sheet.get_by_label(field, exact=True).fill(value)
    sheet.get_by_role("button", name="Compare").click()
    lab.wait_for(lambda: sheet.locator("tbody tr").count() == 2)
    lab.wait_for(lambda: "Silhouette: k = " in sheet.inner_text())
    # No button of the table is cut off at its side.
    assert sheet.locator(".found").evaluate("(node) => node.scrollWidth <= node.clientWidth")
    sheet.get_by_role("button", name="Use k = 3").click()
    sheet.wait_for(state="hidden")
    lab.see("k = 3")
    lab.press("Which k?")
    sheet.get_by_role("button", name="the least k").click()
    sheet.get_by_text("is the least number of clusters, proved.").wait_for()
    sheet.get_by_role("button", name="Use k = ").click()
    sheet.wait_for(state="hidden")


def test_so_does_a_table_of_200_000_rows(lab):
    lab.room("Clusters")
    lab.choose("Speed", "Speed: Live")
    load(lab, *customer_file("plain", 200_000))
    clustered(lab, 200_000)
