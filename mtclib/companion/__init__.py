"""The companion to the five papers; it needs the extra ``companion``.

What a notebook imports from here: `Study` (one paper), `scoreboard` and `differences` (all papers),
`Sources`, `advice` and `sharing` (all methods on sets of many sources, which to take, and whether sharing
helps), `check_parameters`, `plots`, `tables`.  The rooms, from the ground up: `parameters`, `runs` (protocol,
jobs, store, results), `verdicts` and `claims` (ours beside print), `userdata` (a reader's own files),
`tables`, `plots`, `comparison`, `papers`, `site` (notebooks run and published), `cli` (the command line).
"""

from importlib import import_module

_HOMES = {
    "Sources": "comparison.sources", "Study": "papers.study", "advice": "comparison.advice",
    "check_parameters": "parameters", "differences": "papers.differences", "place": "comparison.sources",
    "plots": "plots", "scoreboard": "papers.scoreboard", "sharing": "comparison.sharing", "tables": "tables"}
__all__ = list(_HOMES)


def __getattr__(name):
    """Import on first use: a worker that runs fits need not load what draws figures."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        module = import_module(f"{__name__}.{_HOMES[name]}")
    except ModuleNotFoundError as error:
        if error.name.startswith("mtclib"):
            raise
        raise ModuleNotFoundError(f"{__name__} needs {error.name}; install mtclib with the extra that brings "
                                  "it: mtclib[companion]", name=error.name) from error
    return getattr(module, name, module)
