"""A map of areas: drawn at equal scale, filled by clusters, and taken home."""

import json

import numpy as np
import pytest

pytestmark = pytest.mark.browser

WIDE, HIGH = 9, 6


def town_map() -> bytes:
    """Return crooked areas near 60 degrees of latitude, with an income each."""
    rng = np.random.default_rng(3)
    x, y = np.meshgrid(np.arange(WIDE + 1.0), np.arange(HIGH + 1.0), indexing="ij")
    lon, lat = (10 + x * 0.4, 58 + y * 0.2) + rng.uniform(-0.06, 0.06, (2, WIDE + 1, HIGH + 1))
    features = []
    for i in range(WIDE):
        for j in range(HIGH):
            corners = [(i, j), (i + 1, j), (i + 1, j + 1), (i, j + 1), (i, j)]
            ring = [[float(lon[at]), float(lat[at])] for at in corners]
            income = round(20 + 2 * abs(i - 4) + 3 * (j > 2) + float(rng.normal()), 2)
            features.append({
                "type": "Feature", "properties": {"town": f"t{i}{j}", "income": income},
                "geometry": {"type": "Polygon", "coordinates": [ring]},
            })  # fmt: skip
    return json.dumps({"type": "FeatureCollection", "features": features}).encode()


def test_areas_have_the_colours_of_their_clusters_and_go_home(lab, picture):
    lab.take_table("towns.geojson", town_map())
    lab.see("towns · 54 points")
    lab.wait_for(lambda: len(lab.source("areas", "xs")["xs"]) == WIDE * HIGH)
    lab.rest()
    left, right, low, high = lab.ranges("scatter")
    frame = lab.page.evaluate(
        "() => { const p = Bokeh.documents[0].get_model_by_name('scatter');"
        " return [p.inner_width, p.inner_height] }"
    )
    across, up = (right - left) * np.cos(np.radians(58.6)) / frame[0], (high - low) / frame[1]
    assert across == pytest.approx(up, rel=0.01)
    lab.fill("Clusters k", "4")
    lab.see("k = 4")
    lab.press("More ways to link")
    field = lab.page.get_by_label("Neighbours", exact=True)
    field.fill("borders")
    field.press("Enter")
    lab.wait_for(lambda: len(lab.source("neighbors", "x0")["x0"]) > 90)
    lab.choose("Solver", "Regions")
    lab.press("Run")
    lab.page.get_by_role("button", name="Run", exact=True, disabled=False).wait_for()
    lab.wait_for(lambda: set(lab.labels()) == {0, 1, 2, 3})
    lab.wait_for(lambda: lab.source("areas", "xs")["label"] == lab.labels())
    picture(lab.page, "light")
    lab.room("Clusters")
    with lab.page.expect_download() as download:
        lab.press("Areas with clusters (GeoJSON)")
    assert download.value.suggested_filename == "towns-clusters.geojson"
    home = json.loads(download.value.path().read_text(encoding="utf-8"))["features"]
    assert [each["properties"]["cluster"] for each in home] == lab.labels()
    assert home[5]["geometry"] == json.loads(town_map())["features"][5]["geometry"]
