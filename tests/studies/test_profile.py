"""What marks the clusters, against pandas."""

import csv
import re

import numpy as np
import pandas as pd
import pytest

from ccviz.data.cells import CsvStyle
from ccviz.studies.profile import profile, profile_csv, profile_markdown

X = np.array([[0.0, 5.0, 1.0], [2.0, 5.0, 7.0], [10.0, 5.0, 2.0], [12.0, 5.0, 8.0], [14.0, 5.0, 3]])
LABELS = np.array([0, 0, 1, 1, 1])


def test_means_and_spreads_are_those_of_the_clusters():
    found = profile(X, LABELS, 2, ("a", "b|c", "d"))
    assert found.features == ("a", "d", "b|c")
    groups = pd.DataFrame(X[:, [0, 2, 1]]).groupby(LABELS)
    assert found.means == pytest.approx(groups.mean().to_numpy())
    assert found.spreads == pytest.approx(groups.std(ddof=0).to_numpy())
    assert found.sizes.tolist() == [2, 3]
    assert found.mean == pytest.approx(X[:, [0, 2, 1]].mean(axis=0))
    assert found.spread == pytest.approx(X[:, [0, 2, 1]].std(axis=0))


def test_separation_is_the_share_of_variance_between_clusters():
    found = profile(X, LABELS, 2, ("a", "b", "d"))
    within = ((X[:, 0] - np.array([1.0, 12.0])[LABELS]) ** 2).sum()
    assert found.separation[0] == pytest.approx(
        1 - within / ((X[:, 0] - X[:, 0].mean()) ** 2).sum()
    )
    assert found.separation[2] == 0  # constant
    assert profile(X, np.arange(5), 5, ("a", "b", "d")).separation[0] == 1


def test_an_empty_cluster_leaves_no_trace_in_the_separation():
    found = profile(X, LABELS, 3, ("a", "b", "d"))
    assert np.isnan(found.means[2]).all()
    assert found.separation == pytest.approx(profile(X, LABELS, 2, ("a", "b", "d")).separation)


def test_points_left_out_count_among_all_only():
    found = profile(X, np.array([0, 0, 1, 1, -1]), 2, ("a", "b", "d"))
    assert found.sizes.tolist() == [2, 2]
    assert found.mean[0] == pytest.approx(X[:, 0].mean())
    assert found.spread[0] == pytest.approx(X[:, 0].std())
    assert found.means[:, 0] == pytest.approx([1.0, 11.0])


def test_rounding_of_a_constant_separates_nothing():
    constant = np.full((30, 1), 0.1)
    assert profile(constant, np.arange(30) % 3, 3, ("a",)).separation.tolist() == [0.0]


def test_many_features_are_passed_over_by_rows():
    wide = np.random.default_rng(0).random((40, 50), np.float32)
    found = profile(wide, np.arange(40) % 4, 4, [f"x{j}" for j in range(50)])
    columns = [int(name[1:]) for name in found.features]
    groups = pd.DataFrame(wide[:, columns].astype(float)).groupby(np.arange(40) % 4)
    assert found.spreads == pytest.approx(groups.std(ddof=0).to_numpy())


def test_as_text():
    found = profile(X, LABELS, 2, ("a", "b|c", "d"))
    lines = profile_markdown(found).splitlines()
    assert lines[0] == "| feature | separation | all | cluster 0 | cluster 1 |"
    assert lines[2] == "| points |  | 5 | 2 | 3 |"
    assert lines[3].startswith("| a | 0.")
    assert "1 ± 1 | 12 ± 1.633 |" in lines[3]
    assert lines[5].startswith("| b\\|c |")
    head, sizes, first, *_ = csv.reader(profile_csv(found).splitlines())
    assert head[:4] == ["feature", "separation", "all mean", "all spread"]
    assert sizes[2::2] == ["5", "2", "3"]
    assert float(first[4]) == 1.0


def test_a_profile_of_many_clusters_fits_into_80_characters():
    X = np.random.default_rng(0).normal(1e3, 250.0, (200, 30))
    found = profile(X, np.arange(200) % 12, 12, [f"column {j}" for j in range(30)])
    text = profile_markdown(found)
    parts = [part.splitlines() for part in text.split("\n\n")]
    assert max(map(len, text.splitlines())) <= 80
    assert parts[0][0].startswith("| feature | separation | all | cluster 0 |")
    named = [word for part in parts for word in re.findall(r"cluster \d+", part[0])]
    assert named == [f"cluster {j}" for j in range(12)]
    assert {tuple(line.split(" | ")[0] for line in part[2:]) for part in parts} == {
        ("| points", *(f"| {name}" for name in found.features))
    }
    long = profile(X, np.arange(200) % 2, 2, ["a" * 90] * 30)  # one cluster a table at least
    assert profile_markdown(long).count("| points |") == 2


def test_a_profile_is_written_like_its_file():
    found = profile(X, LABELS, 3, ("a", "b", "d"))
    text = profile_csv(found, CsvStyle(";", comma=True))
    _, sizes, first, *_ = csv.reader(text.splitlines(), delimiter=";")
    assert sizes[2::2] == ["5", "2", "3", "0"]
    assert first[-2:] == ["", ""]
    assert float(first[1].replace(",", ".")) == found.separation[0]
    assert "nan" not in text
