"""The stored notebooks keep the rules."""

import nbformat
import pytest
from structure import ROOT, RULES

NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_a_stored_notebook_keeps_the_rule(rule, path):
    assert rule(path.stem, nbformat.read(path, as_version=4)) == []
