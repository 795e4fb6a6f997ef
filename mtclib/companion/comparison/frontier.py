"""Which methods are worth their time and memory: gain, seconds and megabytes by number of samples.

Seconds are taken relative to plain k-means on the same set, which may have run on another day: a ratio is
good to a factor of two.  A method is on the frontier of its sizes if no other one gains as much in less time
and less memory.
"""

from itertools import product

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.path import Path
from matplotlib.text import Text
from matplotlib.transforms import Bbox

from mtclib.companion.comparison.advice import advised, evidence, spread
from mtclib.companion.comparison.sources import KINDS, PLAIN, summary
from mtclib.companion.plots import look
from mtclib.companion.tables import Table, frame_table

SIZES = [0, 500, 2000, 10**9]
KNOWN = 0.5  # share of sets on which a method's time must be known
BANDS = ["up to 500 samples", "to 2,000 samples", "more samples"]
PLACES = sorted(product((5, -5, 0, 20, -20, 40, -40, 60, -60), range(-80, 81, 10)),
                key=lambda place: np.hypot(*place))
"""Where a name may stand, in points from what it names."""

FASTER = {
    "tasks": "NJW on scales by cosine, of ours too, takes less than half of the consensus's time on up to "
             "2,000 samples: these sources do not tell which is better there.  Over all sizes its chance of "
             "a loss is larger.",
    "views": "Spectral clustering of neighbours by scikit-learn takes as much time as LandmarkSpectral on up "
             "to 500 samples: these sources do not tell which is better there.  Beyond, its mean is behind."}
"""What is faster than the advised method and not told apart from it, and what follows."""


def points(kind: str) -> pd.DataFrame:
    """One row for each band of samples and method with all results and a known cost, cheapest first.

    ``ARI`` (mean over sources, percent), ``time`` (median, in fits of plain k-means), ``MB`` (median),
    ``sets``, ``ours``, ``frontier``, and the ARI ``over`` that of the advised method with its interval.
    """
    sources = evidence(kind)
    known = pd.read_csv(sources.folder / "sets.csv", index_col="set")
    bands = pd.cut(known["samples"], SIZES, labels=BANDS)
    scores = sources.scores().reset_index(["kind", "preparation"], drop=True)
    first = sources.table.query("preparation == 'first' and `number of clusters` == 'known'")["set"]
    times = sources.seconds().reindex(first.index).set_axis(first)
    times = times.div(times[PLAIN], axis=0)
    memory = pd.read_csv(sources.made / "memory.csv")
    memory = memory.pivot_table("megabytes", "dataset", "method").reindex(first.index).set_axis(first)
    rows = []
    for band in BANDS:
        found = scores[scores.index.get_level_values("set").map(bands) == band].dropna(axis=1)
        sets = found.index.get_level_values("set")
        known_times = times.loc[sets, times.loc[sets].notna().mean() >= KNOWN]
        table = pd.DataFrame({"ARI": found.groupby("source").mean().mean(), "time": known_times.median(),
                              "MB": memory.loc[sets].median()})
        table = table.loc[list(found)].dropna().rename_axis("method")
        table["ours"] = [":" not in sources.protocol.methods[name].estimator for name in table.index]
        costs = (table[["ARI", "time", "MB"]] * [-1, 1, 1]).to_numpy()
        as_good, better = costs <= costs[:, None], costs < costs[:, None]
        if (take := advised(sources)["take"]) in found:
            over = found.sub(found[take], axis=0).groupby("source").mean()
            table["over"] = ["advised" if name == take else spread(summary(over[name]))
                             for name in table.index]
        table["frontier"] = ~(as_good.all(axis=2) & better.any(axis=2)).any(axis=1)
        rows.append(table.sort_values("time").reset_index().assign(sets=len(sets), band=band))
    return pd.concat(rows, ignore_index=True)


def table(kind: str) -> Table:
    """The frontier of each band, to be read."""
    found = points(kind).query("frontier")[["band", "sets", "method", "ARI", "over", "time", "MB"]]
    found = found.round({"ARI": 1, "time": 1, "MB": 0}).fillna("").rename(columns={"over": "over advised"})
    note = ("No other method has as high an ARI, the mean over sources, in less time and memory (medians); "
            "time is in fits of plain k-means, good to a factor of two, as the two may have run on other "
            "days.  Methods that lack a result on one set, or a time on half of the sets, are left out.")
    return frame_table(found, f"Many {kind}: the frontier by number of samples", notes=[note, FASTER[kind]])


@look.figure
def figure() -> Figure:
    """ARI against time, a panel for each kind of data and band; names are those of the frontier."""
    fig, axes = plt.subplots(len(BANDS), len(KINDS), figsize=(10.4, 10.4))
    panels = [(kind, *part) for kind in KINDS for part in points(kind).groupby("band", sort=False)]
    for ax, (kind, band, found) in zip(axes.T.flat, panels):
        for ours, marker, colour in ((True, "o", "#00457c"), (False, "s", "0.5")):
            part = found[found["ours"] == ours]
            ax.scatter(part["time"], part["ARI"], s=4 + part["MB"] / 4, marker=marker, color=colour,
                       alpha=0.6, label="ours" if ours else "another package")
        ax.set(xscale="log", title=f"Many {kind}, {band}", xlabel="time, in fits of plain k-means",
               ylabel="ARI (%)")
        ax.margins(0.1, 0.2)
        look.ticks(ax.xaxis, [1, 10, 100])
    look.legend(fig, axes[0][0].collections)
    fig.draw_without_rendering()  # where a name fits is known only once the axes have their places
    for ax, (*_, found) in zip(axes.T.flat, panels):
        _name(ax, found)
    return fig


def _name(ax, points):
    """Write each name of the frontier at the nearest place where it covers no name, point or edge, and where
    no line from a name to its point leads through another name."""
    drawer = ax.figure.canvas.get_renderer()
    marks = ax.transData.transform(points[["time", "ARI"]])
    taken, frame, names, lines = [Bbox.from_extents(mark - 3, mark + 3) for mark in marks], ax.bbox, [], []
    for point, mark in zip(points.itertuples(), marks):
        if not point.frontier:
            continue
        text = ax.annotate(point.method, (point.time, point.ARI), (0, 0), textcoords="offset points",
                           fontsize=8, va="center", in_layout=False,
                           arrowprops={"arrowstyle": "-", "linewidth": 0.5, "shrinkA": 0, "shrinkB": 2})
        for x, y in PLACES:
            text.set(position=(x, y), ha="right" if x < 0 else "left" if x else "center")
            text.update_positions(drawer)
            box = Text.get_window_extent(text, drawer).padded(2)  # without the line to the point
            line = Path([mark, (box.min + box.max) / 2])
            if ((box.min > frame.min).all() and (box.max < frame.max).all()
                    and not box.count_overlaps(taken + names) and not any(map(line.intersects_bbox, names))
                    and not any(other.intersects_bbox(box) for other in lines)):
                break
        names.append(box)
        lines.append(line)
