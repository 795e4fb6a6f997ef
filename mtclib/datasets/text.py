"""From documents to matrices: every choice is a parameter, and every step is recorded.

Preprocessing moves clustering results more than the methods do, so nothing here is implicit.  All tasks of a
data set share one vocabulary.  No step looks at class labels but one, :func:`informative_terms`, which is
never a default.
"""

import inspect
import re
from functools import cache, lru_cache
from numbers import Integral, Real

import numpy as np
import snowballstemmer
from scipy import sparse
from scipy.stats import entropy
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS, CountVectorizer, TfidfTransformer
from sklearn.preprocessing import normalize

from mtclib.core.checks import COUNT_OR_NONE, check_number, check_option, check_rule
from mtclib.datasets.fetching import fetch

LETTERS = r"[A-Za-z]+"
WEIGHTINGS = ("counts", "counts-l2", "tfidf", "tfidf-l2", "log", "log-l2", "log-idf", "log-idf-l2", "sqrt-l2",
              "l1", "share-idf")


def strip_parts(text: str, remove) -> str:
    """Drop the headers of a newsgroup message, all up to the first blank line, if `remove` has them."""
    if not isinstance(remove, list | tuple | set | frozenset) or set(remove) - {"headers"}:
        raise ValueError(f"remove must be ['headers'] or [], not {remove!r}.")
    return text.partition("\n\n")[2] if "headers" in remove else text


def stop_word_list(stop_words, token_pattern=LETTERS) -> list[str]:
    """Return the stop words in lower case, sorted; entries that are not one token ("don't") are left out.
    "sklearn" is scikit-learn's list, "smart" the SMART list (a data file), and "bow" that of the Bow toolkit:
    SMART and "ll"."""
    if stop_words in ("sklearn", None):
        words = ENGLISH_STOP_WORDS if stop_words else ()
    elif stop_words in ("smart", "bow"):
        words = fetch("20newsgroups/english.stop").read_text(encoding="latin-1").split()
        words += ["ll"] if stop_words == "bow" else []
    else:
        raise ValueError(f"stop_words must be 'sklearn', 'smart', 'bow' or None, not {stop_words!r}.")
    return sorted({word for word in words if re.fullmatch(token_pattern, word)})


@cache
def _stem(word):
    return snowballstemmer.stemmer("porter").stemWord(word)


def _stem_columns(counts, terms):
    """Merge the columns of words with one stem."""
    merged, column = np.unique([_stem(term) for term in terms], return_inverse=True)
    join = sparse.eye_array(len(merged), dtype=np.int64, format="csr")[column]
    return sparse.csr_array(counts @ join), list(merged)


def document_frequency(counts) -> np.ndarray:
    """Number of the rows of a CSR array that have an entry in each column."""
    return np.bincount(counts.indices, minlength=counts.shape[1])


def _pick_columns(counts, terms, min_df, max_df, n_features, select) -> np.ndarray:
    """Columns to keep, in alphabetical order; equal scores go to the alphabetically first term."""
    n = counts.shape[0]
    df = document_frequency(counts)
    # Rounded, because 0.28 of 25 documents are a little more than 7.
    low, high = (bound if isinstance(bound, Integral) else round(bound * n, 9) for bound in (min_df, max_df))
    allowed = np.flatnonzero((df >= low) & (df <= high))
    total = counts.sum(axis=0)
    score = df if select == "df" else total if select == "count" else n * (counts**2).sum(axis=0) - total**2
    order = np.argsort(-score[allowed], kind="stable")
    return np.sort(allowed[order[:n_features]])


@lru_cache(maxsize=1)  # several lists of stop words are tried on the same documents
def _count(texts, token_pattern):
    """Counts of all words of documents, and these words."""
    vectorizer = CountVectorizer(token_pattern=token_pattern, dtype=np.int64)
    try:
        counts = sparse.csr_array(vectorizer.fit_transform(texts))
    except ValueError as error:
        raise ValueError(f"texts: no document has a token ({error}).") from error
    return counts, vectorizer.get_feature_names_out().tolist()


def count_terms(texts, *, token_pattern=LETTERS, min_length=1, stop_words="sklearn", stemming=None, min_df=1,
                max_df=1.0, n_features=None, select="df"):
    """Count the words of documents over one vocabulary.

    Parameters
    ----------
    texts : sequence of str
    token_pattern : str, default=letters
        Regular expression of a token, of texts in lower case.
    min_length : int, default=1
        Shorter tokens are left out.
    stop_words : {"sklearn", "smart", "bow", None}, default="sklearn"
        Left out before stemming.
    stemming : {"porter", None}, default=None
    min_df, max_df : int or float
        Bounds of the document frequency, inclusive; a float between 0 and 1 is a share of the documents.
    n_features : int or None, default=None
        Keep so many terms with the highest score.
    select : {"df", "count", "variance"}, default="df"
        The score: document frequency, total count or variance of the counts.  Ties go to the alphabetically
        first term.

    Returns
    -------
    counts : csr_array of int64, shape (n_documents, n_terms)
    terms : list of str
        In alphabetical order.

    Examples
    --------
    >>> counts, terms = count_terms(["The cat sat.", "A cat, a dog!"], min_df=2)
    >>> terms, counts.toarray().tolist()
    (['cat'], [[1], [1]])
    """
    check_option("select", select, ("df", "count", "variance"))
    if stemming not in ("porter", None):
        raise ValueError(f"stemming must be 'porter' or None, not {stemming!r}.")
    _check_terms(token_pattern, min_length, min_df, max_df, n_features)
    stops = {*stop_word_list(stop_words, token_pattern)}
    counts, terms = _count(texts if isinstance(texts, str) else tuple(texts), token_pattern)
    wanted = [i for i, term in enumerate(terms) if len(term) >= min_length and term not in stops]
    counts, terms = counts[:, wanted], [terms[i] for i in wanted]
    if stemming:
        counts, terms = _stem_columns(counts, terms)
    kept = _pick_columns(counts, terms, min_df, max_df, n_features, select)
    if not len(kept):
        raise ValueError("texts: no term is left; loosen min_df, max_df, min_length or stop_words.")
    return sparse.csr_array(counts[:, kept]), [terms[i] for i in kept]


def informative_terms(counts, labels, n_features, each=True) -> np.ndarray:
    """Columns whose presence tells most about the true labels: a choice of words that uses the labels.

    The score of a term is the mutual information of its presence with membership in a class, summed over the
    classes, or that with the class itself (information gain) where `each` is False.  The `n_features` best
    columns, or all for None, are in ascending order; ties go to the first.

    >>> informative_terms(sparse.csr_array([[1, 1, 0], [1, 0, 0], [1, 0, 2]]), ["a", "b", "b"], 1).tolist()
    [1]
    """
    check_rule("n_features", n_features, COUNT_OR_NONE)
    names, codes = np.unique(labels, return_inverse=True)
    members = sparse.csr_array(codes == np.arange(len(names))[:, None], dtype=np.int64)
    present = (members @ (sparse.csr_array(counts) > 0).astype(np.int64)).toarray()
    sizes = np.bincount(codes)[:, None]
    if each:
        score = sum(_information(np.stack([row, present.sum(axis=0) - row]), np.stack([n, len(codes) - n]))
                    for row, n in zip(present, sizes))
    else:
        score = _information(present, sizes)
    order = np.argsort(-score.round(12), kind="stable")
    return np.sort(order[:n_features])


def _information(present, sizes):
    """Mutual information of a term's presence, counted by class, (k, d), and the class, of sizes (k, 1)."""
    joint = np.concatenate([present, sizes - present])
    margin = np.stack([present.sum(axis=0), (sizes - present).sum(axis=0)])
    return entropy(sizes, axis=0) + entropy(margin, axis=0) - entropy(joint, axis=0)


def _check_terms(token_pattern, min_length, min_df, max_df, n_features):
    check_number("min_length", min_length, low=0, integer=True)
    check_rule("n_features", n_features, COUNT_OR_NONE)
    for name, value in (("min_df", min_df), ("max_df", max_df)):
        if not (isinstance(value, Real) and value >= 0 and (isinstance(value, Integral) or value <= 1)):
            raise ValueError(f"{name} must be a count, or a share from 0.0 to 1.0, not {value!r}.")
    try:
        groups = re.compile(token_pattern).groups
    except (re.error, TypeError) as error:
        raise ValueError(f"token_pattern {token_pattern!r} is no regular expression: {error}.") from error
    if groups > 1:
        raise ValueError(f"token_pattern {token_pattern!r} has {groups} groups; write (?:...) for them.")


def _idf(counts, formula) -> np.ndarray:
    if formula == "smooth":
        return TfidfTransformer().fit(counts).idf_
    return np.log(counts.shape[0] / np.maximum(document_frequency(counts), 1))


def weigh(counts, weighting="tfidf-l2", idf_scope="all", idf_formula="plain") -> list:
    """Turn term counts into weights.

    Parameters
    ----------
    counts : list of csr_array, each (n_t, d)
        One per task, over one vocabulary.
    weighting : one of :data:`WEIGHTINGS`, default="tfidf-l2"
        "log" is ``ln(1 + count)``, "sqrt" the square root.  ``-l2`` divides each row by its Euclidean norm,
        "l1" divides its counts by their sum; "share-idf" multiplies these shares by the idf, as "tfidf" does
        the counts and "log-idf" the logarithms.
    idf_scope : {"all", "task"}, default="all"
        Whether documents are counted over all tasks or within each.
    idf_formula : {"plain", "smooth"}, default="plain"
        ``ln(n / df)``, or scikit-learn's ``ln((1 + n) / (1 + df)) + 1``.

    Returns
    -------
    list of csr_array of float64
        Rounded to 9 decimals, so that the last bit of a platform's logarithm does not show; "l1" is not, so
        that its rows sum to one.

    Examples
    --------
    >>> weigh([sparse.csr_array([[3, 4]])], "counts-l2")[0].toarray()
    array([[0.6, 0.8]])
    """
    check_option("weighting", weighting, WEIGHTINGS)
    check_option("idf_scope", idf_scope, ("all", "task"))
    check_option("idf_formula", idf_formula, ("plain", "smooth"))
    Xs = [sparse.csr_array(X, dtype=np.float64, copy=True) for X in counts]
    for X in Xs:
        X.sum_duplicates()
        X.eliminate_zeros()  # documents are counted by what is stored
    if any((X.data < 0).any() for X in Xs):
        raise ValueError("counts must not be negative: document frequencies and logarithms are of numbers of "
                         "occurrences; pass raw counts, or weight such data yourself.")
    for name, function in (("log", np.log1p), ("sqrt", np.sqrt)):
        for X in Xs * weighting.startswith(name):
            function(X.data, out=X.data)
    if weighting.startswith("share"):
        Xs = [normalize(X, norm="l1", copy=False) for X in Xs]
    if "idf" in weighting:
        shared = _idf(sparse.csr_array(sparse.vstack(Xs)), idf_formula) if idf_scope == "all" else None
        for X in Xs:
            X.data *= (_idf(X, idf_formula) if shared is None else shared)[X.indices]
    if weighting.endswith(("l1", "l2")):
        Xs = [normalize(X, norm=weighting[-2:], copy=False) for X in Xs]
    for X in Xs:
        if weighting != "l1":
            X.data.round(9, out=X.data)
        X.eliminate_zeros()
    return Xs


def _keywords(function) -> dict:
    parameters = inspect.signature(function).parameters.values()
    return {p.name: p.default for p in parameters if p.default is not p.empty}


TERM_OPTIONS = _keywords(count_terms)
WEIGHT_OPTIONS = _keywords(weigh)


def split_options(given):
    """Split the options into those for terms and those for weights, defaults filled in."""
    unknown = sorted(set(given) - set(TERM_OPTIONS) - set(WEIGHT_OPTIONS))
    if unknown:
        known = sorted([*TERM_OPTIONS, *WEIGHT_OPTIONS])
        raise ValueError(f"{unknown[0]}: unknown option; the preprocessing options are {', '.join(known)}.")
    return [{key: given.get(key, of[key]) for key in of} for of in (TERM_OPTIONS, WEIGHT_OPTIONS)]
