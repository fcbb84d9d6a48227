"""Projects and lessons under an address: limits, time, hostile words, and who may do what."""

import numpy as np
import pytest

from ccviz.data.datasets import Dataset, load
from ccviz.errors import CcvizError
from ccviz.quota import STUDENT
from ccviz.views.lab.runner import RunQueue
from ccviz.views.lab.session import Session
from ccviz.views.link_table import Link
from ccviz.views.person import ALONE, Person
from ccviz.views.share import kept as module
from ccviz.views.share.kept import KeptFiles, open_kept
from ccviz.views.share.project import save_project
from tests.patience import wait_until

ANN, BEN = Person("ann"), Person("ben")
DAY = 86_400.0


class Clock:
    """A time that the test sets."""

    now = 1_000_000_000.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def files(tmp_path, clock):
    """Return the files of a server, none yet."""
    return KeptFiles(tmp_path / "new" / "shared", clock)


def test_a_file_is_found_by_its_word_until_its_time_is_over(files, clock, tmp_path):
    kept = files.keep(ANN, "project", "mine\n", b"one\ntwo\n", days=7)
    assert (kept.name, kept.ends) == ("mine", "2001-09-16 01:46 UTC")
    assert kept.query == f"shared={kept.word}"
    (file,) = (tmp_path / "new" / "shared").iterdir()
    assert (file.stat().st_mode | file.parent.stat().st_mode) & 0o077 == 0  # of this account
    clock.now += 7 * DAY - 1
    assert files.find("project", kept.word)[1] == b"one\ntwo\n"
    assert [each.word for each in files.of(ANN)] == [kept.word]
    clock.now += 2
    with pytest.raises(CcvizError, match="its time is over"):
        files.find("project", kept.word)
    assert files.of(BEN) == []  # whoever looks
    assert list((tmp_path / "new" / "shared").iterdir()) == []


def test_its_owner_alone_deletes_a_file(files):
    kept = files.keep(ANN, "lesson", "mine", b"a")
    assert kept.query == f"lesson=kept-{kept.word}"
    with pytest.raises(CcvizError, match="nothing under this address"):
        files.find("project", kept.word)
    files.delete(BEN, kept.word)
    files.delete(ALONE, kept.word)
    assert files.find("lesson", kept.word)
    files.delete(ANN, kept.word)
    with pytest.raises(CcvizError, match="it was deleted"):
        files.find("lesson", kept.word)
    files.delete(ANN, kept.word)


@pytest.mark.parametrize(
    "word",
    ["", ".", "../secret", "a" * 31, "a" * 33, "/etc/passwd", f"{'a' * 31}/", f"{'a' * 31}.",
     f"{'a' * 31}\n", f"{'a' * 32}\n", f"{'a' * 31}\0", "\u0661" * 32, "..%2F" * 6 + "aa"],
)  # fmt: skip
def test_a_hostile_word_finds_and_deletes_nothing(files, tmp_path, word):
    files.keep(ANN, "project", "mine", b"a")
    secret = tmp_path / "new" / "secret"
    secret.write_bytes(b'{"owner":"ann","kind":"project","name":"","until":9e99}\nsecret')
    with pytest.raises(CcvizError, match="nothing under this address"):
        files.find("project", word)
    files.delete(ANN, word)
    assert secret.exists()
    assert len(files.of(ANN)) == 1


def test_a_person_keeps_no_more_than_their_share(files):
    for _ in range(STUDENT.kept):
        last = files.keep(ANN, "project", "mine", b"a")
    with pytest.raises(CcvizError, match="delete one first"):
        files.keep(ANN, "project", "mine", b"a")
    files.keep(BEN, "project", "his", b"a")
    files.delete(ANN, last.word)
    files.keep(ANN, "project", "mine", b"a")
    with pytest.raises(CcvizError, match="7, 1, 30, 180 days"):
        files.keep(BEN, "project", "mine", b"a", days=10**9)
    with pytest.raises(CcvizError, match="more than the 16,777,216"):
        files.keep(BEN, "project", "large", b"a" * (STUDENT.kept_bytes + 1))


def test_a_server_keeps_no_more_than_it_can(files, clock, monkeypatch):
    monkeypatch.setattr(module, "MOST_BYTES", 500)
    files.keep(ANN, "project", "mine", b"a" * 300)
    with pytest.raises(CcvizError, match="as much as it can"):
        files.keep(BEN, "project", "his", b"a" * 300)
    clock.now += 8 * DAY  # what is over makes room
    files.keep(BEN, "project", "his", b"a" * 300)
    monkeypatch.setattr(module, "MOST_FILES", 1)
    with pytest.raises(CcvizError, match="as much as it can"):
        files.keep(ANN, "project", "mine", b"a")


def test_damaged_files_are_left_out_and_a_full_disk_is_a_sentence(files, tmp_path):
    folder = tmp_path / "new" / "shared"
    folder.mkdir(parents=True)
    (folder / ("a" * 32)).write_bytes(b"no first line")
    (folder / ("b" * 32)).mkdir()
    assert files.of(ANN) == []
    with pytest.raises(CcvizError, match="nothing under this address"):
        files.find("project", "a" * 32)
    blocked = KeptFiles(folder / ("a" * 32) / "below")
    with pytest.raises(CcvizError, match="cannot keep or read this") as refused:
        blocked.keep(ANN, "project", "mine", b"a")
    assert str(tmp_path) not in str(refused.value)


def test_another_session_opens_a_copy_as_it_opens_an_upload(files, archive):
    ann, ben = (Session(archive, RunQueue(), load("iris"), each) for each in (ANN, BEN))
    ann.edits.load(Dataset("<b>mine</b>", np.arange(12.0).reshape(6, 2), ("a", "b")))
    ann.edits.add_links([Link("must", 0, 1)])
    for content, name, said in (
        (b"PK no zip", "iris", "holds no sound project"),
        (save_project(ann, False), "<b>mine</b>", "<b>mine</b> is a copy"),
    ):
        open_kept(ben, files, files.keep(ANN, "project", "<b>mine</b>", content).word)
        wait_until(lambda: ben.tick() or not ben.needs_tick)
        assert ben.draft.data.name == name
        assert said in ben.notice.text
    ben.edits.add_links([Link("cannot", 2, 3)])
    assert (len(ann.draft.links), len(ben.draft.links)) == (1, 2)
    ann.close()
    ben.close()
