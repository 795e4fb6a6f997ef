"""All estimators by name."""

from importlib import import_module

from mtclib.core.base import BaseClusterer
from mtclib.core.checks import check_option

KINDS = {"tasks": "multitask", "views": "multiview", "lifelong": "lifelong"}


def all_estimators(kind=None):
    """Every public estimator, as a dict from class name to class, sorted by name.

    Parameters
    ----------
    kind : {"tasks", "views", "lifelong"}, optional
        What the method takes: several tasks, several views of the same samples, or tasks of views that come
        one after the other. All methods by default.

    Examples
    --------
    >>> "MTCMRL" in all_estimators()
    True
    >>> [name for name in all_estimators(kind="lifelong") if name.endswith("SC")]
    ['L2SC', 'LMSC']
    """
    wanted = KINDS.values() if kind is None else [KINDS[check_option("kind", kind, KINDS)]]
    found = {}
    for module in map(import_module, ("mtclib", "mtclib.baselines")):
        for name in module.__all__:
            value = getattr(module, name)
            if isinstance(value, type) and issubclass(value, BaseClusterer) and value.traits.kind in wanted:
                found[name] = value
    return dict(sorted(found.items()))


def estimator(name):
    """The estimator class called ``name``; ``ValueError`` lists the known ones otherwise."""
    known = all_estimators()
    return known[check_option("estimator", name, known)]
