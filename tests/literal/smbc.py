"""S-MBC (Zhang, Zhang, AAAI 2013) as reconstructed, in loops on top of the transcription of MBC.

Notation as in ``literal.mbc``; ``alone`` are solutions (h, U) of single-task Bregman clustering (SBC).  The
number of sweeps is fixed, and enough for partitions to settle.
"""

from literal import mbc


def single(X, h, K, d, sweeps):
    """SBC from a partition."""
    U = mbc.initial_centroids([X], [h], [K])[0]
    for _ in range(sweeps):
        h = mbc.assign(X, U, d)
        U = mbc.cluster_means(X, h, U)
    return mbc.assign(X, U, d), U


def partition_loss(X, h, K, d):
    """Mean divergence of the samples from the means of their clusters."""
    return mbc.local_loss(X, h, mbc.initial_centroids([X], [h], [K])[0], d)


def boosted_sweep(Xs, hs, Us, lam, d, gradient, inverse, solve, free):
    """One sweep of MBC in which only the centroids of the tasks ``free`` move."""
    Ws, Us = mbc.relations(Us, d), list(Us)
    hs = [mbc.assign(X, U, d) for X, U in zip(Xs, Us)]
    for t in free:
        Us[t] = mbc.centroids(t, Xs, hs, Us, Ws, lam, gradient, inverse, solve)
    return hs, Us


def smart(Xs, hs, Ks, lam, rule, d, gradient, inverse, solve, sweeps):
    """Labels, centroids, the tasks that stay boosted, and the compared losses of SBC."""
    def loss(X, h, U):
        return mbc.local_loss(X, h, U, d) if rule == "centroids" else partition_loss(X, h, len(U), d)

    alone = [single(X, h, K, d, sweeps) for X, h, K in zip(Xs, hs, Ks)]
    bounds = [loss(X, *solution) for X, solution in zip(Xs, alone)]
    Us, free, worse = mbc.initial_centroids(Xs, hs, Ks), list(range(len(Xs))), True
    while free and worse:
        for _ in range(sweeps):
            hs, Us = boosted_sweep(Xs, hs, Us, lam, d, gradient, inverse, solve, free)
        hs = [mbc.assign(X, U, d) for X, U in zip(Xs, Us)]
        worse = [t for t in free if loss(Xs[t], hs[t], Us[t]) > bounds[t] + 1e-12]
        for t in worse:
            hs[t], Us[t] = alone[t]
        free = [t for t in free if t not in worse]
    return hs, Us, free, bounds


def step_by_step(Xs, hs, Ks, lam, d, gradient, inverse, solve, sweeps):
    """The rule within a sweep; also the sum of the local losses after each, and the choices made."""
    Us, history, choices = mbc.initial_centroids(Xs, hs, Ks), [], []
    for _ in range(sweeps):
        Ws = mbc.relations(Us, d)
        hs = [mbc.assign(X, U, d) for X, U in zip(Xs, Us)]
        choices.append([])
        for t in range(len(Us)):
            boosted = mbc.centroids(t, Xs, hs, Us, Ws, lam, gradient, inverse, solve)
            plain = mbc.cluster_means(Xs[t], hs[t], Us[t])
            losses = [mbc.local_loss(Xs[t], mbc.assign(Xs[t], U, d), U, d) for U in (boosted, plain)]
            choices[-1].append(bool(losses[0] <= losses[1]))
            Us[t] = boosted if choices[-1][-1] else plain
        hs = [mbc.assign(X, U, d) for X, U in zip(Xs, Us)]
        history.append(sum(mbc.local_loss(X, h, U, d) for X, h, U in zip(Xs, hs, Us)))
    return hs, Us, history, choices
