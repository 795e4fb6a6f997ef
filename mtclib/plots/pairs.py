"""Scores of two tasks against each other, one point a run."""

import matplotlib.pyplot as plt
import numpy as np

from mtclib.plots.look import figure, legend


@figure
def task_pairs(frame, metric):
    """Score of task 2 against that of task 1, one panel a data set, one mark a method.

    Parameters
    ----------
    frame : DataFrame
        ``dataset, method, run, 1, 2``; fractions.
    metric : str
        Name on the axes.

    Returns
    -------
    matplotlib.figure.Figure
        The title of a panel names the correlation over runs of each method.

    Raises
    ------
    ValueError
        The frame is empty.

    Examples
    --------
    >>> import pandas as pd
    >>> rows = [("toy", "A", r, r / 10, r / 10) for r in range(5)]
    >>> fig = task_pairs(pd.DataFrame(rows, columns=["dataset", "method", "run", "1", "2"]), "NMI")
    >>> fig.axes[0].get_title()
    'toy\\nA: r = 1.00'
    """
    datasets = list(dict.fromkeys(frame["dataset"]))
    if not datasets:
        raise ValueError("frame: it has no rows")
    size = (max(2.6 * len(datasets), 4), 3.4)
    fig, axes = plt.subplots(1, len(datasets), figsize=size, squeeze=False)
    for ax, dataset in zip(axes[0], datasets):
        lines = []
        for method, runs in frame[frame["dataset"] == dataset].groupby("method", sort=False):
            ax.plot(100 * runs["1"], 100 * runs["2"], linestyle="", alpha=0.6, markersize=4, label=method)
            flat = len(runs) < 3 or runs[["1", "2"]].std().min() == 0
            r = np.nan if flat else np.corrcoef(runs["1"], runs["2"])[0, 1]
            lines.append(f"{method}: r = {r:.2f}")
        ax.set(title="\n".join([dataset, *lines]), xlabel=f"{metric}, task 1 (%)")
    axes[0][0].set_ylabel(f"{metric}, task 2 (%)")
    legend(fig, axes[0][0].get_lines()[:])
    return fig
