"""Scores of partitions: against true classes in `scores`, of two tasks against each other in `partitions`.

All names below are public; ``SCORES`` maps the names of the result tables to the measures.
"""

from mtclib.metrics.partitions import partition_emd
from mtclib.metrics.scores import (
    SCORES,
    adjusted_rand_index,
    agreement,
    clustering_accuracy,
    match_clusters,
    normalized_mutual_info,
    purity,
    rand_index,
    score_all,
)

__all__ = ["SCORES", "adjusted_rand_index", "agreement", "clustering_accuracy", "match_clusters",
           "normalized_mutual_info", "partition_emd", "purity", "rand_index", "score_all"]
