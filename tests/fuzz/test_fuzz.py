"""Some hostile inputs of every kind; `make fuzz` tries more, 3,000 of them in CI."""

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from ccviz.errors import CcvizError
from tests.fuzz import sound
from tests.fuzz.inputs import KINDS, Attack, big
from tests.fuzz.targets import TARGETS, HalfDoneError
from tests.fuzz.watch import TooSlowError, watch

FEW = {"command": 4, "settings": 8, "project": 5, "run": 8}
"""Number of inputs of kinds that take longer; of the others it is 12."""


@pytest.mark.parametrize("kind", sorted(KINDS.keys() - {"big"}))
def test_hostile_inputs_end_in_words(kind):
    @settings(
        max_examples=FEW.get(kind, 12), database=None, phases=[Phase.generate], derandomize=True,
        suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    @given(KINDS[kind]())
    def each(attack):
        assert watch(attack).fault == ""

    each()


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("a.csv", b",", "all cells are empty"),
        ("a.csv", b"9" * 5000 + b" 2\n1 2\n", "not a finite number"),
        ("a.csv", b"x" * 300_000 + b",1\n", "field larger than field limit"),
        ("a.npy", b"\x93NUMPY\x01\x00\x10\x00{'descr': '<f8', ", "not an array in NumPy's format"),
        ("a.npy", b"\x93NUMPY\x01\x00\x05\x00(1)  ", "not an array in NumPy's format"),
        ("a.xlsx", sound.excel_files()[0][:900], "not a readable Excel workbook"),
    ],
)
def test_what_was_a_traceback_is_a_sentence(name, content, words):
    with pytest.raises(CcvizError, match=words) as refused:
        TARGETS["data"](Attack("data", content, {"name": name}))
    assert len(str(refused.value)) < 1000


def test_names_that_are_all_alike_take_no_time_by_their_square():
    assert watch(Attack("data", b"a," * 40_000, {"name": "a.csv"})).fault == ""


def test_the_watch_sees_what_it_looks_for(monkeypatch):
    def raises(mistake):
        def target(attack):
            raise mistake

        monkeypatch.setitem(TARGETS, "odd", target)
        return watch(Attack("odd", 0))

    assert "KeyError: 'lost'" in raises(KeyError("lost")).fault
    assert "over ten seconds" in raises(TooSlowError()).fault
    assert "changed" in raises(HalfDoneError("changed")).fault
    assert raises(CcvizError("")).fault == "a refusal without a word"
    seen = raises(CcvizError("No."))
    assert (seen.fault, seen.refused) == ("", True)
    monkeypatch.setattr("tests.fuzz.watch.MOST_BYTES", 1 << 25)
    monkeypatch.setitem(TARGETS, "odd", lambda attack: bytearray(1 << 26))
    assert "over a gigabyte" in watch(Attack("odd", 0)).fault


SOUND = {
    "project": sound.projects,
    "run": sound.run_files,
    "proof": sound.proof_files,
    "archive": sound.archives,
    "answer": sound.answers,
}


@pytest.mark.parametrize("kind", SOUND)
def test_sound_files_are_taken(kind):
    for content in SOUND[kind]():
        TARGETS[kind](Attack(kind, content))


def test_an_address_that_is_half_right_changes_nothing():
    for wrong in ({"seed": "x"}, {"solver": "oracle"}, {"x": "height"}, {"limit.gap": "nan"}):
        with pytest.raises(CcvizError):
            TARGETS["address"](Attack("address", {"data": "wine", "k": "2"} | wrong))


def test_every_kind_has_a_target():
    assert KINDS.keys() - {"big"} == TARGETS.keys()
    assert isinstance(big(), st.SearchStrategy)
