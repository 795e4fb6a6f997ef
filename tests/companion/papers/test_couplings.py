import numpy as np
import pytest
import scipy.sparse as sp

from mtclib import MBC
from mtclib.companion.papers.couplings import MBCReading


@pytest.mark.parametrize("seed", range(4))
def test_the_reading_of_the_relaxed_problem_is_the_estimator(seed):
    rng = np.random.default_rng(0)
    Xs = [sp.csr_array(rng.poisson(0.3, (n, 30)) / 7.0) for n in (60, 45)]
    reading = MBCReading([4, 3], random_state=seed).fit(Xs)
    model = MBC([4, 3], random_state=seed).fit(Xs)
    assert reading.objective_[-1] == pytest.approx(model.objective_[-1], rel=1e-4)
    assert all(map(np.array_equal, reading.labels_, model.labels_))
