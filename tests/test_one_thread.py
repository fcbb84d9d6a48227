import scipy.linalg
from threadpoolctl import threadpool_info, threadpool_limits

from ccviz.one_thread import one_blas_thread


def threads():
    return {each["num_threads"] for each in threadpool_info() if each["user_api"] == "blas"}


def test_linear_algebra_takes_one_thread_and_then_as_many_as_before():
    assert scipy.linalg  # whose library of its own is loaded
    with threadpool_limits(2, "blas"):
        with one_blas_thread():
            assert threads() == {1}
        assert threads() == {2}
