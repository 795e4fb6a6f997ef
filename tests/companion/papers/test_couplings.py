import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning

from mtclib import MBC
from mtclib.companion.papers.couplings import MBCReading, exchanged
from mtclib.maths.transport import transport_plan


@pytest.mark.parametrize("seed", range(4))
def test_the_reading_of_the_relaxed_problem_is_the_estimator(seed):
    rng = np.random.default_rng(0)
    Xs = [sp.csr_array(rng.poisson(0.3, (n, 30)) / 7.0) for n in (60, 45)]
    reading = MBCReading([4, 3], random_state=seed).fit(Xs)
    model = MBC([4, 3], random_state=seed).fit(Xs)
    assert reading.objective_[-1] == pytest.approx(model.objective_[-1], rel=1e-4)
    assert all(map(np.array_equal, reading.labels_, model.labels_))


def test_a_reading_that_does_not_converge_warns(monkeypatch):
    monkeypatch.setattr("mtclib.companion.papers.couplings.SWEEPS", 1)
    with pytest.warns(ConvergenceWarning):
        MBCReading(2, exchanges=1, random_state=0).fit([sp.csr_array(np.eye(6))] * 2)


def test_a_programme_stopped_early_keeps_its_masses_and_lowers_its_cost_at_each_step():
    rng = np.random.default_rng(1)
    cost, masses = rng.random((4, 3)), (rng.dirichlet(np.ones(4)), rng.dirichlet(np.ones(3)))
    plans = [exchanged(cost, np.outer(*masses), n) for n in range(40)]
    for plan in plans:
        np.testing.assert_allclose(plan.sum(axis=1), masses[0])
        np.testing.assert_allclose(plan.sum(axis=0), masses[1])
        assert plan.min() >= 0
    values = [np.vdot(cost, plan) for plan in plans]
    assert (np.diff(values) <= 1e-15).all()
    assert values[1] < values[0]
    i, k, j, l = np.ogrid[:4, :3, :4, :3]
    saved = cost[i, k] + cost[j, l] - cost[i, l] - cost[j, k]
    first = (saved * np.minimum(np.outer(*masses)[i, k], np.outer(*masses)[j, l])).max()
    assert values[0] - values[1] == pytest.approx(first)
    assert values[-1] >= np.vdot(cost, transport_plan(cost, *masses)) - 1e-12
