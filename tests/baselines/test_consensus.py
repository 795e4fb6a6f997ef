"""Consensus clustering: the graph of samples and clusters by loops, how far members agree, and hard cases."""

import numpy as np
import pytest
from planted import blobs
from sklearn.cluster import AgglomerativeClustering
from sklearn.metrics import adjusted_rand_score

from mtclib.baselines import WMSC, KMeans, SingleView, SpectralNJW, consensus
from mtclib.baselines.consensus import ConsensusClustering, MultiViewConsensus
from mtclib.core.base import EmptyClusterWarning

LONE, TRUTH = blobs(spread=(1.0,), d=5)


class Fixed(KMeans):
    """A member that finds what it is told, in every task."""

    def __init__(self, n_clusters, found=None, random_state=None):
        super().__init__(n_clusters, random_state=random_state)
        self.found = found

    def fit(self, Xs, y=None):
        self.labels_ = [np.array(self.found) for _ in Xs]
        return self


def told(*labels, **options):
    members = [Fixed(2, found) for found in labels]
    X = np.random.default_rng(0).normal(size=(len(labels[0]), 2))
    return ConsensusClustering(2, members=members, random_state=0, **options).fit([X])


def test_samples_that_most_members_put_together_are_together_and_the_share_of_them_is_told():
    # Whatever members call them, or -1, the samples that they leave out.
    model = told([0, 0, 0, -1, -1, -1], [*"bbbaaa"], [0, 0, 1, 1, 1, 1])
    assert adjusted_rand_score([0, 0, 0, 1, 1, 1], model.labels_[0]) == 1
    np.testing.assert_allclose(model.agreement_[0], [1, 1, 2 / 3, 1, 1, 1])
    pairs = [[adjusted_rand_score(a, b) for b in model.member_labels_[0]] for a in model.member_labels_[0]]
    np.testing.assert_allclose(model.member_agreement_[0], pairs)


def test_by_agreement_a_member_that_nobody_confirms_has_no_say():
    odd = [0, 1, 0, 1, 0, 1]
    model = told([0, 0, 0, 1, 1, 1], [0, 0, 0, 1, 1, 1], odd, weights="agreement")
    assert model.weights_[0][2] < 0.1 < model.weights_[0][0]
    assert adjusted_rand_score([0, 0, 0, 1, 1, 1], model.labels_[0]) == 1


def test_samples_that_no_member_tells_apart_stay_together_even_if_clusters_stay_empty():
    model = ConsensusClustering(3, members=["Ward", "k-means"], random_state=0)
    with pytest.warns(EmptyClusterWarning, match="2 of 3"):
        labels = model.fit([np.repeat(np.eye(2), 6, axis=0)]).labels_[0]
    assert np.ptp(labels.reshape(2, 6), axis=1).tolist() == [0, 0]


def test_ward_equals_that_of_scikit_learn():
    (X,), _ = blobs(spread=(3.0,), d=5)
    expected = AgglomerativeClustering(4).fit_predict(X)
    assert adjusted_rand_score(expected, consensus.Ward([4]).fit([X]).labels_[0]) == 1


@pytest.mark.parametrize("cls", [ConsensusClustering, MultiViewConsensus])
def test_planted_clusters_are_found_and_nearly_all_members_agree_on_them(cls):
    (X,), y = blobs(n=600, spread=(1.0,), d=5)
    model = cls(3, random_state=0).fit([X, X[:, ::-1]])
    labels, sure = ((model.labels_[1], model.agreement_[1]) if cls is ConsensusClustering
                    else (model.labels_, model.agreement_))
    assert adjusted_rand_score(y, labels) == 1
    assert sure.mean() > 0.95


def test_many_samples_leave_ward_out_and_say_so(monkeypatch):
    monkeypatch.setattr(consensus, "MANY", 50)
    with pytest.warns(UserWarning, match="beyond 50 it is left out"):
        model = ConsensusClustering(3, random_state=0).fit(LONE)
    assert len(model.member_labels_[0]) == 3
    with pytest.warns(UserWarning, match="beyond 50 it is left out"):
        lone = ConsensusClustering(3, members=["Ward", "k-means"], weights="agreement").fit(LONE)
    assert adjusted_rand_score(lone.labels_[0], lone.member_labels_[0][0]) == 1


def test_of_words_both_graphs_of_scales_are_one_which_is_clustered_once_and_counts_twice(monkeypatch):
    words = (np.random.default_rng(0).random((60, 30)) < 0.1) * 1.0
    words[:, 0] = 1
    whole = ConsensusClustering(3, random_state=0).fit([words])
    own = SpectralNJW(3, affinity="knn-cosine", n_neighbors="scales", random_state=0).fit([words]).labels_
    monkeypatch.setitem(consensus.MEMBERS, "scales by cosine", None)
    again = ConsensusClustering(3, random_state=0).fit([words])
    assert np.array_equal(again.labels_, whole.labels_)
    assert adjusted_rand_score(own[0], whole.member_labels_[0][1]) == 1
    with pytest.raises(TypeError):
        ConsensusClustering(3, random_state=0).fit([words + 1])


@pytest.mark.parametrize(("members", "message"), [
    (["Ward"], "two or more"), ("Ward", "two or more"), (["Ward", "kmeans"], "Did you mean 'k-means'"),
    (float("nan"), "two or more .*; got nan"), (-np.inf, "two or more .*; got -inf"),
    ([Fixed, "Ward"], "of such data; .* failed"), ([Fixed(2, [0]), "Ward"], "labels_ are not one of each"),
    ([SingleView(2, max_iter=-1), "Ward"], "max_iter must be an integer")])
@pytest.mark.parametrize("cls", [ConsensusClustering, MultiViewConsensus])
def test_members_that_cannot_be_are_refused(members, message, cls):
    with pytest.raises(ValueError, match=f"^members must be .*{message}"):
        cls(3, members=members).fit(LONE)


@pytest.mark.parametrize(("cls", "member"), [(ConsensusClustering, SpectralNJW), (MultiViewConsensus, WMSC)])
def test_a_member_may_be_any_estimator_of_tasks_or_views_and_is_asked_for_as_many_clusters(cls, member):
    members = [member(2, affinity="knn"), "k-means"]
    model = cls(3, members=members, random_state=0).fit(LONE)
    assert adjusted_rand_score(TRUTH, np.ravel(model.labels_)) == 1
    assert adjusted_rand_score(TRUTH, np.ravel(model.member_labels_)[:60]) == 1
    assert members[0].n_clusters == 2
