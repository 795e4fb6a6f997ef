"""All estimators by name."""

from importlib import import_module

from mtclib.core.base import BaseClusterer
from mtclib.core.checks import check_option


def all_estimators():
    """Every public estimator, as a dict from class name to class, sorted by name.

    Examples
    --------
    >>> "MTCMRL" in all_estimators()
    True
    """
    found = {}
    for module in map(import_module, ("mtclib", "mtclib.baselines")):
        for name in module.__all__:
            value = getattr(module, name)
            if isinstance(value, type) and issubclass(value, BaseClusterer):
                found[name] = value
    return dict(sorted(found.items()))


def version_of_nested(own, kinds):
    """Version of an estimator that runs others: its own, plus what those have been raised by.

    ``kinds`` are the base classes of what can be nested; a further method of these kinds changes nothing.
    """
    nested = [method for method in all_estimators().values() if issubclass(method, kinds)]
    return own + sum(method.algorithm_version() - 1 for method in nested)


def estimator(name):
    """The estimator class called ``name``; ``ValueError`` lists the known ones otherwise."""
    known = all_estimators()
    return known[check_option("estimator", name, known)]
