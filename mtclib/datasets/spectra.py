"""Synthetic power spectra: two tasks of strictly positive data, for the Itakura-Saito divergence."""

import numpy as np

from .dataset import Dataset


def mbc_spectra(random_state=0, *, n_samples=(80, 40), n_classes=4, n_bands=64, looks=1) -> Dataset:
    """Power spectra of related sources in two tasks, made for MBC with the Itakura-Saito divergence.

    Each class is a smooth positive envelope over the frequencies, with the dynamic range that spectra have.
    A sample is its class's envelope times independent gamma noise of mean one, an exponential family whose
    divergence is that of Itakura and Saito.

    Parameters
    ----------
    random_state : int, default=0
    n_samples : sequence of int, default=(80, 40)
        Samples of each task.
    n_classes : int, default=4
        Classes, the same in both tasks.
    n_bands : int, default=64
        Frequencies.
    looks : float, default=1
        Shape of the gamma noise; 1 is the exponential noise of a raw periodogram.

    Returns
    -------
    Dataset

    Raises
    ------
    ValueError
        If a number is not positive, or a task has fewer samples than classes.

    Examples
    --------
    >>> data = mbc_spectra(random_state=1)
    >>> [X.shape for X in data.Xs], bool(min(X.min() for X in data.Xs) > 0)
    ([(80, 64), (40, 64)], True)
    """
    for name, value in (("n_classes", n_classes), ("n_bands", n_bands), ("looks", looks)):
        if value <= 0:
            raise ValueError(f"{name} must be positive, not {value!r}.")
    if min(n_samples) < n_classes:
        raise ValueError(f"n_samples must be n_classes={n_classes} or more in every task, not {n_samples!r}.")
    rng = np.random.default_rng(random_state)
    envelopes = np.exp(_envelopes(rng, n_classes, n_bands))
    Xs, labels = [], []
    for n in n_samples:
        y = rng.permutation(np.arange(n) % n_classes)
        Xs.append(np.maximum(envelopes[y] * rng.gamma(looks, 1.0 / looks, (n, n_bands)), 1e-12))
        labels.append(y)
    return Dataset(
        name="mbc-spectra", kind="multitask", Xs=Xs, labels=labels, edition="synthetic",
        task_names=tuple(str(t + 1) for t in range(len(Xs))),
        class_names=tuple(tuple(f"source {k + 1}" for k in range(n_classes)) for _ in Xs),
        preprocessing=({"step": "generate", "random_state": random_state, "looks": looks},),
    )  # fmt: skip


def _envelopes(rng, n_classes, n_bands):
    """Logarithms of the envelopes: a common slope and two broad peaks of each class's own."""
    frequencies = np.linspace(0.0, 1.0, n_bands)
    peaks = rng.uniform(0.0, 1.0, (n_classes, 2, 1))
    bumps = np.exp(-((frequencies - peaks) ** 2) / (2 * 0.08**2)).sum(axis=1)
    return -6.0 * frequencies + 1.2 * bumps
