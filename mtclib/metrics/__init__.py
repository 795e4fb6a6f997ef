"""Scores of partitions: of one against true classes (`scores`), of two tasks against each other
(`partitions`)."""

from mtclib.metrics.partitions import partition_emd
from mtclib.metrics.scores import (
    NMI_DEFAULT,
    SCORES,
    adjusted_rand_index,
    clustering_accuracy,
    match_clusters,
    normalized_mutual_info,
    our_name,
    purity,
    rand_index,
    s_nmi,
    score_all,
)

__all__ = [
    "NMI_DEFAULT", "SCORES", "adjusted_rand_index", "clustering_accuracy", "match_clusters",
    "normalized_mutual_info", "our_name", "partition_emd", "purity", "rand_index", "s_nmi", "score_all",
]  # fmt: skip
