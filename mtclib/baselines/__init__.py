"""Compared methods, one file each, named as in the papers' tables."""

from mtclib.baselines.kmeans import KMeans
from mtclib.baselines.snmf import SNMF
from mtclib.baselines.snmflr import SNMFLR

__all__ = ["KMeans", "SNMF", "SNMFLR"]
