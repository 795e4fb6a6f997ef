"""One executed notebook as the body of a page that needs no network.

Equations become MathML, which browsers draw themselves; what the converter does not know stays as LaTeX.
Links to notebooks lead to their pages, links to files of the repository to its home.
"""

import base64
import mimetypes
import re
from dataclasses import dataclass, field
from html import escape
from pathlib import PurePosixPath
from posixpath import normpath
from urllib.parse import urlsplit

from bs4 import BeautifulSoup, NavigableString
from latex2mathml.converter import convert
from nbconvert import HTMLExporter
from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath

from mtclib.companion.site.notebooks import figures
from mtclib.core import paths

COLLAPSIBLE = """{%- extends 'index.html.j2' -%}
{%- block input_group -%}
<details class="code" open><summary>Code</summary>{{ super() }}</details>
{%- endblock input_group -%}"""
"""nbconvert's basic template with code that can be folded away."""
HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
LOADING = ("script", "link", "iframe", "object", "embed")
"""Elements that load something or run; a page of results has no use for them."""
INLINE = ("a", "abbr", "b", "code", "em", "i", "small", "span", "strong", "sub", "sup")
"""Elements that may stand inside a word; all others end it."""


@dataclass
class Section:
    """A heading and what stands below it, up to the next one.

    Attributes
    ----------
    level : int
        1 to 6.
    anchor : str
        Id of the heading; "" for what stands before the first one.
    title : str
        Plain text of the heading.
    html : str
        The heading with its equations, to stand in a link.
    text : str
        Plain text below the heading, tables included.
    code : str
        Source of the code cells.
    """

    level: int
    anchor: str
    title: str
    html: str
    text: str = ""
    code: str = ""


@dataclass(frozen=True)
class Body:
    """A rendered notebook: its HTML and its sections in order."""

    html: str
    sections: list[Section] = field(repr=False)


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


def heading(notebook, position: int) -> str:
    """Return the last heading at or before a cell, as plain text.

    Parameters
    ----------
    notebook : nbformat.NotebookNode
    position : int
        Number of the cell.

    Returns
    -------
    str
        "untitled" if there is none.

    Examples
    --------
    >>> from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook
    >>> heading(new_notebook(cells=[new_markdown_cell("## *Two* views"), new_code_cell()]), 1)
    'Two views'
    """
    for cell in reversed(notebook.cells[: position + 1]):
        titles = re.findall(r"^#+\s+(.+)$", cell.source, re.M) if cell.cell_type == "markdown" else []
        if titles:
            return re.sub(r"[*`$\\]", "", titles[-1]).strip()
    return "untitled"


def _describe_pictures(notebook) -> None:
    """Give every picture the alternative text of its cell, or the heading above it."""
    seen = set()
    for number, (position, output) in enumerate(figures(notebook), start=1):
        alt = notebook.cells[position].metadata.get("alt") or heading(notebook, position)
        alt = f"{alt} (picture {number})" if alt in seen else alt
        seen.add(alt)
        output.metadata.setdefault("image/png", {})["alt"] = alt


def link(href: str, pages, home: str) -> str:
    """Return where a link of a notebook leads on its page.

    Parameters
    ----------
    href : str
        As in the notebook: absolute, or relative to ``notebooks/``.
    pages : collection of str
        Names of the notebooks that have a page.
    home : str
        Address of the repository.

    Examples
    --------
    >>> link("mspl.ipynb#Data", ["mspl"], "https://home")
    'mspl.html#Data'
    >>> link("../mtclib/mspl.py", ["mspl"], "https://home")
    'https://home/blob/HEAD/mtclib/mspl.py'
    """
    parts = urlsplit(href)
    if parts.scheme or parts.netloc or not parts.path:
        return href
    file = PurePosixPath(normpath(f"notebooks/{parts.path}"))
    fragment = f"#{parts.fragment}" if parts.fragment else ""
    if file.suffix == ".ipynb" and file.stem in pages and str(file.parent) == "notebooks":
        return f"{file.stem}.html{fragment}"
    kind = "tree" if (paths.root() / file).is_dir() else "blob"
    return f"{home}/{kind}/HEAD/{file}{fragment}"


def _settle_pictures(soup) -> None:
    """Embed pictures of the repository; one from elsewhere, such as a badge, is replaced by its text."""
    for picture in soup("img"):
        source = picture.get("src", "")
        file = paths.root() / normpath(f"notebooks/{source}")
        if source.startswith("data:"):
            continue
        if urlsplit(source).scheme or not file.is_file():
            picture.replace_with(picture.get("alt", ""))
        else:
            kind = mimetypes.guess_type(file.name)[0]
            picture["src"] = f"data:{kind};base64,{base64.b64encode(file.read_bytes()).decode()}"


def _settle(soup, pages, home) -> None:
    """Drop what would load something, lead links home, let what is wide scroll in its own box."""
    for element in soup(LOADING):
        element.decompose()
    _settle_pictures(soup)
    for element in soup("a", href=True):
        element["href"] = link(element["href"], pages, home)
    for element in soup("table"):
        if not element.find_parent(class_="mtclib-scroll"):  # the box that our own tables bring along
            element.wrap(soup.new_tag("div", attrs={"class": "scroll"}))
    for element in soup("math", display="block"):
        # A paragraph may not hold a <div>.
        element.wrap(soup.new_tag("span", attrs={"class": "scroll"}))


def _plain(element) -> str:
    return " ".join(element.get_text().split())


def _name_headings(soup) -> None:
    """Give headings the ids that Jupyter gives them, so that links into a notebook work on its page."""
    seen = {}
    for element in soup(HEADINGS):
        anchor = _plain(element).replace(" ", "-")
        seen[anchor] = seen.get(anchor, 0) + 1
        element["id"] = anchor if seen[anchor] == 1 else f"{anchor}-{seen[anchor]}"


def _open_section(element) -> Section:
    inside = BeautifulSoup(element.decode_contents(), "html.parser")
    for nested in inside("a"):
        nested.unwrap()
    return Section(int(element.name[1]), element["id"], _plain(element), str(inside))


def _collect(node, sections, in_code=False) -> None:
    """Append the text below `node` to the last of `sections`, opening a new one at each heading."""
    for child in node.children:
        if type(child) is NavigableString:  # its subclasses are comments and style sheets
            name = "code" if in_code else "text"
            setattr(sections[-1], name, getattr(sections[-1], name) + child)
        elif child.name in HEADINGS:
            sections.append(_open_section(child))
        elif child.name == "math":
            sections[-1].text += child.get_text()
        elif child.name is not None:
            folded = child.name == "details" and "code" in child.get("class", ())
            _collect(child, sections, in_code or folded)
            sections[-1].text += "" if child.name in INLINE else " "


def sections(soup) -> list[Section]:
    """Return the sections of a page, the text before the first heading included if there is any.

    Parameters
    ----------
    soup : bs4.BeautifulSoup
        With an id on every heading.

    Examples
    --------
    >>> page = BeautifulSoup('<h1 id="a">Title</h1><p>One</p><p><b>t</b>wo</p>', "html.parser")
    >>> [(part.anchor, part.text) for part in sections(page)]
    [('a', 'One two')]
    """
    found = [Section(1, "", "", "")]
    _collect(soup, found)
    for part in found:
        part.text = " ".join(part.text.split())
    return found if found[0].text else found[1:]


def render(notebook, pages, home: str) -> Body:
    """Render a notebook.

    Parameters
    ----------
    notebook : nbformat.NotebookNode
        With outputs.
    pages : collection of str
        Names of the notebooks that have a page.
    home : str
        Address of the repository.

    Returns
    -------
    Body
    """
    _describe_pictures(notebook)
    html, _ = _Exporter(template_name="basic", raw_template=COLLAPSIBLE).from_notebook_node(notebook)
    soup = BeautifulSoup(html, "html.parser")
    _settle(soup, pages, home)
    _name_headings(soup)
    return Body(str(soup), sections(soup))
