"""Theorem 1 of MSPL: its ingredients, that it fails as printed, and that its correction holds."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, strategies as st

from mtclib.companion.papers.mspl import all_partitions, check_bounds, distortion_bound
from mtclib.metrics import clustering_accuracy


def partitions(n, k):
    """All partitions of n samples into k clusters, up to names, as rows."""
    rows = [(0,)]
    for _ in range(n - 1):
        rows = [(*row, j) for row in rows for j in range(min(max(row) + 2, k))]
    return np.array([row for row in rows if max(row) == k - 1])


def distortion(X, labels):
    return sum(((X[labels == j] - X[labels == j].mean(axis=0)) ** 2).sum() for j in np.unique(labels))


def data(seed, n_views, n, k):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % k
    Xs = []
    for _ in range(n_views):
        labels = y.copy()
        labels[rng.choice(n, 2, replace=False)] = rng.integers(0, k, 2)
        d = int(rng.integers(k - 1, 5))
        X = rng.choice([3.0, 8.0]) * rng.normal(size=(k, d))[labels] + rng.normal(size=(n, d))
        Xs.append(rng.choice([0.5, 1.0, 2.0]) * X)
    return Xs


def best_of(Xs, candidates):
    return candidates[np.argmin([sum(distortion(X, row) for X in Xs) for row in candidates])]


@given(seed=st.integers(0, 2**31), k=st.integers(2, 4), d=st.integers(1, 15), sparse=st.booleans())
def test_no_partition_is_better_than_the_ideal_and_dense_and_sparse_agree(seed, k, d, sparse):
    rng = np.random.default_rng(seed)
    X = rng.poisson(1.0, (10, d)).astype(float)
    X[0, 0] += 3.0
    labels = rng.permutation(np.arange(10) % k)
    bound = distortion_bound([sp.csr_array(X) if sparse else X], labels)
    assert bound.distortion[0] == pytest.approx(distortion(X, labels), rel=1e-9)
    values = np.linalg.eigvalsh(np.cov(X.T, bias=True).reshape(d, d) * 10)[::-1]
    assert bound.ideal[0] == pytest.approx(((X - X.mean(axis=0)) ** 2).sum() - values[:k - 1].sum(), abs=1e-8)
    assert bound.distortion[0] >= bound.ideal[0] - 1e-9


@given(seed=st.integers(0, 2**31), n_views=st.integers(1, 3), k=st.integers(2, 3), n=st.integers(5, 7))
def test_the_corrected_bound_holds_for_every_partition(seed, n_views, k, n):
    Xs, candidates = data(seed, n_views, n, k), partitions(n, k)
    best = best_of(Xs, candidates)
    for other in candidates:
        bound = distortion_bound(Xs, other)
        if bound.corrected_applies:
            assert 1 - clustering_accuracy(best, other) <= bound.corrected + 1e-9


def test_separated_clusters_are_certified_and_a_view_with_too_few_features_has_no_gap():
    rng = np.random.default_rng(0)
    y = np.arange(60) % 3
    Xs = [30.0 * np.eye(3)[y] @ rng.normal(size=(3, 5)) + rng.normal(size=(60, 5)) for _ in range(2)]
    bound = distortion_bound(Xs, y)
    assert bound.corrected_applies
    assert bound.corrected < 1 / 3
    assert not distortion_bound(Xs, rng.permutation(y)).corrected_applies
    bound = distortion_bound([Xs[0], rng.normal(size=(60, 1))], y)
    assert np.isinf(bound.delta[1])
    assert np.isfinite(bound.delta[0])
    assert not bound.printed_applies
    assert np.isfinite(bound.printed)


def test_the_table_of_bounds_counts_what_the_single_bounds_say():
    Xs, candidates = data(3, 2, 7, 2), list(partitions(7, 2))
    table, best = check_bounds(Xs, candidates), best_of(Xs, candidates)
    assert table["excess"].min() == 0
    assert table.loc[table["excess"] == 0, "error"].tolist() == [0.0]
    assert not table["corrected_broken"].any()
    for row, labels in zip(table.itertuples(), candidates):
        bound, error = distortion_bound(Xs, labels), 1 - clustering_accuracy(best, labels)
        assert row.error == error
        assert row.delta == bound.delta.min()
        assert row.printed_broken == (bound.printed_applies and error > bound.printed + 1e-12)
        assert row.corrected_informative == (bound.corrected_applies and bound.corrected < 0.5)


def test_the_printed_bound_is_broken_where_it_applies_and_the_corrected_one_is_not():
    table = all_partitions(random_state=2015)
    assert table["printed_applies"].sum() > 0
    assert table["printed_broken"].any()
    assert table["corrected_applies"].sum() > 0
    assert not table["corrected_broken"].any()
