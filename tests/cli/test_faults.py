"""What goes wrong around a command: a sentence each, and the rest goes on."""

import os
import re
import shlex
import sqlite3
import subprocess
import sys
from contextlib import closing

import numpy as np
import pytest

from ccviz.runs.archive import Archive
from ccviz.runs.database import ADDED


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("dance", "dance"),
        ("--dance", "dance"),
        ("app --address 0.0.0.0", "give a --token, or serve a --class"),
        ("app --port 70000", "70000"),
        ("solvers nobody", "nobody"),
        ("replay nothing", "there is no run 'nothing'"),
        ("verify nothing", "there is no run 'nothing'"),
        ("resume nothing", "there is no run 'nothing'"),
        ("ask iris --by-class --by-program true", "cannot answer together"),
        ("ask iris --by-program no-such-program-here", "cannot be started"),
        ("ask iris --by-program ''", "cannot be started"),
        ("ask iris --by-model small --model-url http://lab.example/v1", "is not an https address"),
        ("ask iris --by-class --noise some", "some is not a share below 0.5, nor 'learned'"),
        ("batch iris --solver kmeans", "there is no solver 'kmeans'"),
        ("batch iris --solver k-means -k 5-2", "-k 5-2 is no range"),
        ("batch iris --solver k-means --out .", ". cannot be written."),
        ("elbow iris -k 5-2", "-k 5-2 is no range A-B of numbers from 1."),
        ("elbow iris -k few", "-k few is no range"),
        ("elbow iris -k 149-151", "k = 151 clusters are more than the 150 points."),
        ("elbow iris --out .", ". cannot be written."),
        ("noise-study iris --out a.csv -p 0,half", "-p 0,half is not numbers joined by commas."),
        ("noise-study iris --out a.csv --plot no/a.html", "no/a.html cannot be written."),
    ],
)
def test_bad_input_is_one_sentence_and_leaves_no_file(ccviz, folder, words, sentence):
    done = ccviz(*shlex.split(words))
    assert done.code == 2
    assert sentence in done.sentence
    assert {path.name for path in folder.iterdir()} <= {"home"}


@pytest.mark.parametrize("command", ["margins", "prices"])
def test_a_run_without_a_bound_has_neither(ccviz, command):
    assert ccviz("solve", "iris", "--solver", "k-means").code == 0
    done = ccviz(command, "last")
    assert done.code == 2
    assert "run an exact solver first" in done.sentence


@pytest.fixture
def archive_path(folder):
    (folder / "home").mkdir()
    return folder / "home" / "runs.sqlite"


def test_names_are_no_markup(ccviz):
    for name in ("[/x]", "[bold red]loud", ":smile:"):
        assert ccviz("solve", "iris", "--solver", "cop-kmeans", "--name", name).code == 0
        assert name in ccviz("runs").out
    assert ccviz("runs", "--delete", "[/y]").sentence.startswith("there is no run '[/y]'")


_HOSTILE = "\x1b]0;title\x07\x9b31m\u202e"


def test_names_are_no_commands_to_the_terminal(ccviz, folder):
    table = folder / f"t{_HOSTILE}.csv"
    table.write_text(f"x,y,c{_HOSTILE},w\n0,1,a{_HOSTILE},{_HOSTILE}\n1,0,b,1\n5,5,b,2\n6,5,b,3\n")
    solve = ("solve", table.name, "-k", "2", "--columns", "x,y", "--solver", "blp-kmeans")
    word = f"count(c{_HOSTILE}=a{_HOSTILE})<=1"
    for words, code in (
        ((*solve, "--name", f"r{_HOSTILE}"), 0),
        (("runs",), 0),
        ((*solve, "--solver", "colgen", "--rule", word), 0),
        ((*solve, "--rule", f"count(c{_HOSTILE}=q{_HOSTILE})<=1"), 2),
        ((*solve, "--columns", f"x,q{_HOSTILE}"), 2),
        (("solve", table.name, "-k", "2", "--columns", "x,w"), 2),
        (("solve", f"none\n{_HOSTILE}"), 2),
        (("solvers", _HOSTILE), 2),
        ((_HOSTILE,), 2),
        (("runs", "--delete", f"r{_HOSTILE}"), 0),
    ):
        done = ccviz(*words)
        assert done.code == code, done.err
        assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]", done.out + done.err), words
        assert done.err.count("\n") == done.err.count("ccviz: ")
    assert r"\x1b]0;title\x07\x9b31m\u202e" in done.err + ccviz("solve", f"{_HOSTILE}.csv").err


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such terminals")
def test_a_table_on_a_terminal_is_no_command_to_it(command, folder):
    (folder / "t.csv").write_text(f"x,y,c\n0,1,{_HOSTILE}\n1,0,b\n5,5,b\n6,5,b\n")
    ours, theirs = os.openpty()
    words = "solve t.csv -k 2 --solver blp-kmeans --no-archive --quiet --table -"
    subprocess.run([*command, *words.split()], stdout=theirs, stderr=subprocess.DEVNULL, check=True)
    os.close(theirs)
    shown = os.read(ours, 1 << 16).decode()
    os.close(ours)
    assert r"0,1,\x1b]0;title\x07\x9b31m\u202e,0" in shown
    assert "\x1b" not in shown


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such terminals")
def test_a_run_ends_on_a_terminal(command, folder):
    ours, theirs = os.openpty()
    words = "solve iris --solver blp-kmeans --no-archive"
    whole = [*command, *words.split()]
    subprocess.run(whole, stdout=theirs, stderr=theirs, check=True, timeout=100)
    os.close(theirs)
    assert b"objective" in os.read(ours, 1 << 16)
    os.close(ours)


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


FULL = """
import shutil, sqlite3
import numpy as np
from ccviz.problem.problem import Problem
from ccviz.runs.archive import Archive
from ccviz.runs.database import default_path

path = default_path()
with Archive() as archive:
    for seed in range(3):
        archive.create(Problem(np.random.default_rng(seed).random((500, 10)), 3), "sdp", {})
try:
    with open(path.with_name("fill"), "wb", buffering=0) as file:
        while file.write(bytes(512)):
            pass
except OSError:
    pass
assert shutil.disk_usage(path).free == 0
for left in (2, 1, 0):
    with Archive() as archive:
        archive.delete(archive.find("last"))
        assert len(archive.runs()) == left
path.with_name("fill").unlink()
with Archive() as archive:
    archive.create(Problem(np.eye(3), 2), "sdp", {})
db = sqlite3.connect(path)
assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
assert db.execute("PRAGMA journal_mode").fetchone() == ("wal",)
"""


def test_runs_can_be_deleted_on_a_full_disk(folder):
    (folder / "home").mkdir()
    disk = ["unshare", "-rm", "sh", "-c", 'mount -t tmpfs -o size=2m none home && exec "$@"', "sh"]
    try:
        subprocess.run([*disk, "true"], check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("no disk can be made here")
    done = subprocess.run([*disk, sys.executable, "-c", FULL], capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")


def test_an_archive_that_cannot_be_used_costs_the_record_and_not_the_run(ccviz, archive_path):
    archive_path.write_bytes(b"no archive " * 500)
    done = ccviz("solve", "iris", "--solver", "cop-kmeans")
    assert (done.code, done.err.count("this run is not kept")) == (7, 1)
    assert ccviz("solve", "iris", "--solver", "cop-kmeans", "--no-archive").code == 0
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


def test_an_archive_of_0_1_that_may_only_be_read_can_be_read(
    ccviz, command, archive_path, monkeypatch
):
    subprocess.run(
        [*command, *["solve", "iris", "--solver", "blp-kmeans", "--name", "before"]], check=True
    )
    with closing(sqlite3.connect(archive_path)) as db:
        for column in ADDED:
            db.execute(f"ALTER TABLE runs DROP COLUMN {column}")
        db.execute("PRAGMA journal_mode = DELETE")
    content = archive_path.read_bytes()
    allowed = os.access
    monkeypatch.setattr(os, "access", lambda what, how: how != os.W_OK and allowed(what, how))
    assert "before" in ccviz("runs").out
    assert ccviz("replay", "before").code == 0
    assert ccviz("export", "before", "run.ccviz").code in (0, 2)
    assert archive_path.read_bytes() == content


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="names of files are bytes on Linux")
def test_names_may_be_other_bytes_than_utf_8(command, folder):
    table, home = b"b\xff\xe9.csv", os.fsencode(folder) + b"/h\xff"
    (folder / os.fsdecode(table)).write_text("x,y\n0,1\n1,0\n5,5\n6,5\n")

    def run(*words, **variables):
        done = subprocess.run(
            [command[0], *words], capture_output=True, check=False,
            env=os.environ | {"CCVIZ_HOME": home} | variables,
        )  # fmt: skip
        assert b"Traceback" not in done.stderr
        return done

    solve = ("solve", table, "-k", "2", "--solver", "blp-kmeans", "--name", b"n\xff")
    files = ("--report", "r.html", "--table", "t.csv", "--json", "j.json")
    assert run(*solve, *files).returncode == 0
    assert run("runs", "--rename", "last", b"m\xe9").returncode == 0
    assert b"m?" in run("runs").stdout
    assert run("solve", b"none\xff.csv").returncode == 2
    with Archive(os.fsdecode(home + b"/runs.sqlite")) as archive:
        assert archive.info(archive.find("last")).dataset == "b??"


def test_a_home_may_begin_with_two_slashes(ccviz, folder, monkeypatch):
    monkeypatch.setenv("CCVIZ_HOME", f"/{folder}/home")
    assert ccviz("runs").code == 0


@pytest.mark.slow
def test_output_may_lack_letters(command, folder):
    for encoding in ("ascii", "latin-1"):
        done = subprocess.run(
            [command[0], "solve", "iris", "--solver", "blp-kmeans", "--name", "größe–☃"],
            capture_output=True, check=False, env=os.environ | {"PYTHONIOENCODING": encoding},
        )  # fmt: skip
        assert (done.returncode, b"Traceback" in done.stderr) == (0, False)
        listed = subprocess.run(
            [command[0], "runs"], capture_output=True, check=False,
            env=os.environ | {"PYTHONIOENCODING": encoding},
        )  # fmt: skip
        assert b"\\u2603" in listed.stdout


@pytest.mark.slow
def test_files_are_written_for_a_reader_that_has_ended(command, folder):
    for words in ("solve iris --solver blp-kmeans --report r.html", "ask iris --by-class --out r"):
        reads, writes = os.pipe()
        os.close(reads)
        subprocess.run([*command, *words.split()], stdout=writes, check=False)
        os.close(writes)
        path = folder / words.split()[-1]
        assert path.stat().st_size > 100
        path.unlink()


def test_check_says_that_all_is_well_or_what_it_mended(ccviz, folder):
    assert ccviz("solve", "iris", "--solver", "cop-kmeans").code == 0
    assert ccviz("runs", "--check").out == "nothing is wrong with the archive.\n"
    with Archive() as archive:
        run_id = archive.find("last")
        archive.reopen(run_id)
        archive._set(run_id, {"tick": -1e9})
    assert "had lost its driver" in ccviz("runs", "--check").out
    assert ccviz("runs", "--check").out == "nothing is wrong with the archive.\n"


@pytest.mark.parametrize(
    ("table", "sentence"),
    [
        ("records", "node 0 was never opened: a record of the run is lost."),
        ("problems", "is lost."),
    ],
)
def test_a_lost_row_is_a_sentence(ccviz, folder, archive_path, table, sentence):
    assert ccviz("solve", "iris", "-k", "2", "--solver", "sdp", "--node-limit", "1").code == 0
    with closing(sqlite3.connect(archive_path)) as db, db:
        where = "WHERE kind = 'NodeOpened' AND seq < 9" if table == "records" else ""
        assert db.execute(f"DELETE FROM {table} {where}").rowcount == 1
    for words in ("replay last", "export last a.html", "export last a.dot"):
        done = ccviz(*words.split())
        assert (done.code, done.err.count("\n")) == (2, 1)
        assert done.err.endswith(f"{sentence}\n")
    assert not list(folder.glob("a.*"))
    assert ccviz("verify", "last").code == 1
    assert "cannot be mended" in ccviz("runs", "--check").out


def test_closed_streams_are_no_trouble(command, folder):
    redirections = [">&-", ">&- 2>&-"]
    if np.lib.NumpyVersion(np.__version__) < "2.1.0":
        redirections.pop()  # that NumPy writes to standard error while it is imported
    for redirection in redirections:
        done = subprocess.run(
            f"{command[0]} solvers {redirection}", shell=True, capture_output=True, check=False
        )
        assert (done.returncode, done.stderr) == (0, b""), redirection
