"""The HTML site: Sphinx over the executed notebooks, the README and the docstrings.

`pages` fits notebooks into the site, `gallery` runs examples, ``conf.py`` says how Sphinx sets them.  The
reference lists what Sphinx takes from docstrings.
"""

import inspect
import math
import os
import platform
import re
import shutil
import tomllib
from datetime import UTC, datetime
from html import escape
from importlib import metadata
from pathlib import Path

import nbformat
import pandas as pd
from nbformat.v4 import new_markdown_cell, new_notebook
from sphinx.cmd.build import build_main

import mtclib
from mtclib import baselines
from mtclib.companion.parameters import UsageError
from mtclib.companion.site import gallery, pages
from mtclib.companion.site.notebooks import FRONT, Execution, counts, find_notebooks
from mtclib.core import paths
from mtclib.datasets.dataset import LOADERS

VERSIONS = ("mtclib", "numpy", "scipy", "scikit-learn", "pandas", "matplotlib", "papermill", "sphinx")
YOURS = "your_data"
"""Name of the notebook for a reader's own files."""
AUTOMODULE = ".. automodule:: {}\n   :no-inherited-members:"
MODULES = {"metrics": ("Metrics", "mtclib.metrics"), "divergences": ("Divergences", "mtclib.maths.bregman"),
           "datasets": ("Data sets", "mtclib.datasets")}
SETS = "Data sets by name"


def executed_copy(name: str, profile: str) -> Path:
    """Return where the executed copy of a notebook is kept."""
    return paths.build_dir() / "notebooks" / f"{name}-{profile}.ipynb"


def _stored(name, notebook) -> dict:
    """Describe the outputs that the repository keeps, as `Execution`; an empty dict if it keeps none."""
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", ())]
    status = "failed" if any(output.output_type == "error" for output in outputs) else "ok"
    return vars(Execution(name, pages.STORED, status, math.nan, *counts(notebook))) if outputs else {}


def _newest(name, path):
    """Return the notebook with the newest outputs and what made them, or None."""
    copies = (paths.build_dir() / "notebooks").glob(f"{name}-*.ipynb")
    for file in sorted([path, *copies], key=lambda file: file.stat().st_mtime_ns, reverse=True):
        try:
            notebook = nbformat.read(file, as_version=4)
        except nbformat.reader.NotJSONError:
            continue
        # An executed copy that was cut short has no record.
        run = _stored(name, notebook) if file == path else notebook.metadata.get("mtclib")
        if run and run["name"] == name:
            return notebook, Execution(**run)
    return None


def _in_order() -> dict:
    """Name -> notebook and run, of all that have outputs: the front door, then as it mentions them."""
    found = {name: newest for name, path in find_notebooks().items() if (newest := _newest(name, path))}
    if not found:
        raise UsageError("there is no executed notebook: run `python -m mtclib run all` first.")
    empty = new_notebook(cells=[new_markdown_cell("# mtclib: executed notebooks")])
    front = found.pop(FRONT, (empty, None))
    told = "".join(cell.source for cell in front[0].cells)
    rest = sorted(found, key=lambda name: (f"({name}.ipynb" not in told, told.find(f"({name}.ipynb")))
    return {FRONT: front} | {name: found[name] for name in rest}


def _about(runs) -> str:
    """Return the part of the front page that says what made the others."""
    table = summary(vars(run) for run in runs)
    table["notebook"] = [f'<a href="{name}.html">{name}</a>' for name in table["notebook"]]
    table["seconds"] = ["" if math.isnan(run.seconds) else f"{run.seconds:.1f}" for run in runs]
    if not any(table["seconds"]):  # outputs as stored do not say how long they took
        del table["seconds"]
    table["status"] += [run.error and f": {escape(run.error)}" for run in runs]
    made = {"Date": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
            "Commit": paths.git("describe", "--always", "--dirty", "--abbrev=12") or "no git checkout",
            "Python": platform.python_version(),
            "Packages": ", ".join(f"{name} {metadata.version(name)}" for name in VERSIONS),
            "Machine": f"{platform.system()} {platform.machine()}, {os.cpu_count()} CPUs"}
    facts = "\n".join(f"- {name}: {value}" for name, value in made.items())
    return pages.words("about", facts=facts,
                       runs=table.to_html(index=False, escape=False, justify="left", classes="docutils"))


def _reliability() -> str:
    """Return the part of the front page with the last long runs of the adversary; "" if none is kept."""
    file = paths.data_dir() / "adversary.csv"
    if not file.is_file():
        return ""
    table = pd.read_csv(file).drop(columns="seed")
    minutes = round(table["seconds"].sum() / 60)
    return pages.words("reliability", minutes=minutes,
                       attacks=table.to_html(index=False, justify="left", classes="docutils"))


def _contents(groups) -> str:
    """Return the table of contents beside every page, from group -> page -> title."""
    trees = []
    for group, titles in groups.items():
        entries = [f"{title} <{page}>" for page, title in titles.items()]
        trees += ["```{toctree}", ":hidden:", f":caption: {group}", *entries, "```"] if entries else []
    return "\n".join(trees)


def _page(title: str, *parts: str) -> str:
    return "\n\n".join([f"{title}\n{'=' * len(title)}", *parts]) + "\n\n"


def _sets() -> str:
    """Return the page of the data sets by name: a table, then the functions that make them."""
    homes = {name: f"{loader.function.__module__}.{loader.function.__name__}"
             for name, loader in LOADERS.items()}
    rows = [f"   * - :func:`{name} <{home}>`\n     - {LOADERS[name].about}" for name, home in homes.items()]
    functions = [f".. autofunction:: {home}" for home in dict.fromkeys(homes.values())]
    return _page(SETS, pages.words("sets", rows="\n".join(rows)), *functions)


def write_reference(source: Path) -> dict[str, str]:
    """Write the pages of the reference; return their names and titles."""
    groups = {"papers": ("Methods of the papers", mtclib), "compared": ("Compared methods", baselines)}
    cards = tomllib.loads((paths.paper_dir("methods") / "methods.toml").read_text("utf-8"))["methods"]
    uses, found = {one.label: one.uses for one in gallery.read()}, {"sets": (SETS, _sets())}
    for name, (title, module) in MODULES.items():
        found[name] = title, _page(title, AUTOMODULE.format(module))
    for name, (title, module) in groups.items():
        classes = [name for name in module.__all__ if inspect.isclass(getattr(module, name))]
        for cls in classes:
            links = "\n".join(f"- :ref:`{label}`" for label, used in uses.items() if cls in used)
            about = f".. autoclass:: {module.__name__}.{cls}"
            when = pages.words("when", **cards[cls])
            found[cls] = cls, _page(cls, when, about, ".. rubric:: In the gallery", links)
        found[name] = title, _page(
            title, pages.words("methods", module=module.__name__, names="\n   ".join(classes)))
    (source / "reference").mkdir()
    for name, (_, text) in found.items():
        (source / "reference" / f"{name}.rst").write_text(text, encoding="utf-8")
    order = (*groups, *MODULES, "sets")
    return {f"reference/{name}": found[name][0] for name in order}


def write_sources(source: Path, further=()) -> list[Execution]:
    """Write the pages that Sphinx reads into an empty folder; return what made each notebook's outputs. Each
    of `further` writes pages across papers into the folder, and returns their names and titles."""
    found = _in_order()
    # The title of a paper ends with its short name in brackets.
    titles = {name: notebook.cells[0].source.partition("\n")[0] for name, (notebook, _) in found.items()}
    papers = {name: short[1] for name, title in titles.items() if (short := re.search(r"\((\w+)\)$", title))}
    labels = {name: name.replace("_", " ").capitalize() for name in found} | {FRONT: "Overview"} | papers
    others = {name: label for name, label in labels.items() if name not in (FRONT, YOURS, *papers)}
    shutil.rmtree(source, ignore_errors=True)
    source.mkdir(parents=True)
    texts = pages.write_texts(source, found)
    start = {name: texts.pop(name) for name in ("readme",) if name in texts}
    asked = {name: label for write in further for name, label in write(source, found).items()}
    groups = {"Start": {"self": labels[FRONT]} | start | gallery.write(source), "Papers": papers,
              "Across papers": asked | others | pages.write_figures(source, found, labels) | texts,
              "Your data": {name: label for name, label in labels.items() if name == YOURS},
              "Reference": write_reference(source)}
    for notebook, run in found.values():
        pages.fit(notebook, run, found)
    runs = [run for _, run in found.values() if run]
    parts = _about(runs) + _reliability(), _contents(groups)
    found[FRONT][0].cells += [new_markdown_cell(text) for text in parts]
    for name, (notebook, _) in found.items():
        nbformat.write(notebook, source / f"{name}.ipynb")
    return runs


def build(source: Path, folder: Path) -> None:
    """Let Sphinx make the site; whatever it warns of is an error, but it goes on to the end."""
    options = ["-q", "-W", "--keep-going", "-d", source / ".doctrees", "-c", Path(__file__).parent]
    if build_main([*map(str, options), str(source), str(folder)]):
        raise OSError(f"the site in {folder} is not whole: see the messages of Sphinx above.")


def write_report(*further) -> tuple[Path, pd.DataFrame]:
    """Write the site over all notebooks that have outputs; return its first page and a summary. Raises
    `UsageError` if no notebook has outputs, `OSError` if Sphinx warns."""
    folder = paths.build_dir() / "report"
    runs = write_sources(paths.build_dir() / "site", further)
    shutil.rmtree(folder, ignore_errors=True)
    build(paths.build_dir() / "site", folder)
    return folder / "index.html", summary(vars(run) for run in runs)


def summary(rows) -> pd.DataFrame:
    """Return the table that ends a run, from dicts with the fields of `Execution`."""
    table = pd.DataFrame(rows)[["name", "profile", "status", "seconds", "n_cells", "n_figures"]]
    return table.rename(columns={"name": "notebook", "n_cells": "cells", "n_figures": "figures"})
