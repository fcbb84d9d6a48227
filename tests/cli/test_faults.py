"""What goes wrong around a command: a sentence each, and the rest goes on."""

import os
import subprocess

import numpy as np
import pytest

from ccviz.runs.archive import Archive


@pytest.fixture
def archive_path(folder):
    (folder / "home").mkdir()
    return folder / "home" / "runs.sqlite"


def test_names_are_no_markup(ccviz):
    for name in ("[/x]", "[bold red]loud", ":smile:"):
        assert ccviz("solve", "iris", "--solver", "cop-kmeans", "--name", name).code == 0
        assert name in ccviz("runs").out
    assert ccviz("runs", "--delete", "[/y]").sentence.startswith("there is no run '[/y]'")


def test_a_disk_that_fills_up_costs_the_record_and_not_the_run(ccviz, folder, monkeypatch):
    create = Archive.create

    def create_and_fill(self, *about, **more):
        run_id = create(self, *about, **more)
        pages = self._file._db.execute("PRAGMA page_count").fetchone()[0]
        self._file._db.execute(f"PRAGMA max_page_count = {pages}")
        return run_id

    monkeypatch.setattr(Archive, "create", create_and_fill)
    done = ccviz("solve", "iris", "--solver", "cop-kmeans", "--labels", "labels.txt")
    assert done.code == 7
    assert "\nrun " not in done.out  # no id of a run that is not there
    assert len((folder / "labels.txt").read_text().split()) == 150
    assert "ccviz: the run is not kept from here on: the archive" in done.err
    assert "disk is full" in done.err
    assert done.err.count("not kept") == 1
    with Archive() as archive:
        [info] = archive.runs()
    assert info.termination in {None, "failed"}


def test_an_archive_that_cannot_be_used_costs_the_record_and_not_the_run(ccviz, archive_path):
    archive_path.write_bytes(b"no archive " * 500)
    done = ccviz("solve", "iris", "--solver", "cop-kmeans")
    assert (done.code, done.err.count("this run is not kept")) == (0, 1)
    assert "this run is not kept: the archive" in done.err
    assert "file is not a database" in ccviz("runs").sentence
    assert "cannot be mended" in ccviz("runs", "--check").sentence


def test_an_archive_that_may_only_be_read_can_be_read(ccviz, archive_path, monkeypatch):
    assert ccviz("solve", "iris", "--solver", "blp-kmeans", "--name", "before").code == 0
    allowed = os.access
    monkeypatch.setattr(os, "access", lambda what, how: how != os.W_OK and allowed(what, how))
    assert "before" in ccviz("runs").out
    assert ccviz("verify", "before").code == 1
    monkeypatch.setattr("ccviz.cli.report.os.access", allowed)


def test_check_says_that_all_is_well_or_what_it_mended(ccviz, folder):
    assert ccviz("solve", "iris", "--solver", "cop-kmeans").code == 0
    assert ccviz("runs", "--check").out == "nothing is wrong with the archive.\n"
    with Archive() as archive:
        run_id = archive.find("last")
        archive.reopen(run_id)
        archive._set(run_id, {"tick": -1e9})
    assert "had lost its driver" in ccviz("runs", "--check").out
    assert ccviz("runs", "--check").out == "nothing is wrong with the archive.\n"


def test_closed_streams_are_no_trouble(command, folder):
    redirections = [">&-", ">&- 2>&-"]
    if np.lib.NumpyVersion(np.__version__) < "2.1.0":
        redirections.pop()  # that NumPy writes to standard error while it is imported
    for redirection in redirections:
        done = subprocess.run(
            f"{command[0]} solvers {redirection}", shell=True, capture_output=True, check=False
        )
        assert (done.returncode, done.stderr) == (0, b""), redirection
