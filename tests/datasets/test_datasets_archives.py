"""Packed folders: what is read, what is refused."""

import hashlib
import io
import tarfile

import pytest

from mtclib.datasets.fetching import UnsafeArchive, content_hash, read_folders, write_folders


def make(path, members):
    with tarfile.open(path, "w") as archive:
        for name, kind in members:
            info = tarfile.TarInfo(name)
            info.type, info.linkname = kind, "/etc/hostname" if kind != tarfile.REGTYPE else ""
            info.size = 1 if kind == tarfile.REGTYPE else 0
            archive.addfile(info, io.BytesIO(b"x"))


@pytest.mark.parametrize("name", ["news/../../evil", "/news/evil", "../news/evil", "repo/data/news/../evil"])
def test_a_member_that_leaves_its_folder_is_refused(tmp_path, name):
    make(tmp_path / "a.tar", [("news/fine", tarfile.REGTYPE), (name, tarfile.REGTYPE)])
    with pytest.raises(UnsafeArchive, match="would leave its folder"):
        read_folders(tmp_path / "a.tar", ["news"], "data")


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE])
def test_a_link_or_a_pipe_in_the_data_is_refused_and_elsewhere_ignored(tmp_path, kind):
    make(tmp_path / "a.tar", [("repo/docs/link", kind), ("repo/news/1", tarfile.REGTYPE)])
    assert read_folders(tmp_path / "a.tar", ["news"]) == {"news/1": b"x"}
    make(tmp_path / "b.tar", [("repo/news/link", kind)])
    with pytest.raises(UnsafeArchive, match="link or a device"):
        read_folders(tmp_path / "b.tar", ["news"])


def test_a_folder_of_the_same_name_elsewhere_in_a_repository_is_not_data(tmp_path):
    members = ["repo/src/news/1", "repo/news/2", "repo/data/news/3", "repo/data/news", "repo/data/newsroom/4"]
    make(tmp_path / "a.tar", [(name, tarfile.REGTYPE) for name in members if name != "repo/data/news"])
    assert list(read_folders(tmp_path / "a.tar", ["news"], "data")) == ["news/3"]
    assert list(read_folders(tmp_path / "a.tar", ["news"])) == ["news/2"]


def test_names_with_colons_returns_and_dots_survive(tmp_path):
    files = {"webkb/course/http:^^a.b^c\r": b"1", "webkb/a..b": b"2"}
    write_folders(tmp_path / "a.tar.xz", files)
    assert read_folders(tmp_path / "a.tar.xz", ["webkb"]) == files


def test_packing_the_same_files_gives_the_same_bytes(tmp_path):
    files = {"a/2": b"2", "a/1": b"1"}
    write_folders(tmp_path / "x", files)
    write_folders(tmp_path / "y", dict(sorted(files.items())))
    assert (tmp_path / "x").read_bytes() == (tmp_path / "y").read_bytes()


def test_the_content_hash_is_the_documented_one_and_sees_names_and_bytes():
    empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    assert content_hash({}) == empty
    assert content_hash({"a": b""}) == hashlib.sha256(f"a\0{empty}\n".encode()).hexdigest()
    assert len({content_hash(f) for f in ({"a": b""}, {"b": b""}, {"a": b"1"}, {"a": b"", "b": b""})}) == 4
