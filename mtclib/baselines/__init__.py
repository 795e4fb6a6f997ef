"""The compared methods of the five papers.

=======  =================================================================================================
paper    printed name: class
=======  =================================================================================================
SPMTC    KM: ``KMeans``; SC: ``SpectralNJW``; ASI: ``ASI``; All KM, All SC, All ASI: ``Stacked``; LSSMTC:
         :class:`mtclib.LSSMTC`
MTCMRL   k-means: ``KMeans``; SNMF: ``SNMF``; SNMF+LR: ``SNMFLR``; CLR: ``CLR``; S-MBC: ``SMBC``; S-MKC:
         ``SMKC``, with ``MKC`` behind it; DMTFC: ``DMTFC``; DMTRC: ``DMTRC``; MTSC: ``MTSC``; SAMTC:
         ``SAMTC``; LSSMTC as above
MBC      IND: :class:`mtclib.MBC` without coupling
MSPL     single views: ``SingleView``; Con-MC: ``ConMC``; RMKMC: ``RMKMC``; CCA: ``CCAClustering``;
         PairwiseSC, CentroidSC: ``CoregSpectral``; ConvexSub: ``ConvexSub``
LMSC     SNMF: ``MultiViewSNMF``; Coreg: ``CoregSpectral``; LRMSC: ``LatentMSC``; DiMSC: ``DiMSC``; AWP:
         ``AWP``; WMSC: ``WMSC``, each by ``PerTask``; LLMC: ``LLMC`` by ``OneView``; L2SC:
         :class:`mtclib.L2SC`
none     ``LandmarkSpectral``, for more samples than the others can take; ``ConsensusClustering`` and
         ``MultiViewConsensus``, what several methods agree on
=======  =================================================================================================

Public are the classes below, and ``all_estimators`` of :mod:`mtclib`; modules with an underscore are not.
"""

from importlib import import_module

_HOMES = {
    "ASI": "asi", "AWP": "awp", "CCAClustering": "cca", "CLR": "clr", "ConMC": "kmeans", "ConvexSub":
    "convexsub", "ConsensusClustering": "consensus", "CoregSpectral": "coreg", "DiMSC": "dimsc", "DMTFC":
    "dmtc", "DMTRC": "dmtc", "KMeans": "kmeans", "LandmarkSpectral": "landmark_spectral", "LatentMSC":
    "latentmsc", "LLMC": "llmc", "MKC": "mkc", "MTSC": "mtsc", "MultiViewConsensus": "consensus",
    "MultiViewSNMF": "snmf", "OneView": "adapters", "PerTask": "adapters", "RMKMC": "rmkmc", "SAMTC": "samtc",
    "SingleView": "kmeans", "SMBC": "smart", "SMKC": "smart", "SNMF": "snmf", "SNMFLR": "snmf", "SpectralNJW":
    "spectral_njw", "Stacked": "adapters", "WMSC": "wmsc",
}
__all__ = [*_HOMES]


def __getattr__(name):
    """A public name, imported when first asked for."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)


def __dir__():
    return sorted({*globals(), *__all__})
