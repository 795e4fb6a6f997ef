"""Label vectors: checked, as codes, and counted against each other."""

import numpy as np
import pandas as pd
from sklearn.metrics.cluster import contingency_matrix


def encode(labels, name):
    """Codes of a label vector.

    Parameters
    ----------
    labels : array-like of shape (n,)
        Labels of any hashable kind (integers, strings), at least one.
    name : str
        Name of the argument, for the messages.

    Returns
    -------
    codes : ndarray of int, shape (n,)
        Position of each label in `distinct`.
    distinct : list
        The k distinct labels, sorted, as Python objects.

    Raises
    ------
    ValueError
        If `labels` is empty, not 1-D or has a missing label.

    Examples
    --------
    >>> codes, distinct = encode(["b", "a", "b"], "labels")
    >>> codes.tolist(), distinct
    ([1, 0, 1], ['a', 'b'])
    """
    # An object array keeps a list such as ["a", nan] from turning into strings.
    values = np.asarray(labels if hasattr(labels, "dtype") else np.asarray(labels, dtype=object))
    if values.ndim != 1:
        raise ValueError(
            f"{name} has {values.ndim} dimensions: pass one label a sample, as in memberships.argmax(axis=1)"
        )
    if values.size == 0:
        raise ValueError(f"{name} is empty: pass at least one label")
    codes, distinct = pd.factorize(values, sort=True)
    if (codes < 0).any():
        count = int((codes < 0).sum())
        raise ValueError(f"{name} has {count} missing labels (NaN or None): drop those samples or label them")
    return codes, distinct.tolist()


def tabulate(labels_true, labels_pred, names=("labels_true", "labels_pred")):
    """Contingency table of two label vectors.

    Parameters
    ----------
    labels_true, labels_pred : array-like of shape (n,)
        Labels of the same samples in the same order.
    names : (str, str), default=("labels_true", "labels_pred")
        Names of the arguments, for the messages.

    Returns
    -------
    table : CSR of int64, shape (k_true, k_pred)
        How many samples have both labels.
    classes, clusters : list
        The distinct labels of its rows and of its columns, sorted.

    Raises
    ------
    ValueError
        As `encode`; also if the lengths differ.

    Examples
    --------
    >>> table, classes, clusters = tabulate(["a", "a", "b"], [1, 0, 1])
    >>> table.toarray().tolist(), classes, clusters
    ([[1, 1], [0, 1]], ['a', 'b'], [0, 1])
    """
    true_codes, classes = encode(labels_true, names[0])
    pred_codes, clusters = encode(labels_pred, names[1])
    if len(true_codes) != len(pred_codes):
        raise ValueError(
            f"{names[0]} has {len(true_codes)} labels and {names[1]} has {len(pred_codes)}: "
            "pass both for the same samples in the same order"
        )
    return contingency_matrix(true_codes, pred_codes, sparse=True, dtype=np.int64), classes, clusters
