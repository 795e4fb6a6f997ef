"""Figures: what they show, that nothing is cut off, and that equal figures give equal files."""

import csv
import hashlib
import io
import json
import os
import subprocess
import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_rgb

from mtclib.companion import plots
from mtclib.companion.tables import COLOURS, MEANINGS
from mtclib.companion.verdicts.judge import SYMBOLS

pytestmark = pytest.mark.filterwarnings("error")

BASE = {"lam": 4.0, "mu": 0.5, "alpha": 4.0, "beta": 0.5}
VALUES = (0.25, 0.5, 1.0, 2.0, 4.0)
LONG = "a_data set with a rather $long$ name"


def results(settings, datasets=("toy",), runs=3, value=lambda setting, run: 0.5 + 0.01 * run):
    rows = [(d, json.dumps(s), r, value(s, r)) for d in datasets for s in settings for r in range(runs)]
    frame = pd.DataFrame(rows, columns=["dataset", "params", "run", "value"])
    return frame.assign(task="avg", metric="ACC")


def star(**options):
    """One parameter moves, the others stay at the base."""
    settings = {json.dumps(BASE | {name: v}): BASE | {name: v} for name in BASE for v in VALUES}
    return results(settings.values(), **options)


def judged(verdicts, paper="p", dataset="toy"):
    rows = [(str(n % 2 + 1), f"method {n // 2}", verdict) for n, verdict in enumerate(verdicts)]
    frame = pd.DataFrame(rows, columns=["task", "method", "verdict"])
    scores = {"published": 0.8, "published_std": 0.02, "ours": 0.75, "ours_std": np.nan}
    return frame.assign(paper=paper, table="3", dataset=dataset, metric="ACC", **scores)


def timings():
    solvers = ((LONG, 1e-4, 3), ("b", 1e-3, 1))
    rows = [(solver, k, c * k**p) for solver, c, p in solvers for k in (5, 15, 95) for _ in "ab"]
    return pd.DataFrame(rows, columns=["solver", "n_clusters", "seconds"])


def weightings():
    rows = [(w, t, 0.3 + 0.1 * n) for w in ("tf", LONG) for t in "1234" for n in range(3)]
    return pd.DataFrame(rows, columns=["weighting", "task", "value"])


HISTORIES = {LONG: [[9.0, 3.0, 1.0], [8.0, 1.0]], "printed": [[7.0, 6.0, 5.5, 5.4]]}
MATRIX = np.array([[0.173, 0.0, 0.1236], [0.0, 0.1507, 0.1321]])
GRID = [{"lam": a, "alpha": b} for a in VALUES for b in VALUES]
CASES = {
    "sensitivity": lambda: plots.sensitivity(star(datasets=(LONG, "toy")), base=BASE, printed={"toy": 0.6}),
    "sensitivity of one": lambda: plots.sensitivity(results([{"lam": v} for v in VALUES]), params=["lam"]),
    "heat map": lambda: plots.sensitivity_heatmap(results(GRID, datasets=(LONG,)), "lam", "alpha"),
    "convergence": lambda: plots.convergence(HISTORIES, {LONG: 2, "printed": 100}),
    "objective": lambda: plots.convergence(HISTORIES, 100, relative=False),
    "objectives": lambda: plots.objective_panels(HISTORIES, {"printed": 3}),
    "sensitivity of many": lambda: plots.sensitivity(
        results([{"lam": v} for v in VALUES], datasets=tuple("abcdefghi")), ["lam"], metric="ACC", band=None),
    "relation": lambda: plots.relation_matrix(MATRIX, MATRIX / 2, ["graphics", "$a_b$"], [LONG, "x", "y"]),
    "relation alone": lambda: plots.relation_matrix(MATRIX),
    "runtime": lambda: plots.runtime(timings(), switch_at=35),
    "preprocessing": lambda: plots.preprocessing(weightings(), {"1": 0.339, "2": 0.27, "3": 0.34}),
    "scores": lambda: plots.scores_by_method(judged(["agrees"] * 9)),
    "verdicts": lambda: plots.verdict_grid(judged(SYMBOLS)),
    "scoreboard": lambda: plots.verdict_grid(
        pd.concat([judged(SYMBOLS), judged(SYMBOLS, "q", LONG), judged(["exact"], "q", "other")])
    ),
}


@pytest.fixture(params=CASES, scope="module")
def figure(request):
    return CASES[request.param]()


def texts(ax):
    return [text.get_text() for text in ax.texts]


def legend(fig):
    return [text.get_text() for text in fig.legends[0].get_texts()]


def lightness(colour):
    channels = np.array(to_rgb(colour))
    linear = np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)
    y = linear @ [0.2126, 0.7152, 0.0722]
    return 116 * np.cbrt(y) - 16 if y > 0.008856 else 903.3 * y


def drawn_labels(axis):
    """Tick labels within the limits of their axis; matplotlib keeps others that it does not draw."""
    low, high = sorted(axis.get_view_interval())
    labels = [tick.label1 for tick in axis.get_major_ticks() if tick.label1.get_visible()]
    along = 0 if axis.axis_name == "x" else 1
    return [text for text in labels if text.get_text() and low <= text.get_position()[along] <= high]


def test_nothing_is_cut_off_at_the_edge_of_the_figure(figure):
    figure.canvas.draw()
    page = figure.bbox.padded(1)
    parts = [*figure.axes, *figure.legends]
    labels = [text for ax in figure.axes for axis in (ax.xaxis, ax.yaxis) for text in drawn_labels(axis)]
    assert labels
    for part in parts + labels:
        box = part.get_tightbbox() if part in parts else part.get_window_extent()
        assert page.x0 <= box.x0 <= box.x1 <= page.x1, part
        assert page.y0 <= box.y0 <= box.y1 <= page.y1, part


def test_a_legend_never_covers_an_axes(figure):
    figure.canvas.draw()
    for box in figure.legends:
        for ax in figure.axes:
            assert not box.get_window_extent().overlaps(ax.get_window_extent())


def test_tick_labels_of_one_axis_do_not_overlap(figure):
    figure.canvas.draw()
    for ax in figure.axes:
        for axis, start, end in ((ax.xaxis, "x0", "x1"), (ax.yaxis, "y0", "y1")):
            upright = [label for label in drawn_labels(axis) if label.get_rotation() in (0, 90)]
            boxes = [label.get_window_extent() for label in upright]
            spans = sorted((getattr(box, start), getattr(box, end)) for box in boxes)
            assert all(one[1] <= two[0] + 1 for one, two in zip(spans, spans[1:])), upright


def test_lines_of_one_axes_differ_in_marker_and_in_lightness(figure):
    for ax in figure.axes:
        lines = [line for line in ax.get_lines() if line.get_marker() not in ("", "None", None, "|")]
        looks = {(line.get_marker(), line.get_markerfacecolor() == "white") for line in lines}
        assert len(looks) == len(lines)
        shades = sorted(lightness(line.get_color()) for line in lines[:6])
        assert all(b - a >= 9 for a, b in zip(shades, shades[1:]))


def test_a_figure_is_closed_for_pyplot_and_leaves_the_users_settings_alone():
    plt.close("all")
    mine = plt.figure()
    before = dict(matplotlib.rcParams)
    plots.runtime(timings())
    assert plt.get_fignums() == [mine.number]
    assert dict(matplotlib.rcParams) == before
    plt.close(mine)


def test_a_figure_that_fails_leaves_no_open_figure():
    plt.close("all")
    with pytest.raises(ValueError, match="does not fit"):
        plots.relation_matrix(MATRIX, row_names=["only one"])
    assert plt.get_fignums() == []


def test_the_users_own_style_does_not_change_the_figure(tmp_path):
    plain = plots.save(plots.runtime(timings()), "plain", tmp_path)
    mine = {"font.size": 30, "axes.facecolor": "black", "svg.hashsalt": "x", "savefig.dpi": 20}
    with matplotlib.rc_context(mine):
        styled = plots.save(plots.runtime(timings()), "styled", tmp_path)
    assert [path.read_bytes() for path in plain] == [path.read_bytes() for path in styled]


def test_a_notebook_that_draws_outside_the_style_gets_the_same_picture(figure):
    pictures = []
    for context in (plots.style(), matplotlib.rc_context({"axes.prop_cycle": plt.cycler("color", ["red"])})):
        with context, io.BytesIO() as buffer:
            figure.savefig(buffer, format="png", dpi=80, facecolor="white")
            pictures.append(buffer.getvalue())
    assert pictures[0] == pictures[1]


def test_the_palette_gets_lighter_by_nine_or_more_at_each_step():
    with plots.style():
        cycle = list(plt.rcParams["axes.prop_cycle"])
    shades = [lightness(entry["color"]) for entry in cycle]
    assert len(cycle) == 6 and min(np.diff(shades)) >= 9
    assert len({entry["marker"] for entry in cycle}) == 6
    assert all(one["linestyle"] != two["linestyle"] for one, two in zip(cycle, cycle[1:]))


def test_the_counted_verdicts_differ_in_lightness():
    shades = sorted(lightness(COLOURS[v][0]) for v in ("exact", "agrees", "higher", "lower", "inconclusive"))
    assert min(np.diff(shades)) >= 8


def test_sensitivity_has_a_panel_for_each_parameter_and_ticks_as_fractions():
    fig = plots.sensitivity(star(datasets=("one", "two")), base=BASE)
    assert [ax.get_xlabel() for ax in fig.axes] == ["λ", "μ", "α", "β"]
    for ax in fig.axes:
        assert [t.get_text() for t in ax.get_xticklabels()] == ["1/4", "1/2", "1", "2", "4"]
        assert ax.get_xscale() == "log"
        assert len(ax.collections) == 2
    assert legend(fig) == ["one", "two", "fixed in the other panels"]


def test_sensitivity_of_one_parameter_marks_the_default_and_names_nmi_without_its_variant():
    frame = results([{"lam": v} for v in VALUES]).replace("ACC", "NMI_geometric")
    fig = plots.sensitivity(frame, ["lam"], metric="NMI_geometric")
    assert legend(fig) == ["toy", "default"] and fig.axes[0].get_ylabel() == "NMI (%)"


def test_a_method_without_the_parameter_of_a_panel_has_no_point_there():
    one = results([{"lam": v, "mu": 1.0} for v in VALUES], datasets=("one",))
    two = results([{"lam": 1.0, "mu": v} for v in VALUES], datasets=("two",))
    fig = plots.sensitivity(pd.concat([one, two]), ["lam", "mu"], base={"lam": 1.0, "mu": 1.0})
    assert [[len(line.get_xdata()) for line in ax.get_lines()[:2]] for ax in fig.axes] == [[5, 0], [0, 5]]
    assert legend(fig)[:2] == ["one", "two"]


def test_a_legend_of_many_rows_makes_the_figure_taller_and_leaves_the_axes_their_height():
    names = [f"data set with a long name, number {n}" for n in range(10)]
    few, many = (plots.sensitivity(results([{"lam": v} for v in VALUES], datasets=part), ["lam"])
                 for part in (names[:2], names))
    heights = [fig.axes[0].get_window_extent().height for fig in (few, many)]
    assert many.get_figheight() > few.get_figheight() + 1 and heights[1] > 0.85 * heights[0]


def test_sensitivity_uses_only_rows_where_the_other_parameters_are_fixed():
    settings = [{"lam": a, "mu": b} for a in (1, 2) for b in (1, 2)]
    frame = results(settings, value=lambda s, run: 0.1 * s["lam"] + 0.5 * (s["mu"] == 2))
    fig = plots.sensitivity(frame, ["lam", "mu"], base={"lam": 2, "mu": 1})
    np.testing.assert_allclose(fig.axes[0].get_lines()[0].get_ydata(), [10, 20])
    np.testing.assert_allclose(fig.axes[1].get_lines()[0].get_ydata(), [20, 70])


def test_sensitivity_finds_the_base_of_a_star_and_asks_for_that_of_a_full_grid():
    fig = plots.sensitivity(star())
    assert [ax.get_lines()[1].get_xdata()[0] for ax in fig.axes] == list(BASE.values())
    with pytest.raises(ValueError, match="base: the values of lam, alpha are equally frequent"):
        plots.sensitivity(results(GRID), ["lam", "alpha"])


def test_the_band_is_the_standard_deviation_or_the_range():
    frame = results([{"lam": v} for v in (1, 2)], value=lambda s, run: (0.2, 0.3, 0.7)[run])
    by_sd, by_range = (
        plots.sensitivity(frame, ["lam"], band=band).axes[0].collections[0].get_paths()[0].vertices[:, 1]
        for band in ("sd", "range")
    )
    sd = 100 * np.std([0.2, 0.3, 0.7], ddof=1)
    np.testing.assert_allclose([by_sd.min(), by_sd.max()], [40 - sd, 40 + sd])
    np.testing.assert_allclose([by_range.min(), by_range.max()], [20, 70])


def test_a_data_set_keeps_its_look_where_a_panel_has_no_row_of_it():
    frame = star(datasets=("one", "two"))
    lam_moves = frame["params"].map(lambda text: json.loads(text)["lam"] != BASE["lam"])
    fig = plots.sensitivity(frame[~(lam_moves & (frame["dataset"] == "one"))], base=BASE)
    assert {ax.get_lines()[1].get_marker() for ax in fig.axes} == {"s"}
    assert legend(fig)[:2] == ["one", "two"]


@pytest.mark.parametrize(("change", "message"), [
    ({"metric": "RI"}, "no row of metric 'RI'; it has ACC"),
    ({"params": ["nu"]}, "nu not in the frame; it has lam, mu"),
])  # fmt: skip
def test_sensitivity_names_what_is_missing(change, message):
    with pytest.raises(ValueError, match=message):
        plots.sensitivity(star(), **change)


def test_sensitivity_refuses_zero_on_a_logarithmic_axis():
    with pytest.raises(ValueError, match="must be positive"):
        plots.sensitivity(results([{"lam": 0.0}, {"lam": 1.0}]), ["lam"])


def test_the_heat_map_marks_the_best_cell_and_dashes_a_failed_one():
    def value(setting, run):
        failed = setting == {"lam": 0.25, "alpha": 4.0}
        return np.nan if failed else 0.1 * setting["lam"] + 0.01 * setting["alpha"]

    fig = plots.sensitivity_heatmap(results(GRID, value=value), "lam", "alpha")
    ax = fig.axes[0]
    assert texts(ax).count("–") == 1 and "44.0 ★" in texts(ax) and "nan" not in " ".join(texts(ax))
    assert len(texts(ax)) == 25
    assert ax.patches[0].get_xy() == (4.05, 0.05)
    assert [t.get_text() for t in ax.get_yticklabels()] == ["4", "2", "1", "1/2", "1/4"]


def test_the_heat_map_does_not_average_over_a_third_parameter():
    settings = [s | {"mu": mu} for s in GRID for mu in (1.0, 2.0)]
    with pytest.raises(ValueError, match="fix mu first"):
        plots.sensitivity_heatmap(results(settings), "lam", "alpha")
    assert plots.sensitivity_heatmap(results(settings), "lam", "alpha", base={"mu": 2.0}).axes
    with pytest.raises(ValueError, match="fix dataset first"):
        plots.sensitivity_heatmap(results(GRID, datasets=("a", "b")), "lam", "alpha")


def test_the_heat_map_of_failed_runs_only_is_refused():
    with pytest.raises(ValueError, match="every run failed"):
        plots.sensitivity_heatmap(results(GRID, value=lambda s, run: np.nan), "lam", "alpha")


def test_a_run_that_has_stopped_keeps_its_last_value_in_the_median():
    fig = plots.convergence({"a": [[10, 4], [10, 8, 6, 2], [10, 5, 5, 5]]}, relative=False)
    assert fig.axes[0].get_lines()[0].get_ydata().tolist() == [10, 5, 5, 4]
    assert fig.axes[0].get_lines()[0].get_xdata().tolist() == [1, 2, 3, 4]


def test_the_relative_objective_is_the_gap_to_the_minimum_over_the_first_value():
    fig = plots.convergence({"a": [[10.0, 5.0, 2.0]]})
    np.testing.assert_allclose(fig.axes[0].get_lines()[0].get_ydata(), [0.8, 0.3, np.nan])
    assert fig.axes[0].get_yscale() == "log"


def test_each_data_set_has_its_objective_above_and_the_gap_to_its_end_below():
    fig = plots.objective_panels({"a": [[10.0, 5.0, 2.0]], "b": [[4.0, 1.0]]}, {"a": 99})
    assert fig.axes[0].get_lines()[0].get_ydata().tolist() == [10, 5, 2]
    np.testing.assert_allclose(fig.axes[2].get_lines()[0].get_ydata(), [0.8, 0.3, np.nan])
    assert [ax.get_title() for ax in fig.axes[:2]] == ["a\n(paper: 99)", "b"]
    assert fig.axes[0].get_lines()[1].get_xdata()[0] == 99 and len(fig.axes[1].get_lines()) == 1
    with pytest.raises(ValueError, match="at least one"):
        plots.objective_panels({"a": []})


def test_the_printed_number_of_iterations_is_a_line_with_its_label():
    fig = plots.convergence({"a": [[3, 2, 1]], "b": [[3, 1]]}, {"a": 99, "b": 28}, relative=False)
    assert legend(fig) == ["a", "b", "paper stops at 99 (a)", "paper stops at 28 (b)"]
    assert [line.get_xdata()[0] for line in fig.axes[0].get_lines()[2:]] == [99, 28]
    assert fig.axes[0].get_lines()[3].get_color() == fig.axes[0].get_lines()[1].get_color()


@pytest.mark.parametrize("histories", [{}, {"a": []}, {"a": [[1.0], []]}])
def test_convergence_refuses_an_empty_history(histories):
    with pytest.raises(ValueError, match="at least one"):
        plots.convergence(histories)


def test_a_constant_objective_can_be_shown():
    assert plots.convergence({"a": [[2.0, 2.0]]}).axes[0].get_lines()[0].get_label() == "a"


def test_relation_matrices_share_one_scale_and_outline_the_largest_of_each_row():
    fig = plots.relation_matrix(MATRIX, MATRIX * 2)
    ours, printed, bar = fig.axes
    assert ours.collections[0].get_clim() == printed.collections[0].get_clim() == (0, 2 * 0.173)
    assert [tuple(np.floor(p.get_xy())) for p in ours.patches] == [(0, 0), (1, 1)]
    assert texts(ours)[:3] == ["0.173", "0.000", "0.124"]
    assert bar.get_ylabel() == "relatedness"


def test_the_slope_of_each_solver_is_in_the_legend():
    assert legend(plots.runtime(timings(), switch_at=35)) == [
        f"{LONG} (slope 3.0)", "b (slope 1.0)", "paper changes solver at 35"
    ]  # fmt: skip


def test_runtime_refuses_a_time_of_zero():
    with pytest.raises(ValueError, match="above 0"):
        plots.runtime(timings().assign(seconds=0.0))


def test_preprocessing_shows_mean_range_and_the_printed_value_of_each_task():
    fig = plots.preprocessing(weightings(), {"1": 0.339})
    assert [ax.get_title() for ax in fig.axes] == ["Task 1", "Task 2", "Task 3", "Task 4"]
    dots, printed = fig.axes[0].containers[0].lines[0], fig.axes[0].get_lines()[-1]
    np.testing.assert_allclose(dots.get_xdata(), [40, 40])
    assert printed.get_xdata()[0] == pytest.approx(33.9) and printed.get_label() == "printed"


def test_the_legend_names_the_printed_value_even_if_the_last_task_has_none():
    assert legend(plots.preprocessing(weightings(), {"1": 0.339})) == ["ours, all runs", "printed"]


def test_a_method_that_was_not_run_has_the_printed_mark_only():
    frame = judged(["not-run", "agrees"]).assign(task="1", method=["CLR", "SNMF"])
    frame.loc[0, ["ours", "ours_std"]] = np.nan
    printed, ours = plots.scores_by_method(frame).axes[0].containers
    np.testing.assert_allclose(printed.lines[0].get_xdata(), [80, 80])
    np.testing.assert_allclose(ours.lines[0].get_xdata(), [np.nan, 75])


def test_every_verdict_has_its_symbol_in_the_grid_and_its_word_in_the_legend():
    fig = plots.verdict_grid(judged(SYMBOLS))
    assert sorted(texts(fig.axes[0])) == sorted(SYMBOLS.values())
    words = [f"{SYMBOLS[v]} {'not yet run' if v == 'not-run' else v} (1)" for v in MEANINGS if v in SYMBOLS]
    assert legend(fig) == [*words, "empty: not printed"]


def test_the_grid_colours_each_cell_by_its_verdict():
    fig = plots.verdict_grid(judged(["lower", "exact", "exact", "agrees"]))
    fig.canvas.draw()
    drawn = [matplotlib.colors.to_hex(colour) for colour in fig.axes[0].collections[0].get_facecolors()]
    assert drawn == [COLOURS[v][0] for v in ("lower", "exact", "exact", "agrees")]


def test_the_scoreboard_has_one_panel_a_paper():
    fig = plots.verdict_grid(pd.concat([judged(["exact"]), judged(["lower"], "q")]))
    assert [ax.get_title(loc="left") for ax in fig.axes] == ["p: toy", "q: toy"]


def test_a_paper_with_many_columns_goes_on_in_a_further_panel_from_a_data_set_on():
    cells = pd.concat([judged(["exact"] * 24, dataset=name).assign(metric=[str(n // 2) for n in range(24)],
                       method="m") for name in "abc"])
    fig = plots.verdict_grid(cells)
    assert [ax.get_title(loc="left") for ax in fig.axes] == ["p", "p, continued", "p, continued"]
    assert [len(ax.texts) for ax in fig.axes] == [24, 24, 24]


@pytest.mark.parametrize("case", CASES)
def test_equal_figures_give_equal_files(case, tmp_path):
    formats = ("png", "svg", "pdf")
    first = plots.save(CASES[case](), "first", tmp_path, formats=formats)
    second = plots.save(CASES[case](), "second", tmp_path, formats=formats)
    assert [path.read_bytes() for path in first] == [path.read_bytes() for path in second]


def test_one_figure_saved_twice_gives_equal_files(tmp_path):
    fig = CASES["runtime"]()
    first, second = plots.save(fig, "first", tmp_path), plots.save(fig, "second", tmp_path)
    assert [path.read_bytes() for path in first] == [path.read_bytes() for path in second]


def test_another_process_writes_the_same_bytes(tmp_path):
    code = (
        "from mtclib import plots\n"
        "fig = plots.convergence({'a': [[3.0, 2.0, 1.0]]}, 2)\n"
        f"plots.save(fig, 'a', {str(tmp_path / 'other')!r})\n"
    )
    here = plots.save(plots.convergence({"a": [[3.0, 2.0, 1.0]]}, 2), "a", tmp_path / "here")
    root = str(Path(plots.__file__).parents[3])
    env = os.environ | {"MPLBACKEND": "Agg", "PYTHONHASHSEED": "7", "PYTHONPATH": root}
    subprocess.run([sys.executable, "-c", code], check=True, env=env)
    for path in here:
        assert path.read_bytes() == (tmp_path / "other" / path.name).read_bytes(), path.name


def read_manifest(folder):
    with (folder / "manifest.csv").open(newline="") as handle:
        return list(csv.DictReader(handle))


def test_the_manifest_is_sorted_and_a_new_save_replaces_its_row(tmp_path):
    fig = plots.convergence({"a": [[2.0, 1.0]]})
    plots.save(fig, "b", tmp_path, notebook="x.ipynb", data="1")
    plots.save(fig, "a", tmp_path, notebook="x.ipynb", data="1")
    plots.save(fig, "b", tmp_path, notebook="y.ipynb", data="2", printed="P 1", formats=("png",))
    rows = read_manifest(tmp_path)
    assert [(row["file"], row["notebook"], row["data"], row["printed"]) for row in rows] == [
        ("a.png", "x.ipynb", "1", ""),
        ("a.svg", "x.ipynb", "1", ""),
        ("b.png", "y.ipynb", "2", "P 1"),
        ("b.svg", "x.ipynb", "1", ""),
    ]
    for row in rows:
        assert row["sha256"] == hashlib.sha256((tmp_path / row["file"]).read_bytes()).hexdigest()
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.png", "a.svg", "b.png", "b.svg", "manifest.csv"]


def test_the_default_folder_is_figures_under_the_root(tmp_path, monkeypatch):
    monkeypatch.setenv("MTCLIB_ROOT", str(tmp_path))
    (path,) = plots.save(plots.convergence({"a": [[2.0, 1.0]]}), "a", formats=["png"])
    assert path == tmp_path / "figures" / "a.png" and path.is_file()


@pytest.mark.parametrize(("change", "message"), [
    ({"name": "../a"}, "use letters"),
    ({"name": ""}, "use letters"),
    ({"formats": ["gif"]}, "'gif' is unknown"),
])  # fmt: skip
def test_save_refuses_a_bad_name_or_format_and_writes_nothing(change, message, tmp_path):
    with pytest.raises(ValueError, match=message):
        plots.save(plots.convergence({"a": [[2.0, 1.0]]}), **({"name": "a", "folder": tmp_path} | change))
    assert list(tmp_path.iterdir()) == []


def test_a_name_with_dollar_signs_is_shown_as_written_not_read_as_mathematics():
    name = r"$\nosuchcommand$"
    fig = plots.convergence({name: [[2.0, 1.0]]})
    fig.canvas.draw()
    assert legend(fig) == [name] and fig.legends[0].get_window_extent().width > 100
