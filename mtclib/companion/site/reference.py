"""Pages of the reference: what they list; Sphinx takes the text from the docstrings."""

import inspect
from pathlib import Path

import mtclib
from mtclib import baselines
from mtclib.companion.site import gallery
from mtclib.companion.site.pages import words
from mtclib.datasets.dataset import LOADERS

AUTOMODULE = ".. automodule:: {}\n   :no-inherited-members:"
MODULES = {"metrics": ("Metrics", "mtclib.metrics"), "divergences": ("Divergences", "mtclib.maths.bregman"),
           "datasets": ("Data sets", "mtclib.datasets")}
SETS = "Data sets by name"


def _page(title: str, *parts: str) -> str:
    return "\n\n".join([f"{title}\n{'=' * len(title)}", *parts]) + "\n\n"


def _sets() -> str:
    """Return the page of the data sets by name: a table, then the functions that make them."""
    homes = {name: f"{loader.function.__module__}.{loader.function.__name__}"
             for name, loader in LOADERS.items()}
    rows = [f"   * - :func:`{name} <{home}>`\n     - {LOADERS[name].about}" for name, home in homes.items()]
    functions = [f".. autofunction:: {home}" for home in dict.fromkeys(homes.values())]
    return _page(SETS, words("sets", rows="\n".join(rows)), *functions)


def _method(name: str, module, uses) -> str:
    """Return the page of a method: its class, and where the gallery uses it."""
    links = "\n".join(f"- :ref:`{label}`" for label, used in uses.items() if name in used)
    return _page(name, f".. autoclass:: {module.__name__}.{name}", ".. rubric:: In the gallery", links)


def write_reference(source: Path) -> dict[str, str]:
    """Write the pages of the reference; return their names and titles."""
    groups = {"papers": ("Methods of the papers", mtclib), "compared": ("Compared methods", baselines)}
    uses, pages = {one.label: one.uses for one in gallery.read()}, {"sets": (SETS, _sets())}
    for name, (title, module) in MODULES.items():
        pages[name] = title, _page(title, AUTOMODULE.format(module))
    for name, (title, module) in groups.items():
        classes = [name for name in module.__all__ if inspect.isclass(getattr(module, name))]
        pages |= {cls: (cls, _method(cls, module, uses)) for cls in classes}
        pages[name] = title, _page(
            title, words("methods", module=module.__name__, names="\n   ".join(classes)))
    (source / "reference").mkdir()
    for name, (_, text) in pages.items():
        (source / "reference" / f"{name}.rst").write_text(text, encoding="utf-8")
    order = (*groups, *MODULES, "sets")
    return {f"reference/{name}": pages[name][0] for name in order}
