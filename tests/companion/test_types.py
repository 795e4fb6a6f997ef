"""What the faces of the companion offer says what it takes and gives; `make lint` checks that with mypy."""

import inspect
import pkgutil
from importlib import import_module

import pytest

from mtclib import companion

ROOMS = [companion.__name__, *(f"{companion.__name__}.{room.name}"
                               for room in pkgutil.iter_modules(companion.__path__) if room.ispkg)]


def functions(room):
    """Public functions of a room, and public methods and constructors of its classes."""
    face = import_module(room)
    names = getattr(face, "__all__", None) or [
        name for name, one in vars(face).items()
        if (getattr(one, "__module__", None) or "").startswith(room) and name[0] != "_"]
    for one in filter(callable, (getattr(face, name) for name in names)):
        parts = vars(one).values() if inspect.isclass(one) else [inspect.unwrap(one)]
        yield from (part for part in filter(inspect.isfunction, parts) if part.__module__.startswith("mtclib")
                    and (part.__name__[0] != "_" or part.__name__ == "__init__"))


@pytest.mark.parametrize("room", ROOMS)
def test_public_functions_of_the_companion_have_types(room):
    for function in functions(room):
        given = inspect.signature(function)
        needed = [one for name, one in given.parameters.items() if name != "self"]
        assert [one.name for one in needed if one.annotation is one.empty] == [], function.__qualname__
        assert given.return_annotation is not given.empty, function.__qualname__


def test_the_rooms_have_functions():
    assert sum(len(list(functions(room))) for room in ROOMS) > 100
