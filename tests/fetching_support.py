"""A local server with good and bad files, a registry of them, and a made-up package wheel."""

import hashlib
import http.server
import io
import os
import tarfile
import threading
import time
import zipfile
from pathlib import Path
from types import SimpleNamespace

import pytest

from mtclib.datasets import entries, fetching

GOOD = b"the right bytes, repeated " * 400
FOLDER = {"news/train/1": b"one", "news/test/2": b"two\n"}


def sha(data):
    return hashlib.sha256(data).hexdigest()


def tar_bytes(files, prefix="", mode="w:gz", kind=tarfile.REGTYPE):
    """An archive of files, or of links or devices of these names."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode=mode) as archive:
        for name, data in files.items():
            info = tarfile.TarInfo(prefix + name)
            info.type, info.linkname = kind, "" if kind == tarfile.REGTYPE else "/etc/hostname"
            info.size = len(data) if kind == tarfile.REGTYPE else 0
            archive.addfile(info, io.BytesIO(data))
    return buffer.getvalue()


def bomb(kind, size, folder, mode="w:gz"):
    """An archive with a pax header, a name or a member of so many bytes in the folder, and a small member."""
    buffer, layout = io.BytesIO(), tarfile.PAX_FORMAT if kind == "pax" else tarfile.GNU_FORMAT
    with tarfile.open(fileobj=buffer, mode=mode, format=layout) as archive:
        info = tarfile.TarInfo(folder + "x" * (size if kind == "gnu" else 1))
        info.pax_headers = {"comment": "x" * size} if kind == "pax" else {}
        info.size = size if kind == "member" else 0
        archive.addfile(info, io.BytesIO(bytes(info.size)))
        archive.addfile(tarfile.TarInfo("news/1"))
    return buffer.getvalue()


def zip_bytes(files):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return buffer.getvalue()


NEWS = {f"data/{name}": data for name, data in FOLDER.items()}
REPOSITORY = tar_bytes({**NEWS, "data/news/.DS_Store": b"x", "other/big": b"y" * 999}, "repo-0123abc/")


class Handler(http.server.BaseHTTPRequestHandler):
    bodies = {"/good": GOOD, "/corrupt": GOOD[:-1] + b"!", "/truncated": GOOD[:100],
              "/repository": REPOSITORY, "/damaged": REPOSITORY[:-40],
              "/bomb": tar_bytes({"data/news/train/1": b"0" * 10**6}, "repo-1/"),
              "/packed.zip": zip_bytes({"Data/inner": GOOD}), "/other.zip": zip_bytes({"Data/else": GOOD}),
              "/names.zip": zip_bytes({"\xe4": GOOD}).replace(b"\xc3\xa4", b"\xff\xfe")}

    def do_GET(self):
        self.server.requests.append(self.path)
        if self.path == "/slow":
            time.sleep(0.6)
        if self.path in ("/dripping", "/endless"):
            self._send_for_ever(*{"/dripping": (b"x", 0.02), "/endless": (b"x" * 100_000, 0)}[self.path])
            return
        body = self.bodies.get("/good" if self.path == "/slow" else self.path)
        self.send_response(200 if body else 404)
        claimed = len(GOOD) if self.path == "/truncated" else len(body or b"")
        self.send_header("Content-Length", str(claimed))
        self.end_headers()
        self.wfile.write(body or b"")

    def _send_for_ever(self, data, pause):
        self.send_response(200)
        self.end_headers()
        for _ in range(4000):
            self.wfile.write(data)
            self.server.sent += len(data)
            time.sleep(pause)

    def log_message(self, *_):
        pass


@pytest.fixture
def server():
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as running:
        running.requests, running.sent, running.daemon_threads = [], 0, True
        running.handle_error = lambda *_: None
        threading.Thread(target=running.serve_forever, args=(0.01,), daemon=True).start()
        running.url = f"http://127.0.0.1:{running.server_port}"
        yield running
        running.shutdown()


def registry_text(url):
    """Files that behave as their names say."""
    single = f'bytes = {len(GOOD)}, sha256 = "{sha(GOOD)}"'
    packed = (f'folders = ["news"], inside = "data", ignore = [".DS_Store"], members = {len(FOLDER)}, '
              f'content_bytes = {sum(map(len, FOLDER.values()))}, sha256 = "{sha(b"not this wrapping")}", '
              f'content_sha256 = "{fetching.content_hash(FOLDER)}"')
    blob = hashlib.sha1(b"blob %d\0" % len(GOOD) + GOOD).hexdigest()
    files = {kind: f'url = "{url}/{kind}", {single}' for kind in (
        "good", "corrupt", "truncated", "missing", "slow", "dripping", "endless")}  # fmt: skip
    files |= {kind: f'url = "{url}/{kind}", {packed}' for kind in (
        "repository", "damaged", "bomb")}  # fmt: skip
    files |= {f"{kind}-zip": f'url = "{url}/{kind}.zip", member = "Data/inner", {single}' for kind in (
        "packed", "other", "names")}  # fmt: skip
    files |= {"blob": f'url = "{url}/good", git_blob = "{blob}"'}
    members = {f"{name}.tab": f'wheel = "fake-data==1.0", member = "pkg/{name}.tab", {known}'
               for name, known in (("member", single), ("second", f'sha256 = "{sha(b"2")}"'))}
    return "".join(
        f'[[set]]\nfolder = "{folder}"\nlicence = "none"\ncitation = "nobody"\nfiles = [\n'
        + "".join(f'{{name = "{name}", {known}}},\n' for name, known in rows.items()) + "]\n"
        for folder, rows in (("set", files), ("pkg", members)))


@pytest.fixture
def known(server, tmp_path, monkeypatch):
    """A registry of made-up files, an empty cache, no mirror."""
    (tmp_path / "registry.toml").write_text(registry_text(server.url))
    monkeypatch.setattr(entries, "_REGISTRY", tmp_path / "registry.toml")
    entries.registry.cache_clear()
    monkeypatch.setattr(fetching, "RETRIES", 0)
    monkeypatch.setattr(fetching, "TIMEOUT", 5)
    monkeypatch.setenv("MTCLIB_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("MTCLIB_DATA", raising=False)
    monkeypatch.delenv("MTCLIB_OFFLINE", raising=False)
    yield SimpleNamespace(cache=tmp_path / "cache", server=server)
    entries.registry.cache_clear()


def cached_files(known):
    return sorted(str(p.relative_to(known.cache)) for p in known.cache.rglob("*") if p.is_file())


def fake_pip(members, calls, returncode=0, cut=None, said="ERROR: No matching distribution found\n"):
    def run(command, **_):
        calls.append(command)
        file = os.path.join(command[command.index("--dest") + 1], "fake_data-1.0-py3-none-any.whl")
        if members is not None:
            Path(file).write_bytes(zip_bytes(members)[:cut])
        return SimpleNamespace(returncode=returncode, stdout="", stderr=said)

    return run
