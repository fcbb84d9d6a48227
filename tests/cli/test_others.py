"""Solvers, the dashboard's command, help, and words that mean nothing."""

import csv
import io
import json
import os
import subprocess
import sys
from itertools import pairwise
from typing import Annotated

import click
import pytest
from click.testing import CliRunner

from ccviz import __version__, distribution
from ccviz.cli import cli
from ccviz.cli.parameters import Argument, command, option
from ccviz.cli.serve import find_page
from ccviz.runs.archive import Archive
from ccviz.solvers import SOLVERS


def test_solvers_lists_the_registry(ccviz):
    done = ccviz("solvers")
    assert done.code == 0
    assert [line.split()[0] for line in done.out.splitlines()[1:]] == [s.name for s in SOLVERS]


def test_solvers_shows_the_parameters_of_one(ccviz):
    done = ccviz("solvers", "cop-kmeans")
    assert "Wagstaff" in done.out
    assert "n_init" in done.out


def test_solvers_as_json(ccviz):
    listed = json.loads(ccviz("solvers", "--json").out)
    assert [each["name"] for each in listed] == [solver.name for solver in SOLVERS]
    one = json.loads(ccviz("solvers", "blp-kmeans", "--json").out)
    assert one["supports"]["sizes"]
    assert {"name", "default", "meaning", "choices"} == set(one["parameters"][0])


def test_the_version(ccviz):
    assert ccviz("--version").out == f"ccviz {__version__}\n"


def test_python_runs_the_package(folder):
    run = [sys.executable, "-m", "ccviz", "--version"]
    assert subprocess.check_output(run, text=True) == f"ccviz {__version__}\n"


def completed(command, words):
    """Return what a shell offers for the last of some words."""
    asked = {"_CCVIZ_COMPLETE": "zsh_complete", "COMP_WORDS": words, "COMP_CWORD": "1"}
    done = subprocess.check_output(command, env=os.environ | asked, text=True)
    return done.splitlines()[1::3]


def test_a_shell_completes_the_commands(command, folder):
    script = subprocess.check_output([*command, "--completion", "zsh"], text=True)
    assert "_CCVIZ_COMPLETE=zsh_complete" in script
    assert completed(command, "ccviz ver") == ["verify"]


def test_a_shell_offers_no_name_of_before(command, folder):
    assert completed(command, "ccviz s") == ["solve", "solvers", "show"]
    assert completed(command, "ccviz n") == ["noise-study", "nearest"]


def test_quiet_prints_nothing(ccviz):
    done = ccviz("solve", "iris", "--sizes", "equal", "--quiet", "--no-archive")
    assert (done.code, done.out, done.err) == (0, "", "")
    assert ccviz("solve", "nothing", "--quiet").sentence


def test_another_package_of_the_same_name_is_named(monkeypatch, capsys):
    """Its command calls `ccviz.cli.cli`, which is ours where its files lie over ours."""
    monkeypatch.setattr(distribution, "metadata", lambda name: {"Summary": "Something else"})
    with pytest.raises(SystemExit) as ended:
        cli()
    assert ended.value.code == 2
    assert "pip uninstall ccviz" in capsys.readouterr().err


def test_a_checkout_installed_under_the_old_name_is_no_stranger(monkeypatch):
    ours = {"Summary": "An interactive laboratory for constrained clustering: exact and more."}
    monkeypatch.setattr(distribution, "metadata", lambda name: ours)
    assert distribution.wrong_package_message() == ""


def test_help(ccviz):
    assert "solve" in ccviz("--help").out
    about = ccviz("solve", "--help").out
    assert "--time-limit" in about
    assert "File (CSV" in about  # of the argument


def test_no_command_is_answered_by_the_help(ccviz):
    done = ccviz()
    assert (done.code, done.out) == (2, "")
    assert "solve" in done.err


def test_the_page_is_found():
    assert find_page().as_posix().endswith("apps/main.py")


def test_tokens_may_be_in_the_environment(ccviz, monkeypatch):
    served = []
    monkeypatch.setattr("ccviz.views.serve.server.serve", lambda serving, _: served.append(serving))
    monkeypatch.setenv("CCVIZ_TOKEN", "one")
    monkeypatch.setenv("CCVIZ_TEACHER_TOKEN", "two")
    assert ccviz("app", "--class").code == 0
    assert (served[0].token, served[0].teacher_token) == ("one", "two")


# --- `--neighbors` and `--at`: every cluster is connected -----------------------------------------


def test_clusters_are_connected_by_named_columns(ccviz, folder):
    rows = [f"{lon},0,{value}" for lon, value in enumerate([0.0, 9.0, 0.1, 9.1, 0.2])]
    (folder / "areas.csv").write_text("\n".join(["lon,lat,value", *rows]))
    done = ccviz("solve", "areas.csv", "-k", 2, "--solver", "sdp", "--columns", "value",
                 "--neighbors", "radius:1", "--at", "lon,lat", "--json", "a.json")  # fmt: skip
    assert done.code == 0, done.err
    labels = json.loads((folder / "a.json").read_text())["labels"]
    assert sum(a != b for a, b in pairwise(labels)) == 1


def test_coordinates_without_neighbours_are_refused(ccviz, folder):
    (folder / "areas.csv").write_text("lon,value\n0,1\n1,2\n2,3\n")
    done = ccviz("solve", "areas.csv", "-k", 2, "--at", "lon")
    assert "lon would be the coordinates of neighbours, and none are asked for" in done.sentence


def test_files_that_are_no_text_are_refused(ccviz, folder):
    (folder / "a.bin").write_bytes(b"\xff\0\x81")
    for given in ("--neighbors=a.bin", "--fixed-centers=a.bin", "--rule=overlap(a.bin)<=9"):
        assert ccviz("solve", "iris", given).sentence == "a.bin: line 1 is not text."


@pytest.mark.slow
def test_elbow_and_batch_keep_neighbours(ccviz, folder):
    rows = "".join(f"{i},{i % 2},{i % 3}\n" for i in range(12))
    (folder / "areas.csv").write_text(f"lon,lat,value\n{rows}")
    near = ("--columns", "value", "--neighbors", "knn:2", "--at", "lon,lat")
    swept = ccviz("elbow", "areas.csv", "-k", "1-3", *near, "--bound-time", 2, "--out", "a.csv")
    assert swept.code == 0
    plain = ccviz("elbow", "areas.csv", "-k", "1-3", "--columns", "value", "--bound-time", 0)
    assert plain.code == 0
    with (folder / "a.csv").open() as file:
        costs = [float(row["objective"]) for row in csv.DictReader(file)]
    assert costs[2] > 0.0  # three clusters of equal values are not connected
    ran = ccviz("batch", "areas.csv", "--solver", "regions", "--solver", "k-means", "-k", 3, *near)
    assert ran.code == 0
    assert "left out: k-means, k = 3: " in ran.err
    with Archive() as archive:
        info, *_ = archive.runs()
        assert archive.problem(info.id).neighbors is not None


# --- Commands made from the annotations of functions ----------------------------------------------


def made(
    files: Annotated[list[str], Argument(help="Files to read.")],
    last: Annotated[str, Argument(help="The last file.")] = "none",
    many: Annotated[list[str] | None, option("--each", help="Words.")] = None,
    pair: Annotated[tuple[int, int] | None, option(help="Two points.")] = None,
    top: Annotated[int, option(help="Rows.", min=1)] = 20,
    share: Annotated[float | None, option(help="A share.", max=1)] = None,
    keep: Annotated[bool, option("--keep/--drop", help="Keep it.")] = True,
    header: Annotated[bool | None, option("--header/--no-header", help="A header.")] = None,
) -> None:
    """Do it.

    And say so.
    """
    click.echo(f"{files} {last} {many} {pair} {top} {share} {keep} {header}")


def told(*words):
    done = CliRunner().invoke(command("made", made), words)
    assert done.exit_code == 0, done.output
    return done.output.strip()


def test_what_is_not_given_has_the_defaults_of_the_function():
    assert told("a", "b") == "['a'] b None None 20 None True None"


def test_values_arrive_in_the_types_of_the_function():
    words = ["a", "b", "c", "--each", "x", "--each", "y", "--pair", "1", "2", "--top", "1"]
    words += ["--share", "0.5", "--drop", "--no-header"]
    assert told(*words) == "['a', 'b'] c ['x', 'y'] (1, 2) 1 0.5 False False"


def test_a_value_may_look_like_an_option():
    found = told("a", "b", "--each", "-999", "--each=-1")
    assert found == "['a'] b ['-999', '-1'] None 20 None True None"


@pytest.mark.parametrize(
    "words", [["a", "--top", "0"], ["a", "--share", "1.5"], ["a", "--top", "x"], []]
)
def test_what_a_type_forbids_is_refused(words):
    assert CliRunner().invoke(command("made", made), words).exit_code == 2


def test_the_help_lists_arguments_options_and_defaults():
    found = " ".join(told("--help").split())
    assert "Do it. And say so." in found
    assert "Files to read." in found
    assert "Words." in found
    assert "[default: 20; x>=1]" in found
    assert command("made", made).get_short_help_str() == "Do it."


# --- `-` reads the data or the links from standard input ------------------------------------------


TABLE = "x,y\n0,0\n0,1\n5,5\n5,6\n"
QUICK = ("--solver", "cop-kmeans", "--no-archive", "--json", "-")


@pytest.fixture
def typed(monkeypatch):
    """Put a text on standard input."""

    def put(text):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))

    return put


def test_data(ccviz, typed):
    typed(TABLE)
    done = ccviz("solve", "-", "-k", 2, *QUICK)
    labels = json.loads(done.out)["labels"]
    assert (labels[0] == labels[1]) & (labels[2] == labels[3]) & (labels[0] != labels[2])


def test_links(ccviz, typed, folder):
    (folder / "a.csv").write_text(TABLE)
    typed("CL 0 1\nCL 2 3\n")
    labels = json.loads(ccviz("solve", "a.csv", "-k", 2, "--links", "-", *QUICK).out)["labels"]
    assert labels[0] != labels[1]
    assert labels[2] != labels[3]


def test_both_are_refused(ccviz, typed):
    typed(TABLE)
    done = ccviz("solve", "-", "-k", 2, "--links", "-", *QUICK)
    assert done.code == 2
    assert "'-' can be given once" in done.sentence


def test_a_malformed_line_is_named(ccviz, typed, folder):
    (folder / "a.csv").write_text(TABLE)
    typed("ML 0 one\n")
    assert "standard input" in ccviz("solve", "a.csv", "-k", 2, "--links", "-", *QUICK).sentence


# --- `ccviz batch`: many runs, a row each ---------------------------------------------------------


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
