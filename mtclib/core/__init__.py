"""What every estimator needs: the contract, checks of input, starts, libraries of tasks, folders.

`base` is the contract that every estimator keeps, `checks` refuses what it cannot use, `starts` has the
k-means
and the label vectors that fits begin and end with, `lifelong` what is kept between tasks, `paths` the
folders.
"""

from mtclib.core.base import (
    BaseClusterer,
    Fit,
    LifelongClusterer,
    MultiTaskClusterer,
    MultiViewClusterer,
    SingleTaskClusterer,
    Traits,
)

__all__ = ["BaseClusterer", "Fit", "LifelongClusterer", "MultiTaskClusterer", "MultiViewClusterer",
           "SingleTaskClusterer", "Traits"]
