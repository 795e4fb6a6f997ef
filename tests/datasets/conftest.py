"""Loaders that read files which a test writes."""

from functools import partial

import pytest
from scipy.io import savemat

from mtclib.datasets import fetching, formats, images, mbc, newsgroups, newsviews, reuters, tasks, text, webkb

READERS = (formats, images, mbc, newsgroups, newsviews, reuters, tasks, text, webkb)


def _without_cache(read):
    args = getattr(read, "args", ())  # of a partial
    return partial(getattr(read, "func", read).__wrapped__, *args)


@pytest.fixture
def made_up(tmp_path, monkeypatch):
    """Let loaders read what the returned function writes (text, bytes, files, matrices), and not remember."""
    for module in READERS:
        if hasattr(module, "fetch"):
            monkeypatch.setattr(module, "fetch", lambda name: tmp_path / name)
        for name, value in list(vars(module).items()):
            if hasattr(value, "cache_clear"):
                monkeypatch.setattr(module, name, value.__wrapped__)
            elif name == "EDITIONS":
                fresh = {edition: _without_cache(read) for edition, read in value.items()}
                monkeypatch.setattr(module, name, fresh)

    def write(name, content):
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

    return write


@pytest.fixture
def nowhere(tmp_path, monkeypatch):
    """No file can be had: an empty cache, which is returned, no mirror and no network."""
    monkeypatch.delenv("MTCLIB_DATA", raising=False)
    monkeypatch.setenv("MTCLIB_CACHE", str(tmp_path))
    monkeypatch.setenv("MTCLIB_OFFLINE", "1")
    return tmp_path
