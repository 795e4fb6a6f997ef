"""A data folder of papers that a test writes itself."""

import pytest


@pytest.fixture
def write(tmp_path, monkeypatch):
    """Writes a file of a paper into an empty data folder, and returns the name of the paper."""
    monkeypatch.setenv("MTCLIB_ROOT", str(tmp_path))

    def file(name, text, paper="demo"):
        folder = tmp_path / "data" / paper
        folder.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8", errors="surrogateescape")
        return paper

    return file
