"""`-` reads the data or the links from standard input."""

import io
import json
import sys

import pytest

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
