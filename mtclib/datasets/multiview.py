"""The figures that a paper prints of a multi-view data set, beside ours."""

from dataclasses import replace

from .dataset import Dataset


def with_printed(data: Dataset, reason="", **printed) -> Dataset:
    """Return multi-view `data` with the figures that a paper prints of all its views.

    Parameters
    ----------
    data : Dataset
        Of kind "multiview".
    reason : str, default=""
        What to know about the figures.
    **printed : int
        Of ``n_samples`` and ``n_classes``, those that are printed.

    Returns
    -------
    Dataset
        With `published` and `differences`.

    Examples
    --------
    >>> import numpy as np
    >>> data = Dataset("x", "multiview", [np.ones((3, 2))], np.array([0, 1, 1]))
    >>> with_printed(data, n_samples=4).differences
    ('samples: 3, printed 4.',)
    """
    ours = {"n_samples": len(data.labels), "n_classes": data.n_clusters}
    wrong = [key for key in printed if ours[key] != printed[key]]
    parts = "; ".join(f"{key[2:]}: {ours[key]}, printed {printed[key]}" for key in wrong)
    sentence = " ".join(filter(None, (parts and parts + ".", reason))) or "none"
    views = range(len(data.Xs))
    return replace(data, published=tuple(dict(printed) for _ in views),
                   differences=tuple(sentence for _ in views))  # fmt: skip
