"""The named tests that a claims file may use.

A test is a function of a frame and parameters that returns a
:class:`~mtclib.companion.claims.methods.ClaimResult`.  To add one, write the function and name it in `TESTS`.
"""

from types import MappingProxyType

from mtclib.companion.claims.columns import (
    among_best,
    best_or_comparable,
    better_in_most_columns,
    ends_lower,
    greater_in_each_column,
    relative_gain,
    tasks_correlate,
)
from mtclib.companion.claims.curves import (
    iterations_within,
    largest_entry_names_counterpart,
    more_sensitive_than,
    rises_sharply_after,
    rises_slower_than,
    rises_then_falls,
    span_within,
    time_ratio_within,
)
from mtclib.companion.claims.methods import (
    ClaimResult,
    best_in_each_task,
    loses_less,
    majority,
    mean_greater,
    printed_record,
    wins_most,
)

TESTS = MappingProxyType(
    {
        test.__name__: test
        for test in (
            mean_greater,
            loses_less,
            wins_most,
            best_in_each_task,
            span_within,
            more_sensitive_than,
            iterations_within,
            largest_entry_names_counterpart,
            rises_sharply_after,
            rises_slower_than,
            rises_then_falls,
            time_ratio_within,
            better_in_most_columns,
            best_or_comparable,
            among_best,
            ends_lower,
            greater_in_each_column,
            tasks_correlate,
            relative_gain,
        )
    }
)

__all__ = ["TESTS", "ClaimResult", "majority", "printed_record", *TESTS]
