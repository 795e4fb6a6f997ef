"""Pages of the reference: what they list; Sphinx takes the text from the docstrings."""

import inspect
from pathlib import Path

import mtclib
from mtclib import baselines
from mtclib.companion.site import gallery
from mtclib.companion.site.pages import words
from mtclib.datasets.dataset import LOADERS

AUTOMODULE = ".. automodule:: {}\n   :no-inherited-members:"
MODULES = {"Metrics": "mtclib.metrics", "Divergences": "mtclib.maths.bregman"}


def _page(title: str, *parts: str, underline="=") -> str:
    return "\n\n".join([f"{title}\n{underline * len(title)}", *parts]) + "\n\n"


def _datasets() -> str:
    """Return the page of the data sets: how to load them, each by name, then the functions that make them."""
    made_by = {name: loader.function for name, loader in LOADERS.items()}
    homes = {name: f"{function.__module__}.{function.__name__}" for name, function in made_by.items()}
    sets = [_page(name, loader.about, f"Parameters: :func:`{homes[name]}`.", underline="~")
            for name, loader in LOADERS.items()]
    functions = [f".. autofunction:: {home}" for home in dict.fromkeys(homes.values())]
    return _page("Data sets", AUTOMODULE.format("mtclib.datasets"), _page("By name", *sets, underline="-"),
                 _page("Functions that make them", *functions, underline="-"))


def _method(name: str, module) -> str:
    """Return the page of a method: its class, and where the gallery uses it."""
    used = [f"- :ref:`{one.label}`" for one in gallery.read() if name in one.uses]
    parts = f".. autoclass:: {module.__name__}.{name}", ".. rubric:: In the gallery", "\n".join(used)
    return _page(name, *parts)


def write_reference(source: Path) -> dict[str, str]:
    """Write the pages of the reference; return their names and titles."""
    groups = {"papers": ("Methods of the papers", mtclib), "compared": ("Compared methods", baselines)}
    pages = {"datasets": ("Data sets", _datasets())}
    for title, module in MODULES.items():
        pages[title.lower()] = title, _page(title, AUTOMODULE.format(module))
    for name, (title, module) in groups.items():
        classes = [name for name in module.__all__ if inspect.isclass(getattr(module, name))]
        pages |= {cls: (cls, _method(cls, module)) for cls in classes}
        pages[name] = title, _page(
            title, words("methods", module=module.__name__, names="\n   ".join(classes)))
    (source / "reference").mkdir()
    for name, (_, text) in pages.items():
        (source / "reference" / f"{name}.rst").write_text(text, encoding="utf-8")
    order = (*groups, "metrics", "divergences", "datasets")
    return {f"reference/{name}": pages[name][0] for name in order}
