"""One thread for the linear algebra, so that sums are always added in the same order."""

from functools import cache

from threadpoolctl import ThreadpoolController


@cache
def _controller():
    # To look through the libraries of the process takes 5 ms, more than many a k-means run.
    return ThreadpoolController()


def one_thread(user_api=None):
    """A context in which OpenMP and BLAS use one thread.

    Libraries count that are loaded when it is first entered: those of numpy, scipy and scikit-learn are.

    Parameters
    ----------
    user_api : {None, 'blas', 'openmp'}
        Limit only these.

    Returns
    -------
    context manager

    Examples
    --------
    >>> from threadpoolctl import threadpool_info
    >>> with one_thread():
    ...     max(library["num_threads"] for library in threadpool_info())
    1
    """
    return _controller().limit(limits=1, user_api=user_api)
