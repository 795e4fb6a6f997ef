"""One error for all that breaks down numerically inside a fit: the method, what is extreme, the remedy."""

import inspect
import re
from contextlib import contextmanager
from dataclasses import fields, is_dataclass
from numbers import Real

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import ArpackError
from sklearn import config_context

from mtclib.core.errors import MtclibError

# Orders of magnitude between a parameter and its default beyond which it, and not the data, is named.
FAR = 6.0
# What libraries say of NaN and infinity; a parameter, and a similarity of the user's, are refused otherwise.
NOT_A_NUMBER = re.compile(r"(?!.*(remove or impute|; got )).*\b(nans?|infs?|infinity|numeric)\b", re.I | re.S)


class NumericalError(MtclibError, FloatingPointError):
    """A fit has no finite result; ``__cause__`` is what went wrong first."""


@contextmanager
def shield(model, Xs):
    """Errors of numerical libraries, and of ``check_finite``, become a ``NumericalError`` of ``model``.
    ``ValueError`` of this package's own checks passes through, and so does what a nested method has told."""
    try:
        # What is infinite is told by its error; what vanishes is none, whatever the caller has set.
        with np.errstate(over="ignore", under="ignore"), config_context(transform_output="default"):
            yield
    except NumericalError:
        raise
    except (ArithmeticError, ArpackError, ValueError) as error:
        broken = not isinstance(error, ValueError) or isinstance(error, np.linalg.LinAlgError)
        if not broken and not NOT_A_NUMBER.match(str(error)):
            raise
        raise NumericalError(f"{type(model).__name__} broke down ({type(error).__name__}: {error}); "
                             f"{_suspect(model, Xs)}") from error


def _suspect(model, Xs):
    """What of the input is extreme, and what to do."""
    defaults = {name: entry.default for name, entry in inspect.signature(type(model)).parameters.items()}
    far = {name: _orders(value, defaults[name]) for name, value in model.get_params(deep=False).items()}
    name = max(far, key=far.get)
    if far[name] > FAR:
        return (f"{name}={getattr(model, name)!r} is extreme: bring it nearer to its default, "
                f"{defaults[name]!r}")
    sizes = {place: np.abs(X.data if sp.issparse(X) else X).ravel() for place, X in _places(Xs)}
    largest = {place: float(size.max(initial=0.0)) for place, size in sizes.items()}
    smallest = float(min(size[size > 0].min(initial=np.inf) for size in sizes.values()))
    place = max(largest, key=lambda place: _orders(largest[place], 1.0))
    return (f"the most extreme array is {place}, whose largest entry, {largest[place]:.1e}, is "
            f"{largest[place] / smallest:.1e} times the smallest nonzero entry of Xs: scale the data to "
            f"entries near 1, subtract a large mean, or remove outliers")


def _orders(value, usual):
    """Orders of magnitude between two numbers; 0 counts as rounding, and what is no number as usual."""
    if not all(isinstance(number, Real) for number in (value, usual)) or value == usual:
        return 0.0
    return abs(float(np.diff(np.log10([abs(float(number)) or 1e-16 for number in (value, usual)]))[0]))


def _places(Xs, name="Xs"):
    for i, item in enumerate(Xs):
        place = f"{name}[{i}]"
        yield from _places(item, place) if isinstance(item, list) else [(place, item)]


def check_finite(name, value):
    """Raise ``FloatingPointError`` if an array holds NaN or infinity, or one in a list, dict or dataclass."""
    if is_dataclass(value):
        value = {entry.name: getattr(value, entry.name) for entry in fields(value)}
    if isinstance(value, (list, tuple, dict)):
        for part in value.values() if isinstance(value, dict) else value:
            check_finite(name, part)
        return
    value = value.data if sp.issparse(value) else value
    if isinstance(value, (float, np.ndarray)) and np.asarray(value).dtype.kind == "f" and not (
            np.isfinite(value).all()):
        raise FloatingPointError(f"the fit diverged: {name} holds NaN or infinity")
