"""What the notebook says of Theorem 1 of MSPL."""

import numpy as np

from mtclib.companion.papers.mspl import all_partitions, on_the_way


def test_the_printed_bound_is_broken_where_it_applies_and_the_corrected_one_is_not():
    table = all_partitions(random_state=2015)
    assert table["printed_applies"].sum() > 0 and table["printed_broken"].any()
    assert table["corrected_applies"].sum() > 0 and not table["corrected_broken"].any()


def test_on_plane_views_with_four_clusters_the_theorem_never_applies():
    """Two features leave no gap between the third and the fourth eigenvalue."""
    table = on_the_way(20.0, (0, 1, 2, 3), n_starts=3)
    assert np.isinf(table["delta"]).all() and not table["printed_applies"].any()


def test_with_two_well_separated_clusters_both_bounds_say_something():
    table = on_the_way(20.0, (0, 3), n_starts=3)
    assert table["printed_informative"].any() and table["corrected_informative"].any()
