"""The compared methods of the five papers.

=======  =================================================================================================
paper    printed name: class
=======  =================================================================================================
SPMTC    KM: ``KMeans``; SC: ``SpectralNJW``; ASI: ``ASI``; All KM, All SC, All ASI: ``Stacked``; LSSMTC:
         :class:`mtclib.LSSMTC`
MTCMRL   k-means: ``KMeans``; SNMF: ``SNMF``; SNMF+LR: ``SNMFLR``; CLR: ``CLR``; S-MBC: ``SMBC``; S-MKC:
         ``SMKC``, with ``MKC`` behind it; DMTFC: ``DMTFC``; DMTRC: ``DMTRC``; MTSC: ``MTSC``; SAMTC:
         ``SAMTC``
MBC      IND: :class:`mtclib.MBC` without coupling
MSPL     single views: ``SingleView``; Con-MC: ``ConMC``; RMKMC: ``RMKMC``; CCA: ``CCAClustering``;
         PairwiseSC, CentroidSC: ``CoregSpectral``; ConvexSub: ``ConvexSub``
LMSC     SNMF: ``MultiViewSNMF``; Coreg: ``CoregSpectral``; LRMSC: ``LatentMSC``; DiMSC: ``DiMSC``; AWP:
         ``AWP``; WMSC: ``WMSC``, each by ``PerTask``; LLMC: ``LLMC`` by ``OneView``; L2SC:
         :class:`mtclib.L2SC`
=======  =================================================================================================

Public are the classes below, and ``all_estimators`` of :mod:`mtclib`; modules with an underscore are not.
"""

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
