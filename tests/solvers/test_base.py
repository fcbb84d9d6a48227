import numpy as np
import pytest

from ccviz.errors import UnsupportedError
from ccviz.problem import Problem
from ccviz.solvers.ipc_kmeans import IpcKMeans
from ccviz.solvers.sdp.solver import Sdp


@pytest.mark.parametrize("solver", [Sdp(), IpcKMeans()])
def test_more_blocks_than_fit_into_memory_are_refused_in_words(solver):
    n = int(solver.most_blocks) + 1
    X = np.arange(float(n))[:, None]
    with pytest.raises(UnsupportedError, match=r"can take 4,000 blocks; this problem has 4,001\."):
        solver.check(Problem(X, 2))
    solver.check(Problem(X, 2, must_link=[(0, 1)]))
