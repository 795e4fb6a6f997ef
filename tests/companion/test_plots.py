"""Figures: all of them draw, uncut and the same every time; and what each shows is what it was given."""

import functools
import hashlib
import io
import itertools
import json
import os
import subprocess
import sys
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.collections import LineCollection
from matplotlib.colors import to_hex
from numpy.testing import assert_allclose
from PIL import Image
from scipy import stats
from seaborn.utils import relative_luminance

from mtclib.companion import plots
from mtclib.companion.plots.look import figure, looks, plain
from mtclib.companion.tables import COLOURS, MEANINGS
from mtclib.companion.userdata import number
from mtclib.companion.userdata.load import example
from mtclib.companion.verdicts.judge import SYMBOLS
from mtclib.maths.selfpaced import smooth_weights

pytestmark = pytest.mark.filterwarnings("error")

BASE = {"lam": 4.0, "mu": 0.5, "alpha": 4.0, "beta": 0.5}
VALUES = (0.25, 0.5, 1.0, 2.0, 4.0)
GRID = [{"lam": a, "alpha": b} for a in VALUES for b in VALUES]
LONG = "a_data set with a rather $long$ name"
HISTORIES = {LONG: [[9.0, 3.0, 1.0], [8.0, 1.0]], "printed": [[7.0, 6.0, 5.5, 5.4]]}
MATRIX = np.array([[0.173, 0.0, 0.1236], [0.0, 0.1507, 0.1321], [0.1, 0.1, 0.1]])  # the last is a tie
POINTS = np.random.default_rng(0).normal(size=(12, 2))
LAM, ROWS = {"lam": 1.0}, ["a", "$a_b$", "tie"]
KNOWLEDGE = ("with libraries", "without")


def frame_of(columns, rows):
    return pd.DataFrame(list(rows), columns=columns.split())


def results(settings, datasets=("toy",), runs=3, value=lambda setting, run: 0.5 + 0.01 * run):
    rows = [(d, json.dumps(s), r, value(s, r)) for d in datasets for s in settings for r in range(runs)]
    return frame_of("dataset params run value", rows).assign(task="avg", metric="ACC")


def one_param(values=VALUES, **options):
    return results([{"lam": v} for v in values], **options)


def star(**options):
    """One parameter moves, the others stay at the base."""
    settings = {json.dumps(BASE | {name: v}): BASE | {name: v} for name in BASE for v in VALUES}
    return results(settings.values(), **options)


def judged(verdicts, paper="p"):
    rows = [(str(n % 2 + 1), f"method {n // 2}", verdict) for n, verdict in enumerate(verdicts)]
    frame = frame_of("task method verdict", rows)
    return frame.assign(paper=paper, table="3", dataset="toy", metric="ACC", counted=True)


def boards(**papers):
    """Papers side by side; each has one lower cell."""
    parts = [judged(["exact"] * (n - 1) + ["lower"], paper) for paper, n in papers.items()]
    return plots.scoreboard(pd.concat(parts), {paper: f"Paper\n{n} cells" for paper, n in papers.items()})


def planted(formula, **axes):
    """A row for each combination of what stands on some axes, with a value by a formula of them."""
    frame = pd.DataFrame(itertools.product(*axes.values()), columns=list(axes))
    return frame.assign(value=frame.eval(formula, engine="python"))


TIMINGS = planted("(solver == 'b') * 1e-3 * n_clusters + (solver != 'b') * 1e-4 * n_clusters**3",
                  solver=(LONG, "b"), n_clusters=(5, 15, 95), run="ab").rename(columns={"value": "seconds"})
NOISY = planted("0.9 - 0.3 * (dataset == 'y') - share / 4 * (method == 'B') + run / 100", dataset="xy",
                kind=("mixed", "long"), share=(0.0, 0.4), method="AB", run=(-1, 0, 1))
CURVES = planted("(iteration + run) / 10", dataset=("toy", "real"), method="AB", run=range(3),
                 iteration=range(4)).assign(metric="ACC")
TRANSFER = planted("0.4 + 0.01 * seed + 0.1 * (position - 1) * (knowledge == 'with libraries')", dataset="xy",
                   seed=range(3), position=(1, 2, 3), knowledge=KNOWLEDGE).assign(metric="NMI_arithmetic")
# Task t is worth t tenths, and a later position one point more.
ORDERS = planted("0.01 * position", dataset="x", seed=(4, 7), order=range(3), position=(1, 2, 3))
ORDERS = ORDERS.eval("task = (order + position - 1) % 3 + 1").eval("value = value + 0.1 * task")
ORDERS["metric"] = "NMI_arithmetic"
FORGETTING = planted("0.9 - 0.1 * tasks_seen - 0.2 * (against == 'classes')", dataset="x", seed=(0, 1),
                     tasks_seen=(1, 2), against=("classes", "labels at arrival"))
FORGETTING = FORGETTING.assign(metric="NMI_arithmetic", at_arrival=0.7 + 0.02 * FORGETTING["seed"])
COSTS = planted("0.5", dataset="x", seed=(0, 1, 5), method=("LMSC", "all tasks again"), tasks_seen=(1, 2))
COSTS = COSTS.eval("seconds = tasks_seen * (1 + seed)").eval("bytes = 1000.0 * tasks_seen")
CHANGES = pd.DataFrame({"decision": ["O1", "O1", "O2"], "metric": "ACC", "change": [-4.0, 1.0, 2.0],
                        "ours": "tf", "alternative": "counts"})  # fmt: skip
SHARED = pd.DataFrame({"source": ["a", "a", "b"], "gain": [1.0, 3.0, -2.0], "measure": [0.1, 0.1, 0.7]})
PAIRS = frame_of("dataset method run 1 2", [("toy", "A", r, r / 10, r / 10) for r in range(5)])
LABELS = np.repeat(np.arange(4), 3)
GAINS = frame_of("rival printed ours low high least most pipelines_least pipelines_most",
                 [("rival", 5.0, 2.0, 1.0, 3.0, 4.0, 6.0, -1.0, 4.0),
                  (LONG, 9.0, -1.0, -3.0, 1.0, 8.0, 10.0, -4.0, 0.5)])  # fmt: skip
CURVE = frame_of("table pipeline printed ours", [
    ("1", "as fixed", 5.0, 4.0), ("1", "counts, rows kept", 5.0, -2.0), ("2", "counts", 3.0, 1.0)])
proposed = functools.cache(lambda: number.candidates(example("tasks")))
CASES = {
    "sensitivity": lambda: plots.sensitivity(star(datasets=(LONG, "toy")), BASE),
    "sensitivity of one": lambda: plots.sensitivity(one_param(), LAM),
    "sensitivity of many": lambda: plots.sensitivity(one_param(datasets=tuple("abcdefghi")), LAM),
    "heat map": lambda: plots.sensitivity_heatmap(results(GRID, datasets=(LONG,)), "lam", "alpha"),
    "objectives": lambda: plots.objective_panels(HISTORIES, {LONG: 2, "printed": 3}),
    "constant objective": lambda: plots.objective_panels({"a": [[2.0, 2.0]]}, {"a": 1}),
    "task objectives": lambda: plots.task_objectives({"a": [[1, 2], [3, 4, 5]], "b": [[2]], "c": [[0, 1]]}),
    "trajectories": lambda: plots.trajectories(CURVES, {"ACC": "accuracy"}),
    "robustness": lambda: plots.robustness(NOISY),
    "forest": lambda: plots.forest(GAINS),
    "pipelines": lambda: plots.specification_curve(CURVE, {"counts": "word counts"}),
    "relation": lambda: plots.relation_matrix(MATRIX, MATRIX * 2, ROWS, [LONG, "x", "y"], ("a", "b")),
    "relation alone": lambda: plots.relation_matrix(MATRIX, None, ROWS, ROWS, ("a", "b")),
    "runtime": lambda: plots.runtime(TIMINGS, switch_at=35),
    "scoreboard": lambda: boards(p=3, q=20, r=7),
    "leverage": lambda: plots.leverage(CHANGES),
    "weights": lambda: plots.weight_functions([1.0, 4.0], (1.0, 10.0)),
    "selection": lambda: plots.selection([POINTS[:5]], [[0, 1, -1, 2, 0]], [0, 0, 1, 1, 1]),
    "transfer": lambda: plots.transfer_curve(TRANSFER),
    "one seed": lambda: plots.transfer_curve(TRANSFER.query("seed == 0")),
    "forgetting": lambda: plots.forgetting_curve(FORGETTING),
    "orders": lambda: plots.order_spread(ORDERS),
    "costs": lambda: plots.stream_costs(COSTS),
    "certainty": lambda: plots.certainty({"tasks": SHARED.assign(part=["all", LONG, "b"], low=-9.0, high=9.0),
                                          "views": SHARED.assign(part="all", low=-9.0, high=9.0)}),
    "sharing": lambda: plots.sharing({"relatedness": (SHARED, SHARED.groupby("source").mean())}),
    "pairs": lambda: plots.task_pairs(PAIRS, "NMI"),
    "embedding": lambda: plots.embedding([POINTS, POINTS @ POINTS.T], LABELS, ["a", LONG], "k-means"),
    "number": lambda: plots.number_of_clusters(proposed())}
# These give their lines a look of their own, with a meaning; all others follow the style.
OWN_LOOK = {"weights", "orders", "transfer", "one seed", "forgetting", "leverage"}
RED = plt.cycler("color", ["red"])
MINE = {"font.size": 30, "axes.facecolor": "black", "savefig.dpi": 20, "axes.prop_cycle": RED}


@pytest.fixture(autouse=True)
def looked_at(monkeypatch):
    monkeypatch.delenv("MTCLIB_FIGURES", raising=False)


@functools.cache
def drawn(name):
    return CASES[name]()


every_figure = pytest.mark.parametrize("name", CASES)


def texts(ax):
    return [text.get_text() for text in ax.texts]


def titles(fig):
    return [ax.get_title() for ax in fig.axes if ax.axison]


def names(ticklabels):
    return [text.get_text() for text in ticklabels]


def legend(fig):
    return names(fig.legends[0].get_texts())


def overlapping(fig):
    boxes = [ax.get_position() for ax in fig.axes]
    return [pair for pair in itertools.combinations(boxes, 2) if pair[0].overlaps(pair[1])]


def line(fig, panel, number):
    return fig.axes[panel].get_lines()[number]


def heights(fig, panel, number):
    return line(fig, panel, number).get_ydata()


def edges(fig, panel, number=0):
    """Lowest and highest end of a band, or of the whiskers of a line."""
    paths = fig.axes[panel].collections[number].get_paths()
    heights = np.concatenate([path.vertices for path in paths])[:, 1]
    return [heights.min(), heights.max()]


def lightness(colour):
    y = relative_luminance(colour)
    return 116 * np.cbrt(y) - 16 if y > 0.008856 else 903.3 * y


def drawn_labels(axis):
    """Tick labels within the limits of their axis; matplotlib keeps others that it does not draw."""
    low, high = sorted(axis.get_view_interval())
    labels = [tick.label1 for tick in axis.get_major_ticks() if tick.label1.get_visible()]
    along = 0 if axis.axis_name == "x" else 1
    return [text for text in labels if text.get_text() and low <= text.get_position()[along] <= high]


@every_figure
def test_nothing_is_cut_off_nor_covered_and_labels_do_not_overlap(name):
    fig = drawn(name)
    shown = [ax for ax in fig.axes if ax.axison]
    page = fig.bbox.padded(1)
    labels = [text for ax in fig.axes for text in (ax.title, *ax.texts) if text.get_text()]
    for ax in shown:
        for axis, start, end in ((ax.xaxis, "x0", "x1"), (ax.yaxis, "y0", "y1")):
            labels += drawn_labels(axis)
            upright = [text for text in drawn_labels(axis) if text.get_rotation() in (0, 90)]
            boxes = [text.get_window_extent() for text in upright]
            spans = sorted((getattr(box, start), getattr(box, end)) for box in boxes)
            assert all(one[1] <= two[0] + 1 for one, two in zip(spans, spans[1:])), upright
        for whiskers in [each for each in ax.collections if isinstance(each, LineCollection)]:
            for ends in [path.vertices for path in whiskers.get_paths()]:
                assert not (ends < ax.viewLim.min).any()
                assert not (ends > ax.viewLim.max).any()
    assert labels
    for part in [*shown, *fig.legends, *labels]:
        box = part.get_window_extent() if part in labels else part.get_tightbbox()
        assert page.x0 <= box.x0 <= box.x1 <= page.x1, part
        assert page.y0 <= box.y0 <= box.y1 <= page.y1, part
    for box in fig.legends:
        assert not any(box.get_window_extent().overlaps(ax.get_window_extent()) for ax in shown)


@every_figure
def test_a_figure_is_the_same_every_time_whatever_the_users_style_and_outside_of_ours(name):
    with plt.rc_context(MINE):
        again = CASES[name]()
    pictures = []
    for fig, context in ((drawn(name), plots.style()), (again, plt.rc_context(MINE))):
        with context, io.BytesIO() as buffer:
            fig.savefig(buffer, format="raw", dpi=40, facecolor="white")
            pictures.append(buffer.getvalue())
    assert pictures[0] == pictures[1]
    # Other runs agree with this one only if no last bit of the layout's solver is left.
    for ax in again.axes:
        place = ax.get_position(original=True).get_points()
        assert (place == place.round(12)).all()


@pytest.mark.parametrize("name", [name for name in CASES if name not in OWN_LOOK])
def test_lines_of_one_axes_differ_in_marker_and_in_lightness(name):
    for ax in drawn(name).axes:
        lines = [line for line in ax.get_lines() if line.get_marker() not in ("", "None", None, "|")]
        looks = {(line.get_marker(), line.get_markerfacecolor() == "white") for line in lines}
        assert len(looks) == len(lines)
        shades = sorted(lightness(line.get_color()) for line in lines[:6])
        assert all(b - a >= 9 for a, b in zip(shades, shades[1:]))


def test_the_suite_draws_every_public_figure():
    source = Path(__file__).read_text(encoding="utf-8").partition("OWN_LOOK")[0]
    figures = {name for name in dir(plots) if hasattr(getattr(plots, name), "__wrapped__")} - {"style"}
    assert {name for name in figures if f"plots.{name}(" not in source} == set()


HALF = stats.t.ppf(0.975, 2) / np.sqrt(3)
# Heights of lines, and ends of 95 % t intervals over runs; the gain of transfer is the same for all seeds.
NUMBERS = (
    ("task objectives", heights, 0, 1, [3, 4, 5]), ("trajectories", heights, 0, 1, [10, 20, 30, 40]),
    ("robustness", heights, 0, 0, [90, 90]), ("robustness", heights, 0, 1, [90, 80]),
    ("transfer", heights, 0, 0, [41, 51, 61]), ("transfer", heights, 0, 1, [41, 41, 41]),
    ("transfer", heights, 2, 0, [0, 10, 20]), ("forgetting", heights, 0, 0, [60, 50]),
    ("forgetting", heights, 0, 1, [80, 70]), ("forgetting", heights, 0, 2, [71, 71]),
    ("orders", heights, 0, 1, [-1, 0, 1]), ("orders", heights, 1, 0, [22] * 6),
    ("costs", heights, 0, 0, [2, 4]), ("costs", heights, 1, 1, [1, 2]),
    ("objectives", heights, 0, 0, [8.5, 2, 1]), ("objectives", heights, 2, 0, [127 / 144, 1 / 9, np.nan]),
    ("weights", heights, 1, 1, np.linspace(0, 8, 400) < 1),
    ("weights", heights, 1, 2, smooth_weights(np.linspace(0, 8, 400), 4.0, 10.0)),
    ("robustness", edges, 0, 0, [90 - HALF, 90 + HALF]), ("transfer", edges, 0, 1, [41 - HALF, 41 + HALF]),
    ("transfer", edges, 2, 0, [0, 20]), ("one seed", edges, 0, 1, [40, 40]),
    ("trajectories", edges, 0, 0, [0, 40 + 10 * HALF]))
PAPER = "\n(paper: {} iterations)".format
TITLES = {"objectives": ["a_data set with a\nrather $long$ name" + PAPER(2), "printed" + PAPER(3), "", ""],
          "task objectives": ["a", "b", "c"], "transfer": ["x", "y", "", ""], "weights": ["κ = 1", "κ = 10"],
          "robustness": [f"{d}, {k} noise" for d in "xy" for k in ("mixed", "long")],
          "pairs": ["toy\nA: r = 1.00"]}
LEGENDS = {"objectives": ["median over runs", "the paper stops"],
           "sensitivity": [LONG, "toy", "fixed in the other panels"],
           "runtime": [f"{LONG} (slope 3.0)", "b (slope 1.0)", "paper changes solver at 35"],
           "scoreboard": ["● exact (27)", "▼ lower (3)"],
           "weights": [f"{rule}, 1/λ = {n}" for n in (1, 4) for rule in ("smooth", "hard")]}


@pytest.mark.parametrize(("name", "look", "panel", "number", "expected"), NUMBERS)
def test_a_line_stands_and_a_band_ends_where_the_numbers_say(name, look, panel, number, expected):
    assert_allclose(look(drawn(name), panel, number), expected, atol=1e-9)


def test_a_figure_is_closed_even_if_it_fails_and_the_users_settings_and_figures_stay():
    plt.close("all")
    mine, before = plt.figure(), dict(plt.rcParams)
    CASES["runtime"]()
    with pytest.raises(ValueError, match="Shape of passed values"):
        plots.relation_matrix(MATRIX, None, ["only one"], ROWS, ("a", "b"))
    assert (plt.get_fignums(), dict(plt.rcParams)) == ([mine.number], before)
    plt.close(mine)


def test_small_numbers_are_written_out_and_a_name_with_dollar_signs_is_not_read_as_mathematics():
    ax = plt.Figure().subplots()
    plain(ax.yaxis)
    written = ax.yaxis.get_major_formatter()
    assert written(1e-5) == written(9.999999999999999e-06) == "0.00001"
    fig = plots.runtime(pd.DataFrame({"solver": [r"$\nosuchcommand$"], "n_clusters": 2, "seconds": 1.0}), 2)
    assert legend(fig)[0] == r"$\nosuchcommand$"
    assert fig.legends[0].get_window_extent().width > 100


def test_colours_of_verdicts_get_lighter_at_each_step():
    counted = sorted(lightness(COLOURS[v][0]) for v in ("exact", "agrees", "higher", "lower", "inconclusive"))
    assert min(np.diff(counted)) >= 8


def test_sensitivity_names_nmi_without_its_variant_and_can_tell_methods_apart_on_a_linear_axis():
    frame = pd.concat([one_param((0.1, 0.5, 0.9)).assign(method=method) for method in "AB"])
    frame = frame.replace("ACC", "NMI_geometric")
    fig = plots.sensitivity(frame, {"lam": 0.5}, "NMI_geometric", "method", ["lam"])
    assert (legend(fig), fig.axes[0].get_ylabel()) == (["A", "B", "default"], "NMI (%)")
    assert fig.axes[0].get_xscale() == "linear"


def test_a_line_keeps_its_look_where_a_panel_has_no_point_of_it():
    one = results([{"lam": v, "mu": 1.0} for v in VALUES], datasets=("one",))
    two = results([{"lam": 1.0, "mu": v} for v in VALUES], datasets=("two",))
    fig = plots.sensitivity(pd.concat([one, two]), {"lam": 1.0, "mu": 1.0})
    assert [[len(line.get_xdata()) for line in ax.get_lines()[:2]] for ax in fig.axes] == [[5, 0], [0, 5]]
    assert [line(fig, panel, 1).get_marker() for panel in (0, 1)] == ["s", "s"]
    assert legend(fig)[:2] == ["one", "two"]


def test_sensitivity_uses_only_rows_where_the_other_parameters_are_fixed_and_runs_that_did_not_fail():
    settings = [{"lam": a, "mu": b} for a in (1, 2) for b in (1, 2)]
    frame = results(settings, value=lambda s, run: 0.1 * s["lam"] + 0.5 * (s["mu"] == 2))
    fig = plots.sensitivity(frame, {"lam": 2, "mu": 1})
    assert_allclose([line(fig, panel, 0).get_ydata() for panel in (0, 1)], [[10, 20], [20, 70]])
    frame = one_param((1, 2), runs=4, value=lambda s, run: (0.2, 0.3, 0.7, np.nan)[run])
    half = stats.t.ppf(0.975, 2) * 100 * stats.sem([0.2, 0.3, 0.7])
    assert_allclose(edges(plots.sensitivity(frame, LAM), 0), np.clip([40 - half, 40 + half], 0, 100))


def test_the_band_of_a_score_ends_at_100_percent():
    near = FORGETTING.eval("value = 0.9 + 0.1 * seed")
    assert edges(plots.forgetting_curve(near), 0)[1] == 100


def test_the_heat_map_marks_the_best_cell_and_dashes_a_failed_one():
    def value(setting, run):
        failed = setting == {"lam": 0.25, "alpha": 4.0}
        return np.nan if failed else 0.1 * setting["lam"] + 0.01 * setting["alpha"]

    ax = plots.sensitivity_heatmap(results(GRID, value=value), "lam", "alpha").axes[0]
    assert texts(ax).count("–") == 1
    assert "44.0 ★" in texts(ax)
    assert "nan" not in " ".join(texts(ax))
    assert (len(texts(ax)), ax.patches[0].get_xy()) == (25, (4.05, 0.05))
    assert names(ax.get_yticklabels()) == ["4", "2", "1", "1/2", "1/4"]


SHOWN = [
    *((name, titles, expected) for name, expected in TITLES.items()),
    *((name, legend, expected) for name, expected in LEGENDS.items()),
    ("sensitivity", lambda fig: [(ax.get_xlabel(), ax.get_xscale(), ax.get_lines()[2].get_xdata()[0])
                                 for ax in fig.axes], list(zip("λμαβ", ["log"] * 4, BASE.values()))),
    ("sensitivity", lambda fig: names(fig.axes[3].get_xticklabels()), ["1/4", "1/2", "1", "2", "4"]),
    ("scoreboard", overlapping, []),
    ("scoreboard", lambda fig: sum(text in ("●", "▼") for ax in fig.axes for text in texts(ax)), 30),
    ("relation", lambda fig: [ax.collections[0].get_clim() for ax in fig.axes[:2]], [(0, 2 * 0.173)] * 2),
    ("relation", lambda fig: [tuple(np.floor(p.get_xy())) for p in fig.axes[0].patches], [(0, 0), (1, 1)]),
    ("objectives", lambda fig: [ax.get_lines()[-1].get_xdata()[0] for ax in fig.axes[:2]], [2, 3]),
    ("leverage", lambda fig: texts(fig.axes[0]), [f"counts; ours: tf (ACC, decision O{n})" for n in (2, 1)]),
    ("pipelines", lambda fig: names(fig.axes[1].get_yticklabels()),
     ["Table 1", "Table 2", "as fixed", "rows kept", "word counts"]),
    ("leverage", lambda fig: [bar.get_width() for bar in fig.axes[0].patches[1:]], [2.0, -1.5]),
    ("selection", lambda fig: fig.axes[0].collections[0].get_array().tolist(), [0, 1, 3, 2, 0]),
    ("orders", lambda fig: len(line(fig, 0, 0).get_ydata()), 18)]


@pytest.mark.parametrize(("name", "look", "expected"), SHOWN)
def test_a_figure_shows_and_names_what_it_was_given(name, look, expected):
    assert look(drawn(name)) == expected


def test_every_verdict_has_its_word_in_the_legend_and_its_colour():
    words = [f"{SYMBOLS[v]} {'not run' if v == 'not-run' else v} (1)" for v in MEANINGS if v in SYMBOLS]
    fig = plots.scoreboard(judged(SYMBOLS), {"p": "Paper\nall verdicts"})
    assert legend(fig) == words
    assert not set(SYMBOLS.values()) - set(texts(fig.axes[0]))


def test_a_square_has_the_colour_that_its_verdict_has_in_the_tables_and_is_pale_where_it_does_not_count():
    rows = judged(["lower", "exact", "misprint", "higher"]).assign(counted=[True, False, False, True])
    fig = plots.scoreboard(rows, {"p": "Paper\n4 cells"})
    shown = {to_hex(patch.get_facecolor()): patch.get_facecolor()[3] == 1 for patch in fig.axes[0].patches}
    assert shown == {COLOURS[name][0]: name != "exact" for name in ("lower", "exact", "misprint", "higher")}
    assert legend(fig) == ["▲ higher (1)", "▼ lower (1)", "※ misprint (1)", "pale: not counted (1)"]


def test_scores_that_differ_little_do_not_fill_an_axis_or_a_scale_of_colours():
    frame = results(GRID, value=lambda setting, run: 0.5 + 0.001 * setting["lam"])
    ax = plots.sensitivity(frame, {"lam": 4.0, "alpha": 4.0}).axes[0]
    assert np.ptp(ax.get_ylim()) == pytest.approx(20)
    scale = plots.sensitivity_heatmap(frame, "lam", "alpha").axes[0].collections[0].get_clim()
    assert (np.ptp(scale), np.mean(scale)) == (pytest.approx(20), pytest.approx(50.2125))


def test_a_method_looks_the_same_whatever_it_is_shown_with():
    with plots.style():
        alone, beside = looks(["MSPL-hard", "other"]), looks(["Con-MC", "MSPL-smooth", "MSPL-hard", "new"])
    assert (alone["MSPL-hard"], len({str(look) for look in beside.values()})) == (beside["MSPL-hard"], 4)


@pytest.mark.parametrize(("draw", "arguments", "message"), [
    (plots.sensitivity_heatmap, (results(GRID, ("a", "b")), "lam", "alpha"), "fix dataset first"),
    (plots.sensitivity_heatmap, (star(), "lam", "alpha"), "fix beta, mu first"),
    (plots.embedding, ([np.eye(3)], [np.arange(2)], ["a"]), r"labels: \[2\] labels for \[3\] samples")])
def test_what_cannot_be_drawn_is_refused_with_its_reason(draw, arguments, message):
    with pytest.raises(ValueError, match=message):
        draw(*arguments)


def test_another_process_writes_the_same_bytes_in_every_format(tmp_path, monkeypatch):
    code = ("from mtclib.companion import plots\n"
            "plots.save(plots.objective_panels({'a': [[3.0, 2.0, 1.0]]}, {'a': 2}), 'a', 'figures')\n")
    env = os.environ | {"MPLBACKEND": "Agg", "PYTHONHASHSEED": "7",
                        "PYTHONPATH": str(Path(plots.__file__).parents[3])}  # fmt: skip
    subprocess.run([sys.executable, "-c", code], check=True, env=env, cwd=tmp_path)
    here = tmp_path / "here"
    here.mkdir()
    monkeypatch.chdir(here)
    exec(code, {})
    for kind in ("png", "svg"):
        paths = [folder / "figures" / f"a.{kind}" for folder in (tmp_path, here)]
        assert paths[0].read_bytes() == paths[1].read_bytes(), kind


def test_the_manifest_is_sorted_and_a_new_save_replaces_its_row(tmp_path):
    fig = drawn("relation alone")
    plots.save(fig, "b", tmp_path, notebook="x.ipynb", data="1")
    plots.save(fig, "a", tmp_path, notebook="x.ipynb", data="1")
    plots.save(fig, "b", tmp_path, notebook="y.ipynb", data="2", printed="P 1")
    rows = pd.read_csv(tmp_path / "manifest.csv", dtype=str, keep_default_na=False)
    assert rows[["file", "notebook", "data", "printed"]].to_numpy().tolist() == [
        *([f"a.{kind}", "x.ipynb", "1", ""] for kind in ("png", "svg")),
        *([f"b.{kind}", "y.ipynb", "2", "P 1"] for kind in ("png", "svg"))]
    for file, sha in zip(rows["file"], rows["sha256"]):
        assert sha == hashlib.sha256((tmp_path / file).read_bytes()).hexdigest()
    assert {path.name for path in tmp_path.iterdir()} == {*rows["file"], "manifest.csv"}


@pytest.mark.parametrize("name", ["../a", ""])
def test_save_refuses_a_bad_name_and_writes_nothing(name, tmp_path):
    with pytest.raises(ValueError, match="use letters"):
        plots.save(drawn("relation alone"), name, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_picture_is_a_png_with_a_palette_and_an_alternative_text():
    png, metadata = plots.Picture(drawn("robustness"))._repr_png_()
    with Image.open(io.BytesIO(png)) as image:
        assert (image.mode, image.format) == ("P", "PNG")
    assert metadata["alt"].startswith("Score against the share of noise: one panel per data set")
    assert metadata["alt"].endswith("Panels: " + "; ".join(TITLES["robustness"]) + ". Legend: A; B.")
    assert figure(lambda: plt.subplots()[0])().get_label() == ""  # without docstrings, as by python -OO
