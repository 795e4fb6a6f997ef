"""What every estimator needs, whatever it computes.

==========  ===========================================================================================
file        what is in it
==========  ===========================================================================================
`base`      the contract: base classes of the three kinds of input, ``Traits``, ``Fit``, seeds, warnings
`checks`    what a user can get wrong, refused by name
`starts`    k-means and random labels, with which fits begin or end; one thread for the linear algebra
`errors`    the base of the project's own errors, and that of an unknown name
`lifelong`  estimators that learn tasks one by one, and the libraries that they keep
`paths`     the folders of the data and of the cache
==========  ===========================================================================================

The room reads nothing else of the package, and is imported file by file: the command line needs little of it.
"""
