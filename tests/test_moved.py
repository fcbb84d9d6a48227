"""Every public name of an earlier version is where it was, or found by the path that it had."""

import json
import warnings
from importlib import import_module
from pathlib import Path

import pytest

from ccviz.moved import MOVED

NAMES = json.loads((Path(__file__).parent / "stored" / "public_names_0.3.json").read_text("utf-8"))


def test_every_name_of_0_3_is_there():
    assert len(NAMES) > 60
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        modules = {name: import_module(name) for name in NAMES}
    missing = {
        name: gone
        for name, module in modules.items()
        if (gone := [each for each in NAMES[name] if not hasattr(module, each)])
    }
    assert not missing


@pytest.mark.parametrize("name", MOVED)
def test_a_moved_module_is_that_of_now(name):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        assert import_module(name) is import_module(MOVED[name])
