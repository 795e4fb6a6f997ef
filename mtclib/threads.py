"""One thread for the linear algebra, so that sums are always added in the same order."""

from threadpoolctl import get_cached_controller


def one_thread(user_api=None):
    """A context in which OpenMP and BLAS use one thread.

    Libraries count that are loaded when the context is entered.

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
    ...     {library["num_threads"] for library in threadpool_info()}
    {1}
    """
    # To look through the libraries of the process takes 5 ms, more than many a k-means run.
    return get_cached_controller().limit(limits=1, user_api=user_api)
