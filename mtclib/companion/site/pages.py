"""Notebooks, figures and the README as pages that Sphinx reads."""

import gzip
import re
import shutil
from base64 import b64encode
from pathlib import Path, PurePosixPath
from posixpath import normpath

from nbformat.v4 import new_markdown_cell

from mtclib.companion.parameters import HOME
from mtclib.core import paths

STORED = "stored"
"""Stands for the profile of a notebook whose outputs are those that the repository keeps."""
TEXTS = {"README.md": ("readme", "Getting started"), "CHANGELOG.md": ("changelog", "Changelog"),
         "data/README.md": ("numbers", "How to read the numbers"),
         "notebooks/README.md": ("running", "Running the notebooks"), "examples": ("gallery", "Gallery")}
"""Texts of the repository, and a folder, that are pages of the site, too: name and title of each."""
PAGES = {file: page for file, (page, _) in TEXTS.items()} | {"data/verdicts.csv": "printed"}
FOLDED = "hide-input"
"""The tag of cells with folded code, left out if they show nothing."""
DECISIONS = "<caption>Choices that the paper leaves open"
IDS = re.compile(r"(?<=<b>decision</b> )[A-Z]\d[\w.]*(?:, [A-Z]\d[\w.]*)*(?=[:<])")
LINK = re.compile(r'((?:\[`(\w+)[^]]*)?\]\(|href=")(?!\w+:|#)([^)"#\s]+)(?:(?="><b>(\w+)))?')
"""What begins a relative link, where it leads, and the name of code that it shows."""
WORDS = paths.beside(__package__, "words.toml")


def words(name: str, /, **known) -> str:
    """Return what stands around what is computed, from ``words.toml``."""
    return WORDS[name].format(**known)


def pack(text: str) -> str:
    """Return a text as `unpack` of ``site.js`` reads it, in a third of the bytes."""
    return b64encode(gzip.compress(text.encode(), mtime=0)).decode()


def _how_run(notebook, run) -> str:
    """Say when and with which profile a notebook was run."""
    if run.profile == STORED:
        date, profile = paths.git("log", "-1", "--format=%cs", "--", f"notebooks/{run.name}.ipynb"), "quick"
        when = f"as stored in the repository{date and f' on {date}'}"
    else:
        date = notebook.metadata.get("papermill", {}).get("end_time", "")[:16].replace("T", " ")
        profile, when = run.profile, f"run {date and f'on {date} UTC '}in {run.seconds:.0f} s"
    text = f"Outputs of the [{profile} profile](README.md), {when}"
    return text + ("." if run.status == "ok" else f"; {run.status}{run.error and f': `{run.error}`'}.")


def settle(text: str, pages, suffix=".ipynb", folder="notebooks") -> str:
    """Lead the relative links of a text to pages of the site, else to the home of the repository.

    A link that shows the name of a function or class leads to its line.

    >>> settle("[a](mspl.ipynb#Data), [b](../mtclib/mspl.py)", ["mspl"])
    '[a](mspl.ipynb#Data), [b](https://github.com/mtclib/mtclib/blob/HEAD/mtclib/mspl.py)'
    """

    def lead(match):
        file = PurePosixPath(normpath(f"{folder}/{match[3]}"))
        if page := PAGES.get(str(file)):
            return f"{match[1]}{page}{suffix.replace('ipynb', 'md')}"
        if str(file.parent) == "notebooks" and file.stem in pages:
            return f"{match[1]}{file.stem}{suffix}"
        if file.parts[0] == "figures" and suffix == ".ipynb":
            return f"{match[1]}{file}"
        kind = "tree" if (paths.root() / file).is_dir() else "blob"
        return f"{match[1]}{HOME}/{kind}/HEAD/{file}{_line(file, match[2] or match[4])}"

    # A picture from elsewhere, such as a badge, gives way to its text.
    return LINK.sub(lead, re.sub(r"!\[([^]]*)\]\(\w+://[^)]*\)", r"\1", text))


def _line(file, name) -> str:
    """Return the end of an address that leads to the line of a function or class of a file, or ""."""
    if file.suffix != ".py" or not name:
        return ""
    text = (paths.root() / file).read_text(encoding="utf-8")
    found = re.search(rf"^(?:def|class) {name}\b", text, re.M)
    return f"#L{text.count(chr(10), 0, found.start()) + 1}" if found else ""


def fit(notebook, run, pages) -> None:
    """Fit a notebook into the site: links, folded code, alternative texts, a line on how it was run."""
    seen = {}
    for position, cell in enumerate(notebook.cells):
        if cell.cell_type == "markdown":
            cell.source = settle(cell.source, pages)
        elif cell.cell_type == "code":
            if FOLDED in cell.metadata.get("tags", ()) and not cell.outputs:
                cell.metadata.tags = ["remove-cell"]
            _fit_code(cell, heading(notebook, position), seen, pages)
    if run:
        # After the answer, which stands below the title.
        cells = notebook.cells
        place = next((i for i, cell in enumerate(cells) if cell.source.startswith("## ")), len(cells))
        cells.insert(place, new_markdown_cell(settle(f"*{_how_run(notebook, run)}*", pages)))


def _fit_code(cell, title, seen, pages) -> None:
    """Give pictures the alternative text of the cell or their own, or else its heading; settle links."""
    about = [output.metadata.get("image/png", {}) for output in cell.outputs
             if "image/png" in output.get("data", {})]
    if about:
        alt = cell.metadata.get("alt") or about[0].get("alt", title)
        seen[alt] = seen.get(alt, 0) + 1
        cell.metadata.mystnb = {"image": {"alt": alt if seen[alt] == 1 else f"{alt} (picture {seen[alt]})"}}
    for output in cell.outputs:
        if "text/html" in output.get("data", {}):
            output.data["text/html"] = to_decisions(settle(output.data["text/html"], pages, ".html"))


def to_decisions(html: str) -> str:
    """Lead each id of a decision in the card of a cell to its row in the table of decisions.

    Here and not in the notebook, of which thousands of links would be a tenth.

    >>> to_decisions("<b>decision</b> O5: words")
    '<b>decision</b> <a href="#decision-O5">O5</a>: words'
    """
    if DECISIONS in html:
        html = re.sub(r'<th scope="row">([\w.]+)<', r'<th id="decision-\1" scope="row">\1<', html)
    return IDS.sub(lambda ids: re.sub(r"[\w.]+", r'<a href="#decision-\g<0>">\g<0></a>', ids[0]), html)


def heading(notebook, position: int) -> str:
    """Return the last heading at or before a cell, as plain text.

    >>> from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook
    >>> heading(new_notebook(cells=[new_markdown_cell("## *Two* views"), new_code_cell()]), 1)
    'Two views'
    """
    text = "\n".join(cell.source for cell in notebook.cells[: position + 1] if cell.cell_type == "markdown")
    titles = re.findall(r"^#+\s+(.+)$", text, re.M) or ["untitled"]
    return re.sub(r"[*`$\\]", "", titles[-1]).strip()


def drawn(cell) -> dict[str, str]:
    """Stems of the figures that the outputs of a cell name, and what is seen."""
    about = [output.get("metadata", {}).get("image/png", {}) for output in cell.get("outputs", ())]
    return {one["figure"]: one.get("alt", one["figure"]) for one in about if "figure" in one}


def _cards(notebook, folder) -> list[str]:
    """Put a target where a figure of the folder is drawn; return the cards of all."""
    cells, cards = [], []
    for position, cell in enumerate(notebook.cells):
        for stem, alt in drawn(cell).items():
            if (folder / f"{stem}.png").is_file():
                cells.append(new_markdown_cell(f"({stem})="))
                cards.append(words("figure-card", stem=stem, title=heading(notebook, position), alt=alt))
        cells.append(cell)
    notebook.cells = cells
    return cards


def write_figures(source: Path, found, labels) -> dict[str, str]:
    """Write the gallery of all figures, by the notebook that draws them; return its name and title."""
    folder, parts = paths.root() / "figures", [words("figures", home=HOME)]
    for name, (notebook, _) in found.items():
        if cards := _cards(notebook, folder):
            parts.append("\n".join([f"## {labels[name]}\n\n::::{{grid}} 2 3 3 4", *cards, "::::"]))
    if len(parts) == 1:
        return {}
    shutil.copytree(folder, source / "figures")
    (source / "figures.md").write_text("\n\n".join(parts), encoding="utf-8")
    return {"figures": "Figures"}


def write_texts(source: Path, pages) -> dict[str, str]:
    """Write the texts of the repository as pages; return their names and titles."""
    found = {file: page for file, page in TEXTS.items() if (paths.root() / file).is_file()}
    for file, (name, _) in found.items():
        text = (paths.root() / file).read_text(encoding="utf-8")
        text = settle(text, pages, folder=str(PurePosixPath(file).parent))
        (source / f"{name}.md").write_text(text, encoding="utf-8")
    return dict(found.values())
