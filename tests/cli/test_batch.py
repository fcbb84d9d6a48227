"""`ccviz batch`: many runs, a row each."""

import csv

from ccviz.runs.archive import Archive


def test_every_run_has_a_row_and_what_cannot_be_has_its_reason(ccviz, folder):
    (folder / "soft.txt").write_text("CL 0 1 2.0\n")
    (folder / "a.csv").write_text("x,y\n" + "".join(f"{i % 7},{i % 5}\n" for i in range(30)))
    done = ccviz("batch", "a.csv", "--solver", "bh-kmeans", "--solver", "blp-kmeans", "-k", "2-3",
                 "--seeds", 2, "--links", "soft.txt", "--scale", "range",
                 "--out", "runs.csv")  # fmt: skip
    assert done.code == 0
    assert "left out: blp-kmeans, k = 2: no soft links" in done.err
    with (folder / "runs.csv").open() as file:
        rows = list(csv.DictReader(file))
    asked = [[row[name] for name in ("solver", "k", "seed", "scaling", "links")] for row in rows]
    assert asked == [["bh-kmeans", k, seed, "range", "1"] for k in "23" for seed in "01"]
    assert len(done.out.splitlines()) == 1 + len(rows)
    with Archive() as archive:
        assert len(archive.runs()) == 4


def test_nothing_left_to_run_is_said(ccviz, folder):
    done = ccviz("batch", "iris", "--solver", "k-means", "-k", "151")
    assert done.code == 2
    assert "left out: k = 151" in done.err
    assert "nothing is left to run." in done.err


def test_each_set_of_links_has_its_runs(ccviz, folder):
    (folder / "all.txt").write_text("ML 0 1\n")
    (folder / "few.txt").write_text("CL 2 60\n")
    (folder / "no.txt").write_text("CL 0 1\n")
    done = ccviz("batch", "iris", "-k", "3", "--solver", "blp-kmeans", "--seeds", 2, "--links",
                 "all.txt", "--link-set", "few.txt", "--link-set", "no.txt")  # fmt: skip
    assert done.code == 0
    assert "left out: no.txt: k = 3: " in done.err
    rows = [line.split()[1:4] for line in done.out.splitlines()[1:]]
    assert rows == [["few.txt", "blp-kmeans", "3"]] * 2
    with Archive() as archive:
        problems = [archive.problem(info.id) for info in archive.runs()]
    assert [(len(each.must_link), len(each.cannot_link)) for each in problems] == [(1, 1)] * 2
