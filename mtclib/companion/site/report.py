"""The HTML site over the executed notebooks: a page for each, a gallery of the figures, and a search.

The site is a folder of plain files and loads nothing from elsewhere.  Without scripts only the search is
missing.
"""

import json
import math
import os
import platform
import re
import shutil
import subprocess
import tomllib
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from importlib import metadata
from itertools import chain
from pathlib import Path

import jinja2
import nbformat
import pandas as pd
from markupsafe import Markup, escape
from pygments.formatters import HtmlFormatter

from mtclib.companion.parameters import UsageError
from mtclib.companion.site.notebooks import FRONT, Execution, figures, find_notebooks, read_execution
from mtclib.companion.site.pages import Body, Section, link, render
from mtclib.core import paths

TEMPLATES = Path(__file__).with_name("templates")
VERSIONS = ("mtclib", "numpy", "scipy", "scikit-learn", "pandas", "matplotlib", "papermill")
STORED = "stored"
"""Stands for the profile of a notebook whose outputs are those that the repository keeps."""


@dataclass(frozen=True)
class Page:
    """A page of the site.

    Attributes
    ----------
    file, title : str
    label : str
        Short name for the navigation.
    body : Body
    run : Execution or None
        What made the outputs.
    """

    file: str
    title: str
    label: str
    body: Body
    run: Execution | None = None


def executed_copy(name: str, profile: str) -> Path:
    """Return where the executed copy of a notebook is kept."""
    return paths.build_dir() / "notebooks" / f"{name}-{profile}.ipynb"


def report_dir() -> Path:
    """Return the folder of the site; its first page is ``index.html``."""
    return paths.build_dir() / "report"


def _stored(name, notebook) -> Execution | None:
    """Describe the outputs that the repository keeps; None if it keeps none."""
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", ())]
    status = "failed" if any(output.output_type == "error" for output in outputs) else "ok"
    n_cells = sum(cell.cell_type == "code" for cell in notebook.cells)
    known = Execution(name, STORED, status, math.nan, n_cells, len(figures(notebook)))
    return known if outputs else None


def _newest(name, path):
    """Return the notebook with the newest outputs and what made them, or None."""
    copies = (paths.build_dir() / "notebooks").glob(f"{name}-*.ipynb")
    for file in sorted([path, *copies], key=lambda file: file.stat().st_mtime_ns, reverse=True):
        try:
            notebook = nbformat.read(file, as_version=4)
        except nbformat.reader.NotJSONError:
            continue
        run = _stored(name, notebook) if file == path else read_execution(notebook)
        if run is not None and run.name == name:
            return notebook, run
    return None


def _label(name, title) -> str:
    """The short name in brackets that ends a paper's title, else the name of the notebook in words."""
    short = re.search(r"\((\w+)\)$", title)
    words = "overview" if name == FRONT else name.replace("_", " ")
    return short[1] if short else words[:1].upper() + words[1:]


def _home() -> str:
    project = tomllib.loads((TEMPLATES.parents[1] / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return project["urls"]["Repository"]


def notebook_pages() -> list[Page]:
    """Render every notebook with its newest outputs: of a run on this machine, or as stored.

    Returns
    -------
    list of Page
        The front door first.

    Raises
    ------
    UsageError
        If no notebook has outputs.
    """
    found = {name: newest for name, path in find_notebooks().items() if (newest := _newest(name, path))}
    if not found:
        raise UsageError("there is no executed notebook: run `python -m mtclib run all` first.")
    home, made = _home(), []
    for name, (notebook, run) in found.items():
        body = render(notebook, found, home)
        title = next((part.title for part in body.sections if part.title), name)
        made.append(Page(f"{name}.html", title, _label(name, title), body, run))
    return made


def _place(stem, source, made) -> dict:
    """Where a figure is explained: the section whose code keeps it, else the notebook that is said to."""
    pages = {page.run.name: page for page in made}
    page = pages.get(Path(source).stem)
    for part in page.body.sections if page else ():
        if re.search(rf"""["']{re.escape(stem)}["']""", part.code):
            return {"by": page.label, "title": part.title, "page": f"{page.file}#{part.anchor}"}
    place = link(Path(source).name, pages, _home())
    return {"by": page.label if page else source, "title": stem, "page": place}


def gallery(made) -> dict[str, list[dict]]:
    """List the figures that the repository keeps, by the notebook that drew them.

    Parameters
    ----------
    made : list of Page
        Pages of the notebooks.

    Returns
    -------
    dict of str to list of dict
        Label of the notebook -> its pictures: stem, file, others (the same figure in other formats), title,
        page.
    """
    folder = paths.root() / "figures"
    if not (folder / "manifest.csv").is_file():
        return {}
    rows = pd.read_csv(folder / "manifest.csv", dtype=str, keep_default_na=False)
    rows = rows[[(folder / file).is_file() for file in rows["file"]]]
    groups = {page.label: [] for page in made}
    for stem, same in rows.groupby(rows["file"].map(lambda file: Path(file).stem)):
        files = sorted(same["file"], key=lambda file: not file.endswith(".png"))
        place = _place(stem, same["notebook"].iloc[0], made)
        groups.setdefault(place.pop("by"), []).append(
            {"stem": stem, "file": files[0], "others": files[1:], **place}
        )
    return {label: figures for label, figures in groups.items() if figures}


def provenance() -> dict[str, str]:
    """Return what made the results: commit, versions, machine and date.

    Examples
    --------
    >>> sorted(provenance())[:2]
    ['Commit', 'Date']
    """
    command = ["git", "-C", str(paths.root()), "describe", "--always", "--dirty", "--abbrev=12"]
    try:
        commit = subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        commit = "not known (no git checkout)"
    return {
        "Date": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "Commit": commit,
        "Python": platform.python_version(),
        "Packages": ", ".join(f"{name} {metadata.version(name)}" for name in VERSIONS),
        "Machine": f"{platform.system()} {platform.machine()}, {os.cpu_count()} CPUs",
    }


def _script(made) -> str:
    """The script of all pages, with the text that it searches: a page opened as a file may not fetch it."""
    places = [
        {"page": page.label, "address": page.file + (part.anchor and f"#{part.anchor}"),
         "title": part.title or page.title, "text": part.text}
        for page in made for part in page.body.sections
    ]  # fmt: skip
    code = (TEMPLATES / "site.js").read_text(encoding="utf-8")
    return f"const SECTIONS = {json.dumps(places, ensure_ascii=False)};\n{code}"


def _write_pages(folder, made, drawn) -> None:
    css = HtmlFormatter(style="default").get_style_defs(".highlight")
    css += (TEMPLATES / "site.css").read_text(encoding="utf-8")
    entries = [("index.html", "Overview")]
    entries += [(page.file, page.label) for page in made if page.file != "index.html"]
    entries += [("figures.html", "Figures")] if drawn else []
    environment = jinja2.Environment(loader=jinja2.FileSystemLoader(TEMPLATES), autoescape=True)
    environment.filters["trusted"] = Markup
    environment.globals.update(css=Markup(css), entries=entries, provenance=provenance())

    def write(template, page, **values):
        html = environment.get_template(template).render(page=page, **values)
        (folder / page.file).write_text(html, encoding="utf-8")

    runs = [page for page in made if page.run]
    front = Page("index.html", "mtclib: executed notebooks", "Overview", Body("", []))
    for page in made if made[0].file == front.file else [front, *made]:
        write("front.html.j2" if page.file == front.file else "notebook.html.j2", page, runs=runs)
    if drawn:
        inside = Body("", [Section(2, label, label, escape(label)) for label in drawn])
        write("figures.html.j2", Page("figures.html", "Figures", "Figures", inside), groups=drawn)


def write_report() -> tuple[Path, pd.DataFrame]:
    """Write the site over all notebooks that have outputs, into an empty folder.

    Returns
    -------
    index : Path
    summary : DataFrame
        One row a notebook: notebook, profile, status, seconds, cells, figures.

    Raises
    ------
    UsageError
        A `ValueError`, if no notebook has outputs.
    """
    made = notebook_pages()
    drawn = gallery(made)
    folder = report_dir()
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "figures").mkdir(parents=True)
    for figure in chain.from_iterable(drawn.values()):
        for file in (figure["file"], *figure["others"]):
            shutil.copyfile(paths.root() / "figures" / file, folder / "figures" / file)
    (folder / "site.js").write_text(_script(made), encoding="utf-8")
    _write_pages(folder, made, drawn)
    return folder / "index.html", summary(asdict(page.run) for page in made)


def summary(rows) -> pd.DataFrame:
    """Return the table that ends a run.

    Parameters
    ----------
    rows : iterable of dict
        With the fields of :class:`mtclib.companion.site.notebooks.Execution`.
    """
    table = pd.DataFrame(rows)[["name", "profile", "status", "seconds", "n_cells", "n_figures"]]
    return table.rename(columns={"name": "notebook", "n_cells": "cells", "n_figures": "figures"})
