"""HiGHS prints nothing: neither when a model is made nor when it is solved."""

import runpy
import sys
from pathlib import Path

import highspy
import pytest

from ccviz import highs_output
from ccviz.errors import CcvizError
from ccviz.highs_output import make_highs

PACKAGE = Path(__file__).parents[1] / "ccviz"


def test_the_output_is_off_before_the_callbacks_are_enabled(monkeypatch):
    """HiGHS 1.16 prints its banner there; an option set on the finished object is too late."""
    seen = []
    enable = highspy.Highs.enableCallbacks

    def watched(self):
        seen.append(self.getOptionValue("output_flag")[1])
        enable(self)

    monkeypatch.setattr(highspy.Highs, "enableCallbacks", watched)
    make_highs()
    assert seen == [False]


def test_it_has_one_thread_and_the_options_given():
    highs = make_highs(mip_max_nodes=7, presolve="off")
    names = ("output_flag", "threads", "mip_max_nodes", "presolve")
    assert [highs.getOptionValue(name)[1] for name in names] == [False, 1, 7, "off"]


def test_callbacks_still_work():
    highs = make_highs()
    highs.cbMipInterrupt.subscribe(lambda event: event.interrupt(False))
    highs.addVar(0, 1)
    highs.changeColCost(0, -1.0)
    highs.changeColIntegrality(0, highspy.HighsVarType.kInteger)
    highs.run()
    assert highs.getInfo().objective_function_value == pytest.approx(-1.0)


def test_no_other_module_makes_a_model():
    others = (path for path in PACKAGE.rglob("*.py") if path.name != "highs_output.py")
    assert not [path for path in others if "highspy.Highs()" in path.read_text(encoding="utf-8")]


def test_where_ortools_keeps_it_from_loading_a_sentence_says_what_helps(monkeypatch):
    monkeypatch.setitem(sys.modules, "highspy", None)
    with pytest.raises(CcvizError, match=r"install highspy 1\.16 or newer"):
        runpy.run_path(highs_output.__file__)
