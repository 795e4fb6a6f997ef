"""The frontier of time, ARI and memory, against loops over all pairs."""

import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.text import Text

from mtclib.companion.comparison import frontier


@pytest.mark.parametrize("kind", ["tasks", "views"])
def test_no_other_method_is_as_good_and_cheaper_than_one_on_the_frontier(kind):
    for _, found in frontier.points(kind).groupby("band"):
        rows = list(found.itertuples())
        for row in rows:
            costs = (-row.ARI, row.time, row.MB)
            others = [(-other.ARI, other.time, other.MB) for other in rows]
            as_good = [other for other in others if other != costs and all(map(float.__le__, other, costs))]
            assert row.frontier == (not as_good)
        assert found.loc[found["ARI"].idxmax(), "frontier"]
        assert found["time"].is_monotonic_increasing
        assert set(found.query("frontier")["method"]) < set(found["method"])


def test_the_figure_has_a_panel_for_each_kind_and_number_of_samples_and_names_the_frontier():
    fig = frontier.figure()
    assert [ax.get_title() for ax in fig.axes] == [f"Many {kind}, {band}" for band in frontier.BANDS
                                                   for kind in ("tasks", "views")]
    found = frontier.points("tasks").query("frontier")
    names = found.loc[found["band"] == frontier.BANDS[0], "method"]
    assert [text.get_text() for text in fig.axes[0].texts] == list(names)
    drawer = FigureCanvasAgg(fig).get_renderer()
    for ax in fig.axes:
        boxes = [Text.get_window_extent(text, drawer) for text in ax.texts]
        for place, box in enumerate(boxes):
            assert (box.min > ax.bbox.min).all(), "no name is cut off"
            assert (box.max < ax.bbox.max).all(), "no name is cut off"
            assert not box.count_overlaps(boxes[:place]), "no name covers another"
