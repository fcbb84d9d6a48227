"""Margins, prices, nearest clusterings, elbows and studies of noise, at the command line."""

import csv
import json

import pytest

from ccviz.runs.archive import Archive
from ccviz.runs.run import result_of


@pytest.fixture
def proved(ccviz, folder):
    (folder / "a.csv").write_text("x\n0\n1\n2\n5.4\n9\n10\n11\n")
    assert ccviz("solve", "a.csv", "-k", 2, "--solver", "sdp").code == 0


def test_the_point_between_comes_first(ccviz, folder, proved):
    done = ccviz("margins", "last", "--top", 1, "--rise", 20, "--out", "margins.csv")
    assert done.code == 0
    assert done.out.splitlines()[1].split()[0] == "3"
    assert "7 points proved to stay unless the cost rises by more than 20 %" in done.out
    with (folder / "margins.csv").open() as file:
        found = list(csv.DictReader(file))
    assert len(found) == 7
    assert all(float(row["lower"]) <= float(row["upper"]) for row in found)
    assert f"3: {found[0]['why']}" in done.out
    assert found[0]["why"].startswith("Cluster ")


def test_a_pair_has_a_margin_of_its_own(ccviz, proved):
    done = ccviz("margins", "last", "--pair", 0, 6)
    assert done.code == 0
    assert done.out.splitlines()[1].split()[:2] == ["0", "6"]
    assert ccviz("margins", "last", "--pair", 0, 6, "--out", "a.csv").code == 2


def test_why_says_what_a_result_says_and_names_features(ccviz, proved):
    said = ccviz("why", "last", 3, 0).out.splitlines()
    archive = Archive()
    result = result_of(archive.load(archive.find("last")))
    assert said == [result.why(3), result.why(0)]
    named = ccviz("why", "last", 3, 0, "--data", "a.csv").out.splitlines()
    assert [each.replace(" (x 100 %)", "") for each in named] == said
    assert ccviz("why", "last", 7).sentence == "'7' is no point: they are 0 to 6."
    assert "150 rows" in ccviz("why", "last", 3, "--data", "iris").sentence


def test_why_takes_names_of_rows(ccviz, folder):
    (folder / "class.csv").write_text("who,age\nAnna,9\nBert,8\nCarl,9\nDora,7\n")
    (folder / "wishes.csv").write_text("person,wish\nAnna,Carl\nBert,Anna\nAnna,Bert\n")
    given = ("-k", 2, "--columns", "", "--links", "wishes.csv")
    solved = ccviz("solve", "class.csv", *given, "--sizes", 2)
    assert "must-link Anna-Bert is given more than once; it" in solved.err
    assert "weight, 1. --links-repeated sum adds the weights up." in solved.err
    assert all("soft links kept 1 of 2" in " ".join(each.split())
               for each in (solved.out, ccviz("show", "last").out))  # fmt: skip
    said = ccviz("why", "last", "anna", 2, "--data", "class.csv", "--columns", "").out.splitlines()
    assert [line.partition(": ")[0] for line in said] == ["Anna", "Carl"]
    plain = ccviz("why", "last", 0).out
    assert "0 and 2 together would cost nothing more (0 and 3 change places)" in plain
    named = said[0].replace("Anna", "0").replace("Carl", "2").replace("Dora", "3")
    assert named == f"0: {plain.strip()}"
    asked = ("why", "last", "anna", "--with", "carl", "--data", "class.csv", "--columns", "")
    assert ccviz(*asked).out.startswith("Anna and Carl together would cost nothing more (Anna and")
    assert "'Anna' is no point" in ccviz("why", "last", "Anna").sentence
    assert "Give the same here, '' if" in ccviz("why", "last", 0, "--data", "class.csv").sentence


def test_the_commands_have_their_names_of_before_too(ccviz):
    listed = ccviz("--help").out
    for name, before in {"margins": "sure", "nearest": "stay", "noise-study": "sweep"}.items():
        assert f"\n  {name} " in listed
        assert f"\n  {before} " not in listed
        assert ccviz(before, "--help").code == 0


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


def test_all_links_of_a_source_have_a_price_together(ccviz, folder):
    (folder / "a.csv").write_text("id,x\n" + "".join(f"p{x},{x}\n" for x in (0, 1, 2, 9, 10, 11)))
    wrong = "ML p0 p10 # rule R\nML p1 p11 # rule R\nCL p0 p11 0.5 # rule S\n"
    (folder / "l.txt").write_text(f"{wrong}ML p9 p10\n")
    given = ("--name-column", "id", "--links", "l.txt", "--solver", "sdp")
    assert ccviz("solve", "a.csv", "-k", 2, *given, "--json", "a.json").code == 0
    whole = json.loads((folder / "a.json").read_text())["objective"]
    ask = ("prices", "last", "--links", "l.txt", "--out", "-", "--data", "a.csv")
    rows = {row.pop("source"): row for row in csv.DictReader(ccviz(*ask).out.splitlines())}
    assert {name: row["links"] for name, row in rows.items()} == {
        "rule R": "2", "rule S": "1", "l.txt": "1",
    }  # fmt: skip
    low, high = (float(rows["rule R"][each]) for each in ("at least", "at most"))
    assert low - 1e-6 <= whole - 4.0 <= high + 1e-6 < low + 1e-3 * whole
    assert float(rows["rule S"]["at most"]) <= 0.5
    assert "rule R" in ccviz(*ask[:4], "--estimate", "--data", "a.csv").out
    assert "does not name two points" in ccviz(*ask[:4]).err
    (folder / "l.txt").write_text("ML p0 p1")
    assert "the run has no must-link 0-1." in ccviz(*ask).err


def test_few_points_move(ccviz, folder):
    (folder / "a.csv").write_text("x\n0\n1\n2\n5.4\n9\n10\n11\n")
    (folder / "links.txt").write_text("CL 3 2\n")
    assert ccviz("solve", "a.csv", "-k", 2, "--solver", "sdp", "--name", "before").code == 0
    again = ccviz("solve", "a.csv", "-k", 2, "--links", "links.txt", "--solver", "sdp")
    assert again.code == 0
    done = ccviz("nearest", "last", "before", "--rise", 0, "--labels", "labels.csv")
    assert done.code == 0
    assert "1 point moved" in done.out
    assert "3: Moved 0 → 1. The cannot-link with 2 keeps it out of cluster" in done.out
    labels = [int(line) for line in (folder / "labels.csv").read_text().splitlines()]
    assert len(labels) == 7
    assert labels[3] == labels[4] != labels[2]


def test_few_rows_of_the_last_table_move_and_new_ones_are_placed(ccviz, folder):
    (folder / "may.csv").write_text("id,x\na,0\nb,1\nc,9\nd,10\ne,11\ngone,12\n")
    (folder / "june.csv").write_text("id,x\nd,10\nnew,2\nc,5.6\nb,1\na,0\ne,11\nnewer,5.8\n")
    words = ("-k", 2, "--solver", "sdp")
    assert ccviz("solve", "may.csv", *words, "--table", "groups.csv").code == 0
    assert ccviz("solve", "june.csv", *words).code == 0
    near = ("nearest", "last", "groups.csv")
    assert ccviz(*near).sentence.endswith("the names of the run's rows: give --data too.")
    before = ccviz("runs").out.splitlines()[2].split()[0]
    sentence = ccviz("nearest", "last", before).sentence
    assert sentence.startswith(f"the run {before} has 6 rows, and this one 7: name the table")
    assert ccviz(*near, "--data", "iris").sentence == "iris has 150 rows, and the run 7 rows."
    lines = (folder / "june.csv").read_text().splitlines()
    (folder / "mixed.csv").write_text("\n".join([lines[0], *reversed(lines[1:])]) + "\n")
    assert "other values than the rows" in ccviz(*near, "--data", "mixed.csv").sentence
    done = ccviz(*near, "--data", "june.csv", "--most", 0, "--table", "next.csv")
    assert done.code == 0
    assert "of groups.csv, rows are gone: gone." in done.err
    assert done.out.startswith("0 points moved, 2 are new, ")
    assert "above the optimum" in done.out
    before, after = (
        {row["id"]: row["cluster"] for row in csv.DictReader((folder / name).open())}
        for name in ("groups.csv", "next.csv")
    )
    rows = [*csv.DictReader((folder / "next.csv").open())]
    assert {row["id"]: row["earlier"] for row in rows} == {
        row["id"]: before.get(row["id"], "") for row in rows
    }
    assert all(after[name] == before[name] for name in set(before) & set(after))
    assert after["new"] == before["a"]
    done = ccviz(*near, "--data", "june.csv", "--rise", 1000)
    assert done.code == 0
    assert done.out.startswith("0 points moved")


def test_writes_rows_and_plots_and_goes_on(ccviz, folder):
    words = ("noise-study", "iris", "--out", "sweep.csv", "--noise", "0,0.2", "-p", "0,0.2")
    first = ccviz(*words, "--seeds", "1", "--plot", "sweep.html")
    assert first.code == 0
    assert "good at every noise rate" in first.out
    assert "runs: 4, rows in the file before: 0." in first.err
    before = (folder / "sweep.csv").read_text()
    assert len(before.splitlines()) == 5
    assert "<html" in (folder / "sweep.html").read_text()
    again = ccviz(*words, "--seeds", "1")
    assert again.out == first.out
    assert (folder / "sweep.csv").read_text() == before


def test_a_sweep(ccviz, folder):
    (folder / "links.txt").write_text("CL 0 1\nCL 1 2\nCL 0 2\n")
    rows = [(x + i / 50, x - i / 70) for i in range(8) for x in (0, 10, 30)]
    (folder / "a.csv").write_text("x,y\n" + "".join(f"{x:.3f},{y:.3f}\n" for x, y in rows))
    done = ccviz("elbow", "a.csv", "-k", "2-5", "--links", "links.txt",
                 "--bound-time", 1, "--out", "elbow.csv")  # fmt: skip
    assert done.code == 0
    assert "cannot be kept" in done.out
    assert "Silhouette: k = 3." in done.out
    assert "almost alone" not in done.out
    with (folder / "elbow.csv").open() as file:
        found = list(csv.DictReader(file))
    assert [row["k"] for row in found] == ["2", "3", "4", "5"]
    assert found[0]["status"] == "infeasible"
    assert all(float(row["lower_bound"]) <= float(row["objective"]) for row in found[1:])


def test_an_elbow_says_which_feature_decides_alone(ccviz, folder):
    (folder / "a.csv").write_text("x,money\n" + "".join(f"{i % 3},{900 * i}\n" for i in range(9)))
    quick = ("elbow", "a.csv", "-k", "1-3", "--bound-time", 0, "--references", 0)
    assert "money has 100.00 % of the variance of all 2 features" in ccviz(*quick).out
    assert "almost alone" not in ccviz(*quick, "--scale", "standard").out


def test_an_elbow_says_each_clustering_and_ends_at_its_limit(ccviz):
    done = ccviz("elbow", "iris", "-k", "2-4", "--bound-time", 0, "--references", 0)
    assert done.err.splitlines()[-3].startswith("ccviz: k = 2: objective 152.3")
    short = ccviz("elbow", "iris", "-k", "2-150", "--time-limit", 0.2)
    assert "ccviz: the time limit was reached before k = " in short.err
    assert len(short.out.splitlines()) < 60


def test_an_elbow_has_the_numbers_that_sizes_allow(ccviz):
    sizes = ("--sizes", "50-60", "--bound-time", 0, "--references", 0)
    rows = ccviz("elbow", "iris", "-k", "2-4", *sizes).out.splitlines()
    assert [row.split()[-1] for row in rows[1:4]] == ["kept", "kept", "kept"]
    assert [row.split()[1] == "–" for row in rows[1:4]] == [True, False, True]
