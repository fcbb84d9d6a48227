"""`ccviz bench` and the suite behind it."""

import csv

import numpy as np
import pytest

from ccviz.studies.suite import COLUMNS, instances

PUBLISHED = "dataset,k,ml,cl,seed,f,time_s\ntoy,2,1,0,0,3.5,60\ntoy,2,1,0,1,2.5,50\n"


@pytest.fixture
def suite(folder):
    (folder / "suite" / "data").mkdir(parents=True)
    (folder / "suite" / "constraints" / "toy").mkdir(parents=True)
    rows = np.random.default_rng(0).normal(size=(12, 2))
    text = "12 2 2\n" + "".join(f"{x} {y}\n" for x, y in rows)
    (folder / "suite" / "data" / "toy.txt").write_text(text)
    for seed in range(3):
        path = folder / "suite" / "constraints" / "toy" / f"ml_1_cl_0_{seed}.txt"
        path.write_text(f"ML 0 {seed + 1}\n")
    (folder / "suite" / "published.csv").write_text(PUBLISHED)
    return folder / "suite"


def rows(folder):
    with (folder / "out.csv").open(newline="") as file:
        return list(csv.DictReader(file))


def test_a_row_for_every_instance(ccviz, suite, folder):
    done = ccviz("bench", suite, "--solver", "sdp", "--out", "out.csv")
    assert done.code == 0
    table = rows(folder)
    assert tuple(table[0]) == COLUMNS
    assert [row["seed"] for row in table] == ["0", "1", "2"]
    first, _, last = table
    assert (first["dataset"], first["ml"], first["cl"], first["status"]) == (
        "toy", "1", "0", "optimal",
    )  # fmt: skip
    assert (first["published_f"], first["published_time_s"]) == ("3.5", "60")
    assert (last["published_f"], last["published_time_s"]) == ("", "")
    assert float(first["lower_bound"]) <= float(first["objective"])
    assert 0 <= float(first["root_gap"]) < 1
    assert 0 < float(first["root_time_s"]) <= float(first["time_s"])
    assert len(done.out.splitlines()) == 3


def test_it_goes_on_where_it_stopped(ccviz, suite, folder):
    ccviz("bench", suite, "--out", "out.csv", "--filter", "toy/*_1")
    assert [row["seed"] for row in rows(folder)] == ["1"]
    before = (folder / "out.csv").read_text()
    with (folder / "out.csv").open("a") as file:
        file.write("toy,1,0,2,3.4")  # killed in the middle of a row
    done = ccviz("bench", suite, "--out", "out.csv")
    assert (folder / "out.csv").read_text().startswith(before)
    assert [row["seed"] for row in rows(folder)] == ["1", "0", "2"]
    assert "3 instances, 1 done before" in done.err
    ccviz("bench", suite, "--out", "out.csv", "--solver", "cop-kmeans")
    assert len(rows(folder)) == 6


def test_a_row_of_a_heuristic_has_no_root(ccviz, suite, folder):
    ccviz("bench", suite, "--out", "out.csv")
    assert rows(folder)[0]["root_gap"] == rows(folder)[0]["lower_bound"] == ""


def test_filter_and_order(suite):
    assert [each.name for each in instances(suite, "*_[02]")] == [
        "toy/ml_1_cl_0_0",
        "toy/ml_1_cl_0_2",
    ]


@pytest.mark.parametrize(
    ("prepare", "sentence"),
    [
        (lambda suite: (suite / "published.csv").write_text("dataset,ml\ntoy,x\n"), "line 2"),
        (
            lambda suite: (suite / "data" / "toy.txt").write_text("12 2 2\n1 2\n"),
            "12 points, but 1",
        ),
        (
            lambda suite: [path.unlink() for path in suite.glob("constraints/toy/*")],
            "has no instances",
        ),
        (lambda suite: (suite.parent / "out.csv").write_text("a,b\n1,2\n"), "other columns"),
        (lambda suite: (suite.parent / "out.csv").mkdir(), "out.csv cannot be used"),
    ],
)
def test_bad_input_is_one_sentence(ccviz, suite, prepare, sentence):
    prepare(suite)
    done = ccviz("bench", suite, "--out", "out.csv")
    assert done.code == 2
    assert sentence in done.err.splitlines()[-1]


def test_the_published_suite_is_read(bench):
    every = instances(bench / "pc-sos-sdp")
    known = [each for each in every if each.published_f == each.published_f]
    assert len(known) == 198
    first = instances(bench / "pc-sos-sdp", "wine/ml_50_cl_50_0")[0]
    assert first.problem().n == 178
    assert first.published_f == 3565530
