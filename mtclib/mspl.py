"""MSPL (Xu, Tao, Xu, IJCAI 2015): multi-view k-means that starts from easy pairs of a sample and a view.

===========  ======================================  ====================================================
Eq.          what it says                            where
===========  ======================================  ====================================================
(2)          sum of all losses                       ``MSPL.objective_``, weighting 'naive'
(5)          hard weights                            :func:`mtclib.maths.selfpaced.hard_weights`
(8)          smooth weights                          :func:`mtclib.maths.selfpaced.smooth_weights`
(3), (9)     weighted losses and regulariser         ``MSPL._value``
(12)         centroids                               :func:`mtclib.maths.views.centroids`
section 3    common labels                           :func:`mtclib.maths.views.assign`
section 3    rounds of growing thresholds            ``MSPL._threshold``, ``MSPL._round``
===========  ======================================  ====================================================

The sum of Eq. (9), ``w_vi |x_vi - c_v,b(i)|^2 + f(w_vi)`` over views v and samples i, is minimised over
centroids, common labels b and weights w in turn, while the threshold 1/lambda of the regulariser f grows.
With the weights eliminated, what falls at a fixed threshold is a sum of concave functions of the losses.
"""

import itertools
import math
from functools import cached_property

import numpy as np

from mtclib.core.base import Fit, MultiViewClusterer, Traits, stops
from mtclib.core.checks import COUNT, POSITIVE, SHARE, Number, check_init
from mtclib.maths.scaling import SCALINGS
from mtclib.maths.selfpaced import (
    hard_value,
    hard_weights,
    pace_shares,
    pace_threshold,
    raised_threshold,
    smooth_value,
    smooth_weights,
)
from mtclib.maths.views import assign, centroids, fill_empty_cluster, prepare_views, start

__all__ = ["MSPL"]

# A weight from here on is "near 1", section 5.1: the pair has been taken in.
NEAR_ONE = 0.9
# So that rounding does not decide whether pairs with the loss at the threshold are in.
MARGIN = 1.0 + 1e-9


class MSPL(MultiViewClusterer):
    r"""Multi-view self-paced learning: k-means on all views that takes in easy samples and views first.

    With :math:`\ell_{vi} = \|x_{vi} - c_{v, b(i)}\|^2` the loss of sample i in view v, the squared distance
    from its centroid, common labels :math:`b` and a regulariser :math:`f_\lambda`, it minimises, Eq. (9),

    .. math:: \sum_{v,i} w_{vi}\, \ell_{vi} + f_\lambda(w_{vi}), \qquad w_{vi} \in [0, 1].

    Each round has a threshold :math:`1 / \lambda` for the loss.  Weighted k-means steps on all views together
    follow, with weights renewed in each.  The last round has all weights one.  One threshold serves all
    views, and the smooth rule knows an absolute unit of loss: results depend on ``scaling`` and ``kappa``.

    Parameters
    ----------
    n_clusters : int
    weighting : {'smooth', 'hard', 'naive'}, default 'smooth'
        Eq. (8), Eq. (5), or all weights one, Eq. (2): k-means on the concatenated scaled views.
    scaling : str, default 'minmax+variance'
        See :func:`mtclib.maths.scaling.scale_views`.  The default suits measurements; weights of words, whose
        frequent features it drowns, need 'none'.
    kappa : float > 0, default 1.0
        Sharpness of the smooth rule, the ``sharpness`` of `mtclib.maths.selfpaced.smooth_weights`.  1 is
        Eq. (8); large values approach the hard rule, small ones the naive.
    pace : {'geometric', 'share'}, default 'geometric'
        How the threshold :math:`1 / \lambda` grows: by a factor, at least to the next larger loss; or to the
        loss that a growing share of all pairs does not exceed, as in :class:`mtclib.SPMTC`.
    pace_start : float in (0, 1], default 0.55
        Share of all pairs with a loss up to the first threshold.
    pace_growth : float > 1, default 1.2
        Factor of 'geometric'.
    pace_step : float in (0, 1], default 0.1
        Increase of 'share'.
    inner_max_iter : int, default 10
        Iterations of a round but the last, which has no such limit.
    formulation : {'derived', 'printed'}, default 'derived'
        'printed' divides the weighted sums of Eq. (12) by the sum of :math:`\sqrt{w}`, origin at the mean:
        centroids shrink towards it, and no objective is minimised.
    init : {'sample', 'points', 'labels'} or ndarray of int of shape (n,), default 'sample'
        k-means from random points on a random share of the samples; random samples as centroids; random
        clusters of equal size; or a partition, of which empty clusters begin at the mean.  The same seed
        gives the same start for all weightings.
    init_share : float in (0, 1], default 0.1
        For 'sample'; at least three samples per cluster are drawn.
    n_init : int, default 1
        Starts; the one with the lowest final ``objective_`` is kept.
    max_iter : int, default 1000
        Iterations over all rounds.
    tol : float, default 1e-4
        A round ends when an iteration leaves all labels as they were and lowers the objective of the round by
        no more than this share.
    random_state : None, int, Generator or RandomState

    Warns
    -----
    ConstantViewWarning
        If all samples are equal in a view: it is left out, with weights one and losses 0.

    Attributes
    ----------
    labels_ : ndarray of shape (n,), int
        A cluster that loses all samples keeps its centroid and may win some back.  One that is empty when the
        last round ends is given the sample that lies farthest from its centroid, and the fit goes on.
    centers_ : list of ndarray of shape (n_clusters, d_v)
        In the units of the input; with scaling 'rows' in those of rows of length 1.
    weights_, losses_ : ndarray of shape (n_views, n)
        At the end.  Losses are in units of the scaled views.
    selection_order_ : ndarray of shape (n_views, n), int
        Round at the end of which the weight of the pair was near 1 (0.9) for the first time; -1 for never.
    view_weight_history_ : ndarray of shape (n_rounds, n_views)
        Mean weight of all samples in each view at the end of the round.
    thresholds_ : ndarray of shape (n_rounds,)
        :math:`1 / \lambda`; infinite in the last round.
    rounds_ : ndarray of shape (n_iter,), int
        Round of each iteration.
    label_history_ : ndarray of shape (n_iter + 1, n), smallest unsigned integers
        Labels at the start and after each iteration.
    paced_objective_ : ndarray of shape (n_iter,)
        Eq. (9) with the best weights for the round, shifted to 0 at loss 0, after each iteration.  Never
        rises within a round; values of different rounds cannot be compared.
    objective_ : ndarray of shape (n_iter,)
        Sum of all losses, Eq. (2): comparable between rounds, weightings and starts, and it may rise.
    n_iter_, converged_ : int and bool
        Whether the last round ended before ``max_iter``.

    References
    ----------
    C. Xu, D. Tao, C. Xu. Multi-View Self-Paced Learning for Clustering. IJCAI 2015.

    Examples
    --------
    >>> rng = np.random.default_rng(2)
    >>> means = np.array([[0.0, 0.0], [6.0, 0.0], [0.0, 6.0]])[np.arange(60) % 3]
    >>> views = [means + rng.normal(size=(60, 2)), 100.0 * (means + 2.0 * rng.normal(size=(60, 2)))]
    >>> model = MSPL(n_clusters=3, weighting="hard", random_state=0).fit(views)
    >>> np.bincount(model.labels_).tolist()
    [20, 20, 20]
    >>> bool(model.selection_order_[0].mean() < model.selection_order_[1].mean())
    True
    """

    traits = Traits(kind="multiview", paper="Xu, Tao, Xu, IJCAI 2015", monotone=False, float32=True,
                    may_be_infinite=("thresholds_",))
    ALGORITHM_VERSION = 2
    rules = {"weighting": ("smooth", "hard", "naive"), "scaling": SCALINGS, "pace": ("geometric", "share"),
             "formulation": ("derived", "printed"), "kappa": POSITIVE,
             "pace_growth": Number(1, open_low=True), "inner_max_iter": COUNT, "pace_start": SHARE,
             "pace_step": SHARE, "init_share": SHARE}

    def __init__(self, n_clusters, *, weighting="smooth", scaling="minmax+variance", kappa=1.0,
                 pace="geometric", pace_start=0.55, pace_growth=1.2, pace_step=0.1, inner_max_iter=10,
                 formulation="derived", init="sample", init_share=0.1, n_init=1, max_iter=1000, tol=1e-4,
                 random_state=None):
        self.n_clusters, self.weighting, self.scaling = n_clusters, weighting, scaling
        self.kappa, self.pace, self.pace_start, self.pace_growth = kappa, pace, pace_start, pace_growth
        self.pace_step, self.inner_max_iter, self.formulation = pace_step, inner_max_iter, formulation
        self.init, self.init_share = init, init_share
        self.n_init, self.max_iter, self.tol, self.random_state = n_init, max_iter, tol, random_state

    def _prepare(self, Xs, n_clusters):
        init = check_init(self.init, Xs[0].shape[0], n_clusters)
        return prepare_views(Xs, self.scaling), init

    def _fit_once(self, prepared, n_clusters, seed):
        views, init = prepared
        run = _Run(start(views, n_clusters, init, self.init_share, seed))
        threshold, converged = -math.inf, False
        for number in itertools.count():
            threshold = self._threshold(threshold, run.state.losses.ravel(), number)
            converged = self._round(run, threshold)
            run.end_round(threshold)
            if math.isinf(threshold) or run.n_iter == self.max_iter:
                break
        return Fit(run.state.labels, run.objective, converged and math.isinf(threshold), run.attributes())

    def _threshold(self, before, losses, number):
        """1/lambda of the next round; infinite for the last one."""
        if self.weighting == "naive":
            return math.inf
        if self.pace == "share":
            share = pace_shares(self.pace_start, self.pace_step, number + 1)[-1]
            threshold = pace_threshold(losses, share) * MARGIN if share < 1.0 else math.inf
        elif number:
            threshold = raised_threshold(losses, before, self.pace_growth) * MARGIN
        else:
            threshold = pace_threshold(losses, self.pace_start) * MARGIN
        everybody = self._weigh(losses.max(), threshold) >= NEAR_ONE
        return math.inf if everybody and self.pace == "geometric" else threshold

    def _round(self, run, threshold):
        """Iterations at one threshold, each C, B, W as in section 3; whether the stopping rule was met."""
        state = run.state
        limit = self.max_iter if math.isinf(threshold) else self.inner_max_iter
        state.weights = self._weigh(state.losses, threshold)
        before = self._value(state.losses, threshold).sum()
        for _ in range(min(limit, self.max_iter - run.n_iter)):
            labels = state.labels
            if self.formulation == "printed":
                state.centers = centroids(state, np.sqrt(state.weights), run.means)
            else:
                state.centers = centroids(state)
            assign(state, state.weights)
            state.weights = self._weigh(state.losses, threshold)
            after = self._value(state.losses, threshold).sum()
            run.end_iteration(after)
            settled = np.array_equal(labels, state.labels) and stops(before, after, self.tol)
            last = math.isinf(threshold) and run.n_iter < self.max_iter
            if settled and not (last and fill_empty_cluster(state, state.losses.sum(axis=0))):
                return True
            before = after
        return False

    def _weigh(self, losses, threshold):
        if self.weighting == "smooth":
            return smooth_weights(losses, threshold, self.kappa)
        return hard_weights(losses, threshold)

    def _value(self, losses, threshold):
        if self.weighting == "smooth":
            return smooth_value(losses, threshold, self.kappa)
        return hard_value(losses, threshold)


class _Run:
    """The state of one start and what is kept of its way."""

    def __init__(self, state):
        self.state = state
        self.objective, self.paced_objective, self.rounds = [], [], []
        self.thresholds, self.view_weights = [], []
        self._label_dtype = np.min_scalar_type(len(state.centers[0]) - 1)
        self.label_history = [self.state.labels.astype(self._label_dtype)]
        self.entered = np.full(state.losses.shape, -1)

    @property
    def n_iter(self):
        return len(self.objective)

    @cached_property
    def means(self):
        return self.state.views.means()

    def end_iteration(self, value):
        self.objective.append(float(self.state.losses.sum()))
        self.paced_objective.append(float(value))
        self.rounds.append(len(self.thresholds))
        self.label_history.append(self.state.labels.astype(self._label_dtype))

    def end_round(self, threshold):
        self.entered[(self.entered < 0) & (self.state.weights >= NEAR_ONE)] = len(self.thresholds)
        self.thresholds.append(threshold)
        self.view_weights.append(self.state.weights.mean(axis=1))

    def attributes(self):
        state = self.state
        everywhere = state.views.expand
        return {
            "centers_": state.views.restore(state.centers),
            "weights_": everywhere(state.weights, 1.0),
            "losses_": everywhere(state.losses, 0.0),
            "selection_order_": everywhere(self.entered, 0),
            "view_weight_history_": np.stack([everywhere(w, 1.0) for w in self.view_weights]),
            "thresholds_": np.array(self.thresholds), "rounds_": np.array(self.rounds),
            "label_history_": np.stack(self.label_history),
            "paced_objective_": np.array(self.paced_objective)}
