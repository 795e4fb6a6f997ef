"""Compared methods, one file each, named as in the papers' tables."""

from mtclib.baselines.asi import ASI
from mtclib.baselines.cca import CCAClustering
from mtclib.baselines.conmc import ConMC, SingleView
from mtclib.baselines.convexsub import ConvexSub
from mtclib.baselines.coreg import CoregSpectral
from mtclib.baselines.kmeans import KMeans
from mtclib.baselines.rmkmc import RMKMC
from mtclib.baselines.snmf import SNMF
from mtclib.baselines.snmflr import SNMFLR
from mtclib.baselines.spectral_njw import SpectralNJW
from mtclib.baselines.stacked import Stacked

__all__ = ["ASI", "CCAClustering", "ConMC", "ConvexSub", "CoregSpectral", "KMeans", "RMKMC", "SNMF",
           "SNMFLR", "SingleView", "SpectralNJW", "Stacked"]
