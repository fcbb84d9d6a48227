"""A run as one file: there and back, and what a forged file comes to."""

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ccviz import Problem, start
from ccviz.errors import ArchiveError
from ccviz.runs.archive import Archive
from ccviz.runs.file import export_run, import_run
from ccviz.runs.recorder import Recorder
from ccviz.runs.stop import Limits
from ccviz.solvers import make_solver

PROBLEM = Problem(
    np.random.default_rng(0).normal(size=(12, 2)), 3, cannot_link=[(0, 1)], truth=[0, 1, 2] * 4
)


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    return tmp_path_factory.mktemp("runs")


@pytest.fixture(scope="module")
def archive(home):
    with Archive(home / "runs.sqlite") as archive:
        yield archive


@pytest.fixture(scope="module")
def run_id(archive):
    solver = make_solver("blp-kmeans", n_init=4)
    run_id = archive.create(
        PROBLEM, "blp-kmeans", {"n_init": 4}, seed=3, limits=Limits(gap=0.1), name="Ünïcode"
    )
    stepper = start(PROBLEM, solver, seed=3)
    with Recorder(archive, run_id, stepper.run) as recorder:
        for record in stepper:
            recorder.put(record)
    archive.score(run_id)
    return run_id


@pytest.fixture(scope="module")
def exported(archive, run_id, home):
    export_run(archive, run_id, home / "run.ccviz")
    return (home / "run.ccviz").read_bytes()


@pytest.fixture(scope="module")
def other(home):
    with Archive(home / "other.sqlite") as archive:
        yield archive


def test_comes_back_as_it_was_under_an_id_of_its_own(archive, run_id, exported, other, home):
    again = import_run(other, home / "run.ccviz")
    before, after = archive.info(run_id), other.info(again)
    kept = (
        "name", "dataset", "solver", "settings", "limits", "seed", "n", "d", "k",
        "status", "termination", "message", "objective", "gap", "nodes", "time_s", "violations",
        "ari", "last_seq",
    )  # fmt: skip
    assert [getattr(after, name) for name in kept] == [getattr(before, name) for name in kept]
    assert np.array_equal(other.load(again).labels, archive.load(run_id).labels)
    assert import_run(other, home / "run.ccviz") != again


def test_a_run_that_had_not_ended_is_closed(archive, run_id, other, home):
    whole = archive.records(run_id)
    part = archive.create(PROBLEM, "blp-kmeans", {})
    archive.append(part, whole[:-1], None)
    export_run(archive, part, home / "part.ccviz")
    info = other.info(import_run(other, home / "part.ccviz"))
    assert info.termination == "failed"
    assert info.objective == archive.info(run_id).objective  # folded again, not taken on trust


def test_what_was_there_stays_if_writing_fails(archive, home):
    target = home / "precious.ccviz"
    target.write_bytes(b"precious")
    with pytest.raises(ArchiveError, match="no run"):
        export_run(archive, "nothing", target)
    assert target.read_bytes() == b"precious"
    with pytest.raises(ArchiveError, match="cannot be written"):
        export_run(archive, archive.runs()[0].id, home / "no" / "folder")


@pytest.mark.parametrize(
    "change",
    [
        lambda data: b"",
        lambda data: b"ccviz run 2\n" + data[12:],
        lambda data: data[:12],
        lambda data: data[:-1],
        lambda data: data[:40],
        lambda data: data[:12] + (1 << 40).to_bytes(8, "big") + data[20:],
        lambda data: data + data[12:],
        lambda data: data + b"\0" * 7,
        lambda data: b"\x80\x04cos\nsystem\n(S'true'\ntR.",
    ],
)
def test_a_forged_file_ends_in_a_sentence_and_leaves_no_run(exported, other, home, change):
    before = [info.id for info in other.runs()]
    (home / "forged.ccviz").write_bytes(change(exported))
    with pytest.raises(ArchiveError, match="holds no sound run"):
        import_run(other, home / "forged.ccviz")
    assert [info.id for info in other.runs()] == before


def with_head(exported, **changes):
    """Return the file with another head."""
    length = int.from_bytes(exported[12:20], "big")
    head = msgspec.msgpack.decode(exported[20 : 20 + length]) | changes
    data = msgspec.msgpack.encode(head)
    return exported[:12] + len(data).to_bytes(8, "big") + data + exported[20 + length :]


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"solver": '"><img src=x onerror=alert(1)>'}, "there is no solver"),
        ({"solver": "sdp"}, "sdp has no parameter 'n_init'"),
        ({"settings": {"n_init": 0}}, "n_init = 0 is below 1"),
        ({"settings": {"n_init": "<b>"}}, "n_init = '<b>' is not a whole number"),
        ({"limits": {"workers": 24}}, "a limit that is not one of"),
        ({"limits": {"time_limit": -1}}, "time_limit = -1 is not a number of at least 0"),
        ({"seed": -1}, "seed = -1"),
        ({"seed": 1 << 63}, "seed = 9223372036854775808"),
        ({"solver": "cop-kmeans", "settings": {}}, "its records are of another run"),
    ],
)
def test_what_could_not_be_started_is_refused(exported, other, home, changes, sentence):
    before = len(other.runs())
    (home / "forged.ccviz").write_bytes(with_head(exported, **changes))
    with pytest.raises(ArchiveError, match="holds no sound run") as refused:
        import_run(other, home / "forged.ccviz")
    assert sentence in str(refused.value)
    assert len(other.runs()) == before


@pytest.mark.parametrize("workers", ["tcp://203.0.113.7:8786", "24"])
def test_where_a_run_works_is_not_for_the_file_to_say(exported, other, home, workers):
    (home / "forged.ccviz").write_bytes(with_head(exported, workers=workers))
    assert other.info(import_run(other, home / "forged.ccviz")).workers == "1"


def test_names_are_plain_text(exported, other, home):
    changes = {"name": "one\nline \x1b[31m\u202e" + "a" * 999, "dataset": "two\x00\tlines"}
    (home / "forged.ccviz").write_bytes(with_head(exported, **changes))
    info = other.info(import_run(other, home / "forged.ccviz"))
    assert (info.name[:13], len(info.name), info.dataset) == ("one line  [31", 200, "two  lines")


@given(data=st.data())
def test_no_flipped_byte_ends_in_anything_else(exported, other, home, data):
    forged = bytearray(exported)
    forged[data.draw(st.integers(0, len(forged) - 1))] = data.draw(st.integers(0, 255))
    (home / "flipped.ccviz").write_bytes(forged)
    before = len(other.runs())
    try:
        import_run(other, home / "flipped.ccviz")
    except ArchiveError:
        assert len(other.runs()) == before
    else:
        assert len(other.runs()) == before + 1


def test_a_file_that_is_not_there(other, home):
    with pytest.raises(ArchiveError, match="cannot be read: No such file"):
        import_run(other, home / "nowhere")
