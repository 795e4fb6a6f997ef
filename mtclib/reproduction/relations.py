"""Relation matrices between the clusters of two tasks, renamed by their classes."""

import numpy as np
import pandas as pd

from mtclib.metrics import match_clusters

COLUMNS = ("dataset", "run", "task", "other", "row", "column", "value")


def relation_frame(dataset, relations, labels_true, labels_pred, families, run=0) -> pd.DataFrame:
    """Entries of relation matrices by the classes that the clusters stand for.

    The paper maps clusters to classes by the permutation of the accuracy measure before it prints a relation
    (MTCMRL, section 4.6); so does this function, on both sides.

    Parameters
    ----------
    dataset : str
        Name.
    relations : mapping of (int, int) to array-like of shape (h_t, h_s)
        G^(t,s), tasks counted from 0, as ``MTCMRL.relation_``.
    labels_true : list of array-like of shape (n_t,), int
        Classes of each task, 0 .. number of classes - 1.
    labels_pred : list of array-like of shape (n_t,), int
        Clusters of each task; cluster i is row (column) i of the relation.
    families : list of sequence of str
        For each task the family of each class, equal for related classes of different tasks, e.g. the root
        category of a newsgroup.
    run : int, default=0
        Number of the run.

    Returns
    -------
    DataFrame
        Columns ``dataset, run, task, other, row, column, value``; tasks counted from 1, as text.  Clusters
        without a document or without a class are left out.

    Raises
    ------
    ValueError
        A relation whose shape does not fit the clusters.

    Examples
    --------
    >>> G = {(0, 1): [[0.1, 0.6], [0.3, 0.0]]}
    >>> labels = [[0, 0, 1, 1], [0, 1, 1, 1]]
    >>> frame = relation_frame("toy", G, labels, [[1, 1, 0, 0], [0, 1, 1, 1]], [("comp", "rec")] * 2)
    >>> frame[["row", "column", "value"]].values.tolist()[:2]
    [['rec', 'comp', 0.1], ['rec', 'rec', 0.6]]
    """
    names = [
        {cluster: family[kind] for cluster, kind in match_clusters(true, pred).items() if kind != -1}
        for true, pred, family in zip(labels_true, labels_pred, families)
    ]
    rows = []
    for (t, s), relation in relations.items():
        relation = np.asarray(relation, dtype=float)
        if relation.ndim != 2 or any(max(names[k]) >= size for k, size in zip((t, s), relation.shape)):
            raise ValueError(
                f"relations[{t}, {s}] has shape {relation.shape}: fewer rows or columns than clusters"
            )
        rows += [
            (dataset, run, str(t + 1), str(s + 1), names[t][i], names[s][j], relation[i, j])
            for i in sorted(names[t])
            for j in sorted(names[s])
        ]
    return pd.DataFrame(rows, columns=list(COLUMNS))
