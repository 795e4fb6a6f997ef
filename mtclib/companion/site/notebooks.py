"""Finding, running and storing the notebooks.

A notebook is a front for `mtclib`: it has one cell tagged ``parameters``, whose names and types are its
interface.  papermill only warns about a parameter that a notebook does not have, and turns values that are
not plain Python into strings; so names and values are checked here: by the command line before anything runs,
and inside the notebook by `mtclib.companion.check_parameters`, whoever runs it.
"""

import ast
import json
import re
import time
from collections import namedtuple
from dataclasses import asdict, dataclass
from pathlib import Path

from mtclib.core import paths

FRONT = "index"
"""Name of the notebook that is the front door; it comes first in lists."""


def find_notebooks() -> dict[str, Path]:
    """The notebooks of the companion by name (the file without its suffix), the front door first."""
    found = (paths.root() / "notebooks").glob("*.ipynb")
    return {path.stem: path for path in sorted(found, key=lambda path: (path.stem != FRONT, path.stem))}


Parameter = namedtuple("Parameter", "type default help")
"""What the parameters cell says of one name: its type, the default as written, the comment."""


def parameters(path):
    """`Parameter` of a notebook by name; papermill would read them, too, but takes a second to import."""
    cells = json.loads(Path(path).read_text(encoding="utf-8"))["cells"]
    tagged = (cell["source"] for cell in cells if "parameters" in cell["metadata"].get("tags", ()))
    source = "".join(next(tagged, ""))
    return {node.target.id: Parameter(node.annotation.id, ast.get_source_segment(source, node.value),
                                      source.splitlines()[node.end_lineno - 1].partition("  # ")[2])
            for node in ast.parse(source).body}


def effective(path, values: dict) -> dict:
    """The values that a notebook will use: `values`, and its own defaults for the rest."""
    return {name: ast.literal_eval(entry.default) for name, entry in parameters(path).items()} | values


QUIET_KERNEL = ["--IPKernelApp.log_level=ERROR"]
"""Without it every kernel says on start that its local connection is not encrypted."""


@dataclass(frozen=True)
class Execution:
    """What happened when a notebook was run; `error` is the cell and message of a failure, or ""."""

    name: str
    profile: str
    status: str
    seconds: float
    n_cells: int
    n_figures: int
    error: str = ""


def counts(notebook) -> tuple[int, int]:
    """Return how many cells of code and how many pictures a notebook has."""
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", ())]
    return (sum(cell.cell_type == "code" for cell in notebook.cells),
            sum("image/png" in output.get("data", {}) for output in outputs))


def execute(path, output, values: dict, profile="quick", title=None) -> Execution:
    """Run a notebook with papermill. Values that it has by itself are not given, so that no cell is added
    which says nothing new. One that raises has status "failed", kept in the copy's metadata, too."""
    import nbformat
    import papermill

    path, output = Path(path), Path(output)
    own = effective(path, {})
    values = {name: value for name, value in values.items() if name not in own or own[name] != value}
    output.parent.mkdir(parents=True, exist_ok=True)
    output.unlink(missing_ok=True)
    started, error = time.perf_counter(), ""
    try:
        papermill.execute_notebook(
            path, output, parameters=values, kernel_name="python3", cwd=path.parent,
            progress_bar={"desc": title or path.stem, "disable": None}, extra_arguments=QUIET_KERNEL)
    except papermill.PapermillExecutionError as failure:
        error = f"In [{failure.exec_count}]: {failure.ename}: {failure.evalue}"
    except (RuntimeError, OSError) as failure:
        # A kernel that does not start or dies: nothing else that papermill raises says so.
        error = f"{type(failure).__name__}: {failure}"
    seconds = time.perf_counter() - started
    notebook = nbformat.read(output if output.exists() else path, as_version=4)
    status = "failed" if error else "ok"
    record = Execution(path.stem, profile, status, round(seconds, 1), *counts(notebook), error)
    notebook.metadata["mtclib"] = asdict(record)
    nbformat.write(notebook, output)
    return record


KERNEL = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}
LANGUAGE = {"name": "python", "pygments_lexer": "ipython3"}
# Warnings begin with the temporary file of the cell that gave them.
PLACE = re.compile(r"^\S*/ipykernel_\d+/\d+\.py:\d+: ", re.MULTILINE)


def clean(notebook) -> None:
    """Drop what differs between two runs or two machines: timings, tool metadata, widget state, versions."""
    notebook.metadata = type(notebook.metadata)(kernelspec=dict(KERNEL), language_info=dict(LANGUAGE))
    for cell in notebook.cells:
        for key in [key for key in cell.metadata if key not in ("tags", "alt", "jupyter")]:
            del cell.metadata[key]
        for output in cell.get("outputs", ()):
            if output.get("name") == "stderr":
                output.text = PLACE.sub("", output.text)


def store_outputs(path) -> None:
    """Run a notebook in place and keep the outputs, ready to be committed; if a cell raises, nothing."""
    import nbformat
    from nbclient import NotebookClient

    path = Path(path)
    notebook = nbformat.read(path, as_version=4)
    clean(notebook)
    NotebookClient(notebook, kernel_name=KERNEL["name"], timeout=None, extra_arguments=QUIET_KERNEL,
                   resources={"metadata": {"path": str(path.parent)}}).execute()
    clean(notebook)
    with paths.replacing(path) as partial:
        nbformat.write(notebook, partial)
