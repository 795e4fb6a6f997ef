"""What every stored notebook keeps to."""

import ast
import json
import re
import tomllib

import nbformat
import pytest
import yaml
from structure import ROOT, checks_parameters, code_cells, is_front, tagged

MAX_CELLS, MAX_LINES, MAX_BYTES = 55, 12, 1_300_000
COMMON = ("profile", "seed", "n_runs", "n_jobs")
FRONT = ("profile",)
"""The front door, the differences and the methods show what was found elsewhere: no seed."""
REPOSITORY = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["urls"]["Repository"]
BINDER = REPOSITORY.replace("https://github.com/", "https://mybinder.org/v2/gh/")
BINDER += "/HEAD?urlpath=lab/tree/notebooks/"
ABSOLUTE = re.compile(r"(?<![\w.:/<])/(?:home|Users|root|tmp|work|mnt|opt|private|var|usr)/|\b[A-Z]:\\\\?\w")
UNSTABLE = re.compile(r"\r(?!\n)|\bit/s\b|\bs/it\b|\d%\||\[\d\d:\d\d<|\b\w*Warning\b:| at 0x[0-9a-f]{6,}")
"""Bars of progress, warnings and addresses in memory."""
NOTEBOOKS = {path.stem: nbformat.read(path, as_version=4)
             for path in sorted((ROOT / "notebooks").glob("*.ipynb"))}
PAPERS = [name for name in NOTEBOOKS if not is_front(name) and name not in ("your_data", "comparison")]
every_notebook = pytest.mark.parametrize(("name", "nb"), NOTEBOOKS.items(), ids=NOTEBOOKS)


def outputs(nb):
    return [output for cell in code_cells(nb) for output in cell.outputs]


def stored_texts(nb):
    for output in outputs(nb):
        yield output.get("text", "")
        yield from (data for kind, data in output.get("data", {}).items() if kind.startswith("text/"))


def prose(cells):
    return "\n".join(cell.source for cell in cells if cell.cell_type == "markdown")


@every_notebook
def test_parameters_stand_in_one_cell_that_papermill_reads_and_are_checked(name, nb):
    """papermill overlooks a parameter whose annotation has a "|", so `int | None` is not allowed."""
    (cell,) = tagged(nb, "parameters")
    lines = [line for line in cell.source.splitlines() if line.strip()]
    assert [line for line in lines if not re.fullmatch(r"\w+: [\w, \[\]]+ = \S.*?  # \S.*", line)] == []
    assert {*(FRONT if is_front(name) else COMMON)} <= {line.partition(":")[0] for line in lines}
    # They would push the figure off the first screen; only a reader with own files has to fill them in.
    assert name == "your_data" or cell.metadata.get("jupyter", {}).get("source_hidden")
    assert any(map(checks_parameters, code_cells(nb)))


@every_notebook
def test_enough_cells_are_compared_and_all_of_these_have_an_output(name, nb):
    compared = tagged(nb, "nbval-check-output")
    assert len(compared) >= (1 if is_front(name) else 4)
    assert [cell.source for cell in compared if not cell.get("outputs")] == []


@every_notebook
def test_what_is_stored_is_of_no_machine_and_of_no_moment(name, nb):
    texts, sources = [*stored_texts(nb)], [cell.source for cell in nb.cells]
    assert [text for text in texts if UNSTABLE.search(text)] == []
    assert [text for text in texts + sources if ABSOLUTE.search(text)] == []
    assert [one for one in outputs(nb) if one.output_type == "error" or one.get("name") == "stderr"] == []
    assert set(nb.metadata) <= {"kernelspec", "language_info"}
    assert {key for cell in nb.cells for key in cell.metadata} <= {"tags", "alt", "jupyter"}
    assert "version" not in nb.metadata.get("language_info", {})
    assert nb.metadata.kernelspec.name == "python3"
    counts = [cell.execution_count for cell in code_cells(nb)]
    assert counts == list(range(1, len(counts) + 1))
    nbformat.validate(nb)


@every_notebook
def test_cells_are_few_and_short_and_hold_no_algorithm(name, nb):
    sources = [cell.source for cell in code_cells(nb)]
    assert [source for source in sources if len(source.splitlines()) > MAX_LINES] == []
    assert [source for source in sources if re.search(r"(?m);\s*(#.*)?$", source)] == []
    assert len(nb.cells) <= MAX_CELLS
    assert len(json.dumps(nb)) <= MAX_BYTES
    kinds = (ast.FunctionDef, ast.ClassDef, ast.While)
    nodes = [node for source in sources for node in ast.walk(ast.parse(source))]
    assert [node.lineno for node in nodes if isinstance(node, kinds)] == [], "it belongs into mtclib"


@pytest.mark.parametrize("name", PAPERS)
def test_of_a_paper_cells_without_the_companion_are_short_and_open_and_all_others_folded(name):
    nb = NOTEBOOKS[name]
    shut = tagged(nb, "hide-input")
    opened = [cell.source for cell in code_cells(nb) if cell not in shut]
    assert [text for text in opened if re.search("study|companion", text) or len(text.splitlines()) > 9] == []
    assert len(opened) >= 3
    assert any("fit(" in text for text in opened)


@every_notebook
def test_the_first_cell_has_a_title_and_a_badge_and_the_text_says_what_a_run_costs(name, nb):
    text = prose(nb.cells[:1])
    # What a run takes comes after the answer; a reader with own files has only that to run.
    said = prose(nb.cells[name != "your_data":])
    assert text.startswith("# ")
    assert f"{BINDER}{name}.ipynb" in text
    for profile in () if is_front(name) else ("quick", "full"):
        assert re.search(rf"\b{profile}\b[^\n]*\d\s*(s|min|h|hours?|minutes?|seconds?)\b", said), profile


@pytest.mark.parametrize("name", PAPERS)
def test_a_paper_has_its_title_and_the_measured_cost_of_the_full_profile_on_two_cores(name):
    nb = NOTEBOOKS[name]
    references = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))["references"]
    (title,) = (one["title"] for one in references if one["abbreviation"].lower() == name)
    assert title.lower() in prose(nb.cells[:1]).lower()
    cost = re.search(r"\bfull\b[^\n]*?([\d.]+) (min|h)\b", prose(nb.cells[1:]))
    kept = json.loads((ROOT / "data" / name / "results" / "provenance.json").read_text(encoding="utf-8"))
    share = 2 * float(cost[1]) * {"min": 60, "h": 3600}[cost[2]] / kept["seconds"]
    assert 0.75 < share < 1.33 or kept["seconds"] < 60


@every_notebook
def test_links_lead_somewhere(name, nb):
    text = prose(nb.cells)
    assert all(link.startswith(BINDER) for link in re.findall(r"https://mybinder\.org/v2/[^\s)\"]+", text))
    local = [link.partition("#")[0] for link in re.findall(r"\]\(([^)\s]+)\)", text) if "://" not in link]
    assert [link for link in local if link and not (ROOT / "notebooks" / link).exists()] == []
