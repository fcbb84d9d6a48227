import pytest

from ccviz.errors import CcvizError
from ccviz.views.person import ALONE
from ccviz.views.serve.door import Door, load_key
from ccviz.views.serve.server import Serving

HOSTS = frozenset({"localhost", "127.0.0.1", "lab.example"})
KEY = bytes(range(32))


@pytest.mark.parametrize(
    ("host", "ours"),
    [
        ("localhost:5006", True),
        ("LAB.example", True),
        ("127.0.0.1:80", True),
        ("evil.example:5006", False),
        ("localhost.evil.example", False),
        ("", False),
        ("[::1]:5006", False),
    ],
)
def test_it_answers_to_its_own_names_only(host, ours):
    assert Door(HOSTS).knows(host) == ours


def test_one_person_needs_no_cookie():
    assert Door(HOSTS).person("") == ALONE


def test_a_token_opens():
    door = Door(HOSTS, KEY, token="open sesame")
    assert door.person("") is None
    assert door.admit("open") is None
    assert door.admit("") is None
    assert door.person(door.admit("open sesame")) == ALONE


def test_in_a_class_each_browser_is_somebody_else():
    door = Door(HOSTS, KEY, is_class=True, teacher_token="ms")
    one, two = door.admit(""), door.admit("")
    assert door.person(one).browser != door.person(two).browser
    assert not door.person(one).is_teacher
    teacher = door.person(door.admit("ms", one))
    assert (teacher.browser, teacher.is_teacher) == (door.person(one).browser, True)


def test_no_cookie_can_be_written_by_hand():
    door = Door(HOSTS, KEY, is_class=True)
    cookie = door.admit("")
    browser, first, role, second = cookie.split(".")
    forged = [
        "", "x", "...", f"{browser}.{first}.teacher.{second}", f"other.{first}.{role}.{second}",
        f"{browser}.{first}.{role}.", cookie + "x", cookie.replace(browser, "ü"),
        Door(HOSTS, bytes(32), is_class=True).admit(""),
    ]  # fmt: skip
    assert [door.person(each) for each in forged] == [None] * len(forged)


def test_a_teacher_without_a_token_is_nobody():
    door = Door(HOSTS, KEY, is_class=True)
    assert not door.person(door.admit("")).is_teacher


def test_a_new_token_shuts_old_cookies_out_and_leaves_them_their_runs():
    before, after = (Door(HOSTS, KEY, token=token, is_class=True) for token in ("one", "two"))
    cookie = before.admit("one")
    assert after.person(cookie) is None
    assert after.person(after.admit("two", cookie)) == before.person(cookie)


def test_the_key_is_kept(tmp_path):
    key = load_key(tmp_path / "home")
    assert load_key(tmp_path / "home") == key
    assert (tmp_path / "home" / "cookie-key").stat().st_mode & 0o077 == 0
    (tmp_path / "home" / "cookie-key").write_bytes(b"short")
    with pytest.raises(CcvizError, match="is no key"):
        load_key(tmp_path / "home")


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"address": "0.0.0.0"}, "give a --token, or serve a --class"),
        ({"address": "lab.example"}, "give a --token"),
        ({"teacher_token": "a"}, "for a class"),
        ({"is_class": True, "token": "a", "teacher_token": "a"}, "must differ"),
        ({"certificate": "a"}, "both"),
        ({"certificate": "nowhere", "private_key": "nowhere"}, "no file nowhere"),
    ],
)
def test_what_does_not_go_together_is_a_sentence(options, sentence):
    with pytest.raises(CcvizError, match=sentence):
        Serving(**options)


def test_names_of_the_server():
    serving = Serving(address="0.0.0.0", hosts=("Lab.Example",), is_class=True)
    assert serving.names == ("localhost", "127.0.0.1", "lab.example")
