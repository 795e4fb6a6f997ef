"""The look that all figures share: style, layout, panels, legend and ticks; and figures as equal files."""

import functools
import hashlib
import io
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import FixedFormatter, FixedLocator, FuncFormatter, NullFormatter, NullLocator
from matplotlib.transforms import Bbox, ScaledTranslation
from PIL import Image
from scipy import stats

from mtclib.core.paths import figures_dir, file_hash, replacing

MARK = {"linewidth": 1.2, "linestyle": (0, (1, 1)), "marker": ""}
RULE = {"linewidth": 0.8, "linestyle": "-", "marker": ""}
MOST_CHARACTERS = 18  # of all labels of an axis together; beyond that, every second tick has none
# Sizes of figures leave room for a legend of two rows; each further one makes them taller by so many inches.
LEGEND_ROWS, LEGEND_ROW = 2, 0.18
CONFIDENCE = 0.95
LEAST = 20  # points that an axis of scores spans: a smaller one would show noise as an effect
APART, SPREAD = 2.5, 10  # points between the whiskers of two lines, and of all lines at most
# A method looks the same in every figure: its place in the cycle of colours, markers and line styles.
PLACES = {"LSSMTC": 0, "SPMTC-h": 1, "SPMTC-s": 2, "SPMTC-h, rows kept": 3, "SPMTC-s, rows kept": 4,
          "Con-MC": 0, "RMKMC": 1, "MSPL-naive": 2, "MSPL-hard": 3, "MSPL-smooth": 4, "MSPL": 4}
MANIFEST_COLUMNS = ("file", "sha256", "notebook", "data", "printed")
# Without dates and program versions, equal figures give equal files.
_METADATA = {"png": {"Software": None}, "svg": {"Date": None, "Creator": None}}


@contextmanager
def style() -> Iterator[None]:
    """The look of all figures, whatever the user's own settings are; letters that no font has are boxes."""
    look = plt.style.context(["default", Path(__file__).with_name("mtclib.mplstyle")])
    with look, warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing from")
        yield


def figure(draw):
    """Decorate a function that draws: style around it, layout after it, closed for pyplot."""

    @functools.wraps(draw)
    def drawn(*args, **kwargs):
        with style():
            before = plt.get_fignums()
            try:
                fig = draw(*args, **kwargs)
                if figures_dir():  # else nobody looks, and pictures take longer than all that notebooks say
                    _settle(fig)
                fig.set_label(_described(fig, draw))
            finally:
                for number in set(plt.get_fignums()) - set(before):
                    plt.close(number)
        return fig

    return drawn


def _settle(fig):
    """Freeze the layout: a notebook draws later and outside the style."""
    # The number of ticks depends on the size of their labels, so that is fixed before.
    for ax in fig.axes:
        ax.tick_params(labelsize=plt.rcParams["xtick.labelsize"])
    for _ in range(2):
        fig.get_layout_engine().execute(fig)
    fig.set_layout_engine("none")
    # The last bits of the layout follow addresses in memory, and names in an SVG hash them.
    for ax in fig.axes:
        ax.set_position(Bbox(ax.get_position(original=True).get_points().round(12)))


def _described(fig, draw):
    """A figure in words: what its function draws, its panels and what its legend names."""
    summary = " ".join((draw.__doc__ or "").partition("\n\n")[0].replace("`", "").split())
    titles = [" ".join(title.split()) for ax in fig.axes for title in (ax.get_title(), ax.get_title("left"))]
    named = [text.get_text() for box in fig.legends for text in box.get_texts()]
    parts = (("Panels", dict.fromkeys(filter(None, titles))), ("Legend", named))
    return " ".join([summary, *(f"{word}: {'; '.join(names)}." for word, names in parts if names)])


def panels(n, width, height, room=(0, 0), most=2, **shared):
    """A figure with `n` panels of this size in at most so many columns, and `room` (wide, high) besides."""
    columns = min(most, n)
    shape = (-(-n // columns), columns)
    size = (width * shape[1] + room[0], height * shape[0] + room[1])
    fig, axes = plt.subplots(*shape, figsize=size, squeeze=False, **shared)
    for spare in axes.flat[n:]:
        spare.set_axis_off()
    return fig, axes


def band_line(ax, x, middle, low, high, name, **look):
    """A line with a pale band of its colour; returns the line, for the legend."""
    (line,) = ax.plot(x, middle, label=name, **look)
    ax.fill_between(x, low, high, color=line.get_color(), alpha=0.15, linewidth=0)
    return line


def mean_interval(table):
    """Mean of each row over its columns, and the ends of its t interval; a single column has none."""
    mean, error = table.mean(axis=1), table.sem(axis=1).fillna(0.0)
    half = error * stats.t.ppf((1 + CONFIDENCE) / 2, np.maximum(table.notna().sum(axis=1) - 1, 1))
    return mean, mean - half, mean + half


def looks(names):
    """Colour, marker and line style of each of several lines: that of its method, or else a free one."""
    cycle = list(plt.rcParams["axes.prop_cycle"])
    fixed = {PLACES[name] for name in names if name in PLACES}
    free = [place for place in range(len(cycle)) if place not in fixed]
    # Once all are taken, they come back with open markers.
    free += [place + len(cycle) for place in range(len(names))]
    found = {name: PLACES[name] if name in PLACES else free.pop(0) for name in names}
    again = {"markerfacecolor": "white", "markeredgewidth": 1.2}
    return {name: cycle[place % len(cycle)] | (again if place >= len(cycle) else {})
            for name, place in found.items()}


def whisker_lines(ax, tables, every=1):
    """Lines of the means of `tables`, name to a frame of x by run, with whiskers to their 95 % t intervals.
    Lines are moved apart a little, so that no whisker hides another. `every` is how many points have one
    marker and one whisker."""
    for number, ((name, table), look) in enumerate(zip(tables.items(), looks(list(tables)).values())):
        shift = min(APART, SPREAD / len(tables)) * (number - (len(tables) - 1) / 2) / 72
        moved = ax.transData + ScaledTranslation(shift, 0, ax.figure.dpi_scale_trans)
        mean, low, high = mean_interval(table)
        if not ((table < 0) | (table > 100)).to_numpy().any():
            low, high = low.clip(lower=0), high.clip(upper=100)  # a score in percent ends there
        (line,) = ax.plot(mean.index, mean, label=name, markevery=every, transform=moved, **look)
        ends = mean.index[::every], low[::every], high[::every]
        ax.vlines(*ends, color=line.get_color(), linewidth=1, transform=moved)
        # Matplotlib leaves lines that are moved out of the limits of the axes.
        ax.update_datalim([[x, y] for edge in (low, high) for x, y in edge.items()])
    return ax.get_lines()[len(ax.get_lines()) - len(tables):]


def widen(ax):
    """Let an axis of scores in percent span at least `LEAST` points, about the middle of what it shows. Axes
    that share it must all be drawn before, since its limits are fixed here."""
    low, high = ax.get_ylim()
    if high - low < LEAST:
        bottom = max((low + high - LEAST) / 2, min(low, 0))
        ax.set_ylim(bottom, bottom + LEAST)


def legend(fig, handles):
    """The figure with one legend below the axes, in as few rows as the width allows; many make it taller. The
    layout engine keeps the axes clear of it."""
    for rows in range(1, len(handles) + 1):
        columns = -(-len(handles) // rows)
        box = fig.legend(handles=handles, loc="outside lower center", ncols=columns)
        if columns == 1 or box.get_window_extent().width <= fig.bbox.width:
            break
        box.remove()
    fig.set_figheight(fig.get_figheight() + LEGEND_ROW * max(0, rows - LEGEND_ROWS))
    return fig


def ticks(axis, values):
    """Ticks at these values and nowhere else, in the words of :func:`short`."""
    axis.set_major_locator(FixedLocator(values))
    names = [short(value) for value in values]
    if sum(map(len, names)) > MOST_CHARACTERS:
        names[1::2] = [""] * len(names[1::2])
    axis.set_major_formatter(FixedFormatter(names))
    axis.set_minor_locator(NullLocator())


def plain(axis):
    """Numbers without powers of ten along an axis: 0.00001, not 1e-05."""
    def written(value, _):
        # Places of ticks on a logarithmic axis are powers with an error: 9.999999999999999e-06.
        return np.format_float_positional(float(f"{value:.6g}"), trim="-")

    axis.set_major_formatter(FuncFormatter(written))
    axis.set_minor_formatter(NullFormatter())


def score_name(metric):
    """Name of a score on an axis; which normalisation of NMI it is belongs in the text."""
    return f"{metric.partition('_')[0]} (%)"


def short(value):
    """A number as one writes it by hand: one over an integer as a fraction, 1000 as a power of ten.

    >>> short(0.25), short(4.0), short(0.3), short(0.001)
    ('1/4', '4', '0.3', '10⁻³')
    """
    power = round(np.log10(value)) if value > 0 else 0
    if abs(power) >= 3 and np.isclose(value, 10.0**power, rtol=1e-9, atol=0):
        return "10" + str(power).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))
    fraction = Fraction(float(value)).limit_denominator(1024)
    if 0 < value < 1 and fraction.numerator == 1 and np.isclose(float(fraction), value):
        return str(fraction)
    return f"{value:g}"


def save(fig: Figure, name: str, folder: str | Path, notebook: str = "", data: str = "",
         printed: str = "") -> list[Path]:
    """Write a figure so that equal figures give equal files, record it in `folder`'s ``manifest.csv``, return
    the paths. `name` has no ending; `notebook` drew the figure, `data` is what it was drawn from, and
    `printed` names the figures of a paper that it stands for, as ``"LMSC 2, LMSC 3"``."""
    if not name.strip(".") or not name.replace("-", "").replace("_", "").replace(".", "").isalnum():
        raise ValueError(f"name={name!r}: use letters, digits, '-', '_' and '.' only, without ending")
    Path(folder).mkdir(parents=True, exist_ok=True)
    paths, manifest = write({name: fig}, folder), Path(folder) / "manifest.csv"
    rows = [(path.name, file_hash(path), notebook, data, printed) for path in paths]
    table = pd.DataFrame(rows, columns=MANIFEST_COLUMNS)
    if manifest.exists():
        known = pd.read_csv(manifest, dtype=str, keep_default_na=False)
        table = pd.concat([known[~known["file"].isin(table["file"])], table]).sort_values("file")
    with replacing(manifest) as partial:  # of two processes at the same moment, one may lose its rows
        table.to_csv(partial, index=False, lineterminator="\n")
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
    lines = [f"{path.relative_to(root).as_posix()} {file_hash(path)}\n" for path in files]
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
        if figures_dir() is None:
            return None
        full, small = io.BytesIO(), io.BytesIO()
        with style():
            self.figure.savefig(full, format="png", dpi=self.figure.dpi, metadata=_METADATA["png"])
        image = Image.open(full).convert("RGB")
        image.quantize(self.COLOURS, dither=Image.Dither.NONE).save(small, format="png", optimize=True)
        return small.getvalue(), self.about
