"""Loaders that read files which a test writes."""

import pytest
from fetching_support import known, server
from scipy.io import savemat

from mtclib.datasets import fetching, images, mbc, newsgroups, reuters, tasks, text, webkb

__all__ = ["known", "server"]

CACHED = [value for module in (images, mbc, newsgroups, reuters, tasks, text, webkb)
          for value in vars(module).values() if hasattr(value, "cache_clear")]  # fmt: skip


@pytest.fixture
def made_up(tmp_path, monkeypatch):
    """Let loaders read what the returned function writes (text, bytes, files, matrices) into a mirror whose
    files are not checked, and remember nothing."""
    monkeypatch.setenv("MTCLIB_DATA", str(tmp_path))
    monkeypatch.setenv("MTCLIB_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("MTCLIB_OFFLINE", "1")
    monkeypatch.setattr(fetching, "check", lambda *_: None)

    def write(name, content):
        for function in CACHED:
            function.cache_clear()
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        if isinstance(content, str):
            path.write_text(content, encoding="utf-8")
        elif isinstance(content, bytes):
            path.write_bytes(content)
        elif name.endswith(".mat"):
            savemat(path, content)
        else:
            fetching.write_folders(path, content)

    yield write
    for function in CACHED:
        function.cache_clear()


@pytest.fixture
def nowhere(tmp_path, monkeypatch):
    """No file can be had: an empty cache, no mirror and no network, and nothing read before."""
    monkeypatch.delenv("MTCLIB_DATA", raising=False)
    monkeypatch.setenv("MTCLIB_CACHE", str(tmp_path))
    monkeypatch.setenv("MTCLIB_OFFLINE", "1")
    for function in CACHED:
        function.cache_clear()
