"""Mathematics that two or more methods share; nothing here knows an estimator.

=============  ====================================================  =====================================
file           what is in it                                         used by
=============  ====================================================  =====================================
`linalg`       polar factors, ridge systems, Gram decompositions     MTCMRL, LMSC, spectral methods
`eigen`        leading eigenvectors, spectral embeddings             LMSC, Coreg, AWP, WMSC, MTSC and more
`simplex`      projections on the simplex, minima over it            MTCMRL, MKC, CLR, SAMTC, WMSC
`neighbours`   nearest samples, one rule for ties                    graphs, CLR, DiMSC, SAMTC
`graphs`       similarities and normalised affinities                MTCMRL, LMSC, spectral methods
`subspace`     the shared subspace W                                 SPMTC, LSSMTC, ASI
`projections`  ridge projections of views                            CCA, ConvexSub
`symnmf`       symmetric nonnegative factorisation                   MTCMRL, SNMF
`selfpaced`    self-paced weights and their paces                    SPMTC, MSPL
`views`        weighted k-means on several views                     MSPL, RMKMC
`scaling`      what makes distances in different views comparable    MSPL, multi-view methods
`bregman`      Bregman divergences                                   MBC, S-MBC, MKC
`centroids`    centroids between a left and a right mean             MBC, S-MBC
`transport`    exact transport between clusters                      MBC, ``d_M``
=============  ====================================================  =====================================

Public are the divergences (``bregman.divergence``) and the scalings (``scaling.scale_views``).
"""
