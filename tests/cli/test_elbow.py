"""`ccviz elbow`: a line a k, and what follows."""

import csv

import pytest


def test_a_sweep(ccviz, folder):
    (folder / "links.txt").write_text("CL 0 1\nCL 1 2\nCL 0 2\n")
    rows = [(x + i / 50, x - i / 70) for i in range(8) for x in (0, 10, 30)]
    (folder / "a.csv").write_text("x,y\n" + "".join(f"{x:.3f},{y:.3f}\n" for x, y in rows))
    done = ccviz("elbow", "a.csv", "-k", "2-5", "--links", "links.txt",
                 "--bound-time", 1, "--out", "elbow.csv")  # fmt: skip
    assert done.code == 0
    assert "cannot be kept" in done.out
    assert "Silhouette: k = 3." in done.out
    with (folder / "elbow.csv").open() as file:
        found = list(csv.DictReader(file))
    assert [row["k"] for row in found] == ["2", "3", "4", "5"]
    assert found[0]["status"] == "infeasible"
    assert all(float(row["lower_bound"]) <= float(row["objective"]) for row in found[1:])


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("iris -k 5-2", "-k 5-2 is no range A-B of numbers from 1."),
        ("iris -k few", "-k few is no range"),
        ("iris -k 149-151", "k = 151 clusters are more than the 150 points."),
        ("iris --out .", ". cannot be written."),
    ],
)
def test_bad_input_is_one_sentence(ccviz, words, sentence):
    done = ccviz("elbow", *words.split())
    assert done.code == 2
    assert done.sentence.startswith(sentence)
