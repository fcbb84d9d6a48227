"""`ccviz prices`: a line a link, the highest price first."""

import csv


def test_the_wrong_link_comes_first(ccviz, folder):
    rows = [(x + i / 50, x - i / 70) for i in range(6) for x in (0, 10, 30)]
    (folder / "a.csv").write_text("x,y\n" + "".join(f"{x:.3f},{y:.3f}\n" for x, y in rows))
    (folder / "links.txt").write_text("ML 0 3\nML 3 6\nML 0 6\nCL 0 1\nML 4 5\n")
    assert ccviz("solve", "a.csv", "-k", 3, "--links", "links.txt", "--solver", "sdp").code == 0
    done = ccviz("prices", "last", "--top", 1, "--out", "prices.csv")
    assert done.code == 0
    assert done.out.splitlines()[1].split()[:3] == ["must", "4", "5"]
    assert "and 4 links more" in done.out
    with (folder / "prices.csv").open() as file:
        found = list(csv.DictReader(file))
    assert [row["note"] for row in found].count("implied by others") == 3
    assert all(float(row["lower"]) <= float(row["upper"]) for row in found)
    quick = ccviz("prices", "last", "--estimate")
    assert quick.code == 0
    assert quick.out.splitlines()[1].split()[:3] == ["must", "4", "5"]


def test_a_run_without_a_bound_has_no_prices(ccviz):
    assert ccviz("solve", "iris", "--solver", "k-means").code == 0
    done = ccviz("prices", "last")
    assert done.code == 2
    assert "run an exact solver first" in done.sentence
