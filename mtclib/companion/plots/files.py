"""Figures as files: equal figures give equal bytes, and a manifest records them."""

import hashlib
import io
from collections.abc import Mapping
from pathlib import Path

import pandas as pd
from matplotlib.figure import Figure
from PIL import Image

from mtclib.companion.plots.look import style
from mtclib.core.paths import replacing

MANIFEST_COLUMNS = ("file", "sha256", "notebook", "data", "printed")
# Without dates and program versions, equal figures give equal files.
_METADATA = {"png": {"Software": None}, "svg": {"Date": None, "Creator": None}}


def save(fig: Figure, name: str, folder: str | Path, notebook: str = "", data: str = "",
         printed: str = "") -> list[Path]:
    """Write a figure so that equal figures give equal files, record it in `folder`'s ``manifest.csv``, return
    the paths. `name` has no ending; `notebook` drew the figure, `data` is what it was drawn from, and
    `printed` names the figures of a paper that it stands for, as ``"LMSC 2, LMSC 3"``."""
    if not name.strip(".") or not name.replace("-", "").replace("_", "").replace(".", "").isalnum():
        raise ValueError(f"name={name!r}: use letters, digits, '-', '_' and '.' only, without ending")
    Path(folder).mkdir(parents=True, exist_ok=True)
    paths = write({name: fig}, folder)
    _record(Path(folder) / "manifest.csv", paths, (notebook, data, printed))
    return paths


def write(figures: Mapping, folder: str | Path) -> list[Path]:
    """Write figures, name to figure, as files of equal bytes for equal figures; the paths."""
    paths = [Path(folder) / f"{name}.{ending}" for name in figures for ending in _METADATA]
    with style():
        for path in paths:
            figures[path.stem].savefig(path, metadata=_METADATA[path.suffix[1:]])
    return paths


def folder_key(root: str | Path, pattern: str) -> str:
    """What identifies the files of some folders: the pattern and a hash over their names and contents."""
    files = sorted(path for path in Path(root).glob(f"{pattern}/**/*") if path.is_file())
    if not files:
        raise ValueError(f"folder: {pattern} holds no files; what should the figure have been drawn from?")
    lines = [f"{path.relative_to(root).as_posix()} {hashlib.sha256(path.read_bytes()).hexdigest()}\n"
             for path in files]
    return f"{pattern} {hashlib.sha256(''.join(lines).encode()).hexdigest()}"


class Picture:
    """A figure as a notebook shows it: a PNG with a palette, a third of the size of one in full colour. The
    notebook also keeps the `name` of its file, and `alt`, its alternative text, by default derived from the
    plot function's docstring, panel titles and legend."""

    COLOURS = 64

    def __init__(self, figure: Figure, name: str = "", alt: str = "") -> None:
        self.figure = figure
        known = {"figure": name, "alt": alt or figure.get_label()}
        self.about = {key: text for key, text in known.items() if text}

    def __repr__(self):
        return repr(self.figure)

    def _repr_png_(self):
        full, small = io.BytesIO(), io.BytesIO()
        with style():
            self.figure.savefig(full, format="png", dpi=self.figure.dpi, metadata=_METADATA["png"])
        image = Image.open(full).convert("RGB")
        image.quantize(self.COLOURS, dither=Image.Dither.NONE).save(small, format="png", optimize=True)
        return small.getvalue(), self.about


def _record(manifest, paths, origin):
    """Replace the rows of these files; keep the manifest sorted and never half-written. Of two processes that
    record at the same moment, one may lose its rows."""
    rows = [(path.name, hashlib.sha256(path.read_bytes()).hexdigest(), *origin) for path in paths]
    table = pd.DataFrame(rows, columns=MANIFEST_COLUMNS)
    if manifest.exists():
        known = pd.read_csv(manifest, dtype=str, keep_default_na=False)
        table = pd.concat([known[~known["file"].isin(table["file"])], table]).sort_values("file")
    with replacing(manifest) as partial:
        table.to_csv(partial, index=False, lineterminator="\n")
