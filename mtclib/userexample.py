"""A small planted data set as files, to try the notebook on data of one's own."""

import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
import scipy.io
import scipy.sparse as sp

from mtclib.datasets.toy import toy_multitask
from mtclib.usage import choose
from mtclib.userdata import KINDS, UserData, load


def example(kind="tasks", seed=0) -> UserData:
    """The data of :func:`write_example`, written to a temporary folder and loaded from there.

    Parameters
    ----------
    kind : {"tasks", "views"}, default="tasks"
    seed : int, default=0

    Returns
    -------
    UserData

    Examples
    --------
    >>> example("views").n_clusters
    4
    """
    with tempfile.TemporaryDirectory() as folder:
        paths, options = write_example(kind, folder, seed)
        return load(kind, paths, **options)


def write_example(kind, folder, seed=0):
    """Write a small planted data set, as files of the kind that :func:`load` reads.

    Parameters
    ----------
    kind : {"tasks", "views"}
        Three tasks of word counts with three of five topics each, as CSV; or three views of four clusters,
        each view blind to something, as CSV, sparse npz and mat.
    folder : path-like
        An existing folder.
    seed : int, default=0

    Returns
    -------
    paths : list of str
    options : dict
        For :func:`load`.

    Raises
    ------
    ValueError
        If `kind` is unknown or `seed` is negative.

    Examples
    --------
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     [Path(path).name for path in write_example("views", folder)[0]]
    ['measured.csv', 'words.npz', 'signals.mat']
    """
    write = {"tasks": _write_tasks, "views": _write_views}[choose(kind, KINDS, "kind")]
    return write(Path(folder), seed), {"label_column": "class"}


def _write_tasks(folder, seed):
    data, paths = toy_multitask(random_state=seed, sharpness=0.4, weighting="counts"), []
    for name, X, y, classes in zip(("north", "south", "west"), data.Xs, data.labels, data.class_names):
        words = [f"word {j + 1}" for j in range(X.shape[1])]
        frame = pd.DataFrame(X.toarray().astype(int), columns=words)
        paths.append(str(folder / f"{name}.csv"))
        frame.assign(**{"class": [classes[code] for code in y]}).to_csv(paths[-1], index=False)
    return paths


def _write_views(folder, seed):
    rng = np.random.default_rng(seed)
    y = np.repeat(np.arange(4), 30)
    measured = rng.normal(size=(120, 4)) + 4.0 * np.eye(4)[np.minimum(y, 2)]
    words = rng.poisson(0.3 + 2.0 * np.repeat(np.eye(3)[np.maximum(y, 1) - 1], 10, axis=1))
    signals = rng.normal(size=(120, 3)) + 2.0 * (y % 2)[:, None]
    paths = [str(folder / name) for name in ("measured.csv", "words.npz", "signals.mat")]
    frame = pd.DataFrame(measured.round(3), columns=["height", "width", "depth", "weight"])
    frame.assign(**{"class": [f"class {code + 1}" for code in y]}).to_csv(paths[0], index=False)
    sp.save_npz(paths[1], sp.csr_array(words))
    scipy.io.savemat(paths[2], {"signals": signals})
    return paths
