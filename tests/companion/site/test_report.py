"""The HTML site: whole, without a network, with the newest outputs of every notebook."""

import gzip
import json
import math
import os
import re
import shutil
from base64 import b64decode
from dataclasses import asdict
from html import unescape
from importlib import metadata
from pathlib import Path
from urllib.parse import unquote, urlsplit

import nbformat
import pytest
from bs4 import BeautifulSoup
from fontTools.ttLib import TTFont
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from mtclib import all_estimators, metrics
from mtclib.companion.papers import board
from mtclib.companion.parameters import HOME
from mtclib.companion.site import conf, gallery, pages, report
from mtclib.companion.site.notebooks import Execution, find_notebooks
from mtclib.core import paths
from mtclib.datasets import available
from mtclib.maths import bregman

pytestmark = [pytest.mark.filterwarnings("ignore::DeprecationWarning"),
              pytest.mark.filterwarnings("ignore::PendingDeprecationWarning")]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The site over the stored notebooks; Sphinx has warned of nothing. What examples of this very state gave
    to the last build is not computed once more."""
    build, kept = tmp_path_factory.mktemp("build"), paths.build_dir() / "gallery"
    if kept.is_dir():
        shutil.copytree(kept, build / "gallery")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MTCLIB_BUILD", str(build))
        index, _ = report.write_report(board.write)
    return index.parent


@pytest.fixture(scope="module")
def texts(folder):
    """Pages by path."""
    return {file.relative_to(folder).as_posix(): file.read_text("utf-8") for file in folder.rglob("*.html")}


@pytest.fixture(scope="module")
def site(texts):
    """Parsed pages by path, without rows of numbers."""
    return {name: BeautifulSoup(conf.without_rows(text), "html.parser") for name, text in texts.items()}


def test_nothing_is_loaded_from_elsewhere(site, folder):
    loading = [element for page in site.values() for element in page(["script", "img", "link"])]
    sources = {element.get("src") or element.get("href") or "" for element in loading}
    assert {source for source in sources if urlsplit(source).netloc} == set()
    styles = "".join(file.read_text("utf-8") for file in folder.rglob("*.css"))
    assert not re.findall(r"url\((?:http|//)|@import", styles)


def test_every_local_link_leads_to_a_file_and_a_place_in_it(folder, texts):
    texts = {folder / page: unescape(text) for page, text in texts.items()}
    places = {page: set(re.findall(r'\bid="([^"]*)"', text)) for page, text in texts.items()}
    links = {(page, link) for page, text in texts.items()
             for link in re.findall(r'<a [^>]*?href="([^"]*)"', text)}
    assert len(links) > 1000
    for page, link in links:
        parts = urlsplit(link)
        if not parts.scheme:
            file = Path(os.path.normpath(page.parent / unquote(parts.path))) if parts.path else page
            assert file.is_file(), (page, link)
            assert unquote(parts.fragment) in {"", *places.get(file, [unquote(parts.fragment)])}, (page, link)


def test_pages_stand_in_groups_and_say_how_they_were_run(site):
    captions = [caption.get_text() for caption in site["index.html"].select(".sidebar-tree .caption")]
    assert captions == ["Start", "Papers", "Across papers", "Your data", "Reference"]
    for name in find_notebooks():
        lines = [line.get_text() for line in site[f"{name}.html"]("em")]
        assert any(line.startswith("Outputs of the quick profile, as stored in") for line in lines)


def test_the_front_page_says_what_this_is_before_the_date_of_its_run_and_every_page_what_it_is_about(site):
    text = site["index.html"].find(attrs={"role": "main"}).get_text()
    assert text.index("clusters several data sets at once") < text.index("as stored in the repository")
    assert site["index.html"].select_one("a.next-page")["href"] != "index.html"
    assert not site["reference/MTCMRL.html"].select(".versionadded"), "of scikit-learn"
    assert "seconds" not in report._about([Execution("a", pages.STORED, "ok", math.nan, 1, 1)])
    for name, page in site.items():
        (about,) = page("meta", attrs={"name": "description"})
        assert about["content"], name
        assert page.find("meta", property="og:title")["content"], name
        picture = page.find("meta", property="og:image")["content"].removeprefix(f"{HOME}/raw/HEAD/")
        assert (paths.root() / picture).is_file(), name
        assert metadata.version("mtclib") in page.title.get_text(), name


def test_evidence_is_folded_by_parts_with_their_headings_in_sight_and_tables_have_captions(site):
    page = site["mspl.html"]
    parts = page.select("#what-did-it-print > section")
    assert len(parts) > 3
    assert all(part.select_one(":scope > details > summary > h3") for part in parts)
    assert not page.select("[role=heading]:not([aria-level])")
    assert len(page.select("aside[aria-label]")) == 2
    assert len(page.select(".mtclib > style")) == 1
    assert not page.select("th:empty")
    assert page.select_one(".mtclib-scroll[tabindex] table > caption")
    folds = [fold.get_text() for fold in site["comparison.html"].select(".mtclib-fold > summary")]
    assert len(folds) == len(set(folds))
    assert {name for name, page in site.items() for table in page("table") if not table.caption} == set()
    links = [image.parent["href"] for image in page.select(".cell_output img")]
    assert links
    assert all(link.startswith("_images/") for link in links)


def test_every_picture_has_an_alternative_text_and_every_figure_is_shown_beside_a_link_to_all(site):
    images = [image for page in site.values() for image in page("img")]
    assert [image for image in images if not all(map(image.get, ("alt", "width", "height")))] == []
    stems = {file.stem for file in (paths.root() / "figures").glob("*.svg")}
    assert site["figures.html"].select('a[href$="/figures"]')
    shown = {Path(image["src"]).stem for image in site["figures.html"]("img")}
    assert stems <= shown


def words(text):
    """The words and numbers of each line."""
    return [re.split(r"[\s:]+", line.strip()) for line in text.splitlines()]


@pytest.mark.parametrize("one", gallery.read(), ids=lambda one: one.label)
def test_an_example_is_short_has_a_picture_and_prints_what_its_file_says(one, site):
    page = site[f"gallery/{one.file.stem}.html"]
    assert len(list(filter(None, one.code.splitlines()))) < 25
    assert page.select_one("article a.picture > img")
    shown = words("".join(block.get_text() for block in page("pre")[1:]))
    assert [len(line) for line in shown] == [len(line) for line in words(one.prints)]
    for ours, theirs in zip(sum(shown, []), sum(words(one.prints), [])):
        assert ours == theirs or float(ours) == pytest.approx(float(theirs), abs=0.03)


def test_the_gallery_shows_all_examples_as_cards(site):
    cards = [card["href"] for card in site["gallery.html"].select(".sd-card a")]
    assert cards == [f"gallery/{one.file.stem}.html#{one.label}" for one in gallery.read()]
    assert len(cards) == 12


@pytest.mark.parametrize("name", all_estimators())
def test_an_estimator_has_an_example_and_a_link_to_its_lines(name, site):
    page = site[f"reference/{name}.html"]
    assert page.select('a[href^="../gallery/"]')
    (source,) = page.select("dt.sig-object")[0].select("a[href*='#L']")
    file, first = source["href"].removeprefix(f"{HOME}/blob/HEAD/").split("#L")
    line = (paths.root() / file).read_text("utf-8").splitlines()[int(first.split("-")[0]) - 1]
    assert line.startswith(f"class {name}(")


@pytest.mark.parametrize("paper", paths.papers())
def test_tables_of_equations_lead_to_the_lines_of_their_functions(paper, site):
    links = [link["href"] for link in site[f"{paper}.html"].select("#the-method td a[href*='.py']")]
    assert len(links) > 2
    assert [link for link in links if "#L" not in link] == []


def test_links_lead_to_lines_of_the_package_wherever_the_data_are(root):
    assert "/mtclib/lmsc.py#L" in conf.linkcode_resolve("py", {"module": "mtclib.lmsc", "fullname": "LMSC"})


@pytest.mark.parametrize("paper", paths.papers())
def test_each_decision_that_a_card_names_leads_to_its_row(paper, texts):
    links = re.findall(r'<a href="#decision-([^"]+)">([^<]+)</a>', texts[f"{paper}.html"])
    rows = re.findall(r'<th id="decision-([^"]+)" scope="row">([^<]+)<', texts[f"{paper}.html"])
    assert set(links) <= set(rows)
    assert len(links) > 50


def test_the_alternative_text_of_a_picture_is_that_of_its_cell_or_of_its_figure_before_its_heading():
    pictures = [new_output("display_data", {"image/png": ""}, metadata=known)
                for known in ({}, {"image/png": {"alt": "lines"}})]
    cells = [new_code_cell(outputs=pictures[:1]), new_code_cell(outputs=pictures[1:]),
             new_code_cell(outputs=pictures[1:], metadata={"alt": "own"})]
    pages.fit(new_notebook(cells=[new_markdown_cell("## Scores"), *cells]), None, {})
    assert [cell.metadata.mystnb["image"]["alt"] for cell in cells] == ["Scores", "lines", "own"]


def test_the_reference_has_every_estimator_metric_data_set_and_divergence(site):
    ids = {element["id"] for page in site.values() for element in page(id=True)}
    signatures = {name.rpartition(".")[2] for name in ids if name.startswith("mtclib.")}
    assert set(all_estimators()) <= signatures
    names = [row.td.get_text() for row in site["reference/sets.html"].select("tbody tr")]
    assert names == list(available())
    assert {name for name in metrics.__all__ if callable(getattr(metrics, name))} <= signatures
    assert set(bregman.__all__) <= signatures


def test_equations_are_set_and_no_latex_is_left(site, texts):
    assert len(site["mspl.html"]("math")) > 5
    assert len(site["reference/MSPL.html"]("math")) > 1
    assert [name for name, text in texts.items() if "$$" in text or r"\frac" in text] == []


def test_the_search_finds_sections_with_the_text_of_tables_but_not_the_code_and_questions(folder, site):
    packed = (folder / "_static" / "searchlite-index.json.js").read_text("utf-8")
    text = gzip.decompress(b64decode(packed.split('"')[1])).decode()
    places = {place["u"]: place["x"] for place in json.loads(text) if place["x"]}
    assert "WebKB" in places["spmtc.html#data"]
    assert "<td" not in text
    assert "import Study" not in text
    for question, answer in pages.WORDS["asked"].items():
        page, _, place = answer.partition("#")
        assert question in text
        assert not place or site[page].find(id=place), answer


def test_the_site_is_small_and_its_font_has_the_letters_of_its_equations(folder):
    assert sum(file.stat().st_size for file in folder.rglob("*") if file.is_file()) <= 8_000_000
    known = TTFont(folder / "_static" / "STIXTwoMath-Regular.woff").getBestCmap()
    assert {0x1D44B, ord("∑"), ord("λ")} <= set(known)


@pytest.fixture
def root(tmp_path, monkeypatch):
    """A repository with two notebooks, of which one has outputs; Sphinx is left out."""
    monkeypatch.setenv("MTCLIB_ROOT", str(tmp_path))
    monkeypatch.delenv("MTCLIB_BUILD", raising=False)
    monkeypatch.setattr(report, "build", lambda source, folder: None)
    monkeypatch.setattr(report, "write_reference", lambda source: {})
    write(tmp_path / "notebooks" / "op.ipynb", [new_output("stream", text="stored")])
    write(tmp_path / "notebooks" / "bare.ipynb", [])
    return tmp_path


def write(path, outputs, age=100, **metadata):
    """Write a notebook that is `age` seconds old."""
    path.parent.mkdir(exist_ok=True, parents=True)
    cells = [new_markdown_cell("# One paper (OP)\nText"), new_code_cell("1", outputs=outputs)]
    nbformat.write(new_notebook(cells=cells, metadata=metadata), path)
    os.utime(path, (1e9 - age, 1e9 - age))


def write_copy(root, name="op", age=0, **changes):
    record = Execution(name, "full", "failed", 1.5, 1, 0, "In [1]: ValueError: <b>")
    write(root / f"build/notebooks/{name}-full.ipynb", [], age, **({"mtclib": asdict(record)} | changes))


@pytest.mark.parametrize(("age", "shown"), [(0, "profile](running.md), run in 2 s"), (200, "as stored in")])
def test_the_newest_outputs_are_shown(root, age, shown):
    write_copy(root, age=age)
    _, table = report.write_report()
    assert table["status"].tolist() == ["failed" if age == 0 else "ok"]
    assert shown in (root / "build/site/op.ipynb").read_text("utf-8")
    assert ("ValueError: &lt;b&gt;" in (root / "build/site/index.ipynb").read_text("utf-8")) == (age == 0)


def test_a_copy_that_was_cut_short_or_is_of_another_notebook_is_left_out(root):
    write_copy(root, mtclib={})
    (root / "build/notebooks/op-quick.ipynb").write_text('{"cells": [')
    write_copy(root, "op-more")
    assert report.write_report()[1]["profile"].tolist() == ["stored"]


def test_examples_run_again_once_a_file_known_to_git_changes_and_while_data_cannot_be_had(root, monkeypatch):
    code = ('from mtclib.datasets import FetchError\nsaid = open("said.txt").read()\n'
            'if said == "gone": raise FetchError(said)\nprint(said)')
    (root / "examples").mkdir()
    (root / "examples" / "1_says.py").write_text(f'"""Says.\n\nAbout.\n\nSeen.\n"""\n{code}\n')
    monkeypatch.chdir(root)
    monkeypatch.setattr(paths, "git", lambda *_: "known.txt\0examples/1_says.py")
    said, shown = ["gone", "first", "second", "third", "fourth"], []
    for text, known in zip(said, ["", "", "", "new", None]):
        Path("said.txt").write_text(text)
        Path("known.txt").unlink() if known is None else Path("known.txt").write_text(known)
        shutil.rmtree("pages", ignore_errors=True)
        Path("pages").mkdir()
        gallery.write(Path("pages"))
        assert Path("pages/gallery/1_says.png").is_file()
        shown += re.findall("```text\n(.*)\n```", Path("pages/gallery/1_says.md").read_text("utf-8"))
    assert shown == ["gone", "first", "first", "third", "fourth"]
