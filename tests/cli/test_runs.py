"""What is done with runs that are in the archive."""

import json
import os
import subprocess

import pytest

from ccviz.runs.archive import Archive
from ccviz.runs.info import summarise


@pytest.fixture
def solved(ccviz):
    assert ccviz("solve", "iris", "--solver", "blp-kmeans", "--name", "first try").code == 0


def run_ids(ccviz):
    return [line.split()[0] for line in ccviz("runs").out.splitlines()[1:]]


def test_list(ccviz, solved):
    done = ccviz("runs")
    assert done.code == 0
    for word in ("first try", "iris", "blp-kmeans", "converged", "feasible"):
        assert word in done.out


def test_an_empty_archive_is_no_error(ccviz):
    done = ccviz("runs")
    assert (done.code, len(done.out.splitlines())) == (0, 1)


def test_the_newest_runs_and_those_with_some_words(ccviz, solved):
    assert ccviz("solve", "wine", "--solver", "k-means", "--quiet").code == 0
    newest = ccviz("runs", "--top", 1).out.splitlines()
    assert " wine " in newest[1]
    assert newest[2] == "and 1 older run: --top, or --filter"
    _, found = ccviz("runs", "--filter", "IRIS blp").out.splitlines()
    assert "first try" in found
    assert len(ccviz("runs", "--filter", "iris k-means wine").out.splitlines()) == 1


def test_show_prints_what_solve_did(ccviz):
    solve = ["solve", "iris", "--solver", "blp-kmeans", "--quiet"]
    solved = ccviz(*solve, "--json", "-").out
    assert ccviz("show", "last", "--json", "-").out == solved
    assert json.loads(solved)["run"] in ccviz("show", "last").out


def test_rename_and_delete(ccviz, solved):
    assert ccviz("runs", "--rename", "first try", "second name").code == 0
    assert "second name" in ccviz("runs").out
    assert ccviz("runs", "--delete", "second name").code == 0
    assert run_ids(ccviz) == []
    assert ccviz("runs", "--delete", "second name").code == 2


def test_a_run_that_goes_on_is_not_deleted(ccviz, solved):
    with Archive() as archive:
        problem = archive.problem(archive.find("last"))
        archive.rename(archive.create(problem, "sdp", {}), "at work")
    done = ccviz("runs", "--delete", "at work")
    assert done.code == 2
    assert f"run 'at work' is running in process {os.getpid()}: stop it" in done.sentence
    assert len(run_ids(ccviz)) == 2


def test_replay(ccviz, solved):
    done = ccviz("replay", "last")
    assert done.code == 0
    lines = done.out.splitlines()
    assert "Started" in lines[0]
    assert "Finished" in lines[-2]
    assert "is not proved optimal" in lines[-1]
    assert len(ccviz("replay", "last", "--upto", 3).out.splitlines()) == 5
    assert ccviz("replay", "last", "--speed", -1).code == 2


def test_export_and_import(ccviz, solved, folder):
    assert ccviz("export", "first try", "run.ccviz").code == 0
    done = ccviz("import", "run.ccviz")
    assert done.code == 0
    assert done.out.strip() in run_ids(ccviz)
    assert len(run_ids(ccviz)) == 2
    assert "a run's file ends in .ccviz" in ccviz("export", "last", "run.json").sentence
    assert not (folder / "run.json").exists()
    (folder / "broken.ccviz").write_bytes(b"nothing")
    assert "holds no sound run" in ccviz("import", "broken.ccviz").sentence


def test_verify_refuses_a_run_without_a_proof(ccviz, solved):
    done = ccviz("verify", "last")
    assert done.code == 1
    assert done.out.startswith("no proof: the run has no search tree")
    assert "n = 150, d = 4, k = 3, 0 must-links, 0 cannot-links" in done.out
    assert "sha256: " in done.out


def test_resume_goes_on_to_the_proof(ccviz, folder):
    rows = "".join(f"{x * x},{x}\n" for x in range(40))
    (folder / "data.csv").write_text(rows)
    (folder / "links.txt").write_text("CL 0 1\nCL 20 22\nCL 5 9\n")
    words = ["solve", "data.csv", "-k", 3, "--links", "links.txt", "--solver", "sdp"]
    assert ccviz(*words, "--time-limit", 0.01, "--no-header").code in {0, 4}
    done = ccviz("resume", "last")
    assert done.code == 0
    assert "optimal (proved)" in done.out
    assert ccviz("verify", "last").code == 0
    ccviz("export", "last", "run.ccviz")
    taken = ccviz("verify", "run.ccviz")
    assert (taken.code, taken.out) == (0, ccviz("verify", "last").out)
    assert "nothing is left to do" in ccviz("resume", "last").sentence


def test_a_run_that_lost_its_driver_is_listed_as_lost(ccviz, solved, folder):
    with Archive(folder / "home" / "runs.sqlite") as archive:
        known = archive.runs()[0]
        records = archive.records(known.id)[:-1]
        lost = archive.create(archive.problem(known.id), known.solver, known.settings)
        archive.append(lost, records, summarise(archive.load(known.id, upto=records[-1].seq)))
        archive._set(lost, {"tick": -1e9})
    assert " lost " in ccviz("runs").out.splitlines()[1]
    assert "not proved optimal" in ccviz("show", lost).out


def test_output_that_nobody_reads_is_no_error(solved, command):
    reader = subprocess.Popen(["true"], stdin=subprocess.PIPE)
    reader.wait()
    done = subprocess.run(
        [*command, "replay", "last"], check=False, stdout=reader.stdin, stderr=subprocess.PIPE
    )
    assert done.stderr == b""


def test_a_run_becomes_a_page(ccviz, solved, folder):
    assert ccviz("solve", "iris", "--solver", "cop-kmeans").code == 0
    assert ccviz("export", "first try", "last", "both.html").code == 0
    page = (folder / "both.html").read_text(encoding="utf-8")
    assert "<title>first try and cop-kmeans on iris · ccviz</title>" in page
    done = ccviz("export", "first try", "last", "both.ccviz")
    assert done.code == 2
    assert "takes one run; a .html file shows several side by side" in done.sentence
    assert ccviz("export", *["last"] * 5, "five.html").code == 2
    assert not (folder / "five.html").exists()
