import scipy.linalg
from threadpoolctl import threadpool_info, threadpool_limits

from ccviz.system import one_blas_thread


def threads():
    return {
        each["filepath"]: each["num_threads"]
        for each in threadpool_info()
        if each["user_api"] == "blas"
    }


def test_linear_algebra_takes_one_thread_and_then_as_many_as_before():
    assert scipy.linalg  # whose library of its own is loaded
    with threadpool_limits(2, "blas"):
        before = threads()
        assert 2 in before.values()
        with one_blas_thread():
            assert set(threads().values()) == {1}
        assert threads() == before
