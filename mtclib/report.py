"""The HTML report: one page for each executed notebook, and an index.

The pages need no network and no script.  Equations become MathML, which browsers draw themselves; what the
converter does not know stays as LaTeX.
"""

import base64
import os
import platform
import re
import subprocess
from dataclasses import asdict
from datetime import UTC, datetime
from html import escape
from importlib import metadata
from pathlib import Path

import jinja2
import nbformat
import pandas as pd
from latex2mathml.converter import convert
from nbconvert import HTMLExporter
from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath
from pygments.formatters import HtmlFormatter

from mtclib import paths
from mtclib.notebooks import FRONT, PROFILES, Execution, UsageError, figures, read_execution

TEMPLATES = Path(__file__).with_name("templates")
VERSIONS = ("mtclib", "numpy", "scipy", "scikit-learn", "pandas", "matplotlib", "papermill")
COLLAPSIBLE = """{%- extends 'index.html.j2' -%}
{%- block input_group -%}
<details class="code" open><summary>Code</summary>{{ super() }}</details>
{%- endblock input_group -%}"""
"""nbconvert's basic template with code that can be folded away."""


def to_mathml(latex: str, display="inline") -> str:
    r"""Convert an equation, or return it escaped if the converter does not know a command in it.

    Parameters
    ----------
    latex : str
        Without dollar signs.
    display : {"inline", "block"}

    Returns
    -------
    str
        A ``<math>`` or ``<code>`` element.

    Examples
    --------
    >>> to_mathml("x^2").startswith("<math")
    True
    >>> to_mathml(r"\nosuchcommand x")
    '<code>\\nosuchcommand x</code>'
    """
    # The converter knows align but not aligned, which is what Markdown equations use.
    known = re.sub(r"\{(aligned|gathered)\}", "{align*}", latex)
    try:
        mathml = convert(known, display=display)
    except Exception:  # its errors share no base class, and raw LaTeX is a good answer to any of them
        mathml = "\\"
    return f"<code>{escape(latex)}</code>" if "\\" in mathml else mathml


class _Renderer(IPythonRenderer):
    def inline_math(self, body):
        return to_mathml(body)

    def block_math(self, body):
        return to_mathml(body, "block")

    def latex_environment(self, name, body):
        return to_mathml(f"\\begin{{{name}}}{body}\\end{{{name}}}", "block")


class _Exporter(HTMLExporter):
    def markdown2html(self, source):
        """Render Markdown with equations as MathML."""
        return MarkdownWithMath(renderer=_Renderer(escape=False, exclude_anchor_links=True)).render(source)


def _stem(run: Execution) -> str:
    return f"{run.name}-{run.profile}"


def executed_copy(name: str, profile: str) -> Path:
    """Return where the executed copy of a notebook is kept."""
    return paths.build_dir() / "notebooks" / f"{name}-{profile}.ipynb"


def report_dir() -> Path:
    """Return the folder of the report; its first page is ``index.html``."""
    return paths.build_dir() / "report"


def _heading(notebook, position) -> str:
    """The last heading at or before a cell."""
    for cell in reversed(notebook.cells[: position + 1]):
        titles = re.findall(r"^#+\s+(.+)$", cell.source, re.M) if cell.cell_type == "markdown" else []
        if titles:
            return re.sub(r"[*`$\\]", "", titles[-1]).strip()
    return "untitled"


def _save_figures(run, notebook, folder) -> list[dict]:
    """Write the pictures as files; give them the alternative text that the page will use."""
    saved = []
    for number, (position, output) in enumerate(figures(notebook), start=1):
        alt = notebook.cells[position].metadata.get("alt") or _heading(notebook, position)
        if alt in {figure["alt"] for figure in saved}:
            alt = f"{alt} (picture {number})"
        output.metadata.setdefault("image/png", {})["alt"] = alt
        file = folder / "figures" / f"{_stem(run)}-{number:02d}.png"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(base64.b64decode(output.data["image/png"]))
        saved.append({"file": f"figures/{file.name}", "alt": alt})
    return saved


def _relink(body, run, folder) -> str:
    """Point links between notebooks at their pages, and links into the repository at its files."""
    root = Path(os.path.relpath(paths.root(), folder)).as_posix()

    def page(match):
        profiles = sorted(PROFILES, key=lambda profile: profile != run.profile)
        found = [p for p in profiles if executed_copy(match[1], p).exists()]
        target = f"{match[1]}-{found[0]}.html" if found else f"{root}/notebooks/{match[1]}.ipynb"
        return f'href="{target}{match[2] or ""}"'

    body = re.sub(r'(href|src)="\.\./', rf'\1="{root}/', body)
    # A picture from elsewhere, such as a badge, would need the network: its text stands for it.
    body = re.sub(r'<img(?=[^>]*src="https?:)[^>]*alt="([^"]*)"[^>]*>', r"\1", body)
    return re.sub(r'href="(?:\./)?([\w-]+)\.ipynb(#[^"]*)?"', page, body)


def _css() -> str:
    light = HtmlFormatter(style="default").get_style_defs(".highlight")
    dark = HtmlFormatter(style="github-dark").get_style_defs(".highlight")
    plain = ".highlight, .highlight pre { background: var(--panel); }"
    own = (TEMPLATES / "report.css").read_text(encoding="utf-8")
    return f"{light}\n@media (prefers-color-scheme: dark) {{\n{dark}\n}}\n{own}\n{plain}"


def _page(template: str, **values) -> str:
    environment = jinja2.Environment(loader=jinja2.FileSystemLoader(TEMPLATES), autoescape=True)
    return environment.get_template(template).render(css=jinja2.utils.markupsafe.Markup(_css()), **values)


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


def _write_notebook_page(file, folder) -> dict | None:
    """Write the page of one executed copy and return its row in the index; None if it was cut short."""
    try:
        notebook = nbformat.read(file, as_version=4)
    except nbformat.reader.NotJSONError:
        return None
    run = read_execution(notebook)
    if run is None:
        return None
    saved = _save_figures(run, notebook, folder)
    body, _ = _Exporter(template_name="basic", raw_template=COLLAPSIBLE).from_notebook_node(notebook)
    title = _heading(notebook, 0)
    body = jinja2.utils.markupsafe.Markup(_relink(body, run, folder))
    page = folder / f"{_stem(run)}.html"
    page.write_text(_page("notebook.html.j2", title=title, run=run, body=body), encoding="utf-8")
    executed = Path(os.path.relpath(file, folder)).as_posix()
    return {**asdict(run), "title": title, "page": page.name, "executed": executed, "figures": saved}


def write_report() -> tuple[Path, pd.DataFrame]:
    """Write the report over all executed copies under ``build/notebooks``.

    Returns
    -------
    index : Path
    summary : DataFrame
        One row a notebook: notebook, profile, status, seconds, cells, figures.

    Raises
    ------
    ValueError
        If no notebook was executed yet.
    """
    folder = report_dir()
    folder.mkdir(parents=True, exist_ok=True)
    copies = paths.build_dir() / "notebooks"
    files = sorted(copies.glob("*.ipynb"), key=lambda file: (not file.name.startswith(FRONT), file.name))
    rows = [row for file in files if (row := _write_notebook_page(file, folder))]
    if not rows:
        raise UsageError(f"there is no executed notebook in {copies}: run `python -m mtclib run all` first.")
    index = folder / "index.html"
    page = _page("index.html.j2", title="mtclib: executed notebooks", runs=rows, provenance=provenance())
    index.write_text(page, encoding="utf-8")
    return index, summary(rows)


def summary(rows) -> pd.DataFrame:
    """Return the table that ends a run.

    Parameters
    ----------
    rows : iterable of dict
        With the fields of :class:`mtclib.notebooks.Execution`.
    """
    table = pd.DataFrame(rows)[["name", "profile", "status", "seconds", "n_cells", "n_figures"]]
    return table.rename(columns={"name": "notebook", "n_cells": "cells", "n_figures": "figures"})
