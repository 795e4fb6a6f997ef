"""The pages of the HTML site: complete without a network, readable without a picture."""

import os
import re
from dataclasses import asdict
from html.parser import HTMLParser

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from mtclib.companion.parameters import UsageError
from mtclib.companion.site import pages, report
from mtclib.companion.site.notebooks import KERNEL, Execution

PIXEL = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
TEXT = r"""# A paper (AP)
[![Binder](https://mybinder.org/badge_logo.svg)](https://mybinder.org/v2/gh/x)
[index](index.ipynb#Claims), [later](later.ipynb), [code](../mtclib/core/base.py), [all](../data/)

Inline $x < y$ and $$\begin{aligned} a &= b \\ c &= d \end{aligned}$$

\begin{align} W &\leftarrow V \end{align}

Not known: $\nosuchcommand{x}$.

![drawn](../figures/drawn.png)

| a | b |
|---|---|
| 1 | 2 |

## Rate of $\mu$
### Claims
### Claims"""
WIDE = "<style>p{}</style><script src='https://x.example/x.js'></script><table><tr><td>cell</td></tr></table>"


def picture():
    return new_output("display_data", {"image/png": PIXEL, "text/plain": "<Figure>"})


def notebook(**metadata):
    described = {"alt": 'curves of "A"'}
    table = new_output("display_data", {"text/html": WIDE, "text/plain": "cell"})
    cells = [new_markdown_cell(TEXT), new_code_cell('show(fig, "drawn")', outputs=[picture(), table])]
    cells.append(new_code_cell("plot()", metadata=described, outputs=[picture(), picture()]))
    return new_notebook(cells=cells, metadata={"kernelspec": dict(KERNEL), **metadata})


def write(path, content, age=0):
    """Write a notebook that is `age` seconds old."""
    path.parent.mkdir(exist_ok=True, parents=True)
    nbformat.write(content, path)
    os.utime(path, (1e9 - age, 1e9 - age))


def write_copy(root, name, profile="quick", status="ok", age=0, **changes):
    error = "" if status == "ok" else "In [1]: ValueError: <b>"
    record = Execution(name, profile, status, seconds=1.5, n_cells=2, n_figures=3, error=error)
    made = notebook(**{"mtclib": asdict(record), **changes})
    write(root / "build" / "notebooks" / f"{name}-{profile}.ipynb", made, age)


def fill(root):
    """Write two notebooks that have outputs, and one that has none."""
    for name in ("mtcmrl", "index"):
        write(root / "notebooks" / f"{name}.ipynb", notebook(), age=100)
    write(root / "notebooks" / "later.ipynb", new_notebook(cells=[new_markdown_cell("# Later")]))


@pytest.fixture
def root(tmp_path, monkeypatch):
    """A repository that a test may change."""
    monkeypatch.setenv("MTCLIB_ROOT", str(tmp_path))
    monkeypatch.delenv("MTCLIB_BUILD", raising=False)
    fill(tmp_path)
    return tmp_path


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """Front page, page of the paper, and the summary table."""
    root = tmp_path_factory.mktemp("repository")
    fill(root)
    write_copy(root, "mtcmrl")
    write_copy(root, "index", "full", "failed")
    (root / "data").mkdir()
    (root / "figures").mkdir()
    (root / "figures" / "drawn.png").write_bytes(b"drawn")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MTCLIB_ROOT", str(root))
        patch.delenv("MTCLIB_BUILD", raising=False)
        index, table = report.write_report()
    return index.read_text("utf-8"), index.with_name("mtcmrl.html").read_text("utf-8"), table


class Resources(HTMLParser):
    """Collects what a browser would load, pictures without alternative text, and links."""

    def __init__(self, page):
        super().__init__()
        self.loaded, self.silent, self.links = [], [], []
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        if tag == "a":
            self.links.append(given["href"])
        elif source := given.get("src") or given.get("href") or given.get("data"):
            self.loaded += [] if source.startswith("data:") else [source]
        if tag == "img":
            self.silent += [given["src"]] if not given.get("alt") else []


def test_a_page_loads_only_the_script_beside_it_whatever_a_notebook_asks_for(site):
    for page in site[:2]:
        assert Resources(page).loaded == ["site.js"]
        assert "@import" not in page and not re.search(r"url\(\W*https?:", page)


def test_every_picture_has_an_alternative_text(site):
    for page in site[:2]:
        assert Resources(page).silent == []
    assert 'alt="Claims"' in site[1]
    assert 'alt="curves of &quot;A&quot;"' in site[1] or "alt='curves of \"A\"'" in site[1]


def test_a_picture_of_the_repository_is_embedded_and_one_from_elsewhere_is_told_by_its_text(site):
    assert 'src="data:image/png;base64,ZHJhd24="' in site[1]
    assert re.search(r'<a href="https://mybinder[^"]*">Binder</a>', site[1])


def test_equations_are_drawn_by_the_browser_and_unknown_commands_stay_latex(site):
    main = site[1].partition("<main")[2]
    assert main.count("<math") == 4
    assert "$$" not in main and r"\begin{" not in main
    assert r"<code>\nosuchcommand{x}</code>" in main


def test_aligned_equations_keep_their_rows():
    assert pages.to_mathml(r"\begin{aligned} a &= b \\ c &= d \end{aligned}", "block").count("<mtr>") == 2


def test_links_lead_to_pages_where_there_are_some_and_else_to_the_repository(site):
    links = Resources(site[1]).links
    home = "https://github.com/mtclib/mtclib"
    assert "index.html#Claims" in links
    assert f"{home}/blob/HEAD/notebooks/later.ipynb" in links
    assert f"{home}/blob/HEAD/mtclib/core/base.py" in links
    assert f"{home}/tree/HEAD/data" in links
    assert [link for link in links if ".." in link or link.endswith("index.ipynb")] == []


def test_headings_have_the_ids_of_jupyter_and_equal_ones_are_numbered(site):
    assert re.findall(r'<h\d id="([^"]+)"', site[1]) == ["A-paper-(AP)", "Rate-of-μ", "Claims", "Claims-2"]


def test_what_is_wide_scrolls_in_its_own_box(site):
    main = site[1].partition("<main")[2]
    assert main.count("<table") == main.count('<div class="scroll"><table') == 2
    assert main.count('display="block"') == main.count('<span class="scroll"><math') == 2


def test_the_box_of_our_own_tables_is_not_put_into_another():
    own = new_output("display_data", {"text/html": '<div class="mtclib-scroll"><table></table></div>'})
    body = pages.render(new_notebook(cells=[new_code_cell("x", outputs=[own])]), [], "https://home")
    assert 'class="scroll"' not in body.html and "<table>" in body.html


def test_the_front_door_comes_first_and_a_failure_is_shown_escaped(site):
    index, _, table = site
    assert table["notebook"].tolist() == ["index", "mtcmrl"]
    assert table["status"].tolist() == ["failed", "ok"]
    assert "ValueError: &lt;b&gt;" in index and "1 did not finish" in index


def test_pages_are_dark_on_white_and_say_their_language_and_width(site):
    for page in site[:2]:
        assert "color-scheme: light;" in page and 'lang="en"' in page and "width=device-width" in page


def test_code_can_be_folded_away_and_is_open_at_first(site):
    assert site[1].count('<details class="code" open') == 2


def test_the_provenance_is_on_the_front_page(site):
    for word in ("Commit", "Python", "numpy", "Machine"):
        assert word in site[0].partition("About these pages</h2>")[2]


@pytest.mark.parametrize(("age", "shown"), [(0, "quick profile, 2 s"), (200, "Outputs as the repository")])
def test_the_newest_outputs_are_shown(root, age, shown):
    write_copy(root, "mtcmrl", "quick", age=age)
    write_copy(root, "mtcmrl", "full", age=300)
    report.write_report()
    assert shown in (root / "build/report/mtcmrl.html").read_text("utf-8")


def test_a_copy_that_was_cut_short_or_is_of_another_notebook_is_left_out(root):
    write_copy(root, "mtcmrl", "quick", mtclib={})
    (root / "build/notebooks/mtcmrl-full.ipynb").write_text('{"cells": [')
    write_copy(root, "mtcmrl-more")
    _, table = report.write_report()
    assert table.set_index("notebook")["profile"].to_dict() == {"index": "stored", "mtcmrl": "stored"}


def test_a_stored_error_counts_as_a_failure(root):
    failed = new_output("error", ename="E", evalue="", traceback=[])
    content = new_notebook(cells=[new_code_cell("1 / 0", outputs=[failed])])
    write(root / "notebooks" / "broken.ipynb", content)
    _, table = report.write_report()
    assert table.set_index("notebook").at["broken", "status"] == "failed"


def test_without_any_output_there_is_no_report(root):
    for name in ("mtcmrl", "index"):
        write(root / "notebooks" / f"{name}.ipynb", new_notebook())
    with pytest.raises(UsageError, match="run `python -m mtclib run all` first"):
        report.write_report()
    assert not (root / "build").exists()
