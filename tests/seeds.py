"""Seeds of tests that take many: a few among the quick tests, all of them where asked for."""

import os

import pytest

EXHAUSTIVE = bool(os.environ.get("CCVIZ_EXHAUSTIVE"))


def seeds(few: int, in_all: int) -> list:
    """Return the values of a parameter `seed`: the first few, and where asked for the slow rest."""
    rest = range(few, in_all) if EXHAUSTIVE else ()
    return [*range(few), *(pytest.param(seed, marks=pytest.mark.slow) for seed in rest)]
