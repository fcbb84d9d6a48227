"""Every solver through every form in which `ccviz solve` writes a result."""

import csv
import json

import numpy as np
import pandas as pd
import pytest

from ccviz.problem.rules import RULE_KINDS
from ccviz.solvers import SOLVERS, solver_class
from tests.data.customers import VARIANTS, customer_file, customers

QUICK = {
    "dils": ["--param", "generations=20"],
    "hg-means": ["--param", "generations=3"],
    "s-mdeclust": ["--param", "generations=3"],
}
NUMBERS = {"objective", "lower_bound", "gap", "wcss", "penalty", "time_s"}


@pytest.mark.parametrize("solver", [solver.name for solver in SOLVERS])
def test_every_solver_writes_every_format(ccviz, folder, solver):
    rows = np.random.default_rng(3).normal(size=(9, 2)).tolist()
    (folder / "data.csv").write_text("".join(f"{x},{y}\n" for x, y in rows))
    supports = solver_class(solver).supports
    soft = " 2.5" if supports.soft and not supports.hard else ""
    # Who takes links as hints only may break them, and then has no clustering.
    linked = supports.hard or supports.soft
    (folder / "links.txt").write_text(f"ML 0 1{soft}\nCL 2 3{soft}\n" if linked else "")
    done = ccviz("solve", "data.csv", "-k", 3, "--links", "links.txt", "--solver", solver,
                 "--json", "a.json", "--labels", "a.txt", "--table", "a.csv", "--profile", "p.md",
                 "--report", "a.html", *QUICK.get(solver, []))  # fmt: skip
    assert (done.code, done.err) == (0, "")
    result = json.loads((folder / "a.json").read_text())
    assert all(isinstance(result[name], float | int | None) for name in NUMBERS)
    assert result["labels"] == [int(line) for line in (folder / "a.txt").read_text().split()]
    head, *rows = csv.reader((folder / "a.csv").read_text().splitlines())
    columns = ["x0", "x1", "cluster", "distance", "silhouette"]
    assert head == [*columns, *["links kept", "links broken"] * bool(soft), "why"]
    assert result["labels"] == [int(row[2]) for row in rows]
    assert (folder / "p.md").read_text().startswith("| feature | separation | all | cluster 0 |")
    assert (folder / "a.html").read_text().rstrip().endswith("</html>")


@pytest.mark.parametrize("variant", VARIANTS)
def test_every_kind_of_table_reaches_its_rows_and_a_profile(ccviz, folder, variant):
    if variant == "excel":
        pytest.importorskip("openpyxl")
    name, content = customer_file(variant)
    (folder / name).write_bytes(content)
    done = ccviz("solve", name, "-k", 4, "--solver", "blp-kmeans", "--scale", "standard",
                 "--missing", "drop", "--no-archive", "--table", "rows.csv",
                 "--profile", "profile.csv")  # fmt: skip
    assert done.code == 0
    style = {"sep": ";", "decimal": ","} if variant == "decimal commas" else {}
    rows = pd.read_csv(folder / "rows.csv", **style)
    profile = pd.read_csv(folder / "profile.csv", **style)
    assert len(profile) == 13
    assert profile["separation"].dropna().is_monotonic_decreasing
    expected = customers(blanks=180 if "blanks" in variant else 0)
    if "blanks" in variant:
        expected = expected.dropna()
        assert rows["row"].tolist() == [i + 1 for i in expected.index]
    if variant != "no id":
        assert rows["customer_id"].tolist() == expected["customer_id"].tolist()
    if variant != "text in every row":
        assert rows["city"].tolist() == expected["city"].tolist()
    assert rows["spent_3"].to_numpy() == pytest.approx(expected["spent_3"].to_numpy())
    assert set(rows["cluster"]) == {0, 1, 2, 3}
    assert rows["silhouette"].mean() > 0.5


def test_stdout_takes_one_of_them_in_place_of_the_summary(ccviz):
    done = ccviz("solve", "iris", "--solver", "k-means", "--no-archive", "--table", "-")
    assert done.out.startswith("sepal length (cm),")
    assert len(done.out.splitlines()) == 151


def test_a_report_escapes_what_comes_from_the_data(ccviz, folder):
    text = "<script>x</script>,name\n" + "".join(f"{i / 7},<b>{i}\n" for i in range(9))
    (folder / "a.csv").write_text(text)
    assert ccviz("solve", "a.csv", "-k", 2, "--report", "a.html", "--no-archive").code == 0
    report = (folder / "a.html").read_text()
    assert "<script" not in report
    assert "&lt;script&gt;" in report


@pytest.mark.parametrize("option", ["--labels", "--report"])
def test_a_link_to_itself_cannot_be_written(ccviz, folder, option):
    (folder / "data.csv").write_text("1\n2\n9\n")
    (folder / "loop").symlink_to(folder / "loop")
    done = ccviz("solve", "data.csv", "-k", 2, option, "loop")
    assert done.code == 2
    assert "loop cannot be written." in done.err


def test_rules_and_the_price_of_constraints(ccviz, folder):
    listed = ccviz("rules").out
    assert all(kind.text in listed for kind in RULE_KINDS.values())
    (folder / "four.csv").write_text("x\n-1\n0.99\n1\n1.01\n")
    done = ccviz("solve", "four.csv", "-k", 2, "--sizes", "equal")
    assert "at most 0.0002; the constraints cost at least 1.9799" in done.out
    assert "this was one start" not in done.err
    rows = "".join(f"{i * i % 97},{i * 37 % 101},{i % 7}\n" for i in range(600))
    (folder / "many.csv").write_text(f"x,y,z\n{rows}")
    many = ccviz("solve", "many.csv", "-k", 12, "--columns", "x,y,z")
    assert many.err.endswith("--solver blp-kmeans --param n_init=10.\n")
    (folder / "c.csv").write_text("y,x\n5,0\n1,9\n")
    (folder / "d.csv").write_text("x,y\n0,5\n1,5\n9,1\n")
    given = ccviz("solve", "d.csv", "-k", 2, "--fixed-centers", "c.csv").out
    assert float(given.split("objective")[1].split()[0]) == pytest.approx(1.0, rel=1e-5)
    assert given.split("blocks")[1].split()[0] == "3"
    assert "without constraints" not in ccviz("solve", "four.csv", "--k", 2).out
