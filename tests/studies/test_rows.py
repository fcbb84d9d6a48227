"""How each point stands to its cluster, and the table that says it."""

import csv

import numpy as np
import pytest
from sklearn.metrics import silhouette_samples

from ccviz import Partition, Problem
from ccviz.data import read_table
from ccviz.studies import rows
from ccviz.studies.rows import rows_csv, scores_of

X = np.random.default_rng(0).normal(size=(40, 2))
LABELS = np.arange(40) % 3


def test_distances_and_silhouettes():
    partition = Partition(Problem(X, 3), LABELS)
    found = scores_of(partition)
    assert (found.distance**2).sum() == pytest.approx(partition.wcss)
    assert found.silhouette == pytest.approx(silhouette_samples(X, LABELS))
    assert not found.simplified


def test_many_points_are_compared_with_means(monkeypatch):
    monkeypatch.setattr(rows, "MOST_COMPARED", 3)
    spread = np.array([[0.0], [1.0], [10.0], [12.0], [50.0]])
    found = scores_of(Partition(Problem(spread, 3), [0, 0, 1, 1, 2]))
    assert found.simplified
    assert found.silhouette[0] == pytest.approx((11 - 0.5) / 11)
    assert found.silhouette[4] == 0


def test_some_points_are_compared_with_means_as_among_all(monkeypatch):
    monkeypatch.setattr(rows, "MOST_COMPARED", 3)
    far = X + 1e6  # squares are expanded near the points, not at zero
    partition = Partition(Problem(far, 4), np.where(LABELS == 2, 3, LABELS))
    whole, some = scores_of(partition), np.array([1, 5, 38])
    apart = np.linalg.norm(far[:, None] - partition.centers[[0, 1, 3]], axis=2)
    own = apart[np.arange(40), LABELS]
    apart[np.arange(40), LABELS] = np.inf
    other = apart.min(axis=1)
    assert whole.silhouette == pytest.approx((other - own) / np.maximum(own, other), abs=1e-6)
    found = scores_of(partition, some=some)
    assert found.silhouette.tolist() == whole.silhouette[some].tolist()
    assert found.distance.tolist() == whole.distance[some].tolist()


@pytest.mark.parametrize("labels", [[0, 0, 0], [0, 1, 2]])
def test_no_silhouettes_without_two_clusters_of_something(labels):
    assert not scores_of(Partition(Problem(X[:3], 3), labels)).silhouette.any()


def test_rows_keep_their_columns_and_say_where_they_stood():
    text = b"id,cluster,x\n7,a,1.5\n8,b,\n9,b,2.5\n10,b,9.5\n"
    data = read_table(text, missing="drop", label="")
    found = rows_csv(data, Partition(Problem(data.X, 2), [0, 0, 1]))
    head, *lines = csv.reader(found.splitlines())
    assert head == ["row", "id", "cluster", "x", "cluster (2)", "distance", "silhouette"]
    assert [line[:5] for line in lines] == [
        ["1", "7", "a", "1.5", "0"], ["3", "9", "b", "2.5", "0"], ["4", "10", "b", "9.5", "1"],
    ]  # fmt: skip


def test_names_of_clusters_are_a_column():
    data = read_table(b"x\n1\n2\n9\n")
    head, *lines = csv.reader(
        rows_csv(data, Partition(Problem(data.X, 2), [0, 0, 1]), {1: "far"}).splitlines()
    )
    assert head[:3] == ["x", "cluster", "cluster name"]
    assert [line[2] for line in lines] == ["", "", "far"]


def test_rows_come_back_in_the_form_of_their_file():
    text = (
        "Kunde;Größe;Umsatz;Käufe;Ort\n9007199254740993;1,5;1.234,25;12;Köln\n"
        "9007199254740995;2;;7;\n9007199254740997;9,25;80,5;3;Jülich\n"
    )
    data = read_table(text.encode("cp1252"), roles={"Kunde": "name", "Umsatz": "ignore"})
    labels = [0, 0, 1]
    found = rows_csv(data, Partition(Problem(data.X, 2), labels))
    head, *lines = found.splitlines()
    assert head == "\ufeffKunde;Größe;Umsatz;Käufe;Ort;cluster;distance;silhouette"
    assert lines[0].startswith("9007199254740993;1,5;1234,25;12;Köln;0;2,5124")
    assert lines[1].startswith("9007199254740995;2;;7;;0;2,5124")
    assert lines[2] == "9007199254740997;9,25;80,5;3;Jülich;1;0;0"
    assert "nan" not in found
    digits = [line.split(";")[-2].replace(",", "") for line in lines[:2]]
    assert digits == ["251247"] * 2
    again = read_table(found.encode(), columns=["Größe", "Käufe"])
    assert again.X.tolist() == data.X.tolist()
    assert again.style == data.style
