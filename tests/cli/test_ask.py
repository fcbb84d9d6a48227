"""`ccviz ask`: questions at the terminal."""

import builtins
import sys

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
    assert "whoever answered had enough" in done.out


def test_sets_are_asked_about(ccviz, typed, folder):
    typed("perhaps", "", "q")
    done = ccviz("ask", "iris", "--set-size", 4, "--out", "a.txt")
    assert done.code == 0
    assert "1. Which of these points do not belong with the others?" in done.err
    assert "whoever answers replied 'perhaps'" in done.err
    assert done.out.startswith("1 questions, ")
    assert len((folder / "a.txt").read_text().splitlines()) == 3
    by_class = ccviz("ask", "iris", "--set-size", 4, "--by-class", "--questions", 3)
    assert by_class.out.startswith("3 questions, ")


def test_the_end_of_the_input_is_enough(ccviz, typed):
    typed()
    assert "whoever answered had enough" in ccviz("ask", "iris").out


def test_unknown_classes_cannot_answer(ccviz, folder):
    (folder / "plain.csv").write_text("x,y\n0,1\n1,0\n2,2\n")
    asked = ccviz("ask", "plain.csv", "-k", 2, "--by-class")
    assert asked.code == 2
    assert asked.sentence == "--by-class: the classes of plain.csv are not known."


def test_a_program_answers(ccviz, folder):
    (folder / "answers.py").write_text(
        "import json, sys\n"
        "for line in sys.stdin:\n"
        "    asked = json.loads(line)\n"
        "    same = asked['one']['point'] // 50 == asked['two']['point'] // 50\n"
        "    assert 'petal length (cm)' in asked['one']['features']\n"
        "    print('quit' if asked['number'] == 21 else 'yes' if same else 'no', flush=True)\n"
    )
    command = f"'{sys.executable}' answers.py"
    done = ccviz("ask", "iris", "--by-program", command, "--noise", "learned")
    assert done.code == 0
    assert done.out.startswith("20 questions, ")
    assert "whoever answered had enough" in done.out
    assert "wrong answers  about " in done.out
    as_classes = ccviz("ask", "iris", "--by-class", "--questions", 20, "--noise", "learned")
    assert as_classes.out.split("\n")[1:] == done.out.split("\n")[1:]


def test_what_was_answered_before_a_program_failed_is_written(ccviz, folder):
    (folder / "fails.py").write_text(
        "import sys\nfor _ in range(2):\n    sys.stdin.readline()\n"
        "    print('no', flush=True)\nsys.stdin.readline()\nsys.exit(3)\n"
    )
    command = f"'{sys.executable}' fails.py"
    failed = ccviz("ask", "iris", "--by-program", command, "--out", "links.txt")
    assert failed.code == 2
    assert "ended (exit code 3) before it replied to question 3" in failed.err
    assert len((folder / "links.txt").read_text().splitlines()) == 2


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (("--by-class", "--by-program", "true"), "cannot answer together"),
        (("--by-program", "no-such-program-here"), "cannot be started"),
        (("--by-program", ""), "cannot be started"),
        (
            ("--by-model", "small", "--model-url", "http://lab.example/v1"),
            "is not an https address",
        ),
        (("--by-class", "--noise", "some"), "noise = some is not a share below 0.5, nor 'learned'"),
    ],
)
def test_who_cannot_answer_is_named(ccviz, given, words):
    asked = ccviz("ask", "iris", *given)
    assert asked.code == 2
    assert words in asked.sentence
