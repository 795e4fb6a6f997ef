"""Figures that a notebook shows: tidy frames in, one closed matplotlib Figure out.

A notebook displays a figure by naming it in the last line of a cell; it is closed for pyplot, so that it
appears once and is freed.  Colours, markers and line styles come from ``mtclib.mplstyle`` and differ in
lightness and in shape.  Legends stand outside the axes and never cover data.
"""

from mtclib.companion.plots.curves import (
    forgetting_curve,
    objective_panels,
    order_spread,
    relation_matrix,
    robustness,
    runtime,
    selection,
    sensitivity,
    sensitivity_heatmap,
    stream_costs,
    task_objectives,
    trajectories,
    transfer_curve,
    weight_functions,
)
from mtclib.companion.plots.look import MANIFEST_COLUMNS, Picture, folder_key, save, style, write
from mtclib.companion.plots.scores import (
    certainty,
    forest,
    leverage,
    scoreboard,
    sharing,
    specification_curve,
    task_pairs,
)
from mtclib.companion.plots.userdata import embedding, number_of_clusters
