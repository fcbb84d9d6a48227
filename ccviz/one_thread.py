"""One thread for linear algebra: of small matrices more of them wait for each other."""

import sys
from contextlib import AbstractContextManager
from functools import cache

from threadpoolctl import ThreadpoolController


def one_blas_thread() -> AbstractContextManager[object]:
    """Return a context in which linear algebra takes one thread of this process."""
    # SciPy brings a library of its own, beside NumPy's, when its `linalg` is first imported.
    return _libraries("scipy.linalg" in sys.modules).limit(limits=1, user_api="blas")


@cache
def _libraries(_with_scipy: bool) -> ThreadpoolController:
    """Return the loaded libraries that have threads; to find them takes milliseconds."""
    return ThreadpoolController()
