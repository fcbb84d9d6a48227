"""`ccviz ask`: questions at the terminal."""

import builtins

import pytest


@pytest.fixture
def typed(monkeypatch):
    """Type words, then end the input."""

    def type_in(*words):
        left = iter(words)

        def reply(_):
            try:
                return next(left)
            except StopIteration:
                raise EOFError from None

        monkeypatch.setattr(builtins, "input", reply)

    return type_in


def test_the_classes_answer_and_the_links_are_written(ccviz, folder):
    done = ccviz(
        "ask", "iris", "--by-class", "--questions", 12, "--out", "a.txt", "--labels", "l.csv"
    )
    assert done.code == 0
    assert done.out.startswith("12 questions, ")
    assert "ari" in done.out
    assert len((folder / "a.txt").read_text().splitlines()) == 12
    assert len((folder / "l.csv").read_text().splitlines()) == 150
    again = ccviz("ask", "iris", "--by-class", "--questions", 0, "--links", "a.txt")
    assert again.out.split("\n")[1:] == done.out.split("\n")[1:]


def test_somebody_answers_until_it_is_enough(ccviz, typed):
    typed("perhaps", "y", "u", "n", "q")
    done = ccviz("ask", "iris")
    assert done.code == 0
    assert "1. Do points " in done.err
    assert "petal length (cm): " in done.err
    assert done.out.startswith("3 questions, ")
    assert "you had enough" in done.out


def test_the_end_of_the_input_is_enough(ccviz, typed):
    typed()
    assert "you had enough" in ccviz("ask", "iris").out


def test_unknown_classes_cannot_answer(ccviz, folder):
    (folder / "plain.csv").write_text("x,y\n0,1\n1,0\n2,2\n")
    asked = ccviz("ask", "plain.csv", "-k", 2, "--by-class")
    assert asked.code == 2
    assert asked.sentence == "--by-class: the classes of plain.csv are not known."
