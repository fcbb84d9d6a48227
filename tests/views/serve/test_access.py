from base64 import b64decode, b64encode
from concurrent.futures import ThreadPoolExecutor
from multiprocessing import get_context

import pytest

from ccviz.errors import CcvizError
from ccviz.views.person import ALONE
from ccviz.views.serve.access import Access, load_key
from ccviz.views.serve.server import Serving

HOSTS = frozenset({"localhost", "127.0.0.1", "lab.example"})
KEY = bytes(range(32))


@pytest.mark.parametrize(
    ("host", "ours"),
    [
        ("localhost:5006", True), ("LAB.example", True), ("127.0.0.1:80", True),
        ("evil.example:5006", False), ("localhost.evil.example", False), ("", False),
        ("[::1]:5006", False),
    ],
)  # fmt: skip
def test_it_answers_to_its_own_names_only(host, ours):
    assert Access(HOSTS).knows(host) == ours


def test_one_person_needs_no_cookie():
    assert Access(HOSTS).person("") == ALONE


def test_a_token_opens():
    access = Access(HOSTS, KEY, token="open sesame")
    assert access.person("") is None
    assert access.admit("open") is None
    assert access.admit("") is None
    assert access.person(access.admit("open sesame")) == ALONE


def test_in_a_class_each_browser_is_somebody_else():
    access = Access(HOSTS, KEY, is_class=True, teacher_token="ms")
    one, two = access.admit(""), access.admit("")
    assert access.person(one).browser != access.person(two).browser
    assert not access.person(one).is_teacher
    teacher = access.person(access.admit("ms", one))
    assert (teacher.browser, teacher.is_teacher) == (access.person(one).browser, True)


def test_no_cookie_can_be_written_by_hand():
    access = Access(HOSTS, KEY, is_class=True)
    cookie = access.admit("")
    *fields, length_and_value, signature = cookie.split("|")
    browser, role, seal = b64decode(length_and_value.partition(":")[2]).decode().split(".")
    teacher = b64encode(f"{browser}.teacher.{seal}".encode()).decode()
    forged = [
        "", "x", "...", "|||", cookie + "x", cookie.replace(signature, ""),
        "|".join([*fields, f"{len(teacher)}:{teacher}", signature]),
        "|".join([*fields, "1:ü", signature]),
        cookie.replace("2|", "1|", 1),
        Access(HOSTS, bytes(32), is_class=True).admit(""),
        Access(HOSTS, KEY, is_class=True, cookie="ccviz-80").admit(""),
    ]  # fmt: skip
    assert role == "person"
    assert [access.person(each) for each in forged] == [None] * len(forged)


def test_a_teacher_without_a_token_is_nobody():
    access = Access(HOSTS, KEY, is_class=True)
    assert not access.person(access.admit("")).is_teacher


def test_a_new_token_shuts_old_cookies_out_and_leaves_them_their_runs():
    before, after = (Access(HOSTS, KEY, token=token, is_class=True) for token in ("one", "two"))
    cookie = before.admit("one")
    assert after.person(cookie) is None
    assert after.person(after.admit("two", cookie)) == before.person(cookie)


def test_a_cookie_of_version_0_2_opens_nothing_and_keeps_its_browser():
    """Written by ccviz 0.2: browser, its signature, the role, and the signature of all three."""
    access = Access(HOSTS, KEY, is_class=True)
    old = (
        "00112233aabbccdd.2e6d4a94cb98fdbf61e67f36e5345c0aad16ce4d1fbfc5e47b44ce6f38f3e49a"
        ".person.00"
    )
    assert access.person(old) is None
    assert access.person(access.admit("", old)).browser == "00112233aabbccdd"
    assert access.person(access.admit("", old.replace("00", "11", 1))).browser != "11112233aabbccdd"


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
        ({"teacher_token": "a"}, "needs --class"),
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


def test_many_servers_that_start_at_once_share_one_key(tmp_path):
    with ThreadPoolExecutor(24) as threads:
        for turn in range(8):
            folder = tmp_path / str(turn)
            found = set(threads.map(load_key, [folder] * 24))
            assert len(found) == 1
            assert [each.name for each in folder.iterdir()] == ["cookie-key"]


@pytest.mark.slow
def test_200_starts_of_servers_on_new_homes_are_never_refused(tmp_path):
    with get_context("spawn").Pool(4) as starts:
        for turn in range(50):
            folder = tmp_path / str(turn)
            assert len(set(starts.map(load_key, [folder] * 4, chunksize=1))) == 1


def test_an_empty_key_of_a_full_disk_is_made_again(tmp_path):
    (tmp_path / "cookie-key").touch()
    assert len(load_key(tmp_path)) == 32
