"""What every stored notebook must keep to: each rule takes a notebook and returns what is wrong with it."""

import ast
import json
import re
import tomllib
from pathlib import Path

import nbformat
import yaml

ROOT = Path(__file__).resolve().parents[1]
MAX_CELLS, MAX_LINES, MAX_BYTES = 55, 12, 1_300_000
COMMON = ("profile", "seed", "n_runs", "n_jobs")
PARAMETERS = """profile: str = "quick"  # quick or full
seed: int = 0  # root seed
n_runs: int = 0  # runs of each setting
n_jobs: int = 1  # processes"""
FRONT = ("profile",)
"""The front door, the differences and the methods show what was found elsewhere: no seed."""

REPOSITORY = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["urls"]["Repository"]
BINDER = REPOSITORY.replace("https://github.com/", "https://mybinder.org/v2/gh/")
BINDER += "/HEAD?urlpath=lab/tree/notebooks/"
ABSOLUTE = re.compile(r"(?<![\w.:/<])/(?:home|Users|root|tmp|work|mnt|opt|private|var|usr)/|\b[A-Z]:\\\\?\w")
BAR = re.compile(r"\r(?!\n)|\bit/s\b|\bs/it\b|\d%\||\[\d\d:\d\d<")
WARNING = re.compile(r"\b\w*Warning\b:")


def is_front(name):
    return name in ("index", "differences", "methods")


def is_about_a_paper(name):
    return name not in ("index", "methods", "your_data", "comparison", "differences")


def code_cells(nb):
    return [cell for cell in nb.cells if cell.cell_type == "code"]


def tagged(nb, tag):
    return [cell for cell in nb.cells if tag in cell.metadata.get("tags", ())]


def stored_texts(nb):
    for output in (output for cell in nb.cells for output in cell.get("outputs", ())):
        yield output.get("text", "")
        yield from (data for kind, data in output.get("data", {}).items() if kind.startswith("text/"))


def sources(nb):
    return [cell.source for cell in code_cells(nb)]


def all_texts(nb):
    return [*(cell.source for cell in nb.cells), *stored_texts(nb)]


def without(name, what, pattern, texts=stored_texts):
    """The rule of this name: no text of a notebook holds the pattern."""
    def rule(_, nb):
        return [f"{what}: {m.group()!r}" for text in texts(nb) if (m := re.search(pattern, text))]

    rule.__name__ = name
    return rule


no_absolute_paths = without("no_absolute_paths", "absolute path", ABSOLUTE, all_texts)
no_progress_bars = without("no_progress_bars", "progress bar", BAR)
no_addresses = without("no_addresses", "memory address", r" at 0x[0-9a-f]{6,}")
no_trailing_semicolons = without("no_trailing_semicolons", "semicolon", r"(?m);\s*(#.*)?$", sources)


def one_parameters_cell(name, nb):
    """papermill overlooks a parameter whose annotation has a "|", so `int | None` is not allowed."""
    cells = tagged(nb, "parameters")
    if len(cells) != 1:
        return [f"{len(cells)} cells are tagged parameters"]
    lines = [line for line in cells[0].source.splitlines() if line.strip()]
    wrong = [line for line in lines if not re.fullmatch(r"\w+: [\w, \[\]]+ = \S.*?  # \S.*", line)]
    names = {line.partition(":")[0] for line in lines}
    missing = [f"no parameter {p}" for p in (FRONT if is_front(name) else COMMON) if p not in names]
    # They would push the figure off the first screen; only a reader with own files has to fill them in.
    if name != "your_data" and not cells[0].metadata.get("jupyter", {}).get("source_hidden"):
        missing.append("open in JupyterLab")
    return [f"not `name: type = value  # what it is`: {line}" for line in wrong] + missing


def checks_parameters(cell):
    """A study checks its parameters itself."""
    return re.search(r"check_parameters\(|Study\([^)]*profile", cell.source)


def parameters_are_checked(name, nb):
    return [] if any(map(checks_parameters, code_cells(nb))) else ["no cell checks the parameters"]


def compared_cells(name, nb):
    compared, needed = tagged(nb, "nbval-check-output"), 1 if is_front(name) else 4
    few = [f"{len(compared)} cells are tagged nbval-check-output, {needed} are needed"]
    empty = [cell for cell in compared if not cell.get("outputs")]
    return few * (len(compared) < needed) + [f"compared, but without output: {c.source[:60]}" for c in empty]


def no_warnings_or_errors(name, nb):
    outputs = [output for cell in code_cells(nb) for output in cell.outputs]
    bad = [o for o in outputs if o.output_type == "error" or o.get("name") == "stderr"]
    return [f"stored {o.output_type}" for o in bad] + [t[:80] for t in stored_texts(nb) if WARNING.search(t)]


def small(name, nb):
    size = len(json.dumps(nb))
    long = [source for source in sources(nb) if len(source.splitlines()) > MAX_LINES]
    return ([f"more than {MAX_LINES} lines: {source[:60]}" for source in long]
            + [f"{len(nb.cells)} cells"] * (len(nb.cells) > MAX_CELLS)
            + [f"{size} bytes stored, at most {MAX_BYTES}"] * (size > MAX_BYTES))


def no_algorithms(name, nb):
    kinds = (ast.FunctionDef, ast.ClassDef, ast.While)
    nodes = [node for source in sources(nb) for node in ast.walk(ast.parse(source))]
    return [f"{type(node).__name__} in a cell: it belongs into mtclib"
            for node in nodes if isinstance(node, kinds)]


def cells_to_try(name, nb):
    """Of a paper: cells without the companion, short and open; all others are folded."""
    shut = tagged(nb, "hide-input")
    if not is_about_a_paper(name):
        return []
    opened = [cell.source for cell in code_cells(nb) if cell not in shut]
    wrong = [text for text in opened if "study" in text or "companion" in text or len(text.splitlines()) > 9]
    few = len(opened) < 3 or not any("fit(" in text for text in opened)
    return [f"not open code: {text[:60]}" for text in wrong] + ["too little to try"] * few


def clean_metadata(name, nb):
    extra = set(nb.metadata) - {"kernelspec", "language_info"}
    extra |= {key for cell in nb.cells for key in cell.metadata} - {"tags", "alt", "jupyter"}
    extra |= {f"language {key}" for key in ("version",) if key in nb.metadata.get("language_info", {})}
    kernel = nb.metadata.get("kernelspec", {}).get("name")
    return [f"metadata to clear: {key}" for key in sorted(extra)] + (
        [] if kernel == "python3" else [f"kernel {kernel}"])


def counts_in_order(name, nb):
    counts = [cell.execution_count for cell in code_cells(nb)]
    same = all(output.get("execution_count", cell.execution_count) == cell.execution_count
               for cell in code_cells(nb) for output in cell.outputs)
    return [] if counts == list(range(1, len(counts) + 1)) and same else [f"execution counts {counts}"]


def valid_format(name, nb):
    ids = [cell.get("id") for cell in nb.cells]
    if None in ids or len(set(ids)) < len(ids):
        return ["cell ids are missing or repeated"]
    try:
        nbformat.validate(nb)
    except nbformat.ValidationError as error:
        return [str(error).splitlines()[0]]
    return []


def _paper_title(name):
    references = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))["references"]
    return next((r["title"] for r in references if r["abbreviation"].lower() == name), None)


def informative_first_cell(name, nb):
    text = nb.cells[0].source if nb.cells[0].cell_type == "markdown" else ""
    # What a run takes comes after the answer; a reader with own files has only that to run.
    said = "\n".join(cell.source for cell in nb.cells[name != "your_data":] if cell.cell_type == "markdown")
    wanted = {"a title": text.startswith("# "), "a Binder badge": f"{BINDER}{name}.ipynb" in text}
    if is_about_a_paper(name):
        title, cost = _paper_title(name), re.search(r"\bfull\b[^\n]*?([\d.]+) (min|h)\b", said)
        wanted["the paper's title as in CITATION.cff"] = bool(title) and title.lower() in text.lower()
        kept = json.loads((ROOT / "data" / name / "results" / "provenance.json").read_text(encoding="utf-8"))
        share = cost and 2 * float(cost[1]) * {"min": 60, "h": 3600}[cost[2]] / kept["seconds"]
        near = bool(cost) and (0.75 < share < 1.33 or kept["seconds"] < 60)
        wanted["the measured cost of the full profile on two cores"] = near
    if not is_front(name):
        for profile in ("quick", "full"):
            cost = re.search(rf"\b{profile}\b[^\n]*\d\s*(s|min|h|hours?|minutes?|seconds?)\b", said)
            wanted[f"the cost of the {profile} profile"] = bool(cost)
    return [f"it lacks {what}" for what, there in wanted.items() if not there]


def links_lead_somewhere(name, nb):
    text = "\n".join(cell.source for cell in nb.cells if cell.cell_type == "markdown")
    binder = re.findall(r"https://mybinder\.org/v2/[^\s)\"]+", text)
    wrong = [link for link in binder if not link.startswith(BINDER)]
    local = [link.partition("#")[0] for link in re.findall(r"\]\(([^)\s]+)\)", text) if "://" not in link]
    wrong += [link for link in local if link and not (ROOT / "notebooks" / link).exists()]
    return [f"link leads nowhere: {link}" for link in wrong]


RULES = [
    one_parameters_cell, parameters_are_checked, compared_cells,
    no_absolute_paths, no_progress_bars, no_warnings_or_errors, no_addresses, no_trailing_semicolons,
    small, no_algorithms, cells_to_try, clean_metadata, counts_in_order, valid_format,
    informative_first_cell, links_lead_somewhere,
]  # fmt: skip
