"""The page that sets every cell of the papers beside ours."""

import csv
import re
import sys
from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest

from ccviz import Problem
from ccviz.data.datasets import Dataset
from ccviz.studies.suite import instances

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "papers.md").read_text(encoding="utf-8")
EXPLAINED = set(re.findall(r"^- \*(\w)\*: ", PAGE, flags=re.MULTILINE))


def rows():
    """Return the cells of each line of each table, its header left out."""
    lines = PAGE.splitlines()
    for before, line in zip(["", *lines], lines, strict=False):
        if line.startswith("|") and not line.startswith("|---") and before.startswith("|"):
            yield [cell.strip() for cell in line.strip("|").split("|")]


def test_no_cell_is_empty_without_its_reason():
    found = list(rows())
    assert len(found) > 300
    for cells in found:
        assert all(cells), cells
        assert set(re.findall(r"\*(\w)\*", " ".join(cells))) <= EXPLAINED


def test_data_that_are_said_to_be_missing_have_no_loader(benchmarks, bench):
    """A cell whose reason is *h* is of a set that no script of ours can read."""
    from _keel import SOURCES
    from papers_memetic import LARGE
    from papers_soft import SETS

    missing = {cells[0] for cells in rows() if "*h*" in " ".join(cells)} - {"ECG5000"}
    made = {name for name in missing if re.fullmatch(r"(n = )?\d+(, k = \d+)?", name)}
    assert missing - made == {"Soybean", "gene", "Mnist", "Cifar10", "Hepatitis1"}
    exact = {file.stem for file in (bench / "pc-sos-sdp" / "data").iterdir()}
    assert not missing & {*SOURCES, *SETS, *exact, *LARGE, *map(str.title, LARGE)}


def test_points_in_the_plane_that_are_said_to_be_missing_are_not_there(bench):
    """Of made sets *h* says that a file of links is missing, and no figure that it is there."""
    header, seen = [], 0
    for line in PAGE.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if cells[:2] == ["set", "100"]:
            header = cells
        if found := re.fullmatch(r"n = (\d+), k = (\d+)", cells[0]):
            for count, cell in zip(header[1:], cells[1:], strict=True):
                file = f"n{found[1]}_k{found[2]}_c{count}.json"
                assert ("*h*" in cell) != (bench / "s-mdeclust" / file).exists(), (file, cell)
                seen += 1
    assert seen == 126


def test_a_row_without_any_answer_has_only_runs_that_diverged():
    (part,) = re.findall(
        r"^### What the final descent adds.*?(?=^## )", PAGE, re.MULTILINE | re.DOTALL
    )
    none = [line.split("|")[4:6] for line in part.splitlines() if "*n*" in line]
    assert none
    assert all(int(runs) == int(diverged) for runs, diverged in none)
    assert len(re.findall(r"^\|.*\*n\*", PAGE, re.MULTILINE)) == len(none)


def test_classes_that_are_said_to_be_missing_are_not_there(bench):
    (part,) = re.findall(r"^### Tables 9 to 11.*?(?=^## )", PAGE, re.MULTILINE | re.DOTALL)
    named = set(re.findall(r"^\| (\w+) \|.*\*h\*", part, re.MULTILINE))
    assert named == {"ECG5000", "gene"}
    assert not named & {file.stem for file in (bench / "pc-sos-sdp" / "labels").iterdir()}
    elsewhere = PAGE.replace(part, "")
    assert not re.search(r"^\| ECG5000 \|.*\*h\*", elsewhere, re.MULTILINE)


def test_links_of_two_classes_settle_them(benchmarks, bench):
    from papers_exact import classes, two_classes

    points = np.zeros((4, 1))
    links = Problem(points, 2, [(0, 1)], [(1, 2)]), Problem(points, 2, [(2, 3)])
    assert two_classes(links).tolist() in ([0, 0, 1, 1], [1, 1, 0, 0])
    with pytest.raises(ValueError, match="do not settle"):
        two_classes(links[:1])
    folder = bench / "pc-sos-sdp"
    sonar = classes("connectionist", folder)
    found = two_classes(each.problem() for each in instances(folder, "connectionist/*"))
    assert np.array_equal(found, sonar) or np.array_equal(found, 1 - sonar)


def test_the_authors_links_bring_their_figures(benchmarks, bench):
    """Rows in another order than that of the links would lower the ARI and raise the WCSS."""
    from _tables_soft import by_cell

    with (bench / "bh-kmeans" / "published.csv").open(newline="") as file:
        printed = [row for row in csv.DictReader(file) if row["dataset"] in {"Iris", "Wine"}]
    assert len(printed) == 8
    for row in printed:
        own = by_cell("bh-kmeans")[row["dataset"], row["fraction_pct"]]
        assert {each["links"] for each in own} == {"authors"}
        for name, room in (("ari", 0.02), ("wcss", 0.5)):
            mean = np.mean([float(each[name]) for each in own])
            assert mean == pytest.approx(float(row[f"{name}_bh"]), abs=room)


def test_every_table_of_the_papers_has_its_place():
    asked = {
        "Piccialli": [
            "Tables 2 to 4", "Tables 5 to 7", "Table 8 and figure 4", "Tables 9 to 11",
        ],
        r"Baumann and Hochbaum \(2022": ["Table 2", "Table 3", "Tables 4 and 5", "Figures 1 and 2"],
        "Babaki": ["Tables 6 and 7", "Figure 1", "Table 8"],
        "Bibi": [
            "Table 2", "Tables 4 and 5", "Table 3", "Table 6", "Figure 2", "Figure 3",
            "What the final descent adds",
        ],
        "Mansueto": ["Figure 2", "Table 1", "Table 2", "Figure 3", "Table 3", "Table 4", "Gene"],
    }  # fmt: skip
    for author, tables in asked.items():
        (part,) = re.findall(rf"^## {author}.*?(?=^## |\Z)", PAGE, flags=re.MULTILINE | re.DOTALL)
        assert [title for title in tables if f"### {title}" not in part] == []


def test_what_takes_too_long_is_said_in_runs_and_seconds():
    """A table with cells that were not measured says beneath what they would take."""
    for part in re.split(r"^#+ ", PAGE, flags=re.MULTILINE)[2:]:
        if re.search(r"^\|.*\*t\*", part, flags=re.MULTILINE):
            assert re.search(r"goes on\s+with \d+ runs, of up to \d+ CPU s each", part), part[:60]


def test_the_page_is_made_from_the_tables(benchmarks, bench):
    """Its printed columns of soft links stand in the bench folder only."""
    import papers_page

    assert papers_page.page(bench) == PAGE


@pytest.fixture
def benchmarks(monkeypatch):
    monkeypatch.setattr(sys, "path", [str(ROOT / "benchmarks"), *sys.path])


def test_points_that_come_one_by_one_keep_the_links_to_those_before(benchmarks):
    from papers_cop import assign, both_ways

    nearest = [[0, 1], [0, 1], [0, 1]]
    assert assign(nearest, both_ways([(1, 2)], 3), both_ways([(0, 1)], 3)) == [0, 1, 1]
    assert assign(nearest, both_ways([(0, 2)], 3), both_ways([(0, 1), (1, 2)], 3)) == [0, 1, 0]
    assert assign(nearest, both_ways([], 3), both_ways([(0, 1), (0, 2), (1, 2)], 3)) == []


def test_branch_and_cut_is_printed_of_every_set_we_have(benchmarks):
    """The printed means of five files are not below what ours, three of these, allow."""
    from printed import BRANCH_AND_CUT

    with (ROOT / "benchmarks" / "results" / "sdp_published.csv").open(newline="") as file:
        own = list(csv.DictReader(file))
    for row in own:
        kind = "ML" if row["cl"] == "0" else "CL" if row["ml"] == "0" else "both"
        printed = BRANCH_AND_CUT[kind, row["dataset"], int(row["ml"]) + int(row["cl"])]
        _, _, nodes, seconds, _ = printed
        assert 5 * nodes >= float(row["published_nodes"])
        assert 5 * seconds >= float(row["published_time_s"]) - 2.5


def test_monk2_is_the_papers(benchmarks):
    from papers_soft import monk2
    from soft_published import within

    data = monk2()
    assert data.X.shape == (432, 6)
    assert within(data) == pytest.approx(2384.29, abs=0.005)


def test_the_gene_data_has_its_shape(benchmarks, monkeypatch):
    import gene

    monkeypatch.setattr(gene, "GENES", 500)
    X, truth = gene.gene_like(seed=1)
    assert X.shape == (801, 500)
    assert np.bincount(truth).tolist() == [300, 146, 141, 136, 78]
    assert X.min() == 0.0
    assert 0.1 < (X == 0).mean() < 0.3


def test_what_holds_lp_box_is_its_table():
    page = (ROOT / "docs" / "mathematics.md").read_text(encoding="utf-8")
    with (ROOT / "benchmarks" / "results" / "lp_box_holds.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    for rho in ("0.1", "0.5", "2.0", "10.0", "20.0"):
        (line,) = re.findall(rf"^\| {float(rho):g} \|(.*)\|$", page, flags=re.MULTILINE)
        cells = [cell.strip() for cell in line.split("|")]
        for way, at in (("printed", 0), ("box", 3)):
            own = [row for row in rows if (row["rho"], row["way"]) == (rho, way)]
            lost = sum(row["diverged"] == "True" for row in own)
            assert cells[at] == f"{lost} of {len(own)}"
            if lost == 0:
                ari = np.mean([float(row["ari"]) for row in own])
                assert float(cells[2 if way == "printed" else 4]) == pytest.approx(ari, abs=0.006)


@pytest.mark.parametrize(
    ("collection", "name", "percent", "inertia", "links"),
    [("COL2", "n300-k10-s20", "15", 19.3, (89, 946)), ("COL3", "n500-k5", "5", 34.4, (56, 244))],
)
def test_blobs_and_links_are_those_of_pccc(benchmarks, collection, name, percent, inertia, links):
    from _pccc_data import Cell, points_of, problem_of
    from soft_published import within

    data = points_of(name)
    made = problem_of(Cell(collection, name, percent), data, draw=0)
    assert within(data) == pytest.approx(inertia, abs=0.05)
    assert (len(made.must_link), len(made.cannot_link)) == links


def test_noisy_links_of_full_confidence_agree_with_the_classes(benchmarks):
    from _pccc_data import Cell, problem_of

    data = Dataset("Moons", np.random.default_rng(0).normal(size=(60, 2)), (), np.arange(60) % 3)
    sure = problem_of(Cell("noisy", "Moons", "20", "1"), data, draw=0)
    unsure = problem_of(Cell("noisy", "Moons", "20", "0.5"), data, draw=0)
    assert all(data.truth[i] == data.truth[j] for i, j in sure.must_link.pairs)
    assert set(sure.cannot_link.weights) == {1.0}
    assert any(data.truth[i] != data.truth[j] for i, j in unsure.must_link.pairs)


def test_a_mean_is_best_or_within_two_standard_errors_or_below(benchmarks):
    from _pccc_page import verdict

    assert verdict(0.4996, None, 0.5) == "best"
    assert verdict(0.49, 0.005, 0.5) == "within two standard errors"
    assert verdict(0.48, 0.005, 0.5) == "below"
    assert verdict(0.499, None, 0.5) == "below"


def test_one_printed_draw_varies_as_ours_do(benchmarks):
    """The standard error of a difference has the deviation of one draw and that of our mean."""
    from _pccc_data import cells_of
    from _pccc_page import deviations, overview_row

    assert deviations([0.1, 0.3]) == pytest.approx((0.02**0.5, 0.1))
    names = [cell for cell in cells_of("COL1") if cell.percent == "5"]
    printed = {("ARI", cell, "PCCC-R"): 0.4 for cell in names}
    own = {
        (cell, "s-mdeclust"): [{"ari": ari, "cpu_s": "1"} for ari in ("0.1", "0.3")]
        for cell in names
    }
    line = overview_row("COL1", "5", printed, defaultdict(list, own))
    assert line[6:11] == ["0.200", 2, "0.141", "0.100", "-0.200 ± 0.173"]
    assert line[12] == "within two standard errors"
