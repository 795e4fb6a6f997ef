"""Compared methods, one file each, named as in the papers' tables."""

from mtclib.baselines.adapters import OneView, PerTask, Stacked
from mtclib.baselines.asi import ASI
from mtclib.baselines.awp import AWP
from mtclib.baselines.cca import CCAClustering
from mtclib.baselines.clr import CLR
from mtclib.baselines.convexsub import ConvexSub
from mtclib.baselines.coreg import CoregSpectral
from mtclib.baselines.dimsc import DiMSC
from mtclib.baselines.dmtc import DMTFC, DMTRC
from mtclib.baselines.kmeans import ConMC, KMeans, SingleView
from mtclib.baselines.latentmsc import LatentMSC
from mtclib.baselines.llmc import LLMC
from mtclib.baselines.mkc import MKC
from mtclib.baselines.mtsc import MTSC
from mtclib.baselines.rmkmc import RMKMC
from mtclib.baselines.samtc import SAMTC
from mtclib.baselines.smart import SMBC, SMKC
from mtclib.baselines.snmf import SNMF, SNMFLR, MultiViewSNMF
from mtclib.baselines.spectral_njw import SpectralNJW
from mtclib.baselines.wmsc import WMSC

__all__ = ["ASI", "AWP", "CCAClustering", "CLR", "ConMC", "ConvexSub", "CoregSpectral", "DiMSC", "DMTFC",
           "DMTRC", "KMeans", "LLMC", "LatentMSC", "MKC", "MTSC", "MultiViewSNMF", "OneView", "PerTask",
           "RMKMC", "SAMTC", "SMBC", "SMKC", "SNMF", "SNMFLR", "SingleView", "SpectralNJW", "Stacked", "WMSC"]
