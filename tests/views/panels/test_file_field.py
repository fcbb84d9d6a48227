import pytest

from ccviz.views.panels.base import FileField


@pytest.fixture
def taken():
    return []


@pytest.fixture
def answers():
    return []


@pytest.fixture
def field(taken, answers, monkeypatch):
    field = FileField(lambda *file: taken.append(file), label="Drop it", most_bytes=10)
    monkeypatch.setattr(field, "_send_msg", answers.append)
    return field


def part(at, data, name="a.csv", size=6, upload=1):
    return {"upload": upload, "name": name, "size": size, "at": at, "data": data}


def test_each_part_is_answered_and_the_whole_file_is_taken_once(field, taken, answers):
    field._handle_msg(part(0, b"abc"))
    assert answers == [{"upload": 1, "arrived": 3}]
    assert taken == []
    field._handle_msg(part(3, b"def"))
    assert answers[1:] == [{"upload": 1, "arrived": 6}]
    assert taken == [("a.csv", b"abcdef")]


def test_a_file_that_is_brought_again_is_taken_again(field, taken):
    for upload in (1, 2):
        field._handle_msg(part(0, b"abcdef", upload=upload))
    assert taken == [("a.csv", b"abcdef")] * 2


def test_another_file_replaces_one_that_is_on_its_way(field, taken):
    field._handle_msg(part(0, b"abc"))
    field._handle_msg(part(0, b"x", name="b.csv", size=1, upload=2))
    assert taken == [("b.csv", b"x")]


@pytest.mark.parametrize(
    "wrong", [part(4, b"e"), part(3, b"defg"), part(0, b"", size=11), part(0, b"", name=7)]
)
def test_what_does_not_fit_is_refused_in_words_and_nothing_is_kept(field, taken, answers, wrong):
    field._handle_msg(part(0, b"abc"))
    field._handle_msg(wrong)
    assert answers[-1]["refusal"]
    field._handle_msg(part(3, b"def"))
    assert answers[-1]["refusal"]
    assert taken == []
