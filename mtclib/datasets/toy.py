"""A small planted data set: no download, known clusters."""

from numbers import Integral

import numpy as np
from scipy import sparse

from .dataset import Dataset
from .text import weigh

_TOPICS = ((0, 1, 2), (0, 1, 3), (2, 3, 4))
_SIZES = (20, 25, 20)
_WORDS = 8


def _documents(rng, topics, size, length, sharpness):
    """Word counts: each topic has its own words, and shares the rest of the vocabulary with all topics."""
    d = _WORDS * (1 + max(map(max, _TOPICS)))
    blocks = []
    for topic in topics:
        p = np.full(d, (1 - sharpness) / d)
        p[topic * _WORDS : (topic + 1) * _WORDS] += sharpness / _WORDS
        blocks.append(rng.multinomial(length, p, size=size))
    return sparse.csr_array(np.vstack(blocks))


def toy_multitask(random_state=0, length=30, sharpness=0.5, weighting="tfidf-l2") -> Dataset:
    """Three tasks of three clusters each, drawn from five topics, so that the tasks are partly related.

    Parameters
    ----------
    random_state : int, default=0
    length : int, default=30
        Words a document.
    sharpness : float in [0, 1], default=0.5
        Share of a document's words that come from its topic's own eight words.
    weighting : str, default="tfidf-l2"
        As in :func:`mtclib.datasets.text.weigh`.

    Returns
    -------
    Dataset
        Sparse tasks of 60, 75 and 60 documents over 40 words.

    Raises
    ------
    ValueError
        If `random_state`, `sharpness` or `length` is out of range or `weighting` unknown.

    Examples
    --------
    >>> toy_multitask().class_names
    (('topic 0', 'topic 1', 'topic 2'), ('topic 0', 'topic 1', 'topic 3'), ('topic 2', 'topic 3', 'topic 4'))
    """
    if not 0 <= sharpness <= 1:
        raise ValueError(f"sharpness must be between 0 and 1, not {sharpness!r}.")
    for name, value, least in (("length", length, 1), ("random_state", random_state, 0)):
        if not isinstance(value, Integral) or value < least:
            raise ValueError(f"{name} must be an integer of at least {least}, not {value!r}.")
    rng = np.random.default_rng(random_state)
    counts = [_documents(rng, t, size, length, sharpness) for t, size in zip(_TOPICS, _SIZES)]
    drawn = {"step": "draw", "random_state": random_state, "length": length, "sharpness": sharpness}
    return Dataset(
        name="toy-multitask", kind="multitask", Xs=weigh(counts, weighting),
        labels=[np.repeat(np.arange(len(t)), size) for t, size in zip(_TOPICS, _SIZES)],
        task_names=("1", "2", "3"), class_names=tuple(tuple(f"topic {k}" for k in t) for t in _TOPICS),
        edition="planted", preprocessing=(drawn, {"step": "weigh", "weighting": weighting}),
    )  # fmt: skip
