import pytest

from ccviz.errors import FileFormatError
from ccviz.views.lab.importing import begin_upload


def test_parts_are_joined_in_their_order():
    upload = begin_upload("a.csv", 5, 10)
    upload.add(0, b"a,b")
    assert not upload.is_whole
    upload.add(3, b"\n1")
    assert upload.is_whole
    assert bytes(upload.content) == b"a,b\n1"


def test_an_empty_file_is_whole_at_once():
    assert begin_upload("empty.csv", 0, 10).is_whole


@pytest.mark.parametrize(("at", "part"), [(0, b"again"), (4, b"d"), (3, b"too long")])
def test_parts_that_do_not_fit_are_refused(at, part):
    upload = begin_upload("a.csv", 6, 10)
    upload.add(0, b"abc")
    with pytest.raises(FileFormatError, match=r"a\.csv: the parts"):
        upload.add(at, part)
    assert bytes(upload.content) == b"abc"


@pytest.mark.parametrize("name", ["../../etc/a.csv", "C:\\Users\\ann\\a.csv", "/a.csv", "a.csv"])
def test_a_name_has_no_folders(name):
    assert begin_upload(name, 1, 10).name == "a.csv"


def test_of_a_long_name_the_ending_stays():
    name = begin_upload("a" * 5000 + ".xlsx", 1, 10).name
    assert len(name) == 200
    assert name.endswith("a.xlsx")


@pytest.mark.parametrize(("name", "size"), [(None, 1), ("a.csv", -1), ("a.csv", "1"), ("a", 1.5)])
def test_what_is_no_name_and_size_is_refused(name, size):
    with pytest.raises(FileFormatError, match="no name and size"):
        begin_upload(name, size, 10)


def test_a_file_over_the_limit_is_refused_before_a_byte_is_kept():
    with pytest.raises(FileFormatError, match=r"a\.csv has 201 MB; at most 200 MB are taken\."):
        begin_upload("a.csv", 201_000_000, 200_000_000)
