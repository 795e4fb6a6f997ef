"""Each notebook in JupyterLab in headless Chromium: it opens, Run All raises nothing, figures are visible."""

import os
from collections import Counter
from contextlib import contextmanager

import nbformat
import pytest
from browser_support import (
    ROOT,
    BrowserProblem,
    LabNotebook,
    Page,
    chromium,
    copy_of_the_repository,
    find_browser,
    jupyter_lab,
    outputs,
)
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from mtclib.core import paths

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(not os.environ.get("MTCLIB_BROWSER"), reason="takes minutes; make browser runs it"),
    pytest.mark.skipif(find_browser() is None, reason="no chromium, chromium-browser or google-chrome found"),
]

NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
SCREENSHOTS = paths.build_dir() / "screenshots"
TIMEOUT = 1800
"""Seconds for Run All.  An idle machine needs one minute; a busy one must not fail."""

FIGURE = "from matplotlib import pyplot\npyplot.figure()\npyplot.plot([1, 3, 2])\npyplot.show()"
TABLE = "import pandas\npandas.DataFrame({'a': [1, 2]})"
SMALL = {
    "good": [new_markdown_cell("# Title"), new_code_cell(TABLE), new_code_cell(FIGURE)],
    "raises": [new_code_cell("1 / 0"), new_code_cell("'after'")],
    "dies": [new_code_cell("import os\nos._exit(1)")],
    "broken-image": [new_code_cell("display({'image/png': 'AAAA'}, raw=True)")],
}
"""What the checks must see on one notebook each."""


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    scratch = tmp_path_factory.mktemp("scratch")
    small = [scratch / f"{name}.ipynb" for name in SMALL]
    python = {"name": "python3", "display_name": "Python 3", "language": "python"}
    for path in small:
        nbformat.write(new_notebook(cells=SMALL[path.stem], metadata={"kernelspec": python}), path)
    root = copy_of_the_repository(tmp_path_factory.mktemp("repository"), [*NOTEBOOKS, *small])
    with jupyter_lab(root, scratch) as address_and_token:
        yield address_and_token


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    with chromium(find_browser(), tmp_path_factory.mktemp("chromium")) as devtools:
        yield devtools


@contextmanager
def opened(lab, browser, name, screenshots):
    """The notebook `name` in a tab of its own; what the tab shows at the end is kept, whatever happened."""
    with Page(browser) as page:
        try:
            yield LabNotebook(page, lab, f"notebooks/{name}.ipynb")
        finally:
            page.screenshot(screenshots / f"{name}-end.png")
            page.end_kernel()


def errors(cells):
    return [f"cell {index}: {found['ename']}: {found['evalue']}" for index, found in outputs(cells, "error")]


def not_run(cells):
    code = [index for index, cell in enumerate(cells) if cell["cell_type"] == "code"]
    return [index for index in code if not cells[index]["execution_count"]]


def figures(cells):
    """Number of figures by index of the cell."""
    return dict(Counter(index for index, _ in outputs(cells, "image/png")))


def keep_screenshots(notebook, name, cells):
    """Keep what a reader sees: the top, the first table and the first figure."""
    first = {part: next((index for index, _ in outputs(cells, kind)), None)
             for part, kind in {"table": "text/html", "figure": "image/png"}.items()}  # fmt: skip
    for part, index in {"top": 0, **first}.items():
        if index is not None:
            notebook.show(index)
            notebook.page.screenshot(SCREENSHOTS / f"{name}-{part}.png")


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs_in_the_browser_and_shows_its_figures(path, lab, browser):
    with opened(lab, browser, path.stem, SCREENSHOTS) as notebook:
        notebook.run_all(TIMEOUT)
        cells = notebook.cells()
        keep_screenshots(notebook, path.stem, cells)
        assert errors(cells) == []
        assert not_run(cells) == []
        assert figures(cells) == figures(nbformat.read(path, as_version=4).cells)
        for index, number in figures(cells).items():
            images = notebook.images(index)
            assert len(images) == number
            assert all(image["inside"] and image["shown"] > 200 for image in images), (index, images)


def test_tables_and_figures_are_found_where_they_are(lab, browser, tmp_path):
    with opened(lab, browser, "good", tmp_path) as notebook:
        notebook.run_all(120)
        cells = notebook.cells()
        assert [index for index, _ in outputs(cells, "text/html")] == [1]
        assert figures(cells) == {2: 1}
        (image,) = notebook.images(2)
        assert image["natural"] > 300 and image["inside"]


def test_an_error_and_the_cells_after_it_are_reported(lab, browser, tmp_path):
    with opened(lab, browser, "raises", tmp_path) as notebook:
        notebook.run_all(120)
        assert errors(notebook.cells()) == ["cell 0: ZeroDivisionError: division by zero"]
        assert not_run(notebook.cells()) == [1]


def test_a_kernel_that_dies_is_reported(lab, browser, tmp_path):
    died = pytest.raises(BrowserProblem, match="the kernel died")
    with opened(lab, browser, "dies", tmp_path) as notebook, died:
        notebook.run_all(120)


def test_an_image_that_cannot_be_drawn_is_reported(lab, browser, tmp_path):
    with opened(lab, browser, "broken-image", tmp_path) as notebook:
        notebook.run_all(120)
        with pytest.raises(BrowserProblem, match="images of cell 0"):
            notebook.images(0, timeout=2)
