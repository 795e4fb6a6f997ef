"""The look that all figures share: style, layout, legend and ticks."""

import functools
from fractions import Fraction
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.ticker import FixedFormatter, FixedLocator, FuncFormatter, NullFormatter, NullLocator

MARK = {"linewidth": 1.2, "linestyle": (0, (1, 1)), "marker": ""}
# Of all labels of an axis together; beyond that, every second tick has none.
MOST_CHARACTERS = 18
RULE = {"linewidth": 0.8, "linestyle": "-", "marker": ""}
# Sizes of figures leave room for a legend of two rows; each further one makes them taller by so many inches.
LEGEND_ROWS, LEGEND_ROW = 2, 0.18


def style():
    """Context manager with the look of all figures, whatever the user's own settings are.

    Examples
    --------
    >>> with style():
    ...     plt.rcParams["axes.grid"]
    True
    """
    return plt.style.context(["default", Path(__file__).with_name("mtclib.mplstyle")])


def figure(draw):
    """Decorate a function that draws: style around it, layout after it, closed for pyplot.

    Parameters
    ----------
    draw : callable
        Returns a new figure.

    Returns
    -------
    callable
        Takes what `draw` takes; its figure looks the same wherever it is shown.

    Examples
    --------
    >>> fig = figure(lambda title: plt.figure(num=title))("toy")
    >>> plt.fignum_exists("toy")
    False
    """

    @functools.wraps(draw)
    def drawn(*args, **kwargs):
        with style():
            before = plt.get_fignums()
            try:
                fig = draw(*args, **kwargs)
                # A notebook draws later and outside the style.  The number of ticks depends on the size of
                # their labels, so that is fixed here, and the layout, once it has settled, is frozen.
                for ax in fig.axes:
                    ax.tick_params(labelsize=plt.rcParams["xtick.labelsize"])
                fig.draw_without_rendering()
                fig.draw_without_rendering()
                fig.set_layout_engine("none")
            finally:
                for number in set(plt.get_fignums()) - set(before):
                    plt.close(number)
        return fig

    return drawn


def band_line(ax, x, middle, low, high, name, **look):
    """A line with a pale band of its colour.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
        Where to draw.
    x, middle, low, high : array-like of shape (n,)
        Line, and lower and upper edge of the band.
    name : str
        Label of the line.
    **look
        Passed to ``ax.plot``.

    Returns
    -------
    matplotlib.lines.Line2D
        The line, for the legend.

    Examples
    --------
    >>> @figure
    ... def draw():
    ...     fig, ax = plt.subplots()
    ...     band_line(ax, [1, 2], [5, 6], [4, 5], [6, 7], "toy")
    ...     return fig
    >>> draw().axes[0].get_lines()[0].get_label()
    'toy'
    """
    (line,) = ax.plot(x, middle, label=name, **look)
    ax.fill_between(x, low, high, color=line.get_color(), alpha=0.15, linewidth=0)
    return line


def legend(fig, handles):
    """One legend below the axes, in as few rows as the width allows; many rows make the figure taller.

    Parameters
    ----------
    fig : matplotlib.figure.Figure
        Figure with a layout engine, which keeps the axes clear of the legend.
    handles : list of artists
        At least one; each with a label.

    Raises
    ------
    ValueError
        `handles` is empty.

    Examples
    --------
    >>> fig = plt.Figure(layout="constrained")
    >>> legend(fig, fig.subplots().plot([1, 2], label="toy"))
    >>> [text.get_text() for text in fig.legends[0].get_texts()]
    ['toy']
    """
    if not handles:
        raise ValueError("handles is empty: give at least one artist with a label")
    for rows in range(1, len(handles) + 1):
        columns = -(-len(handles) // rows)
        box = fig.legend(handles=handles, loc="outside lower center", ncols=columns)
        if columns == 1 or box.get_window_extent().width <= fig.bbox.width:
            break
        box.remove()
    fig.set_figheight(fig.get_figheight() + LEGEND_ROW * max(0, rows - LEGEND_ROWS))


def ticks(axis, values):
    """Ticks at these values and nowhere else, in the words of :func:`short`.

    Parameters
    ----------
    axis : matplotlib.axis.Axis
        Axis of any scale.
    values : array-like of shape (n,)
        Where.

    Examples
    --------
    >>> ax = plt.Figure().subplots()
    >>> ticks(ax.xaxis, [0.25, 4])
    >>> [text.get_text() for text in ax.get_xticklabels()]
    ['1/4', '4']
    """
    axis.set_major_locator(FixedLocator(values))
    names = [short(value) for value in values]
    if sum(map(len, names)) > MOST_CHARACTERS:
        names[1::2] = [""] * len(names[1::2])
    axis.set_major_formatter(FixedFormatter(names))
    axis.set_minor_locator(NullLocator())


def plain(axis):
    """Numbers without powers of ten along an axis: 0.00001, not 1e-05.

    Parameters
    ----------
    axis : matplotlib.axis.Axis
        Axis of any scale.

    Examples
    --------
    >>> ax = plt.Figure().subplots()
    >>> plain(ax.yaxis)
    >>> ax.yaxis.get_major_formatter()(1e-5), ax.yaxis.get_major_formatter()(9.999999999999999e-06)
    ('0.00001', '0.00001')
    """
    def written(value, _):
        # Places of ticks on a logarithmic axis are powers with an error: 9.999999999999999e-06.
        return np.format_float_positional(float(f"{value:.6g}"), trim="-")

    axis.set_major_formatter(FuncFormatter(written))
    axis.set_minor_formatter(NullFormatter())


def score_name(metric):
    """Name of a score on an axis; which normalisation of NMI it is belongs into the text.

    Parameters
    ----------
    metric : str
        Name of a score of ``mtclib.metrics.SCORES``.

    Examples
    --------
    >>> score_name("NMI_arithmetic"), score_name("ACC")
    ('NMI', 'ACC')
    """
    return metric.partition("_")[0]


def short(value):
    """A parameter value as one writes it by hand: one over an integer as a fraction, 1000 as a power.

    Parameters
    ----------
    value : float
        Any number.

    Returns
    -------
    str
        A power of ten from 1000 up and from 1/1000 down, a fraction for 1/2 to 1/1024, else up to six digits.

    Examples
    --------
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
