"""Every page of the site and every notebook in JupyterLab, in a headless Chromium: `make browser`."""

import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections import Counter
from contextlib import contextmanager
from pathlib import Path

import nbformat
import pytest

from mtclib.core import paths

NAMES = os.environ.get("MTCLIB_BROWSER", ""), "chromium", "chromium-browser", "google-chrome", "chrome"
PROGRAM = next(filter(None, map(shutil.which, NAMES)), None)
pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(not os.environ.get("MTCLIB_BROWSER"), reason="takes minutes; make browser runs it"),
    pytest.mark.skipif(PROGRAM is None, reason="no chromium, chromium-browser or google-chrome found")]

SITE, SCREENSHOTS = paths.build_dir() / "report", paths.build_dir() / "screenshots"
PAGES = [path.relative_to(SITE).as_posix() for path in sorted(SITE.rglob("*.html"))]
WIDTHS, HEIGHT = (390, 800, 1280, 1920), 1000
NOTEBOOKS = sorted((paths.root() / "notebooks").glob("*.ipynb"))
MINUTES = 30
"""For a notebook to open, and to run.  An idle machine needs one; a busy one must not fail."""
SCRIPT = Path(__file__).with_name("browser.js").read_text(encoding="utf-8")


def ask(page, name):
    """What a function of ``browser.js`` says of a page."""
    return page.evaluate(f"({SCRIPT}).{name}()")


def wait(page, name, *arguments):
    """Wait until it says yes."""
    page.wait_for_function(f"({SCRIPT}).{name}(...{json.dumps(arguments)})")


@pytest.fixture(scope="module")
def browser():
    api = pytest.importorskip("playwright.sync_api", reason="takes playwright, of the extra [dev]")
    with api.sync_playwright() as playwright:
        yield playwright.chromium.launch(executable_path=PROGRAM)


@pytest.fixture
def page(browser):
    page = browser.new_page(viewport={"width": 1440, "height": HEIGHT})
    yield page
    page.close()


# The site, opened as files: that is how a reader does it after `make reproduce`.

def listen(page):
    """A list that takes the errors and the requests to a network of a page, as they come."""
    problems = []
    page.on("console", lambda message: message.type == "error" and problems.append(message.text))
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("request", lambda request: request.url.startswith("http") and problems.append(request.url))
    return problems


def test_the_site_is_there():
    assert "index.html" in PAGES, f"no site in {SITE}; python -m mtclib report makes it"


@pytest.mark.parametrize("name", PAGES)
def test_a_page_of_the_site_fits_every_window_and_has_no_error(name, page):
    problems, backgrounds = listen(page), set()
    page.goto((SITE / name).as_uri())
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        backgrounds.add(ask(page, "background"))
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": HEIGHT})
            problems += [f"{width} px, {scheme}: {found}" for found in ask(page, "outside")]
            page.screenshot(path=SCREENSHOTS / "site" / f"{name}-{width}-{scheme}.jpg")
    assert not problems, "\n".join(problems)
    assert len(backgrounds) == 2, "light and dark look the same"


@pytest.mark.parametrize("name", PAGES)
def test_axe_finds_nothing_on_a_page_in_light_or_dark(name, page):
    Axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="of the extra [dev]").Axe
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        page.goto((SITE / name).as_uri())
        found = Axe().run(page)
        assert not found.violations_count, f"{scheme}: {found.generate_report()}"


@pytest.mark.parametrize("name", ["index", "gallery", "figures", *paths.papers()])
def test_a_page_that_is_read_from_top_to_bottom_has_at_most_twelve_screens(name, page):
    page.set_viewport_size({"width": 1280, "height": 800})
    page.goto((SITE / f"{name}.html").as_uri())
    page.evaluate("document.querySelectorAll('img').forEach(image => { image.loading = 'eager'; })")
    wait(page, "loaded")
    assert page.evaluate("document.documentElement.scrollHeight") <= 12 * 800


def test_on_a_phone_letters_in_pictures_keep_their_size(page):
    page.set_viewport_size({"width": 390, "height": 800})
    for name in ("index", "gallery/07_lifelong_stream"):
        page.goto((SITE / f"{name}.html").as_uri())
        wait(page, "loaded")
        assert ask(page, "stretched") in ([0], [0, 0])


@pytest.mark.parametrize("name, column", {"comparison": "gain if followed", "printed": "verdict"}.items())
def test_on_a_phone_what_decides_is_seen_without_scrolling(name, column, page):
    page.set_viewport_size({"width": 390, "height": 800})
    page.goto((SITE / f"{name}.html").as_uri())
    heads = page.get_by_role("columnheader", name=column)
    heads.first.wait_for()
    for head in heads.all():
        box = head.bounding_box()
        assert box["x"] + box["width"] <= 390


def test_on_a_phone_a_picture_that_goes_on_at_the_right_says_so_until_its_end(page):
    page.set_viewport_size({"width": 390, "height": 800})
    page.goto((SITE / "spmtc.html").as_uri() + "#figure-1-of-the-paper-sensitivity")
    picture = page.locator("#figure-1-of-the-paper-sensitivity .picture").first
    shadow = "picture => getComputedStyle(picture, '::after').opacity"
    assert float(picture.evaluate(shadow)) == 1
    picture.evaluate("picture => picture.scrollTo(picture.scrollWidth, 0)")
    page.wait_for_timeout(200)
    assert float(picture.evaluate(shadow)) == 0


def test_in_print_every_fold_is_open_at_once_and_every_figure_is_there(page):
    page.goto((SITE / "mtcmrl.html").as_uri())
    page.wait_for_load_state()
    page.pdf()
    page.evaluate("document.body.dataset.theme = 'dark'")
    image = page.locator("article img").first
    assert "invert" in image.evaluate("image => getComputedStyle(image).filter")
    page.emulate_media(media="print")
    assert image.evaluate("image => getComputedStyle(image).filter") == "none", "white paper stays white"
    assert ask(page, "loaded")
    assert ask(page, "unfolded")
    assert page.locator("article ul").first.evaluate("list => getComputedStyle(list).breakInside") == "auto"


@pytest.mark.parametrize("way", ["click", "tap", "focus"])
def test_a_cell_shows_its_card_by_mouse_finger_and_keyboard(way, browser):
    page = browser.new_page(viewport={"width": 390, "height": 800}, has_touch=True)
    page.goto((SITE / "mtcmrl.html").as_uri() + "#tables-2-to-4")
    page.wait_for_timeout(2000)
    assert 0 <= page.locator("#tables-2-to-4").bounding_box()["y"] < 200, "late pictures move it away"
    cell = page.locator("td[tabindex]", has_text="decision").first
    card = cell.locator(".mtclib-card")
    assert not card.is_visible()
    getattr(cell, way)()
    shown = card.inner_text()
    assert all(name in shown for name in ("verdict", "interval", "radius", "pipeline", "decision"))
    *decisions, report = [link.get_attribute("href") for link in card.locator("a").all()]
    assert "correction.md&title=mtcmrl%3A" in report
    assert decisions
    for link in (*decisions, report):
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.getAttribute('href')") == link
        assert card.is_visible()
    page.keyboard.press("Escape")
    assert not card.is_visible()
    page.close()


def test_a_link_to_a_cell_gives_it_the_focus_arrows_lead_from_cell_to_cell_and_tab_out_of_the_table(page):
    page.goto((SITE / "printed.html").as_uri())
    page.locator(".board tbody button").first.press("Enter")
    page.get_by_role("link", name="see it in its table").press("Enter")
    page.locator("td:focus .mtclib-card a", has_text="report").wait_for()
    places = [page.locator("td:focus").bounding_box()]
    for key in ("ArrowRight", "ArrowDown", "ArrowDown"):
        page.keyboard.press(key)
        places.append(page.locator("td:focus").bounding_box())
    assert places[0]["x"] < places[1]["x"]
    assert [place["y"] > 50 for place in places] == [True] * 4, "the number above the card is seen, too"
    table = page.locator("td:focus").evaluate_handle("cell => cell.closest('table')")
    for _ in range(page.locator("td:focus a").count() + 1):
        page.keyboard.press("Tab")
    assert not page.evaluate("table => table.contains(document.activeElement)", table)
    page.goto((SITE / "mspl.html").as_uri() + "#mspl:3:Cornell::Con-MC:NMI")
    assert "verdict higher" in page.locator("td:focus").inner_text(), "that of a variant, which is undecided"


def test_the_keyboard_comes_to_the_tables_of_a_paper_in_a_dozen_stops(page):
    page.set_viewport_size({"width": 1280, "height": 800})
    page.goto((SITE / "mtcmrl.html").as_uri())
    page.wait_for_load_state()
    page.get_by_role("button", name="On this page").press("Enter")
    for _ in range(12):
        page.wait_for_timeout(300)  # while the drawer slides in
        assert page.evaluate("document.activeElement.getBoundingClientRect().right") <= 1280
        if page.locator("a:focus", has_text="Tables 2 to 4").count():
            break
        page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.locator("#tables-2-to-4 > details[open]").wait_for()
    assert not page.locator("#__toc").is_checked(), "the drawer no longer hides what it led to"


@pytest.mark.parametrize("width", WIDTHS)
def test_search_finds_a_method(width, page):
    problems = listen(page)
    page.set_viewport_size({"width": width, "height": HEIGHT})
    page.goto((SITE / "index.html").as_uri())
    place = page.locator("input[name=q], [aria-label=Search]").locator("visible=true").first
    if place.evaluate("place => place.localName") == "input":  # typing in it is enough
        place.focus()
    else:
        place.click()
    page.keyboard.type("MTCMRL")
    found = page.locator("[id$=-results] a").first
    found.wait_for()
    assert "MTCMRL" in found.get_attribute("href"), "data sets called mtcmrl_* stand before the method"
    page.screenshot(path=SCREENSHOTS / "site" / f"search-{width}.png")
    box = found.bounding_box()
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= width
    found.click()
    page.locator("h1", has_text="MTCMRL").wait_for()
    assert not problems, "\n".join(problems)


@pytest.mark.parametrize("query, answer", {
    "why did MSPL fail": "mspl.html", "which method for text": "leaderboard.html",
    "is LMSC better": "lmsc.html", "how many clusters": "how_many_clusters", "how do I cite this": "cite",
    "my csv files": "your-own-files", "what does the verdict mean": "how-to-read-a-verdict",
    "installing": "readme.html", "consensus clustering": "ConsensusClustering",
    "error bars": "how-to-read-a-verdict", "is the gain of MTCMRL real": "mtcmrl.html"}.items())
def test_search_answers_what_newcomers_ask(query, answer, page):
    page.goto((SITE / "gallery.html").as_uri())
    page.keyboard.press("/")
    page.keyboard.type(query)
    found = page.locator("#searchlite-results a").first
    found.wait_for()
    assert answer in found.get_attribute("href")


def test_the_leaderboard_is_asked_and_sorted_by_keyboard_on_a_phone(page):
    problems = listen(page)
    page.set_viewport_size({"width": 390, "height": 800})
    page.goto((SITE / "leaderboard.html").as_uri())
    advice, rows = page.locator(".board > p").first, page.locator(".board table").last.locator("tbody tr")
    advice.filter(has_text="gains").wait_for()
    everything = advice.inner_text()
    page.get_by_label("kind of data").focus()
    page.keyboard.type("texts")
    assert advice.inner_text() != everything
    page.get_by_label("samples, to").fill("100")
    assert "too few sources to tell" in advice.inner_text()
    page.get_by_label("samples, to").fill("")
    assert rows.count() == 100
    page.get_by_role("button", name="Show 100 more").press("Enter")
    assert rows.nth(100).locator("button:focus").count(), "not on the button, which may be gone"
    for direction in ("ascending", "descending"):
        page.get_by_role("button", name="seconds").press("Enter")
        assert page.locator(f"th[aria-sort={direction}]").all_inner_texts() == ["seconds"]
        assert page.locator("th[aria-sort=none]").count() == page.locator("th[aria-sort]").count() - 1
    rows.first.get_by_role("button").press("ArrowDown")
    page.keyboard.press("Tab")
    assert not page.evaluate("document.activeElement.closest('tbody')"), "Tab leads past the rows"
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Enter")
    assert rows.nth(1).get_by_role("button").get_attribute("aria-expanded") == "true"
    page.keyboard.press("ArrowDown")
    assert page.evaluate("document.activeElement.textContent") == "cite", "from row to row"
    copied = " ".join(page.locator(".board td pre").all_inner_texts())
    assert all(part in copied for part in (" & ", r"\cite{", "datasets.load(", "@inproceedings{", "year = "))
    page.get_by_role("button", name="copy BibTeX").press("Enter")
    page.get_by_role("button", name="BibTeX copied").wait_for()
    page.get_by_label("search", exact=True).press("Control+V")
    assert page.get_by_label("search", exact=True).input_value().startswith("@")
    page.get_by_label("search", exact=True).fill("")
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    page.emulate_media(media="print")
    head = page.get_by_role("button", name="seconds")
    assert head.evaluate("head => getComputedStyle(head).display") == "contents", "not repeated on each sheet"
    assert not problems, "\n".join(problems)


def test_names_in_the_leaderboard_are_text_and_what_is_missing_comes_last(page):
    page.goto((SITE / "printed.html").as_uri())
    page.locator(".board th[scope=row]").first.wait_for()  # or the page's own data might come later
    page.locator(".board tbody tr").first.get_by_role("button").press("Enter")
    report = page.get_by_role("link", name="report an error").get_attribute("href")
    assert re.fullmatch(r"https://.*/issues/new\?template=correction.md&title=\w+%3A\d%3A.+%3A.+", report)
    data = {"caption": "<i>c</i>", "columns": [{"name": "<b>"}, {"name": "n"}], "order": {"name": "n"},
            "rows": [["none", None, "", ""], ["<img src=x>", 2, "", ""], ["one", 1, "", ""]]}
    page.evaluate("data => board(document.querySelector('.board'), data)", data)
    assert page.locator(".board th[scope=row]").all_inner_texts() == ["one", "<img src=x>", "none"]
    assert page.locator(".board :is(i, b, img)").count() == 0


# The notebooks, in JupyterLab.

SETTINGS = {"apputils-extension/notification": {"fetchNews": "false", "checkForUpdates": False},
            "notebook-extension/tracker": {"windowingMode": "none"}}  # fmt: skip
"""No questions to a network, and cells that are drawn wherever they are."""


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    """Address of a folder of notebooks in JupyterLab, which writes below folders of its own only."""
    root, own = tmp_path_factory.mktemp("notebooks"), tmp_path_factory.mktemp("own")
    for path in NOTEBOOKS:
        shutil.copy(path, root)
    places = ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR", "MTCLIB_RUNS",
              "MTCLIB_BUILD")  # fmt: skip
    environment = os.environ | {name: str(own / name) for name in places} | {"PYTHONPATH": str(paths.root())}
    for name, values in SETTINGS.items():
        file = own / f"JUPYTER_CONFIG_DIR/lab/user-settings/@jupyterlab/{name}.jupyterlab-settings"
        file.parent.mkdir(parents=True)
        file.write_text(json.dumps(values))
    command = [sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root", "--ServerApp.ip=127.0.0.1",
               "--ServerApp.port=0", f"--ServerApp.root_dir={root}",
               "--LabApp.expose_app_in_browser=True"]  # fmt: skip
    with (open(own / "log", "wb") as log,
          subprocess.Popen(command, stdout=log, stderr=log, env=environment) as server):  # fmt: skip
        # This file is the last that the server writes once it listens.
        while not any((own / "JUPYTER_RUNTIME_DIR").glob("jpserver-*-open.html")):
            assert server.poll() is None, (own / "log").read_text()
            time.sleep(0.2)
        server_file = next((own / "JUPYTER_RUNTIME_DIR").glob("jpserver-*.json"))
        yield json.loads(server_file.read_text())
        server.terminate()


@contextmanager
def opened(name, lab, page):
    """A notebook in a tab, run; its kernel ends with the block: they would add up in memory."""
    page.set_default_timeout(60_000 * MINUTES)
    page.goto(f"{lab['url']}lab/tree/{name}.ipynb?reset&token={lab['token']}")
    wait(page, "ready", f"{name}.ipynb")
    ask(page, "run")
    try:
        page.wait_for_function("window.done")
        yield ask(page, "cells")
    finally:
        page.screenshot(path=SCREENSHOTS / f"{name}-end.png")
        page.evaluate("jupyterapp.shell.currentWidget.sessionContext.shutdown()")


def outputs(cells, kind):
    """Index of each code cell and each of its outputs of a MIME type or output type, cell by cell."""
    return [(index, output) for index, cell in enumerate(cells) for output in cell.get("outputs", ())
            if output["output_type"] == kind or kind in output.get("data", {})]  # fmt: skip


def figures(cells):
    """Number of figures by index of the cell."""
    return Counter(index for index, _ in outputs(cells, "image/png"))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs_in_the_browser_and_shows_its_figures(path, lab, page):
    with opened(path.stem, lab, page) as cells:
        tables, images = outputs(cells, "text/html"), outputs(cells, "image/png")
        for part, found in {"top": [(0, None)], "table": tables, "figure": images}.items():
            for index, _ in found[:1]:
                page.locator(".jp-Notebook-cell").nth(index).evaluate("cell => cell.scrollIntoView()")
                page.screenshot(path=SCREENSHOTS / f"{path.stem}-{part}.png")
        errors = [f"cell {index}: {output['evalue']}" for index, output in outputs(cells, "error")]
        assert errors == []
        assert all(cell["execution_count"] for cell in cells if cell["cell_type"] == "code")
        stored = nbformat.read(path, as_version=4).cells
        assert figures(cells) == figures(stored), "other figures than stored"
        page.wait_for_function(f"({SCRIPT}).figures().every(figure => figure.complete)")
        shown = ask(page, "figures")
        assert all(figure["drawn"] for figure in shown), "a figure is not drawn"
        assert len(shown) >= figures(cells).total()
        assert all(figure["inside"] and figure["width"] > 200 for figure in shown), shown
