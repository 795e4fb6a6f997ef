"""Costs in O-notation, as data/methods/methods.toml writes them: read, checked, and evaluated."""

import math
import re

_TOKEN = re.compile(r"\s*(?:([A-Za-z]+)|(\d+)|([+()^,]))")
_FUNCTIONS = {"log": math.log, "min": min}
FAR = 2**40
"""Samples from which on the growth no longer depends on the sizes of everything else."""


def compiled(cost, symbols):
    """A cost as a function of its symbols.

    Parameters
    ----------
    cost : str
        Sums, products and powers of symbols, such as ``"T k (nnz + n^2)"``; factors stand side by side, and
        ``log(...)`` and ``min(..., ...)`` are known.
    symbols : collection of str
        Names that may occur.

    Returns
    -------
    callable
        Takes the symbols as keywords and returns a float.

    Raises
    ------
    ValueError
        If the text is not of this form, or a symbol is not known.

    Examples
    --------
    >>> compiled("T (nnz + 2 n^2)", ["T", "n", "nnz"])(T=3, n=10, nnz=50)
    750.0
    """
    parts, before = [], ""
    for token in _tokens(cost, symbols):
        starts = token not in "+)^,"
        if starts and before and before not in ("+", "(", "^", ",") and before not in _FUNCTIONS:
            parts.append("*")
        parts.append({"^": "**"}.get(token, token))
        before = token
    try:
        code = compile(" ".join(parts), cost, "eval")

        def function(**sizes):
            # Nothing but numbers, operators and the names above is in there.
            return float(eval(code, {"__builtins__": {}}, {**_FUNCTIONS, **sizes}))

        function(**dict.fromkeys(symbols, 2.0))
    except (SyntaxError, TypeError) as error:
        raise ValueError(f"cost {cost!r} is not a sum of products such as 'T k (nnz + d)'") from error
    return function


def _tokens(cost, symbols):
    position, found = 0, []
    while position < len(cost.rstrip()):
        match = _TOKEN.match(cost, position)
        if match is None:
            raise ValueError(f"cost {cost!r} has {cost[position:].strip()[:1]!r}, which is no part of a cost")
        name, position = match[1], match.end()
        if name and name not in symbols and name not in _FUNCTIONS:
            raise ValueError(f"cost {cost!r} has the symbol {name!r}; known are {', '.join(symbols)}")
        found.append(match[1] or match[2] or match[3])
    return found


def growth(cost, symbols, sizes, name, factor=2.0):
    """Exponent with which a cost grows between two sizes.

    Parameters
    ----------
    cost : str
    symbols : collection of str
    sizes : dict of str to float
        All symbols but r and nnz, and ``words``, the stored entries of a sample.
    name : str
        The size that grows by ``factor``.
    factor : float, default 2.0

    Returns
    -------
    float
        log of the ratio over log of the factor.

    Examples
    --------
    >>> sizes = {"n": 100, "d": 10, "words": 5}
    >>> growth("n r + nnz", ["n", "nnz", "r"], sizes, "n"), growth("n^2", ["n"], sizes, "n")
    (1.0, 2.0)
    """
    low, high = (value(cost, symbols, {**sizes, name: sizes[name] * times}) for times in (1.0, factor))
    return math.log(high / low) / math.log(factor)


def value(cost, symbols, sizes):
    """A cost for given sizes, float; parameters as in :func:`growth`.

    Examples
    --------
    >>> value("n r + nnz", ["n", "nnz", "r"], {"n": 100, "d": 10, "words": 5})
    1500.0
    """
    derived = {"r": min(sizes["n"], sizes["d"]), "nnz": sizes["n"] * sizes["words"]}
    return compiled(cost, symbols)(**sizes, **derived)


def is_linear(cost, symbols, sizes):
    """Whether a cost grows no faster than n log n once samples are many, all else as it is.

    Parameters
    ----------
    cost : str
    symbols : collection of str
    sizes : dict of str to float
        As in :func:`growth`.

    Returns
    -------
    bool

    Examples
    --------
    >>> sizes = {"n": 100, "d": 10, "words": 5}
    >>> is_linear("n r^2", ["n", "r"], sizes), is_linear("n^2", ["n"], sizes)
    (True, False)
    """
    return growth(cost, symbols, {**sizes, "n": FAR}, "n") < 1.1
