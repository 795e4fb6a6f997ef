"""Ranks of methods on several data sets, and when they differ."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mtclib.companion.comparison import ranking

# Demsar 2006, Table 6: AUC of C4.5 with and without tuning of its parameters m and cf.  The last two values
# of the row "voting" are both printed as .975, but with the ranks 2 and 3.
DEMSAR = pd.DataFrame(
    [(.763, .768, .771, .798), (.599, .591, .590, .569), (.954, .971, .968, .967), (.628, .661, .654, .657),
     (.882, .888, .886, .898), (.936, .931, .916, .931), (.661, .668, .609, .685), (.583, .583, .563, .625),
     (.775, .838, .866, .875), (1.00, 1.00, 1.00, 1.00), (.940, .962, .965, .962), (.619, .666, .614, .669),
     (.972, .981, .9751, .975), (.957, .978, .946, .970)],
    columns=["C4.5", "C4.5+m", "C4.5+cf", "C4.5+m+cf"])  # fmt: skip


def matrices(shape):
    values = st.floats(0, 1, allow_nan=False).map(lambda x: round(x, 2)) | st.just(np.nan)
    row = st.lists(values, min_size=shape[1], max_size=shape[1])
    rows = st.lists(row, min_size=shape[0], max_size=shape[0])
    return rows.map(lambda rows: pd.DataFrame(rows, columns=list("abcdefgh")[: shape[1]]))


def test_ranks_and_the_critical_difference_are_those_of_demsars_example():
    assert ranking.ranks(DEMSAR).mean().round(3).tolist() == [3.143, 2.000, 2.893, 1.964]
    for alpha, printed in ((0.05, 1.25), (0.10, 1.12)):
        assert ranking.critical_difference(4, 14, alpha) == pytest.approx(printed, abs=0.006)


@given(matrices((4, 5)))
@settings(max_examples=60, deadline=None)
def test_absent_methods_come_last_and_ranks_keep_their_sum(scores):
    ranks = ranking.ranks(scores)
    assert np.allclose(ranks.sum(axis=1), 15)
    for (_, row), (_, ranked) in zip(scores.iterrows(), ranks.iterrows()):
        if row.isna().any() and row.notna().any():
            assert ranked[row.isna()].min() > ranked[row.notna()].max()
