"""A pack of kernels is used where it fits in every point, and nowhere else."""

import json
import os
import subprocess
import sys
import zipfile
from dataclasses import dataclass
from pathlib import Path

import msgspec
import pytest

from ccviz import kernel_pack
from ccviz.compiled import COMPILES
from ccviz.kernel_pack import MANIFEST, Manifest, digests, find_pack

pytestmark = pytest.mark.skipif(not COMPILES, reason="there is no compiler")

TOOL = Path(__file__).parents[1] / "tools" / "pack_kernels.py"
SOURCE = "solvers/assignment/kernels/nearest.py"


def fitting(**changes):
    """Return the manifest of a pack for this process, with changes."""
    from llvmlite import binding
    from numba import __version__

    true = Manifest(
        sys.implementation.cache_tag, __version__, binding.get_process_triple(), "any", "",
        digests([SOURCE]),
    )  # fmt: skip
    return msgspec.structs.replace(true, **changes)


def test_a_pack_of_this_process_fits():
    assert fitting().fits()


@pytest.mark.parametrize(
    "change",
    [
        {"python": "cpython-27"}, {"numba": "0.1"}, {"triple": "pdp11-unknown-unix"},
        {"features": "+a_feature_of_2040"}, {"sources": {SOURCE: "0" * 64}},
        {"sources": {"solvers/gone.py": "0" * 64}},
    ],
)  # fmt: skip
def test_a_pack_that_differs_in_one_point_does_not_fit(change):
    assert not fitting(**change).fits()


@pytest.mark.parametrize(("change", "found"), [({}, True), ({"numba": "0.1"}, False)])
def test_the_pack_that_fits_is_found(tmp_path, monkeypatch, change, found):
    with zipfile.ZipFile(tmp_path / f"kernels-{sys.implementation.cache_tag}-x.zip", "w") as pack:
        pack.writestr(MANIFEST, msgspec.json.encode(fitting(**change)))
    monkeypatch.setattr(kernel_pack, "PACKS", tmp_path)
    find_pack.cache_clear()
    try:
        assert (find_pack() is not None) is found
    finally:
        find_pack.cache_clear()


_RUN = """
import json, sys
from pathlib import Path
from ccviz import Problem, kernel_pack, solve
from numba.core import event

kernel_pack.PACKS = Path(sys.argv[1])
with event.install_recorder("numba:compile") as compiled:
    result = solve(Problem([[0.0], [0.1], [1.0], [1.1]], 2, [(0, 1)]), "cvqe", progress=False)
print(json.dumps([len(compiled.buffer), result.partition.labels.tolist()]))
"""


@dataclass(frozen=True)
class Answer:
    """What a new process with an empty cache compiled, and its labels."""

    compiled: int
    labels: list


def answer(folder, cache):
    environment = os.environ | {"NUMBA_CACHE_DIR": str(cache), "CCVIZ_COMPILED": "1"}
    done = subprocess.run(
        [sys.executable, "-c", _RUN, str(folder)], env=environment, capture_output=True, text=True,
        check=True,
    )  # fmt: skip
    return Answer(*json.loads(done.stdout))


@pytest.mark.slow
def test_a_run_with_a_pack_compiles_nothing_and_finds_the_same(tmp_path):
    subprocess.run([sys.executable, TOOL, "--to", tmp_path / "packs", "cvqe"], check=True)
    packed = answer(tmp_path / "packs", tmp_path / "first")
    plain = answer(tmp_path / "none", tmp_path / "second")
    assert packed.compiled == 0
    assert plain.compiled > 0
    assert packed.labels == plain.labels
