"""Compared methods, one file each, named as in the papers' tables."""

from mtclib.baselines.asi import ASI
from mtclib.baselines.kmeans import KMeans
from mtclib.baselines.snmf import SNMF
from mtclib.baselines.snmflr import SNMFLR
from mtclib.baselines.spectral_njw import SpectralNJW
from mtclib.baselines.stacked import Stacked

__all__ = ["ASI", "KMeans", "SNMF", "SNMFLR", "SpectralNJW", "Stacked"]
