from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest

from ccviz.errors import UnsupportedError
from ccviz.problem.problem import Problem
from ccviz.solvers import SOLVERS, check
from ccviz.solvers.base import Solver, label_of
from ccviz.solvers.blp_kmeans import BlpKMeans
from ccviz.solvers.dils import Dils
from ccviz.solvers.ipc_kmeans import IpcKMeans
from ccviz.solvers.sdp import Sdp


def test_more_blocks_than_fit_into_memory_are_refused_in_words():
    solver = IpcKMeans()
    n = int(solver.most_blocks) + 1
    X = np.arange(float(n))[:, None]
    with pytest.raises(UnsupportedError, match=r"can take 4,000 blocks; this problem has 4,001\."):
        solver.check(Problem(X, 2))
    solver.check(Problem(X, 2, must_link=[(0, 1)]))


def test_a_refusal_names_the_solvers_that_can():
    X = np.arange(6.0)[:, None]
    with pytest.raises(UnsupportedError) as refused:
        check(Dils(), Problem(X, 2, sizes=[3, 3]))
    first, _, able = str(refused.value).partition("; these can: ")
    assert first == "dils cannot handle cluster sizes"
    can = [solver.name for solver in SOLVERS if solver.supports.sizes]
    assert able == f"{', '.join(can)}."


def test_a_parameter_without_a_sentence_is_named():
    @dataclass(frozen=True)
    class Hasty(Solver):
        name: ClassVar[str] = "hasty"
        rounds: int = 3

    with pytest.raises(TypeError, match="hasty: the parameter rounds is not declared by `setting"):
        Hasty()


def test_a_setting_is_called_by_its_label_or_its_name_in_words():
    assert label_of("n_init", BlpKMeans) == "Starts"
    assert label_of("cuts_per_block", BlpKMeans, Sdp) == "Cuts per block"
    assert label_of("node_limit") == "Node limit"
