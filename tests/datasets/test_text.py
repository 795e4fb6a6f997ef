"""Text to matrices, against small examples worked by hand and against scikit-learn."""

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.sparse import csr_array
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.metrics import mutual_info_score

from mtclib.datasets import text
from mtclib.datasets.tasks import vectorize_tasks

INK = st.sampled_from(["ink", "red", "sky", "blue", "sea", "cat"])
WORDS = st.lists(INK, min_size=1, max_size=8).map(" ".join)


def test_headers_end_at_the_first_blank_line_and_a_message_without_one_is_all_headers():
    message = "From: x\nSubject: y\n\nnew words\n\n--\nC. D."
    assert text.strip_parts(message, ("headers",)) == "new words\n\n--\nC. D."
    assert text.strip_parts(message, ()) == message
    assert text.strip_parts("From: x\nSubject: y", ["headers"]) == ""


@pytest.mark.parametrize("option, value", [
    ("n_features", 0), ("n_features", 2.5), ("min_length", -1), ("min_df", "a"), ("min_df", -1),
    ("min_df", 1.5), ("max_df", -0.5), ("max_df", None), ("token_pattern", "("),
    ("token_pattern", "(a)(b)"), ("token_pattern", None), ("select", "tfidf"), ("stemming", "snowball"),
    ("stop_words", "english"), ("weighting", "bm25"), ("idf_scope", "each"), ("idf_formula", "log"),
    ("remove", "headers"), ("remove", ["header"])])
def test_an_option_that_has_no_such_value_is_named(option, value):
    with pytest.raises(ValueError, match=f"^{option} "):
        vectorize_tasks([["red ink", "blue sky"]], **{option: value})


@pytest.mark.parametrize(("make", "message"), [
    (lambda: text.count_terms(["", "12 34"]), "texts: no document has a token"),
    (lambda: text.count_terms(["red ink", "blue ink"], min_df=3), "texts: no term is left; loosen min_df"),
    (lambda: text.count_terms(["the"], stemming="porter"), "texts: no term is left"),
    (lambda: vectorize_tasks([["red ink"]], labels=[["a"]], n_features=-1), "n_features must be an integer"),
    (lambda: vectorize_tasks([["red ink"], ["the"]]), "task 2"),
    (lambda: vectorize_tasks([["red ink"]], stopwords=None), r"stopwords: unknown option.*stop_words"),
    (lambda: vectorize_tasks([["a cat"]], stop_words=["a"]), "stop_words must be"),
    *((lambda w=w: text.weigh([csr_array([[1.0, -2.0]])], w), "must not be negative")
      for w in ("tfidf", "log", "counts-l2"))])
def test_texts_options_and_counts_that_cannot_be_used_are_refused(make, message):
    with pytest.raises(ValueError, match=message):
        make()


def test_words_are_counted_over_one_sorted_vocabulary_and_stems_share_a_column_after_stop_words_went():
    counts, terms = text.count_terms(["Red ink, red sky", "blue-sky 99"], stop_words=None)
    assert terms == ["blue", "ink", "red", "sky"]
    assert counts.toarray().tolist() == [[0, 1, 2, 1], [1, 0, 0, 1]]
    assert text.count_terms(["ab abc"], min_length=3)[1] == ["abc"]
    counts, terms = text.count_terms(["clustering the clusters", "cluster clustered"], stemming="porter")
    assert terms == ["cluster"]
    assert counts.toarray().tolist() == [[2], [2]]


DOCUMENTS = ["a1 b1", "a1 b1 c1 c1 c1", "a1 d1", "a1 e1"]


@pytest.mark.parametrize("options, expected", [
    ({"min_df": 2}, ["a1", "b1"]), ({"max_df": 0.5}, ["b1", "c1", "d1", "e1"]),
    ({"min_df": 1.0}, ["a1"]), ({"min_df": 1, "max_df": 1}, ["c1", "d1", "e1"]),
    ({"max_df": 1.0}, ["a1", "b1", "c1", "d1", "e1"]),
    ({"min_df": 0.5, "max_df": 3}, ["b1"]), ({"n_features": 2, "select": "df"}, ["a1", "b1"]),
    ({"n_features": 2, "select": "count"}, ["a1", "c1"]),
    ({"n_features": 4, "select": "count"}, ["a1", "b1", "c1", "d1"]),
    ({"n_features": 1, "select": "variance"}, ["c1"]),
    ({"n_features": 99}, ["a1", "b1", "c1", "d1", "e1"])])
def test_terms_are_bounded_and_picked_with_ties_in_alphabetical_order(options, expected):
    assert text.count_terms(DOCUMENTS, token_pattern=r"\w+", stop_words=None, **options)[1] == expected


def test_a_share_that_is_a_whole_number_of_documents_but_for_rounding_is_that_number():
    for n, count, bound in ((25, 7, {"min_df": 0.28}), (100, 29, {"max_df": 0.29})):
        assert "y" in text.count_terms(["x"] * (n - count) + ["x y"] * count, stop_words=None, **bound)[1]


@given(documents=st.lists(WORDS, min_size=3, max_size=8), seed=st.integers(0, 99), each=st.booleans())
def test_words_chosen_with_labels_have_the_largest_mutual_information_by_scikit_learn(documents, seed, each):
    counts, terms = text.count_terms(documents, stop_words=None)
    labels = np.random.default_rng(seed).integers(0, 3, len(documents))
    targets = [labels == c for c in np.unique(labels)] if each else [labels]
    present = counts.toarray() > 0
    scores = np.array([sum(mutual_info_score(y, column) for y in targets) for column in present.T])
    best = np.sort(np.argsort(-scores.round(9), kind="stable")[:2])
    assert text.informative_terms(counts, labels, 2, each).tolist() == best.tolist()
    assert text.informative_terms(counts, labels, None).tolist() == list(range(len(terms)))


def test_words_are_chosen_with_labels_only_when_they_are_given_and_the_step_says_so():
    texts, labels = [["a b x", "a b"], ["c x", "b"]], [["p", "p"], ["q", "p"]]
    options = {"stop_words": None, "n_features": 1, "weighting": "counts"}
    _, kept, terms, steps = vectorize_tasks(texts, labels=labels, **options)
    assert terms == ["b"]
    assert [k.tolist() for k in kept] == [[0, 1], [1]]
    assert steps[1]["step"] == "vocabulary, chosen with the true labels"
    assert steps[1]["n_features"] == 1
    assert all("labels" not in str(step) for step in vectorize_tasks(texts, **options)[3])


def test_smart_stop_words_come_from_the_data_file(made_up):
    made_up("20newsgroups/english.stop", "the\nwould\nwould\ndon't\n'll\n")
    assert text.stop_word_list("smart") == ["the", "would"]
    assert text.count_terms(["the cat would"], stop_words="smart")[1] == ["cat"]


@given(st.lists(WORDS, min_size=1, max_size=6))
def test_smooth_tfidf_equals_scikit_learn(documents):
    counts, terms = text.count_terms(documents, stop_words=None)
    ours = text.weigh([counts], "tfidf-l2", idf_formula="smooth")[0].toarray()
    theirs = TfidfVectorizer().fit_transform(documents).toarray()
    assert np.allclose(ours, theirs, atol=1e-8)


@given(st.lists(WORDS, min_size=2), st.sampled_from(text.WEIGHTINGS), st.sampled_from(("all", "task")))
def test_weights_are_nonnegative_and_normalised_rows_have_length_one_or_zero(documents, weighting, scope):
    counts, _ = text.count_terms(documents, stop_words=None)
    before = counts.copy()
    for X in text.weigh([counts[:1], counts[1:]], weighting, idf_scope=scope):
        assert X.dtype == np.float64
        assert (X.data > 0).all()
        norms = np.sqrt((X.toarray() ** 2).sum(axis=1))
        if weighting.endswith("l2"):
            assert np.all((norms == 0) | np.isclose(norms, 1, atol=1e-8))
    assert (counts != before).nnz == 0


def test_plain_idf_is_the_logarithm_over_all_tasks_or_within_each():
    counts, _ = text.count_terms(["ink red", "ink sky", "ink sky"], stop_words=None)
    tasks = [counts[:1], counts[1:]]
    over_all = text.weigh(tasks, "tfidf")
    assert np.allclose(over_all[0].toarray(), [[0, np.log(3), 0]])
    assert np.allclose(over_all[1].toarray(), [[0, 0, np.log(1.5)]] * 2)
    assert text.weigh(tasks, "tfidf", idf_scope="task")[1].nnz == 0
    assert np.allclose(text.weigh(tasks, "share-idf")[0].toarray(), [[0, np.log(3) / 2, 0]])
    assert np.allclose(text.weigh(tasks, "log-idf")[0].toarray(), [[0, np.log(2) * np.log(3), 0]])


def test_log_weights_are_the_logarithm_of_one_more_than_the_count_and_l1_rows_sum_to_one_or_are_empty():
    counts = csr_array([[0, 1, 3], [2, 0, 0], [0, 0, 0]])
    (plain,), (unit,), (shares,) = (text.weigh([counts], name) for name in ("log", "log-l2", "l1"))
    assert plain.toarray() == pytest.approx(np.log1p(counts.toarray()), abs=1e-9)
    assert unit.toarray()[0] == pytest.approx(np.log([1, 2, 4]) / np.sqrt(5 * np.log(2) ** 2), abs=1e-9)
    assert unit.toarray()[1:].tolist() == [[1, 0, 0], [0, 0, 0]]
    assert counts.sum() == 6
    assert shares.toarray().tolist() == [[0, 0.25, 0.75], [1, 0, 0], [0, 0, 0]]


def test_short_documents_are_dropped_or_kept_and_reported_and_enter_the_vocabulary_only_if_long_enough():
    tasks = [["red ink", "the", "red"], ["", "blue ink"]]
    Xs, kept, terms, steps = vectorize_tasks(tasks, min_terms=2)
    assert terms == ["blue", "ink", "red"]
    assert [k.tolist() for k in kept] == [[0], [1]]
    assert next(s for s in steps if s["step"] == "drop")["n_dropped"] == [2, 1]
    everything, kept, _, _ = vectorize_tasks(tasks, min_terms=0)
    assert [X.shape[0] for X in everything] == [3, 2]
    assert everything[1][[0]].nnz == 0
    assert [k.tolist() for k in kept] == [[0, 1, 2], [0, 1]]
    _, kept, terms, _ = vectorize_tasks([["red", "blue blue ink"], ["ink sky"]], min_words=2)
    assert terms == ["blue", "ink", "sky"]
    assert [k.tolist() for k in kept] == [[1], [0]]


def test_the_steps_spell_out_every_option():
    steps = vectorize_tasks([["red ink"]], weighting="counts")[3]
    assert [s["step"] for s in steps] == ["strip", "vocabulary", "drop", "weigh"]
    vocabulary = {"token_pattern", "min_length", "stop_words", "stemming", "min_df", "max_df", "n_features"}
    assert vocabulary | {"select"} <= set(steps[1])
    assert steps[3] == {"step": "weigh", "weighting": "counts", "idf_scope": "all", "idf_formula": "plain"}


def test_remembered_counts_are_those_of_the_same_options_and_can_be_changed_without_harm():
    tasks = [["one cat", "one dog"], ["one cow"]]
    assert vectorize_tasks(tasks, stop_words=None, min_df=1.0)[2] == ["one"]
    assert vectorize_tasks(tasks, stop_words=None, min_df=1)[2] == ["cat", "cow", "dog", "one"]
    first = vectorize_tasks([["a cat", "a dog"]], weighting="counts")
    first[0][0].data[:] = 7
    first[2].clear()
    Xs, _, terms, _ = vectorize_tasks([["a cat", "a dog"]], weighting="counts")
    assert terms == ["cat", "dog"]
    assert Xs[0].toarray().tolist() == [[1, 0], [0, 1]]
