"""Files appear whole or not at all."""

import os
import threading

import pytest

from ccviz.system import whole_file


def test_writes_and_leaves_nothing_else(tmp_path):
    with whole_file(tmp_path / "a") as file:
        file.write(b"new")
    assert (tmp_path / "a").read_bytes() == b"new"
    assert [path.name for path in tmp_path.iterdir()] == ["a"]


def test_what_was_there_stays_after_an_error(tmp_path):
    (tmp_path / "a").write_bytes(b"old")

    def write():
        with whole_file(tmp_path / "a") as file:
            file.write(b"ne")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        write()
    assert (tmp_path / "a").read_bytes() == b"old"
    assert [path.name for path in tmp_path.iterdir()] == ["a"]


def test_a_link_still_leads_to_its_file(tmp_path):
    (tmp_path / "a").write_bytes(b"old")
    (tmp_path / "link").symlink_to(tmp_path / "a")
    with whole_file(tmp_path / "link") as file:
        file.write(b"new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "a").read_bytes() == b"new"


def test_a_pipe_is_written_as_it_is(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    read = []
    reader = threading.Thread(target=lambda: read.append((tmp_path / "pipe").read_bytes()))
    reader.start()
    with whole_file(tmp_path / "pipe") as file:
        file.write(b"new")
    reader.join(10)
    assert read == [b"new"]


def test_a_link_to_itself_is_an_error_of_the_system(tmp_path):
    loop = tmp_path / "loop"
    loop.symlink_to(loop)
    with pytest.raises(OSError, match="symbolic links"), whole_file(loop):
        pass
