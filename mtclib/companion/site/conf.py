"""How Sphinx sets the pages that `mtclib.companion.site.report` writes."""

from html import escape
from importlib.resources import files
from pathlib import Path

from bs4 import BeautifulSoup
from docutils import nodes
from math_core import LatexError, LatexToMathML
from sphinx.util.logging import getLogger

HERE = Path(__file__).parent
LATEX = LatexToMathML()
LOGGER = getLogger(__name__)

project = "mtclib"
html_title = "mtclib"
language = "en"
extensions = ["myst_nb", "numpydoc", "sphinx.ext.autodoc", "sphinx.ext.autosummary", "sphinx_design",
              "sphinx_searchlite"]
default_role = "py:obj"

nb_execution_mode = "off"
myst_enable_extensions = ["amsmath", "dollarmath", "colon_fence"]
myst_heading_anchors = 3

autosummary_generate = False
autodoc_default_options = {
    "members": True,
    "inherited-members": "BaseEstimator",
    # Of scikit-learn's routing of metadata, which no method here uses.
    "exclude-members":
        "get_metadata_routing, set_fit_request, set_partial_fit_request, set_predict_request"}
numpydoc_show_class_members = False

html_theme = "furo"
html_copy_source = False
html_use_index = False
html_domain_indices = False
html_show_copyright = False
# With a font that has all that equations need; a browser would else take what the machine has.
html_static_path = [str(HERE / "static"), str(files("ziamath") / "fonts" / "STIXTwoMath-Regular.ttf")]
html_favicon = str(HERE / "static" / "favicon.svg")
html_css_files = ["site.css"]
html_js_files = [("site.js", {"defer": "defer", "priority": 100})]
html_math_renderer = "mathml"
searchlite_max_text = 6000


def mathml(node) -> str:
    """Return an equation as MathML, which a browser draws without a script; if it has a fault, as LaTeX."""
    text = node.astext()
    try:
        return LATEX.convert_with_local_state(text, displaystyle=isinstance(node, nodes.math_block))
    except LatexError:
        LOGGER.warning("this equation cannot be set: %s", text, location=node)
        return f"<code>{escape(text)}</code>"


def write_math(writer, node):
    """Write an equation; one that stands alone goes into a box that scrolls."""
    alone = isinstance(node, nodes.math_block)
    writer.body.append(f'<div class="math">{mathml(node)}</div>' if alone else mathml(node))
    raise nodes.SkipNode


def make_searchable(app, pagename, templatename, context, doctree):
    """Leave of a written page what the search is to find: no code, tables and equations as plain text."""
    for node in list(doctree.findall(nodes.Element)) if doctree else ():
        if "cell_input" in node.get("classes", ()):
            node.parent.remove(node)
        elif isinstance(node, (nodes.raw, nodes.math, nodes.math_block)):
            html = node.astext() if isinstance(node, nodes.raw) else mathml(node)
            soup = BeautifulSoup(html, "html.parser")
            for style in soup("style"):
                style.decompose()
            node.parent.replace(node, nodes.Text(" ".join(soup.get_text(" ").split())))


def copy_index(app, exception):
    """Write the index of the search as a script, too, for pages that are opened as files."""
    if exception is None:
        index = Path(app.outdir, "_static", app.config.searchlite_index_filename)
        text = f"const searchIndex = {index.read_text(encoding='utf-8')};"
        index.with_suffix(".json.js").write_text(text, encoding="utf-8")


def setup(app):
    """Add what no extension brings."""
    app.add_html_math_renderer("mathml", (write_math, None), (write_math, None))
    app.connect("html-page-context", make_searchable, priority=100)
    app.connect("build-finished", copy_index, priority=900)
