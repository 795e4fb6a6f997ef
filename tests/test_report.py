"""The HTML report: complete without a network, readable without a picture."""

import re
from dataclasses import asdict
from html.parser import HTMLParser

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from mtclib import report
from mtclib.notebooks import KERNEL, Execution, UsageError

PIXEL = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
TEXT = r"""# A paper
[![Binder](https://mybinder.org/badge_logo.svg)](https://mybinder.org/v2/gh/x)
[index](index.ipynb#claims), [later](later.ipynb), [code](../mtclib/base.py)

Inline $x < y$ and $$\begin{aligned} a &= b \\ c &= d \end{aligned}$$

\begin{align} W &\leftarrow V \end{align}

Not known: $\nosuchcommand{x}$.

## Convergence"""


def picture():
    return new_output("display_data", {"image/png": PIXEL, "text/plain": "<Figure>"})


def write_copy(folder, name, profile="quick", status="ok", **changes):
    error = "" if status == "ok" else "In [1]: ValueError: <b>"
    record = Execution(name, profile, status, seconds=1.5, n_cells=2, n_figures=3, error=error)
    described = {"alt": 'curves of "A"'}
    cells = [new_markdown_cell(TEXT), new_code_cell("plot()", outputs=[picture()])]
    cells.append(new_code_cell("plot()", metadata=described, outputs=[picture(), picture()]))
    metadata = {"kernelspec": dict(KERNEL), "mtclib": asdict(record), **changes}
    path = folder / "notebooks" / f"{name}-{profile}.ipynb"
    path.parent.mkdir(exist_ok=True)
    nbformat.write(new_notebook(cells=cells, metadata=metadata), path)


@pytest.fixture
def build(tmp_path, monkeypatch):
    monkeypatch.setenv("MTCLIB_BUILD", str(tmp_path))
    return tmp_path


@pytest.fixture
def pages(build):
    """Index, page of the paper, and the summary table."""
    write_copy(build, "mtcmrl")
    write_copy(build, "index", "full", "failed")
    index, table = report.write_report()
    return index.read_text("utf-8"), (build / "report" / "mtcmrl-quick.html").read_text("utf-8"), table


class Resources(HTMLParser):
    """Collects what a browser would load, and pictures without alternative text."""

    def __init__(self, page):
        super().__init__()
        self.loaded, self.silent = [], []
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        if tag in ("script", "iframe", "object") or (tag == "link" and "href" in given):
            self.loaded.append((tag, given.get("src") or given.get("href")))
        if tag == "img":
            self.loaded += [given["src"]] if not given["src"].startswith(("data:", "figures/")) else []
            self.silent += [given["src"]] if not given.get("alt") else []


def test_the_pages_load_nothing_and_run_no_script(pages):
    for page in pages[:2]:
        assert Resources(page).loaded == []
        assert "@import" not in page and "url(http" not in page


def test_every_picture_has_an_alternative_text(pages):
    for page in pages[:2]:
        assert Resources(page).silent == []
    assert 'alt="Convergence"' in pages[1]
    assert 'alt="curves of &quot;A&quot;"' in pages[1] or "alt='curves of \"A\"'" in pages[1]


def test_equations_are_drawn_by_the_browser_and_unknown_commands_stay_latex(pages):
    page = pages[1]
    assert page.count("<math") == 3
    assert "$$" not in page and r"\begin{" not in page
    assert r"<code>\nosuchcommand{x}</code>" in page


def test_aligned_equations_keep_their_rows():
    assert report.to_mathml(r"\begin{aligned} a &= b \\ c &= d \end{aligned}", "block").count("<mtr>") == 2


def test_links_lead_to_pages_where_there_are_some_and_else_to_files(pages):
    page = pages[1]
    assert 'href="index-full.html#claims"' in page
    assert re.search(r'href="[^"]*/notebooks/later\.ipynb"', page)
    assert re.search(r'href="[^"]*/mtclib/base\.py"', page)
    assert 'href="../mtclib/base.py"' not in page


def test_the_front_door_comes_first_and_a_failure_is_shown_escaped(pages):
    index, _, table = pages
    assert table["notebook"].tolist() == ["index", "mtcmrl"]
    assert table["status"].tolist() == ["failed", "ok"]
    assert "ValueError: &lt;b&gt;" in index and "1 did not finish" in index


def test_every_picture_is_a_file_as_well(pages, build):
    files = sorted(path.name for path in (build / "report" / "figures").iterdir())
    ours = [name for name in files if name.startswith("mtcmrl")]
    assert ours == [f"mtcmrl-quick-0{n}.png" for n in (1, 2, 3)]
    assert all(f'src="figures/{name}"' in pages[0] for name in files)


def test_pages_follow_the_colours_that_the_reader_prefers(pages):
    for page in pages[:2]:
        assert "prefers-color-scheme: dark" in page and 'lang="en"' in page and "viewport" in page


def test_code_can_be_folded_away_and_is_open_at_first(pages):
    assert pages[1].count('<details class="code" open') == 2


def test_the_provenance_is_on_the_index(pages):
    for word in ("Commit", "Python", "numpy", "Machine"):
        assert word in pages[0]


def test_every_local_link_of_the_report_leads_to_a_file(build, pages):
    folder = build / "report"
    targets = re.findall(r'(?:href|src)="(?!https?:|data:|#)([^"#]+)', pages[0])
    assert "../notebooks/mtcmrl-quick.ipynb" in targets
    assert [target for target in targets if not (folder / target).is_file()] == []


def test_a_copy_that_was_cut_short_is_left_out(build):
    write_copy(build, "mtcmrl")
    write_copy(build, "cut", mtclib={})
    (build / "notebooks" / "half-quick.ipynb").write_text('{"cells": [')
    _, table = report.write_report()
    assert table["notebook"].tolist() == ["mtcmrl"]


def test_without_an_executed_notebook_there_is_no_report(build):
    with pytest.raises(UsageError, match="run `python -m mtclib run all` first"):
        report.write_report()
