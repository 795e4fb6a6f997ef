"""Names and values typed on the command line or given to a notebook, checked before they are used."""

import ast
import difflib
import sys
import tomllib
from importlib import metadata

from mtclib.core import paths
from mtclib.core.errors import MtclibError, check_option

PROFILES = ("quick", "full")
INJECTED = "# Parameters\n"  # how the cell begins that papermill adds with the given values
try:
    HOME = metadata.metadata("mtclib")["Project-URL"].partition(", ")[2]
    """Home of the repository, as ``pyproject.toml`` names it."""
except metadata.PackageNotFoundError:  # a clone on the path that nobody has installed
    about = tomllib.loads((paths.HOME / "pyproject.toml").read_text(encoding="utf-8"))
    HOME = about["project"]["urls"]["Repository"]
_TYPES: dict = {"int": int, "float": (int, float), "bool": bool, "list": list, "dict": dict}


class UsageError(MtclibError, ValueError):
    """An unknown name or invalid value was given; the message lists the valid ones."""


def choose(name, known, argument: str) -> str:
    """`name` if it is one of `known`; else a UsageError about `argument` that proposes the nearest."""
    return check_option(argument, name, known, UsageError)


def check_parameters(*, profile: str = "quick", seed: int = 0, n_runs: int = 0, n_jobs: int = 1,
                     dask: str = "", **choices: tuple) -> None:
    """Refuse parameters that a notebook cannot use; called by its first code cell after the parameters. In a
    notebook, undeclared names and values of another than their declared type are refused as well. `choices`
    are further parameters as ``name=(value, allowed values)``."""
    _check_kernel()
    choose(profile, PROFILES, "profile")
    _check_integer("seed", seed, 0)
    _check_integer("n_runs", n_runs, 0)
    _check_integer("n_jobs", n_jobs, 1)
    if not isinstance(dask, str) or (dask and "://" not in dask):
        raise UsageError(f"dask must be an address such as 'tcp://host:8786' or empty, not {dask!r}.")
    for name, (value, allowed) in choices.items():
        choose(value, allowed, name)


def _check_integer(name, value, least) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise UsageError(f"{name} must be an integer of at least {least}, not {value!r}.")


def _check_kernel() -> None:
    """Refuse what papermill added to the notebook of this kernel: names it has not, values of other types."""
    # `In` holds the sources of all cells so far.
    shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    if shell is None or "In" not in shell.user_ns:
        return
    declared = next(filter(None, map(_annotated, reversed(shell.user_ns["In"]))), {})
    names = ", ".join(f"{name} ({kind})" for name, kind in declared.items())
    # Somebody who mends a wrong value in JupyterLab runs that cell once more: the last one counts.
    for source in [source for source in shell.user_ns["In"] if source.startswith(INJECTED)][-1:]:
        for name in (ast.unparse(node.targets[0]) for node in ast.parse(source).body
                     if isinstance(node, ast.Assign)):
            if name not in declared:
                near = difflib.get_close_matches(name, declared, n=1)
                hint = f" Did you mean {near[0]!r}?" if near else ""
                raise UsageError(f"there is no parameter {name!r}.{hint} Parameters: {names}.")
    for name, kind in declared.items():
        value = shell.user_ns.get(name)
        if not _is_of_type(value, kind):
            raise UsageError(f"{name} must be of type {kind}, not {value!r}. Parameters: {names}.")


def _annotated(source):
    """Names and types that a cell declares, as only the cell of parameters does.  Read from its source, for
    IPython runs line by line, and Python 3.14 keeps the annotations of the last one alone."""
    try:
        body = ast.parse(source).body
    except SyntaxError:  # somebody's cell that did not run
        return {}
    return {ast.unparse(node.target): ast.unparse(node.annotation) for node in body
            if isinstance(node, ast.AnnAssign)}


def read_value(name: str, text: str, declared: str):
    """Read the value of a parameter from text, as its declared type asks: "int", "float", "bool", "list",
    "dict"; any other means text. UsageError if the text is not a literal of that type."""
    if declared not in _TYPES:
        return text
    try:
        value = ast.literal_eval(text)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        value = None
    if not _is_of_type(value, declared):
        raise UsageError(f"{name} must be of type {declared}, not {text!r}.")
    return value


def _is_of_type(value, declared) -> bool:
    kind = _TYPES.get(declared, str)
    return isinstance(value, kind) and (declared == "bool" or not isinstance(value, bool))
