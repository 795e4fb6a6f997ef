"""The gallery: short examples that the build of the site runs, each with a picture."""

import ast
import hashlib
import io
import re
import shutil
import sys
import warnings
from contextlib import redirect_stdout
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

import matplotlib.pyplot as plt

from mtclib.baselines.registry import KINDS, all_estimators
from mtclib.companion.parameters import HOME
from mtclib.companion.site.pages import words
from mtclib.core import paths
from mtclib.datasets import FetchError

STYLE = ["default", "mtclib.companion.plots.mtclib"]


@dataclass(frozen=True)
class Example:
    """A file of ``examples/``: title, text and what its picture shows are the parts of its docstring, and the
    comments at its end what it prints."""

    file: Path
    title: str
    about: str
    alt: str
    code: str
    prints: str

    @property
    def label(self) -> str:
        """Name of its place in the gallery."""
        return f"example-{self.file.stem}".replace("_", "-")

    @property
    def uses(self) -> set[str]:
        """Names of the estimators that it runs: by name, or with all others of a kind."""
        kinds = [kind for kind in KINDS if f'all_estimators("{kind}")' in self.code]
        found = {name for kind in kinds for name in all_estimators(kind)}
        return found | set(re.findall(r"\w+", self.code)) & set(all_estimators())

    def run(self, kept: Path) -> str:
        """Run it unless a folder keeps what it prints, and return that; its picture is there, too. Where a
        file cannot be had, the reason is returned, and it will run again."""
        printed, said = kept / f"{self.file.stem}.txt", io.StringIO()
        if printed.is_file():
            return printed.read_text(encoding="utf-8")
        with plt.style.context(STYLE), redirect_stdout(said), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            plt.switch_backend("agg")
            try:
                exec(compile(self.code, self.file, "exec"), {"__name__": "__main__"})
            except FetchError as error:
                print(error)
                printed = printed.with_suffix(".missing")
            plt.savefig(kept / f"{self.file.stem}.png", dpi=100)
            plt.close("all")
        with paths.replacing(printed) as partial:
            partial.write_text(text := said.getvalue().rstrip(), encoding="utf-8")
        return text


def read() -> list[Example]:
    """Return all examples in order."""
    found = []
    for file in sorted((paths.root() / "examples").glob("*.py")):
        text = file.read_text(encoding="utf-8")
        code, prints = re.fullmatch(r'""".*?"""\n(.*?)((?:^# .*\n)*)', text, re.S | re.M).groups()
        parts = ast.get_docstring(ast.parse(text)).split("\n\n")
        title, about, alt = (" ".join(part.split()) for part in parts)
        prints = re.sub("^# ", "", prints, flags=re.M).rstrip()
        found.append(Example(file, title, about, alt, code.strip(), prints))
    return found


def _kept() -> Path:
    """The folder of what examples print and draw: an empty one, unless the last build had this Python, its
    packages and the same files. These are all that git does not ignore; without git nobody knows them."""
    files = paths.git("ls-files", "-z", "--cached", "--others", "--exclude-standard").split("\0")
    packages = sorted({f"{one.name} {one.version}" for one in metadata.distributions()})
    known = sys.version, packages, [(file, paths.file_hash(paths.root() / file)) for file in files]
    folder = paths.build_dir() / "gallery" / hashlib.sha256(repr(known).encode()).hexdigest()
    if not (any(files) and folder.is_dir()):
        shutil.rmtree(folder.parent, ignore_errors=True)
        folder.mkdir(parents=True)
    return folder


def write(source: Path) -> dict[str, str]:
    """Run all examples, and write a page for each and one that shows all; return its name and title."""
    found, cards, folder = read(), [], source / "gallery"
    if not found:
        return {}
    folder.mkdir()
    kept, names = _kept(), "|".join(all_estimators())
    for one in found:
        printed = one.run(kept)
        shutil.copy(kept / f"{one.file.stem}.png", folder)
        known = {**vars(one), "name": one.file.stem, "label": one.label, "home": HOME,
                 "about": re.sub(f"`({names})`", r"{py:class}`.\1`", one.about),
                 "printed": printed and f"```text\n{printed}\n```"}
        cards.append(words("example-card", **known))
        (folder / f"{one.file.stem}.md").write_text(words("example", **known), encoding="utf-8")
    (source / "gallery.md").write_text(words("gallery", cards="\n".join(cards)), encoding="utf-8")
    return {"gallery": "Gallery"}
