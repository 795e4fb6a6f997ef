"""Parts of a stored notebook."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PARAMETERS = """profile: str = "quick"  # quick or full
seed: int = 0  # root seed
n_runs: int = 0  # runs of each setting
n_jobs: int = 1  # processes"""


def is_front(name):
    return name in ("index", "differences", "methods")


def code_cells(nb):
    return [cell for cell in nb.cells if cell.cell_type == "code"]


def tagged(nb, tag):
    return [cell for cell in nb.cells if tag in cell.metadata.get("tags", ())]


def checks_parameters(cell):
    """A study checks its parameters itself."""
    return re.search(r"check_parameters\(|Study\([^)]*profile", cell.source)
