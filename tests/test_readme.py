"""What the README shows is run."""

import re
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[1]
TEXT = (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_example_on_own_tasks_separates_the_topics():
    (example,) = re.findall(r"```python\n(.*?)```", TEXT, re.S)
    scope = {}
    exec(compile(example, "README.md", "exec"), scope)
    for labels in scope["model"].labels_:
        assert [len(set(labels[:3])), len(set(labels[3:]))] == [1, 1] and labels[0] != labels[3]
    relation = scope["model"].relation_[0, 1]
    sports = scope["model"].labels_[0][0], scope["model"].labels_[1][0]
    assert relation[sports] == relation.max() and np.isclose(relation.sum(), 1.0)


@pytest.mark.parametrize("link", sorted(set(re.findall(r"\]\(([^)#:]+)\)", TEXT))))
def test_links_lead_to_files(link):
    assert (ROOT / link).exists()


def test_the_example_takes_about_ten_lines():
    (example,) = re.findall(r"```python\n(.*?)```", TEXT, re.S)
    statements = [line for line in example.splitlines() if line and not line.startswith(" ")]
    assert len(statements) <= 10
