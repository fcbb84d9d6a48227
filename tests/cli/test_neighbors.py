"""`--neighbors` and `--at`: every cluster is connected."""

import json
from itertools import pairwise


def test_clusters_are_connected_by_named_columns(ccviz, folder):
    rows = [f"{lon},0,{value}" for lon, value in enumerate([0.0, 9.0, 0.1, 9.1, 0.2])]
    (folder / "areas.csv").write_text("\n".join(["lon,lat,value", *rows]))
    done = ccviz("solve", "areas.csv", "-k", 2, "--solver", "sdp", "--columns", "value",
                 "--neighbors", "radius:1", "--at", "lon,lat", "--json", "a.json")  # fmt: skip
    assert done.code == 0, done.err
    labels = json.loads((folder / "a.json").read_text())["labels"]
    assert sum(a != b for a, b in pairwise(labels)) == 1


def test_coordinates_without_neighbours_are_refused(ccviz, folder):
    (folder / "areas.csv").write_text("lon,value\n0,1\n1,2\n2,3\n")
    done = ccviz("solve", "areas.csv", "-k", 2, "--at", "lon")
    assert "--neighbors, which is not given" in done.sentence
