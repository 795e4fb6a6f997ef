"""The HTML site as a whole: navigation, contents, search and the gallery."""

import json
import re

import pytest
from bs4 import BeautifulSoup
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output
from test_report import Resources, write

from mtclib.companion.plots import MANIFEST_COLUMNS
from mtclib.companion.site import report

SECTIONS = """# One paper (OP)
Lead with **sp**arse data.
## Method
Minimises $\\lambda x$ over <!-- hidden --> everything.
### [Inner](two_words.ipynb) step
Text"""
FILES = ("op-scores.png", "op-scores.svg", "lost.png", "two.png")


def content(*sources, code="1"):
    cells = [new_markdown_cell(source) for source in sources]
    output = new_output("display_data", {"text/html": "<table><tr><td>left</td><td>right</td></tr></table>"})
    return new_notebook(cells=[*cells, new_code_cell(code, outputs=[output])])


def fill(root):
    """Write three notebooks with outputs, and figures: one is missing, one is of a notebook that is gone."""
    write(root / "notebooks" / "op.ipynb", content(SECTIONS, code="show(fig, 'op-scores')  # secret"))
    write(root / "notebooks" / "two_words.ipynb", content("# Two & <b>more</b>"))
    write(root / "notebooks" / "index.ipynb", content("# Front", "[paper](op.ipynb#Method)"))
    (root / "figures").mkdir()
    for file in FILES:
        (root / "figures" / file).write_bytes(file.encode())
    sources = dict.fromkeys(FILES, "notebooks/op.ipynb")
    sources |= {"two.png": "notebooks/gone.ipynb", "absent.png": "notebooks/op.ipynb"}
    rows = [f"{file},0,{source},," for file, source in sources.items()]
    (root / "figures" / "manifest.csv").write_text("\n".join([",".join(MANIFEST_COLUMNS), *rows]))


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A repository with its site, not to be changed."""
    root = tmp_path_factory.mktemp("repository")
    fill(root)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MTCLIB_ROOT", str(root))
        patch.delenv("MTCLIB_BUILD", raising=False)
        report.write_report()
    return root


@pytest.fixture
def site(made):
    """Parsed pages by file name."""
    files = (made / "build/report").glob("*.html")
    return {file.name: BeautifulSoup(file.read_text("utf-8"), "html.parser") for file in files}


@pytest.fixture
def root(tmp_path, monkeypatch):
    """A repository that a test may change."""
    monkeypatch.setenv("MTCLIB_ROOT", str(tmp_path))
    monkeypatch.delenv("MTCLIB_BUILD", raising=False)
    fill(tmp_path)
    return tmp_path


def searched(root):
    """The sections that the script of the pages searches, by address."""
    first = (root / "build/report/site.js").read_text("utf-8").partition("\n")[0]
    places = json.loads(first.removeprefix("const SECTIONS = ").removesuffix(";"))
    return {place["address"]: place for place in places}


def test_every_page_leads_to_every_page_and_marks_itself(site):
    order = ["index.html", "op.html", "two_words.html", "figures.html"]
    assert sorted(site) == sorted(order)
    for name, page in site.items():
        entries = page.select("header nav a")
        assert [entry["href"] for entry in entries] == order
        assert [entry.text for entry in entries] == ["Overview", "OP", "Two words", "Figures"]
        assert [entry["href"] for entry in entries if entry.get("aria-current") == "page"] == [name]


def test_titles_differ_and_are_escaped(site):
    assert site["two_words.html"].title.text == "Two & more | mtclib"
    assert len({page.title.text for page in site.values()}) == 4


def test_the_contents_lead_to_the_headings_of_the_page(site):
    for page in site.values():
        anchors = [entry["href"].removeprefix("#") for entry in page.select(".contents li > a")]
        assert [anchor for anchor in anchors if page.find(id=anchor) is None] == []
    entries = site["op.html"].select(".contents li > a")
    assert [entry.text for entry in entries] == ["Method", "Inner step"]
    assert entries[1].parent["class"] == ["deeper"] and entries[1].find("a") is None
    assert [a["href"] for a in site["index.html"].select(".contents a")] == ["#About-these-pages"]


def test_ids_are_unique(site):
    for page in site.values():
        ids = [element["id"] for element in page(id=True)]
        assert len(ids) == len(set(ids))


def test_every_local_link_leads_to_a_file_and_a_place_in_it(site, made):
    for name, page in site.items():
        resources = Resources(str(page))
        for target in [*resources.links, *resources.loaded]:
            file, _, anchor = target.partition("#")
            if not file.startswith("https://github.com/"):
                assert (made / "build/report" / (file or name)).is_file(), target
                assert not anchor or site[file or name].find(id=anchor), target


def test_the_search_knows_every_section_with_its_text_but_not_the_code(site, made):
    found = searched(made)
    assert set(found) == {
        "index.html#Front", "op.html#One-paper-(OP)", "op.html#Method", "op.html#Inner-step",
        "two_words.html#Two-&-more",
    }  # fmt: skip
    assert found["op.html#One-paper-(OP)"]["text"] == "Lead with sparse data."
    assert found["op.html#Method"] == {
        "page": "OP", "address": "op.html#Method", "title": "Method", "text": "Minimises λx over everything.",
    }  # fmt: skip
    assert found["op.html#Inner-step"]["text"] == "Text left right"
    assert "secret" not in json.dumps(found)


def test_without_a_script_no_search_is_offered(site):
    for page in site.values():
        assert page.find("form", role="search").has_attr("hidden")


def test_the_gallery_shows_each_figure_with_the_section_that_made_it(site, made):
    page = site["figures.html"]
    shown = [image["src"] for image in page.select("main img")]
    assert shown == ["figures/lost.png", "figures/op-scores.png", "figures/two.png"]
    links = {item.img["src"]: item.p.a["href"] for item in page.select(".figures li")}
    assert links["figures/op-scores.png"] == "op.html#Inner-step"
    assert links["figures/lost.png"] == "op.html"
    assert links["figures/two.png"].endswith("/blob/HEAD/notebooks/gone.ipynb")
    assert [heading.text for heading in page("h2")] == ["OP", "notebooks/gone.ipynb"]
    assert (made / "build/report/figures/op-scores.svg").read_bytes() == b"op-scores.svg"


def test_pictures_of_the_gallery_have_texts(site):
    assert Resources(str(site["figures.html"])).silent == []


def test_without_figures_there_is_no_gallery(root):
    (root / "figures" / "manifest.csv").unlink()
    index, _ = report.write_report()
    assert "figures.html" not in index.read_text("utf-8")
    assert not index.with_name("figures.html").exists()


def test_without_a_front_door_the_first_page_lists_the_notebooks(root):
    (root / "notebooks" / "index.ipynb").unlink()
    index, table = report.write_report()
    page = BeautifulSoup(index.read_text("utf-8"), "html.parser")
    assert page.h1.text == "mtclib: executed notebooks"
    assert [a["href"] for a in page.select("main th a")] == ["op.html", "two_words.html"]
    assert re.search("2 notebooks:", page.main.text) and len(table) == 2


def test_a_page_whose_notebook_is_gone_is_gone_as_well(root):
    report.write_report()
    (root / "notebooks" / "two_words.ipynb").unlink()
    report.write_report()
    assert sorted(file.name for file in (root / "build/report").glob("*.html")) == [
        "figures.html", "index.html", "op.html",
    ]  # fmt: skip
