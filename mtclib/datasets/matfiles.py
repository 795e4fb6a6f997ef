"""Reading MATLAB data files, which hold several papers' matrices and labels."""

import numpy as np
from scipy import sparse
from scipy.io import loadmat

from .fetching import fetch


def read_mat(name, *variables) -> list:
    """Fetch a MATLAB file and return some of its variables.

    Parameters
    ----------
    name : str
        A name from :func:`mtclib.datasets.registry`.
    *variables : str
        Which variables, such as ``"fea"``.

    Returns
    -------
    list of ndarray or sparse matrix
        In the order of `variables`, with the shapes and types of the file.

    Raises
    ------
    ValueError
        If the file has no such variable.
    FetchError
        If the file cannot be had.

    Examples
    --------
    >>> fea, gnd = read_mat("20news-lssmtc/comp.vs.sci_task1.mat", "fea", "gnd")  # doctest: +SKIP
    >>> fea.shape, gnd.shape  # doctest: +SKIP
    ((1875, 2000), (1875, 1))
    """
    content = loadmat(fetch(name), variable_names=variables)
    if missing := [variable for variable in variables if variable not in content]:
        raise ValueError(f"variables: {name} has no variable {missing[0]!r}.")
    return [content[variable] for variable in variables]


def as_rows(matrix, columns=False) -> sparse.csr_array:
    """Return a stored matrix with samples in rows.

    Parameters
    ----------
    matrix : ndarray or sparse matrix
    columns : bool, default=False
        Whether the file keeps samples in columns.

    Returns
    -------
    csr_array of float64, shape (n_samples, n_features)

    Examples
    --------
    >>> as_rows([[1, 0, 2]], columns=True).shape
    (3, 1)
    """
    matrix = sparse.csr_array(matrix, dtype=np.float64)
    return sparse.csr_array(matrix.T if columns else matrix)


def as_codes(values, order) -> np.ndarray:
    """Number the classes of a stored label column.

    Parameters
    ----------
    values : ndarray or sparse matrix, shape (n_samples, 1)
    order : sequence of int
        The stored value of class 0, of class 1, and so on.

    Returns
    -------
    ndarray of int, shape (n_samples,)

    Raises
    ------
    ValueError
        If a stored value is not in `order`.

    Examples
    --------
    >>> as_codes([[1], [-1], [1]], order=(1, -1)).tolist()
    [0, 1, 0]
    """
    values = values.toarray() if sparse.issparse(values) else np.asarray(values)
    same = values.reshape(-1, 1).astype(int) == np.asarray(order)
    if not same.any(axis=1).all():
        raise ValueError(f"values: the stored labels {np.unique(values).tolist()} are not all in {order}.")
    return same.argmax(axis=1)
