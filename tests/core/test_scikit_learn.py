"""scikit-learn's own checks of estimators, through an adapter with one input; what differs is listed."""

import pytest
from planted import quiet_fit
from sklearn.base import BaseEstimator, ClusterMixin, clone
from sklearn.utils.estimator_checks import check_clustering, parametrize_with_checks

from mtclib import MSPL
from mtclib.baselines import AWP, ConMC, KMeans, SpectralNJW
from mtclib.baselines.registry import all_estimators

DIFFERENT = {
    "check_complex_data": "the refusal has words of its own: 'has complex or date entries'",
    "check_estimators_empty_data_messages": "the refusal has words of its own: 'is empty'",
    "check_dtype_object": "what is no number is a ValueError that names the input, not a TypeError"}


class OneInput(ClusterMixin, BaseEstimator):
    """An estimator of lists as one of a single array."""

    def __init__(self, model, n_clusters=2):
        self.model = model
        self.n_clusters = n_clusters  # check_clustering asks for three

    def fit(self, X, y=None):
        model = quiet_fit(clone(self.model).set_params(n_clusters=self.n_clusters), [X])
        self.labels_ = model.labels_[0] if isinstance(model.labels_, list) else model.labels_
        self.n_features_in_, self.n_iter_ = model.n_features_in_[0], model.n_iter_
        if hasattr(model, "feature_names_in_"):
            self.feature_names_in_ = model.feature_names_in_[0]
        return self

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


@pytest.mark.filterwarnings("ignore")
@parametrize_with_checks(
    [OneInput(cls(2, random_state=0)) for cls in (KMeans, SpectralNJW, ConMC, MSPL, AWP)],
    expected_failed_checks=lambda model: DIFFERENT)
def test_an_estimator_keeps_the_conventions_of_scikit_learn(estimator, check):
    check(estimator)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("cls", [cls for cls in all_estimators().values()
                                 if cls.traits.kind != "lifelong" and not cls.traits.nonnegative])
def test_every_estimator_that_takes_measurements_passes_scikit_learns_check_of_clusterings(cls):
    check_clustering(cls.__name__, OneInput(cls(2, random_state=0)))
