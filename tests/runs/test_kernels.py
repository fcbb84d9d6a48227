import os
import threading

import pytest

from ccviz.runs import warm
from ccviz.runs.warm import compiled, turn_to_compile


@pytest.fixture(autouse=True)
def empty_cache(tmp_path, monkeypatch):
    """Look for kernels in an empty folder, and in no pack."""
    monkeypatch.setattr(warm, "find_pack", lambda: None)
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    return tmp_path


def test_what_was_compiled_is_there():
    assert not compiled("sdp")
    with turn_to_compile("sdp") as needed:
        assert needed
        assert not compiled("sdp")
    assert compiled("sdp")
    assert not compiled("colgen")


def test_all_are_there_where_a_pack_came_with_the_wheel(monkeypatch):
    monkeypatch.setattr(warm, "find_pack", object)
    assert compiled("sdp")


def test_nobody_compiles_twice():
    for first in (True, False):
        with turn_to_compile("sdp") as needed:
            assert needed is first


def test_what_broke_off_is_not_there():
    with pytest.raises(KeyboardInterrupt), turn_to_compile("sdp"):
        raise KeyboardInterrupt
    assert not compiled("sdp")


def test_the_second_waits_for_the_first():
    seen = []

    def second():
        with turn_to_compile("sdp") as needed:
            seen.append(needed)

    with turn_to_compile("sdp"):
        waiting = threading.Thread(target=second)
        waiting.start()
        assert seen == []
    waiting.join(20)
    assert seen == [False]


def test_the_cache_is_the_users_where_the_package_may_not_be_written(tmp_path, monkeypatch):
    monkeypatch.delenv("NUMBA_CACHE_DIR")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(os, "access", lambda *_: False)
    with turn_to_compile("sdp"):
        pass
    assert compiled("sdp")
    assert [*tmp_path.rglob("sdp-*.compiled")]


def test_a_changed_source_is_to_be_compiled(tmp_path, monkeypatch):
    package = tmp_path / "package"
    package.mkdir()
    source = package / "kernel.py"
    source.write_text("from ccviz.compiled import njit\n")
    monkeypatch.setattr(warm, "_PACKAGE", package)
    digest_of = warm._sources.__wrapped__
    before = digest_of()
    assert digest_of() == before
    source.write_text("from ccviz.compiled import njit, prange\n")
    assert digest_of() != before
