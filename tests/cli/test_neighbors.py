"""`--neighbors` and `--at`: every cluster is connected."""

import csv
import json
from itertools import pairwise

import pytest

from ccviz.runs.archive import Archive


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
    assert "lon would be the coordinates of neighbours, and none are asked for" in done.sentence


def test_files_that_are_no_text_are_refused(ccviz, folder):
    (folder / "a.bin").write_bytes(b"\xff\0\x81")
    for given in ("--neighbors=a.bin", "--fixed-centers=a.bin", "--rule=overlap(a.bin)<=9"):
        assert ccviz("solve", "iris", given).sentence == "a.bin: line 1 is not text."


@pytest.mark.slow
def test_elbow_and_batch_keep_neighbours(ccviz, folder):
    rows = "".join(f"{i},{i % 2},{i % 3}\n" for i in range(12))
    (folder / "areas.csv").write_text(f"lon,lat,value\n{rows}")
    near = ("--columns", "value", "--neighbors", "knn:2", "--at", "lon,lat")
    swept = ccviz("elbow", "areas.csv", "-k", "1-3", *near, "--bound-time", 2, "--out", "a.csv")
    assert swept.code == 0
    plain = ccviz("elbow", "areas.csv", "-k", "1-3", "--columns", "value", "--bound-time", 0)
    assert plain.code == 0
    with (folder / "a.csv").open() as file:
        costs = [float(row["objective"]) for row in csv.DictReader(file)]
    assert costs[2] > 0.0  # three clusters of equal values are not connected
    ran = ccviz("batch", "areas.csv", "--solver", "regions", "--solver", "k-means", "-k", 3, *near)
    assert ran.code == 0
    assert "left out: k-means, k = 3: " in ran.err
    with Archive() as archive:
        info, *_ = archive.runs()
        assert archive.problem(info.id).neighbors is not None
