"""`ccviz solve`: results, exit codes, and a sentence for everything that cannot be solved."""

import csv
import json
import re
import signal
import subprocess
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from ccviz import Partition, Problem
from ccviz.cli.reading import choose_solver
from ccviz.data.datasets import load
from ccviz.data.link_files import links_text
from ccviz.data.random_links import random_pairs
from tests.patience import PATIENCE_S, wait_until

FIELDS = {
    "solver", "status", "termination", "objective", "lower_bound", "gap", "labels", "violations",
    "n", "k", "n_blocks", "nodes", "time_s", "seed", "scores",
}  # fmt: skip


def write(folder, name, text):
    (folder / name).write_text(text)
    return name


def test_a_feasible_clustering(ccviz, folder):
    links = write(folder, "links.txt", "ML 0 1\nCL 0 2\nCL 70 120\n")
    done = ccviz("solve", "iris", "-k", 3, "--links", links, "--json", "a.json",
                 "--labels", "a.txt", "--seed", 4, "--solver", "blp-kmeans",
                 "--param", "n_init=3")  # fmt: skip
    assert done.code == 0
    assert done.err == ""
    assert "feasible (converged)" in done.out
    result = json.loads((folder / "a.json").read_text())
    assert result.keys() >= FIELDS
    assert result["violations"] == {"must_link": 0, "cannot_link": 0, "hard": 0, "sizes": 0}
    assert (result["n"], result["k"], result["seed"], result["n_blocks"]) == (150, 3, 4, 149)
    assert result["lower_bound"] is None
    assert result["gap"] is None
    assert set(result["scores"]) == {"ari", "ami", "nmi", "mirkin", "hubert"}
    labels = [int(line) for line in (folder / "a.txt").read_text().split()]
    assert labels == result["labels"]
    partition = Partition(Problem(load("iris").X, 3), labels)
    assert result["objective"] == pytest.approx(partition.wcss)


@pytest.mark.slow
def test_without_a_name_the_solver_that_suits_is_taken(ccviz):
    done = ccviz("solve", "iris")
    assert done.err.startswith("ccviz: sdp. With few points it proves")
    assert "optimal (proved)" in done.out
    done = ccviz("solve", "wine", "--sizes", "equal")
    assert done.err.startswith("ccviz: sdp. It keeps the sizes")


def test_which_solver_suits_depends_on_the_time_limit():
    many = Problem(np.random.default_rng(0).normal(size=(600, 3)), 3)
    for limit, solver in ((None, "blp-kmeans"), (10.0, "divide"), (60.0, "sdp")):
        assert choose_solver("auto", [], many, [], limit)[0].name == solver


def test_the_number_of_clusters_is_chosen(ccviz, folder):
    (folder / "x.csv").write_text("x\n" + "\n".join(f"{i}.5" for i in range(23)))
    done = ccviz("solve", "x.csv", "-k", "least", "--rule", "size<=5", "--no-archive")
    assert "5 is the least number of clusters, proved." in done.err
    assert "5 5" in done.out
    done = ccviz("solve", "x.csv", "-k", "free", "--rule", "size>=5", "--no-archive")
    assert "4 clusters cost least" in done.err
    refused = ccviz("solve", "x.csv", "-k", 3, "--rule", "size<=5", "--no-archive")
    assert "take 5 clusters (4 will not do). With -k least the fewest" in refused.err
    bad = ccviz("solve", "x.csv", "-k", "lest", "--no-archive")
    assert (bad.code, "nor 'least' or 'free'" in bad.err) == (2, True)


def test_a_proof(ccviz, folder):
    rows = np.random.default_rng(0).normal(size=(14, 2)).tolist()
    data = write(folder, "data.csv", "".join(f"{x},{y}\n" for x, y in rows))
    links = write(folder, "links.json", '{"cl": [[0, 1], [2, 3]]}')
    done = ccviz("solve", data, "-k", 3, "--links", links, "--solver", "sdp", "--json", "-")
    assert done.code == 0
    result = json.loads(done.out)
    assert result["status"] == "optimal"
    assert 0 <= result["gap"] <= 1e-4
    assert result["lower_bound"] <= result["objective"]
    assert result["scores"] == {}
    assert ccviz("verify", "last").out.startswith("proved within gap")


def test_hard_links_of_a_source_become_soft(ccviz, folder):
    data = write(folder, "points.csv", "x\n0\n1\n10\n11\n")
    links = write(folder, "links.txt", "ML 0 1\nML 0 3 # rule R\nCL 2 3 9 # rule R\n")
    given = ("solve", data, "-k", 2, "--links", links, "--solver", "sdp", "--json", "-")
    assert json.loads(ccviz(*given).out)["objective"] > 70.0
    softer = json.loads(ccviz(*given, "--soften", "rule R=5").out)
    assert softer["objective"] == 1.0 + 5.0 + 9.0
    file = json.loads(ccviz(*given, "--soften", "links.txt=5", "--soften", "rule R=0.5").out)
    assert file["objective"] == 1.0 + 0.5 + 9.0  # a soft link keeps its weight
    for wrong, words in (
        ("rule S=5", "no link comes from 'rule S'; the sources: 'links.txt', 'rule R'."),
        ("rule R", "'rule R' is not SOURCE=W"),
        ("rule R=-1", "positive weight"),
        ("rule R=inf", "positive weight"),
    ):
        done = ccviz(*given, "--soften", wrong)
        assert done.code == 2
        assert words in done.err
    assert "the sources: none." in ccviz("solve", data, "-k", 2, "--soften", "R=1").err


def test_infeasible_links_are_exit_code_3_with_the_witness(ccviz, folder):
    clique = "".join(f"CL {i} {j}\n" for i, j in combinations([3, 5, 7, 9], 2))
    links = write(folder, "links.txt", clique)
    done = ccviz("solve", "iris", "-k", 3, "--links", links, "--json", "a.json")
    assert done.code == 3
    assert "4 points exclude each other" in done.out
    result = json.loads((folder / "a.json").read_text())
    assert (result["status"], result["labels"], result["objective"]) == ("infeasible", None, None)


def test_none_found_is_exit_code_4_and_not_called_infeasible(ccviz, folder):
    """The links are true, so they can be kept; the greedy COP-k-means still meets dead ends."""
    data = load("iris")
    drawn = random_pairs(data.truth, 300, seed=0)
    problem = Problem(data.X, 3, drawn.must_link, drawn.cannot_link)
    links = write(folder, "links.txt", links_text(problem.must_link, problem.cannot_link))
    done = ccviz("solve", "iris", "--links", links, "--solver", "cop-kmeans", "--param", "n_init=1")
    assert done.code == 4
    assert "unknown (stalled)" in done.out
    assert "infeasible" not in done.out
    assert ccviz("solve", "iris", "--links", links, "--solver", "blp-kmeans").code == 0


@pytest.mark.slow
def test_sizes(ccviz, folder):
    for sizes, count in (("equal", [50, 50, 50]), ("30,50,70", [30, 50, 70])):
        done = ccviz("solve", "iris", "-k", 3, "--sizes", sizes, "--json", "-")
        assert done.code == 0
        assert json.loads(done.out)["cluster_sizes"] == count
    done = ccviz("solve", "iris", "-k", 3, "--sizes", "40-60", "--json", "-")
    assert all(40 <= size <= 60 for size in json.loads(done.out)["cluster_sizes"])


def test_points_with_weights_and_the_check_of_their_proof(ccviz, folder):
    table = write(folder, "towns.csv", "x,people\n0,1\n1,3\n5,0\n8,2\n9,2\n")
    done = ccviz("solve", table, "-k", 2, "--weight-column", "people", "--solver", "sdp",
                 "--json", "a.json")  # fmt: skip
    assert done.code == 0
    assert json.loads((folder / "a.json").read_text())["objective"] == pytest.approx(0.75 + 1.0)
    assert ccviz("verify", "last").code == 0
    done = ccviz("solve", table, "-k", 2, "--weight-column", "people", "--solver", "dils")
    assert done.code == 2
    assert "dils cannot handle weights of points" in done.err


def test_scale_class_column_and_default_k(ccviz, folder):
    data = write(folder, "data.csv", "a,b,kind\n1,200,x\n2,100,x\n8,300,y\n9,400,y\n")
    done = ccviz("solve", data, "--class-column", "kind", "--scale", "standard", "--json", "-")
    assert done.code == 0
    result = json.loads(done.out)
    assert result["k"] == 2
    assert result["scores"]["ari"] == 1.0
    assert result["objective"] < 10


def test_notices_are_told_on_stderr(ccviz, folder):
    links = write(folder, "links.txt", "CL 1 2\nCL 2 1\n")
    done = ccviz("solve", "iris", "--solver", "sdp", "--links", links, "--no-archive")
    assert done.code == 0
    assert done.err == "ccviz: cannot-link 1-2 is given more than once; it is kept once.\n"


def test_no_archive_keeps_nothing(ccviz, folder):
    assert ccviz("solve", "iris", "--solver", "cop-kmeans", "--no-archive").code == 0
    assert not (folder / "home").exists()


def test_an_archive_that_cannot_be_used_does_not_stop_it(ccviz, folder):
    write(folder, "home", "a file where the folder should be")
    done = ccviz("solve", "iris", "--solver", "cop-kmeans")
    assert done.code == 7
    assert "this run is not kept" in done.err
    assert done.err.endswith("cannot be used: File exists.\n")


BAD = {
    "empty.csv": "",
    "nan.csv": "1,2\nnan,3\n4,5\n",
    "million.csv": "1\n" * 1_000_001,
    "outside.txt": "ML 3 150\n",
    "both.txt": "ML 3 7\nCL 7 3\n",
    "chain.txt": "ML 1 2\nML 2 3\nCL 3 1\n",
}


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("nowhere.csv -k 2", "nowhere.csv cannot be read: no such file or directory."),
        ("empty.csv -k 2", "empty.csv: the file is empty."),
        ("nan.csv -k 2", "nan.csv: line 2, column 'x0' is empty; 1 value in 1 of 3 rows"),
        ("million.csv -k 2", "million.csv: there are 1,000,001 rows, but at most"),
        ("iris -k 0", "k = 0 is not a whole number of at least 1 cluster."),
        ("iris -k two", "-k 'two' is no number"),
        ("moons.csv", "moons.csv cannot be read"),
        ("irsi", "'irsi' is neither a file nor a data set; the sets are iris, wine"),
        ("iris --scale much", "There is no scaling 'much'; there are none, standard, range"),
        ("nan.csv -k 2 --missing mean", "missing = 'mean' is not one of drop, median."),
        ("nan.csv -k 2 --columns x0,y", "nan.csv: there is no column 'y'; there are x0, x1."),
        ("iris --workers none", "workers = 'none' is neither"),
        ("iris --json - --labels -", "- is to hold two things at once"),
        ("iris --links outside.txt", "outside.txt: line 1 names point 150, but the points are 0"),
        ("iris --links both.txt", "cannot-link 3-7 contradicts the must-link 3-7."),
        ("iris --links chain.txt", "cannot-link 1-3 contradicts the must-links 1-2, 2-3."),
        ("iris --links nowhere.txt", "nowhere.txt cannot be read"),
        ("iris --sizes 1,2", "there are 2 sizes in '1,2', but k is 3."),
        ("iris --solver nobody", "there is no solver 'nobody'; there are bh-kmeans"),
        ("iris --solver spd", "there is no solver 'spd'; did you mean sdp? There are bh-kmeans"),
        ("iris --rule size", "the rule 'size' has no sign and limit. 'ccviz rules' lists"),
        ("iris --param n_init=3", "--param is for one solver; say which by --solver."),
        ("iris --solver blp-kmeans --param speed=3", "blp-kmeans has no parameter 'speed'"),
        ("iris --solver blp-kmeans --param n_init", "--param n_init is not NAME=VALUE."),
        (
            "iris --solver blp-kmeans --param n_init=many",
            "blp-kmeans: n_init = 'many' is not a whole number.",
        ),
        ("iris --solver cop-kmeans --threads 2", "cop-kmeans works by one thread; these have"),
        ("iris --solver blp-kmeans --threads 0", "blp-kmeans: threads = 0 is below 1."),
        (
            "iris --solver dils --sizes equal",
            "dils cannot handle cluster sizes; these can: bh-kmeans, blp-kmeans, ",
        ),
        ("iris --solver sdp --workers none", "workers = 'none' is neither"),
        ("iris --seed -1", "seed = -1 is not"),
        ("iris --time-limit -1", "time_limit = -1.0 is not"),
        ("iris --time-limit soon", "Invalid value for '--time-limit'"),
        ("iris --json no/folder.json", "no/folder.json cannot be written."),
        ("iris --labels .", ". cannot be written."),
        ("iris --faster", "No such option"),
        ("", "Missing argument 'DATA'."),
    ],
)
def test_bad_input_is_one_sentence_and_exit_code_2(ccviz, folder, words, sentence):
    for word in words.split():
        if word in BAD:
            write(folder, word, BAD[word])
    before = {path.name for path in folder.iterdir()} | {"home"}
    done = ccviz("solve", *words.split())
    assert done.code == 2
    assert done.sentence.startswith(sentence)
    assert {path.name for path in folder.iterdir()} <= before


def test_as_a_process_of_its_own(command, folder):
    done = subprocess.run(
        [*command, "solve", "iris", "-k", "0"], check=False, capture_output=True, text=True
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "ccviz: k = 0 is not a whole number of at least 1 cluster.\n"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a full device is Linux's")
def test_output_that_finds_no_room_is_one_sentence(command, folder):
    with Path("/dev/full").open("w") as full:
        words = [*command, "solvers"]
        done = subprocess.run(words, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr == "ccviz: the output cannot be written: No space left on device.\n"


def test_what_was_there_is_untouched_by_bad_input(ccviz, folder):
    write(folder, "a.json", "precious")
    assert ccviz("solve", "iris", "-k", 0, "--json", "a.json").code == 2
    assert (folder / "a.json").read_text() == "precious"


OTHER_SIGNALS = (signal.SIGTERM, signal.SIGHUP)


@pytest.mark.parametrize(
    "number",
    [signal.SIGINT, *(pytest.param(each, marks=pytest.mark.slow) for each in OTHER_SIGNALS)],
)
def test_a_signal_stops_the_run_and_its_result_is_kept(command, ccviz, folder, number):
    words = ["solve", "iris", "--solver", "cop-kmeans", "--param", "n_init=100000000"]
    process = subprocess.Popen([*command, *words, "--json", "a.json"], stdout=subprocess.PIPE)
    wait_until(lambda: " feasible " in ccviz("runs").out)
    process.send_signal(number)
    process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 6
    assert json.loads((folder / "a.json").read_text())["termination"] == "interrupted"
    assert "interrupted" in ccviz("runs").out


def test_a_rule_adds_up_a_column_that_is_no_feature(ccviz, folder):
    lines = [f"{x},{people}" for x, people in zip(range(8), (9, 1, 1, 1, 1, 1, 1, 9), strict=True)]
    write(folder, "towns.csv", "x,people\n" + "\n".join(lines) + "\n")
    words = ["solve", "towns.csv", "-k", 2, "--columns", "x", "--no-archive", "--json", "-"]
    done = ccviz(*words, "--solver", "blp-kmeans", "--rule", "sum(people)<=50%")
    assert json.loads(done.out)["labels"] in ([0] * 4 + [1] * 4, [1] * 4 + [0] * 4)
    sentence = ccviz(*words, "--rule", "sum(men)<=50%").sentence
    assert sentence.startswith("there is no column 'men'; there are x, people")
    assert ccviz(*words, "--rule", "sum(people)<=40%").code == 2


def test_links_follow_from_columns_that_are_no_features(ccviz, folder):
    rows = [f"{x},{row // 3},{'' if row % 2 else f'v{row % 4}'}" for row, x in enumerate(range(12))]
    write(folder, "faces.csv", "x,photo,visit\n" + "\n".join(rows) + "\n")
    words = ["solve", "faces.csv", "--no-archive", "--json", "-", "--apart", "photo"]
    done = ccviz(*words, "-k", 3, "--together", "visit=0.5", "--solver", "blp-kmeans")
    assert done.code == 2
    assert "soft links" in done.sentence
    done = ccviz(*words, "-k", 3, "--together", "visit=0.001", "--solver", "colgen")
    found = json.loads(done.out)
    labels = np.array(found["labels"]).reshape(4, 3)
    assert all(len({*row}) == 3 for row in labels.tolist())
    assert found["objective"] < 3 * ((np.arange(4) * 3 - 4.5) ** 2).sum() + 0.1
    done = ccviz(*words, "-k", 2)
    assert done.sentence.startswith("3 points have '0' in the column 'photo', and no two of them")
    assert done.code == 2
    assert "no column 'foto'" in ccviz(*words, "-k", 3, "--apart", "foto").sentence


@pytest.mark.slow
def test_describe_has_the_role_of_each_column(ccviz, folder):
    (folder / "a.csv").write_text("id;x;sort\nA;1,5;u\nB;2;v\nC;2;u\nD;4;v\n")
    lines = ccviz("describe", "a.csv").out.splitlines()
    assert lines[0] == "a: 4 points, 1 feature"
    assert [line.split()[1] for line in lines[2:5]] == ["name", "feature", "known"]
    assert "sort=u, sort=v" in lines[5]
    assert "petal width (cm)" in ccviz("describe", "iris").out
    assert "cannot be read" in ccviz("describe", "gone.csv").sentence


def test_rules(ccviz, folder):
    words = ["solve", "iris", "--no-archive"]
    done = ccviz(*words, "--json", "a.json", "--rule", "diameter<=3.2", "--rule", "size>=30")
    assert done.code == 0
    X, labels = load("iris").X, np.array(json.loads(Path("a.json").read_text())["labels"])
    clusters = [X[labels == j] for j in range(3)]
    assert all(len(cluster) >= 30 for cluster in clusters)
    assert all(np.linalg.norm(c[:, None] - c, axis=2).max() <= 3.2 for c in clusters)
    assert ccviz(*words, "--rule", "diameter<=0.5").code == 3
    assert re.search(r"diameter<=3.2 +holds \(\d\.\d+\)", done.out)
    assert re.search(r"size>=30 +holds \(\d+\)", done.out)
    write(folder, "known.txt", "a\n" * 75 + "b\n" * 75)
    rule = "overlap(known.txt)<=30"
    done = ccviz(*words, "--rule", rule, "--solver", "blp-kmeans")
    assert done.sentence.startswith("blp-kmeans cannot handle rules on clusters; these can: colgen")
    sentence = "the rule 'diameter=' is not diameter<=D"
    assert ccviz("solve", "iris", "--rule", "diameter=").sentence.startswith(sentence)
    assert "has no sign and limit" in ccviz("solve", "iris", "--rule", "diameter").sentence


def test_a_run_starts_from_an_earlier_one_and_keeps_its_proof(ccviz, folder):
    write(folder, "links.txt", "CL 0 100\n")
    assert ccviz("solve", "iris", "-k", 3, "--solver", "sdp", "--name", "first").code == 0
    more = ("--links", "links.txt", "--start", "first", "--name", "second")
    done = ccviz("solve", "iris", "-k", 3, "--solver", "sdp", *more)
    assert done.code == 0, done.err
    assert "keeps every constraint that was added" in " ".join(done.out.split())
    assert ccviz("verify", "second").code == 0
    wrong = ccviz("solve", "wine", "-k", 3, "--start", "first")
    assert wrong.code == 2
    assert "other points" in wrong.err


def test_an_example_problem_brings_links_and_a_solver(ccviz):
    done = ccviz("solve", "ring_around_ring", "--node-limit", 3, "--json", "-")
    made = json.loads(done.out)
    assert made["solver"] == "sdp"
    assert "Two rings" in done.err


def test_a_forecast_is_printed_without_a_run(ccviz, folder):
    done = ccviz("solve", "iris", "-k", 3, "--forecast")
    assert done.code == 0
    assert re.search(r"^sdp: A proof takes about \S+ s \(.* s\) on a machine like ours\.$",
                     done.out, re.MULTILINE)  # fmt: skip
    equal = ccviz("solve", "iris", "-k", 3, "--forecast", "--sizes", "equal")
    assert "a guess, for sizes was not measured" in equal.out


def test_outliers_are_left_out_of_labels_and_sizes(ccviz, folder):
    done = ccviz("solve", "iris", "-k", 3, "--outliers", 5, "--solver", "k-means",
                 "--json", "a.json", "--labels", "a.txt", "--table", "a.csv")  # fmt: skip
    assert done.code == 0
    told = json.loads((folder / "a.json").read_text())
    assert told["objective"] == pytest.approx(65.75307828518173)
    assert told["k"] == len(told["cluster_sizes"]) == 3
    assert sum(told["cluster_sizes"]) == 145
    for name in ("a.txt", "a.csv"):
        assert len(re.findall(r"(?:^|,)-1(?:,|$)", (folder / name).read_text(), re.MULTILINE)) == 5


def test_centres_of_a_file_or_a_text_do_not_move(ccviz, folder):
    (folder / "centres.csv").write_text("5.0,3.4,1.5,0.2\n6.6,3.0,5.6,2.0\n")
    start = ("solve", "iris", "-k", 2, "--scale", "standard", "--fixed-centers")
    files = ("--json", "a.json", "--labels", "a.txt", "--table", "a.csv", "--report", "a.html")
    done = ccviz(*start, "centres.csv", *files)
    assert done.code == 0
    told = json.loads((folder / "a.json").read_text())
    assert told["n"] == 150
    assert told["solver"] == "colgen"
    assert told["gap"] < 1e-6
    labels = [int(line) for line in (folder / "a.txt").read_text().split()]
    assert labels == told["labels"]
    assert labels[:50] == [0] * 50
    assert labels[100:].count(1) > 40
    assert told["cluster_sizes"] == np.bincount(labels).tolist()
    assert len((folder / "a.csv").read_text().splitlines()) == 151
    assert "fixed centres" in (folder / "a.html").read_text()
    again = ccviz(*start, "5, 3.4, 1.5, 0.2; 6.6, 3, 5.6, 2", "--json", "b.json")
    assert json.loads((folder / "b.json").read_text())["objective"] == told["objective"]
    assert "fixed centres  2" in again.out
    assert "numbers with commas" in ccviz(*start, "nowhere.csv").err


def test_features_are_weighted_as_links_teach_or_as_told(ccviz, folder):
    (folder / "links.txt").write_text("ML 0 20\nCL 0 60\nCL 60 120\n")
    words = ("solve", "iris", "-k", 3, "--links", "links.txt", "--solver", "k-means", "--json", "-")
    learned = ccviz(*words, "--scale", "learned")
    assert learned.code == 0
    how = next(line for line in learned.err.splitlines() if "features: --scale weights:" in line)
    again = ccviz(*words, "--scale", how.split()[-1])
    assert json.loads(again.out)["objective"] == json.loads(learned.out)["objective"]
    assert ccviz("solve", "iris", "--scale", "learned").sentence.startswith("There are no links")
    several = ccviz("elbow", "iris", "-k", "2-3", "--links", "links.txt", "--scale", "learned")
    assert several.sentence.startswith("--scale learned is for one number of clusters")


def test_wishes_decide_where_no_column_is_a_feature(ccviz, folder):
    write(folder, "class.csv", "name\nAnna\nBert\nCarl\nDora\nEmil\nFay\n")
    write(folder, "wishes.csv", "person,wish,weight\nAnna,Bert,2\nBert,Anna,3\nFay,Anna,4\nFay,,\n")
    words = ["solve", "class.csv", "-k", 3, "--sizes", 2, "--links", "wishes.csv", "--no-archive"]
    told = ccviz(*words)
    assert "there is no column of numbers" in told.sentence
    assert told.sentence.endswith("say that no column is a feature (columns = '').")
    done = ccviz(*words, "--columns", "", "--links-repeated", "sum", "--table", "-")
    assert "colgen" in done.err
    rows = {row["name"]: row for row in csv.DictReader(done.out.splitlines())}
    assert (rows["Anna"]["links kept"], rows["Anna"]["links broken"]) == ("Bert", "Fay")
    assert rows["Dora"]["links kept"] == ""
    done = ccviz(*words, "--columns", "", "--json", "-", "-q")
    assert json.loads(done.out)["objective"] == 3
    sentence = ccviz(*words, "--columns", "", "--links-repeated", "mean").sentence
    assert sentence == "--links-repeated is 'mean', neither 'max' nor 'sum'."


@pytest.mark.parametrize("solver", ["blp-kmeans", "sdp"])
def test_next_months_table_starts_from_the_last_one_by_name(ccviz, folder, solver):
    rng = np.random.default_rng(3)
    where = {f"r{i}": (10.0 * (i % 3), rng.normal()) for i in range(30)}
    lines = [f"{name},{x},{y}" for name, (x, y) in where.items()]
    write(folder, "may.csv", "id,x,y\n" + "\n".join(lines) + "\n")
    words = ["-k", 3, "--solver", solver, "--no-archive"]
    assert ccviz("solve", "may.csv", *words, "--table", "groups.csv").code == 0
    later = [*reversed(lines[4:]), "new1,0,0.5", "new2,20,0.5"]
    write(folder, "june.csv", "id,x,y\n" + "\n".join(later) + "\n")
    done = ccviz("solve", "june.csv", *words, "--start", "groups.csv", "--table", "-")
    assert "0 of 26 rows moved; 2 new rows." in done.err
    assert "of groups.csv, rows are gone: r0, r1, r2, r3." in done.err
    before, after = (
        {row["id"]: row["cluster"] for row in csv.DictReader(text.splitlines())}
        for text in ((folder / "groups.csv").read_text(), done.out)
    )
    assert all(after[name] == before[name] for name in set(after) & set(before))
    assert (after["new1"], after["new2"]) == (before["r3"], before["r2"])
    write(folder, "other.csv", "id,cluster\nz1,0\nz2,1\nz3,1\n")
    sentence = ccviz("solve", "june.csv", *words, "--start", "other.csv").sentence
    assert sentence == "other.csv: no row has a name of june and a cluster below 3."
    write(folder, "twice.csv", "id,cluster\nr5,0\nr5,1\n")
    sentence = ccviz("solve", "june.csv", *words, "--start", "twice.csv").sentence
    assert sentence == "twice.csv: several rows are called 'r5'."
    sentence = ccviz("solve", "iris", *words, "--start", "other.csv").sentence
    assert sentence.endswith("say which by --name-column.")


def test_labels_that_some_rows_have_name_clusters_in_files(ccviz, folder):
    rows = "".join(f"{x},{y}\n" for x, y in zip([0, 1, 2, 9, 10, 11], "a..b..", strict=True))
    data = write(folder, "t.csv", f"x,type\n{rows}")
    asked = ["--unknown", ".", "--rule", "labels(type)", "--solver", "blp-kmeans"]
    files = ["--table", "out.csv", "--report", "out.html", "--json", "out.json"]
    done = ccviz("solve", data, "-k", 2, *asked, *files)
    assert done.code == 0
    assert "2 of 6 rows, those with a class" in done.out
    assert re.search(r"scores +forced by labels\(type\)", done.out)
    page = (folder / "out.html").read_text()
    assert "2 of 6 rows, those with a class" in page
    assert "forced by labels(type)" in page
    assert "ARI" not in page
    assert "forced by labels(type)" in ccviz("show", "last").out
    assert "1.0000" not in ccviz("runs").out
    assert json.loads((folder / "out.json").read_text())["n_scored"] == 2
    for no_class in ([], ["--class-column", ""]):
        assert ccviz("solve", data, "-k", 2, *asked, *files[:4], *no_class).code == 0
        head, *lines = (folder / "out.csv").read_text().splitlines()
        at = head.split(",").index("cluster name")
        assert [line.split(",")[at] for line in lines] == list("aaabbb")
        assert "A: 3 points;" in (folder / "out.html").read_text()


def test_of_many_clusters_the_least_and_the_largest_size_are_said(ccviz):
    done = ccviz("solve", "iris", "-k", 51, "--rule", "size>=2", "--solver", "cop-kmeans")
    assert re.search(r"cluster sizes +51 of 2 to \d+\b", done.out)


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (40.0, "40 of 60 s were compiling, which is once on this machine; run again."),
        (19.0, "--param n_init=10."),
    ],
)
def test_a_run_that_mostly_compiled_is_to_run_again(ccviz, folder, monkeypatch, seconds, said):
    def driven(stepper, archive, run_id, *, quiet):
        return replace(stepper.result(), termination="time_limit"), run_id, seconds

    monkeypatch.setattr("ccviz.cli.solve.drive", driven)
    rows = "".join(f"{i * i % 97},{i * 37 % 101},{i % 7}\n" for i in range(600))
    data = write(folder, "many.csv", f"x,y,z\n{rows}")
    done = ccviz("solve", data, "-k", 12, "--columns", "x,y,z", "--time-limit", 60, "--no-archive")
    assert done.err.splitlines()[-1].endswith(said)
