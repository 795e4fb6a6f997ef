"""The base of all errors that the project raises under names of its own, and that of an unknown name."""

import difflib


class MtclibError(Exception):
    """Something that the message explains, and what to do about it; the command line prints it as it is.

    Each subclass is an error of the standard library as well, mostly a ``ValueError``.
    """


def check_option(name, value, options, error=ValueError):
    """``value`` if it is one of ``options``; else raise ``error`` with the nearest names and all of them."""
    if isinstance(value, str) and value in options:
        return value
    near = difflib.get_close_matches(str(value), options, n=2)
    hint = f". Did you mean {' or '.join(map(repr, near))}?" if near else ""
    known = f"must be one of {', '.join(map(repr, options))}" if options else "has nothing to choose from"
    raise error(f"{name} {known}; got {value!r}{hint}")
