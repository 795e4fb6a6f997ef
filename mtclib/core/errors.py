"""The base of all errors of the project, the error of an unknown name, and warnings at the user's line."""

import difflib
import sys
import warnings


class MtclibError(Exception):
    """Something that the message explains, and what to do about it; the command line prints it as it is.
    Each subclass is an error of the standard library as well, mostly a ``ValueError``."""


def check_option(name, value, options, error=ValueError):
    """``value`` if it is one of ``options``; else raise ``error`` with the nearest names, and all if there is
    none or the list is short: a hint below eighty names would not be seen."""
    if isinstance(value, str) and value in options:
        return value
    any_case = {str(option).lower(): option for option in options}
    near = [any_case[name] for name in difflib.get_close_matches(str(value).lower(), any_case, n=2)]
    hint = f". Did you mean {' or '.join(map(repr, near))}?" if near else ""
    few = near and len(options) > 30
    names = ", ".join(map(repr, near if few else options))
    names += f" and {len(options) - len(near)} others" if few else ""
    known = f"must be one of {names}" if options else "has nothing to choose from"
    raise error(f"{name} {known}; got {value!r}{hint}")


def tell(message, category=UserWarning):
    """Warn at the line of the caller's own code: Python shows the same words once for each line."""
    level, frame = 1, sys._getframe()
    while frame.f_back and frame.f_globals.get("__name__", "").partition(".")[0] in ("mtclib", "sklearn"):
        level, frame = level + 1, frame.f_back
    warnings.warn(message, category, stacklevel=level)
