"""An analyst's own table: from the file to clusters, what marks them, and her rows again."""

import csv
import io
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
    """Cluster what is on the table into four, see the profile, and return the rows taken home."""
    lab.see(f"{n:,} points")
    lab.fill("Clusters k", "4")
    lab.see("k = 4")
    lab.press("Run")
    lab.page.get_by_role("button", name="Run", exact=True, disabled=False).wait_for()
    lab.wait_for(lambda: profile(lab).locator("thead button").count() == 4)
    lab.wait_for(lambda: profile(lab).locator("tbody tr").count() == 12)
    name, text = taken_home(lab, "My rows with clusters (CSV)")
    assert name == "customers-clusters.csv"
    head, *rows = csv.reader(io.StringIO(text))
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


def test_so_does_a_table_of_200_000_rows(lab):
    lab.room("Clusters")
    lab.choose("Speed", "Speed: Live")
    load(lab, *customer_file("plain", 200_000))
    clustered(lab, 200_000)
