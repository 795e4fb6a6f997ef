"""How Sphinx sets the pages that `mtclib.companion.site.report` writes."""

import inspect
import json
import logging
import re
from functools import reduce
from html import escape, unescape
from importlib import import_module, metadata
from pathlib import Path
from textwrap import shorten

from bs4 import BeautifulSoup
from docutils import nodes
from fontTools import subset
from math_core import LatexError, LatexToMathML
from PIL import Image
from sphinx.util.logging import getLogger

from mtclib.companion.parameters import HOME
from mtclib.companion.site.pages import WORDS, pack
from mtclib.core import paths

HERE = Path(__file__).parent
LATEX = LatexToMathML()
logging.getLogger("fontTools").setLevel(logging.WARNING)
FONT = Path(str(metadata.distribution("ziamath").locate_file("ziamath/fonts/STIXTwoMath-Regular.ttf")))
ITALICS = {*range(0x1D434, 0x1D468), *range(0x1D6E2, 0x1D71C), 0x210E}
"""Letters as a browser draws those of a variable."""
TAGS = re.compile(r"""<(style|script).*?</\1>|<!--.*?-->|<("[^"]*"|'[^']*'|[^'">])*>""", re.S)
ROWS, GAP = re.compile("<tbody.*?</tbody>", re.S), "<tbody></tbody>"
CARD = 400, 225
"""Largest width and height of the picture of a card, in pixels: twice what a card has, for fine screens."""
EVIDENCE = "what-did-it-print"
"""Section of a paper's page whose parts are folded."""

project = "mtclib"
release = metadata.version(project)
html_title = f"{project} {release}"
language = "en"
extensions = ["myst_nb", "numpydoc", "sphinx.ext.autodoc", "sphinx.ext.autosummary", "sphinx.ext.linkcode",
              "sphinx_design", "sphinx_searchlite"]
default_role = "py:obj"

nb_execution_mode = "off"
nb_code_prompt_show, nb_code_prompt_hide = "show code", "hide code"
myst_enable_extensions = ["amsmath", "dollarmath", "colon_fence"]
myst_heading_anchors = 3

autosummary_generate = autodoc_use_type_comments = False
autodoc_default_options = {
    "members": True,
    "inherited-members": "BaseEstimator",
    # Of scikit-learn's routing of metadata, which no method here uses.
    "exclude-members":
        "get_metadata_routing, set_fit_request, set_partial_fit_request, set_predict_request"}
numpydoc_show_class_members = False

html_theme = "furo"
smartquotes = html_copy_source = html_use_index = html_domain_indices = html_show_copyright = False
# With a font that has all that equations need; a browser would else take what the machine has.
html_static_path = [str(HERE / "static"), str(FONT)]
html_favicon = str(HERE / "static" / "favicon.svg")
html_css_files = ["site.css"]
html_js_files = [("site.js", {"defer": "defer", "priority": 100})]
html_math_renderer = "mathml"
searchlite_max_text = 2000


def linkcode_resolve(domain, info):
    """Return the address of the lines of a class or function; None for what has none."""
    found = reduce(getattr, info["fullname"].split("."), import_module(info["module"]))
    found = inspect.unwrap(getattr(found, "fget", None) or found)
    if not callable(found) or not found.__module__.startswith(project):
        return None
    (lines, first), file = inspect.getsourcelines(found), Path(inspect.getsourcefile(found))
    return f"{HOME}/blob/HEAD/{file.relative_to(paths.HOME).as_posix()}#L{first}-L{first + len(lines) - 1}"


def mathml(node) -> str:
    """Return an equation as MathML, which a browser draws without a script; if it has a fault, as LaTeX."""
    text = node.astext()
    try:
        return LATEX.convert_with_local_state(text, displaystyle=isinstance(node, nodes.math_block))
    except LatexError:
        getLogger(__name__).warning("this equation cannot be set: %s", text, location=node)
        return f"<code>{escape(text)}</code>"


def write_math(writer, node):
    """Write an equation; one that stands alone goes into a box that scrolls."""
    alone = isinstance(node, nodes.math_block)
    writer.body.append(f'<div class="math">{mathml(node)}</div>' if alone else mathml(node))
    raise nodes.SkipNode


def make_searchable(app, pagename, templatename, context, doctree):
    """Reduce a page to its searchable text: without code and comments, tables and equations as plain text."""
    for node in list(doctree.findall(nodes.Element)) if doctree else ():
        if "cell_input" in node.get("classes", ()) or isinstance(node, nodes.comment):
            node.parent.remove(node)
        elif isinstance(node, (nodes.raw, nodes.math, nodes.math_block)):
            html = node.astext() if isinstance(node, nodes.raw) else mathml(node)
            node.parent.replace(node, nodes.Text(" ".join(unescape(TAGS.sub(" ", html)).split())))


def copy_index(folder):
    """Write the index of the search, with what newcomers ask for, as a script: pages in files may run it."""
    (index,) = folder.glob("_static/searchlite-index.json")
    places = json.loads(index.read_text(encoding="utf-8"))
    titles = {place["u"]: place["t"] for place in places if "s" not in place}
    places += [{"u": answer, "t": titles[answer.partition("#")[0]], "s": question, "x": ""}
               for question, answer in WORDS["asked"].items() if answer.partition("#")[0] in titles]
    text = f'const searchIndex = "{pack(json.dumps(places))}";'
    index.with_suffix(".json.js").write_text(text, encoding="utf-8")
    index.unlink()


def shrink_font(folder):
    """Leave of the font what the equations of these pages use, packed: a tenth of its bytes."""
    pages = [page.read_text(encoding="utf-8") for page in folder.rglob("*.html")]
    shown = unescape("".join(re.findall("<math.*?</math>", "".join(pages), re.S)))
    options = subset.Options(layout_features=["*"], notdef_outline=True, flavor="woff")
    font, subsetter = subset.load_font(str(FONT), options), subset.Subsetter(options)
    subsetter.populate(unicodes={*map(ord, re.sub("<[^>]*>", "", shown))} | ITALICS)
    subsetter.subset(font)
    (place,) = folder.glob(f"_static/{FONT.name}")
    subset.save_font(font, str(place.with_suffix(".woff")), options)
    place.unlink()


def shrink_pictures(folder):
    """Draw pictures in full colour with at most 32, in less than half the bytes, and those of the page of all
    figures, which lead to the figures, as small as its cards."""
    for file in folder.glob("_images/*.png"):
        picture = Image.open(file)
        if picture.mode != "P":
            picture = picture.convert("RGB")
            if (paths.root() / "figures" / file.name).is_file():
                picture.thumbnail(CARD)
            picture.quantize(32, dither=Image.Dither.NONE).save(file, optimize=True)


NAMED = {'role="heading">': 'role="heading" aria-level="2">',
         '<div class="article-container">': '<div class="article-container" role="main">',
         '<article role="main"': "<article",
         '<aside class="sidebar-drawer"': '<aside aria-label="pages" class="sidebar-drawer"',
         '<aside class="toc-drawer': '<aside aria-label="on this page" class="toc-drawer',
         '<summary aria-label="Toggle hidden content">': "<summary>"}
"""What the theme leaves without a level, a name or a landmark, or names otherwise than it shows."""
AS_WRITTEN = re.compile(r"(<(?:pre|script|style|textarea)\b.*?</(?:pre|script|style|textarea)>)", re.DOTALL)
"""Where a space counts."""
HYPHEN = re.compile(r"(<code\b.*?</code>|<[^>]*>)|(?<![\w.)\]*-])-(?=\.?\d)", re.DOTALL)
"""Code and tags, which keep their signs, or a hyphen that stands for a minus."""
PLAIN = re.compile('<span class="[npw]">([^<]*)</span>')
"""Names, punctuation and white space of code."""
SPARE = "*.map", "searchtools.js", "language_data.js", "basic.css", "skeleton.css", "design-tabs.js"
TABS = re.compile("<script[^>]*design-tabs[^>]*></script>\n")


def name_parts(folder):
    """Give each part of the frame around a page the name or the level that it lacks, and each picture its
    size: one that is loaded late moves nothing that somebody reads or that a link leads to."""
    sizes = {file.name: ' width="{}" height="{}"'.format(*Image.open(file).size)
             for file in folder.glob("_images/*.png")}
    for page in folder.rglob("*.html"):
        text = reduce(lambda text, pair: text.replace(*pair), NAMED.items(), page.read_text(encoding="utf-8"))
        text = re.sub(r' src="[./]*_images/([^"]+)"', lambda found: found[0] + sizes.get(found[1], ""), text)
        page.write_text(say_once(TABS.sub("", text)), encoding="utf-8")


def say_once(page):
    r"""A page without the indents of its lines and the names of what has the colour of text in code, and with
    the colours of table cells in its head; numbers have a minus.

    >>> print(say_once('<head></head>\n  <td style="background-color:red;color:blue">-1</td><pre>\n'
    ...                '  <span class="n">-b</span></pre>'))
    <head><style>[data-look='0']{background-color:red!important;color:blue!important}</style>
    </head>
    <td data-look=0>−1</td><pre>
      -b</pre>
    """
    parts = AS_WRITTEN.split(page)
    parts[::2] = (HYPHEN.sub(lambda one: one[1] or "−", re.sub(r"\n\s+", "\n", part)) for part in parts[::2])
    parts[1::2] = (PLAIN.sub(r"\1", part) for part in parts[1::2])
    page = "".join(parts)
    looks = dict.fromkeys(re.findall(r' style="(background-color:[^"]*)"', page))
    for number, look in enumerate(looks):
        page = page.replace(f' style="{look}"', f" data-look={number}")
    rules = "".join(f"[data-look='{number}']{{{look.replace(';', '!important;')}!important}}"
                    for number, look in enumerate(looks))
    return page.replace("</head>", f"<style>{rules}</style>\n</head>", 1) if looks else page


def finish(app, exception):
    """Make the written pages small and whole; leave out what no page asks for."""
    if exception is None:
        for step in (copy_index, shrink_font, shrink_pictures, name_parts):
            step(Path(app.outdir))
        for file in [file for name in SPARE for file in Path(app.outdir).rglob(name)]:
            file.unlink()


def without_rows(html):
    """Leave out rows of numbers, which are most of a page and slow to parse."""
    return ROWS.sub(lambda found: found[0] if "<p" in found[0] else GAP, html)


def fit_body(app, pagename, templatename, context, doctree):
    """Load a picture when it is about to be seen, and let it lead to itself at its own size; give a table
    that has no caption that of its section; fold the evidence of a paper, by parts; say to other sites what
    a page is about."""
    if "body" not in context:
        return
    rows = [part for part in ROWS.findall(context["body"]) if "<p" not in part]
    soup = BeautifulSoup(without_rows(context["body"]), "html.parser")
    for image in soup("img"):
        image["loading"] = "lazy"
        if not image.find_parent("a") and "sd-card-img-top" not in image.get("class", ()):
            about = {"class": "picture", "href": image["src"], "title": "at its own size"}
            image.wrap(soup.new_tag("a", attrs=about))
    for table in soup("table"):
        head = table.find_previous(re.compile("^h[1-6]$"))
        if table.caption is None and head:
            table.insert(0, soup.new_tag("caption", attrs={"class": "visually-hidden"}))
            table.caption.string = head.get_text().removesuffix("¶").removesuffix("#")
    for style in soup.select(".mtclib > style")[1:]:  # every output brings the same one
        style.decompose()
    for part in soup.select(f"#{EVIDENCE} > section"):
        title, fold, head = part.find("h3"), soup.new_tag("details"), soup.new_tag("summary")
        fold.extend(list(part.contents))
        part.append(fold)
        fold.insert(0, head)
        head.append(title.extract())
    context["body"] = "".join(map("".join, zip(str(soup).split(GAP), [*rows, ""])))
    said = [" ".join(one.get_text().split()) for one in soup.select("p, .mtclib > ul > li")
            if not one.find("em")]
    about = next((text for text in said if len(text) > 60 and " · " not in text), project)
    seen = paths.root() / "figures" / f"{pagename}-gains.png"
    picture = seen.name if seen.is_file() else "three-views.png"
    tags = {"name": {"description": about}, "property": {
        "og:title": context["title"], "og:description": about, "og:type": "website", "og:site_name": project,
        "og:image": f"{HOME}/raw/HEAD/figures/{picture}"}}
    context["metatags"] += "".join(
        f'<meta {kind}="{name}" content="{escape(shorten(unescape(text), 200), quote=True)}">\n'
        for kind, known in tags.items() for name, text in known.items())


def leave_versions(app, what, name, obj, options, lines):
    """Leave out what scikit-learn says of its methods; an initial that begins a line is no item's number."""
    if name.endswith(".fit_predict"):
        lines[:] = ["Return ``fit(Xs).labels_``; its arguments are those of ``fit``."]
    lines[:] = [re.sub(r"^([A-Z]\. )", r"\\\1", line) for line in lines if ".. versionadded::" not in line]


def setup(app):
    """Add what no extension brings."""
    # No index for the search of Sphinx, which no page has.
    app.connect("builder-inited", lambda app: setattr(app.builder, "search", False))
    app.add_html_math_renderer("mathml", (write_math, None), (write_math, None))
    app.connect("autodoc-process-docstring", leave_versions)
    app.connect("html-page-context", make_searchable, priority=100)
    app.connect("html-page-context", fit_body)
    app.connect("build-finished", finish, priority=900)
