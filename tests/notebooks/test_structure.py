"""The stored notebooks keep the rules, and every rule catches what it is for."""

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output
from structure import BINDER, MAX_BYTES, MAX_CELLS, MAX_LINES, PARAMETERS, ROOT, RULES

from mtclib.companion.site.notebooks import KERNEL, LANGUAGE

NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
FIRST = f"""# MTCMRL
Zhang et al., *Multi-Task Clustering with Model Relation Learning*, IJCAI 2018.
[![Binder](https://mybinder.org/badge_logo.svg)]({BINDER}mtcmrl.ipynb) [x](index.ipynb)"""
COST = "Cost: quick 40 s, 1 GB; full 100 min."


def result(count, text="1"):
    return new_output("execute_result", {"text/plain": text}, execution_count=count)


def good_notebook():
    """A notebook without fault."""
    nb = new_notebook(metadata={"kernelspec": dict(KERNEL), "language_info": dict(LANGUAGE)})
    nb.cells.append(new_markdown_cell(FIRST))
    folded = {"tags": ["parameters", "hide-input"], "jupyter": {"source_hidden": True}}
    nb.cells.append(new_code_cell(PARAMETERS, metadata=folded, execution_count=1))
    shut = {"tags": ["hide-input"]}
    nb.cells.append(new_code_cell("check_parameters(profile=profile)", metadata=shut, execution_count=2))
    for count in range(3, 7):
        tags = {"tags": ["nbval-check-output"]}
        source = "model.fit(Xs)" if count == 4 else "1"
        nb.cells.append(new_code_cell(source, metadata=tags, execution_count=count, outputs=[result(count)]))
    nb.cells.append(new_markdown_cell(COST))
    return nb


def set_source(position, source):
    return lambda nb: nb.cells[position].update(source=source)


def replace_source(position, old, new):
    return lambda nb: nb.cells[position].update(source=nb.cells[position].source.replace(old, new))


def add_output(output):
    return lambda nb: nb.cells[3].outputs.append(output)


def stream(text, name="stdout"):
    return add_output(new_output("stream", name=name, text=text))


FAULTS = [
    ("one_parameters_cell", "no parameters cell", lambda nb: nb.cells.pop(1)),
    ("one_parameters_cell", "two parameters cells", lambda nb: nb.cells.insert(1, nb.cells[1])),
    ("one_parameters_cell", "open", lambda nb: nb.cells[1].metadata.pop("jupyter")),
    ("one_parameters_cell", "invisible to papermill", replace_source(1, "seed: int", "seed: int | None")),
    ("one_parameters_cell", "uncommented", replace_source(1, "  # root seed", "")),
    ("one_parameters_cell", "seed missing", replace_source(1, "seed", "sead")),
    ("parameters_are_checked", "not checked", set_source(2, "pass")),
    ("compared_cells", "only three", lambda nb: nb.cells[3].metadata.tags.clear()),
    ("compared_cells", "empty", lambda nb: nb.cells[3].outputs.clear()),
    ("no_absolute_paths", "in an output", stream("read /home/ada/data.csv")),
    ("no_absolute_paths", "in a source", set_source(3, "open('/home/x')")),
    ("no_absolute_paths", "on Windows", stream("C:\\Users\\ada")),
    ("no_progress_bars", "rate", stream("10/10 [00:01, 9.1 it/s]")),
    ("no_progress_bars", "carriage return", stream("1\r2")),
    ("no_warnings_or_errors", "stderr", stream("note", "stderr")),
    ("no_warnings_or_errors", "warning", stream("ConvergenceWarning: not converged")),
    ("no_warnings_or_errors", "error", add_output(new_output("error", ename="E", evalue="", traceback=[]))),
    ("no_addresses", "object", stream("<Figure at 0x7f0011223344>")),
    ("no_trailing_semicolons", "semicolon", set_source(3, "plot(1);")),
    ("small", "long", set_source(3, "\n".join(["1"] * (MAX_LINES + 1)))),
    ("small", "many", lambda nb: nb.cells.extend(new_markdown_cell("x") for _ in range(MAX_CELLS))),
    ("small", "large", stream("x" * MAX_BYTES)),
    ("no_algorithms", "function", set_source(3, "def f(x):\n    return x")),
    ("no_algorithms", "loop", set_source(3, "while True:\n    pass")),
    ("cells_to_try", "of the companion", set_source(3, "study.known")),
    ("cells_to_try", "no fit", set_source(4, "2")),
    ("clean_metadata", "papermill", lambda nb: nb.metadata.update(papermill={})),
    ("clean_metadata", "timings", lambda nb: nb.cells[3].metadata.update(execution={})),
    ("clean_metadata", "Python version", lambda nb: nb.metadata.language_info.update(version="3.11.7")),
    ("clean_metadata", "other kernel", lambda nb: nb.metadata.kernelspec.update(name="myenv")),
    ("counts_in_order", "out of order", lambda nb: nb.cells[3].update(execution_count=9)),
    ("counts_in_order", "result of another run", lambda nb: nb.cells[3].outputs[0].update(execution_count=9)),
    ("valid_format", "id repeated", lambda nb: nb.cells[3].update(id=nb.cells[4].id)),
    ("valid_format", "id missing", lambda nb: nb.cells[3].pop("id")),
    ("valid_format", "unknown cell", lambda nb: nb.cells[3].update(cell_type="note")),
    ("informative_first_cell", "no title", replace_source(0, "# MTCMRL", "MTCMRL")),
    ("informative_first_cell", "no citation", replace_source(0, "Model Relation", "Relation")),
    ("informative_first_cell", "other badge", replace_source(0, "/notebooks/mtcmrl", "/notebooks/index")),
    ("informative_first_cell", "no cost", replace_source(-1, "full 100 min", "full: long")),
    ("informative_first_cell", "cost before the answer",
     lambda nb: nb.cells[0].update(source=FIRST + nb.cells.pop().source)),
    ("links_lead_somewhere", "other owner", replace_source(0, "/gh/mtclib/", "/gh/somebody/")),
    ("links_lead_somewhere", "no such file", replace_source(0, "index.ipynb", "../mtclib/nosuch.py"))]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_a_stored_notebook_keeps_the_rule(rule, path):
    assert rule(path.stem, nbformat.read(path, as_version=4)) == []


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_a_notebook_without_fault_passes_every_rule_and_each_is_shown_to_catch_something(rule):
    assert rule("mtcmrl", good_notebook()) == []
    assert rule.__name__ in {name for name, _, _ in FAULTS}


@pytest.mark.parametrize(("rule", "what", "change"), FAULTS, ids=[f"{f[0]}-{f[1]}" for f in FAULTS])
def test_a_rule_catches_its_fault(rule, what, change):
    nb = good_notebook()
    change(nb)
    assert {rule.__name__: rule for rule in RULES}[rule]("mtcmrl", nb), what
