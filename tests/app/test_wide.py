"""A table of many rows and many features in a real browser: every tab has its content."""

import io

import numpy as np
import pytest

pytestmark = pytest.mark.browser

N, D, K = 20_000, 200, 30


def table() -> bytes:
    """Return points of float32 around some centres, as a file of NumPy's."""
    rng = np.random.default_rng(0)
    points = 3 * rng.normal(size=(K, D))[rng.integers(K, size=N)] + rng.normal(size=(N, D))
    file = io.BytesIO()
    np.save(file, points.astype(np.float32))
    return file.getvalue()


def test_every_tab_has_its_content_for_many_rows_and_features(lab, picture):
    lab.take_table("wide.npy", table())
    lab.see(f"{N:,} points · {D} features")
    lab.room("Clusters")
    lab.see("The features of each cluster are listed here after a run")
    lab.choose("Solver", "K-means without constraints")
    lab.fill("Clusters k", str(K))
    lab.see(f"k = {K}")
    lab.run()
    lab.see("and 18 more: tab Clusters")  # of the legend

    clusters = lab.page.get_by_role("table", name="What marks the clusters")
    lab.wait_for(lambda: clusters.locator("tbody tr").count() == K)
    lab.see("by means of clusters")
    lab.see("And 140 more features in the files.")
    picture(lab.page, "clusters")
    lab.room("Inside the solver")
    lab.see("The k-means kinds have none")
    lab.room("Bounds")
    lab.page.get_by_role("figure", name="Bounds").wait_for()
    lab.room("Runs")
    lab.run_row("k-means").wait_for()
    assert lab.page.get_by_label("Filter runs").bounding_box()["height"] >= 24
    lab.room("Share")
    lab.page.get_by_role("button", name="Copy").first.wait_for()
    lab.room("Result")
    assert "Valid, not proved" in lab.card
