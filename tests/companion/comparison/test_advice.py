"""The advice follows from scores by fixed rules, and so do what is said of sharing and the frontier."""

import re
import weakref

import numpy as np
import pandas as pd
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.path import Path
from matplotlib.text import Text

from benchmarks import candidates, comparison_sets
from benchmarks.exam import FILES
from mtclib.companion.comparison import advice, command, exam, frontier, sharing
from mtclib.companion.comparison.sources import KINDS, PLAIN, Sources, chosen, summary
from mtclib.companion.userdata import load
from mtclib.companion.userdata.files import DataFileError
from mtclib.core import paths

METHODS = {PLAIN: 50.0, "k-means": 45.0, "MBC": 53.0, "SNMF": 60.0, "sklearn GMM": 70.0, "SAMTC": 40.0}


class Toys(Sources):
    """Made-up scores of methods for tasks on a set of each of several sources."""

    def __init__(self, sets, **changed):
        super().__init__("tasks")
        kinds, sources = self.table.drop_duplicates("set").set_index("set")[["kind", "source"]].T.to_numpy()
        known = dict(zip(self.sets, zip(sources, kinds)))
        index = [(*known[name], name, "first") for name in sets]
        self.made = pd.DataFrame(METHODS | changed, pd.MultiIndex.from_tuples(
            index, names=["source", "kind", "set", "preparation"]))
        self.made += np.random.default_rng(0).normal(0, 0.5, self.made.shape)

    def scores(self, *_, **__):
        return self.made


SETS = ["Heart", "Vowel", "tr23", "Reuters"]
EIGHT = ["Heart", "Vowel", "Gas-drift", "MNIST-USPS", "tr23", "Reuters", "WebKB4", "hitech"]


def decided(sets=SETS, **changed):
    toys = Toys(sets, **changed)
    return advice.advised(toys), str(advice.table("tasks", toys))


def test_the_best_of_ours_is_advised_with_what_it_gains_if_followed_and_the_package_that_is_ahead():
    found, text = decided()
    assert (found["take"], found["package"]) == ("SNMF", "sklearn GMM")
    assert found["low"] < found["gain"] < found["high"]
    assert found["gain"] == pytest.approx(10, abs=1)
    assert found["over"]["low"] < found["over"]["gain"] < found["over"]["high"]
    assert found["over"]["gain"] == pytest.approx(10, abs=1)
    assert found["risk"] < 0.01
    assert found["worse"] == 0
    assert "SNMF" in text


def test_a_large_gain_on_some_sources_gives_way_to_a_smaller_one_on_all():
    gains = pd.DataFrame({"torn": [25.0, 30.0, 25.0, -20.0], "sure": [2.0, 3.0, 2.0, 2.5], PLAIN: 0.0})
    assert [chosen(gains), chosen(gains[["torn", PLAIN]]), chosen(gains[:1])] == ["sure", PLAIN, "torn"]


def test_where_a_loss_cannot_be_afforded_the_method_with_the_fewest_is_named_and_else_plain_k_means():
    fails = {"MBC": np.nan}  # everywhere, so that it loses nowhere
    found, text = decided(EIGHT, SNMF=[90.0] * 6 + [45.0] * 2, **{"k-means": [53.0] * 7 + [49.8]}, **fails)
    assert (found["take"], found["worse"], found["safe"]) == ("SNMF", 2, "k-means")
    assert "a loss cannot be afforded" in text
    worse, text = decided(MBC=30.0, SNMF=30.0)
    assert worse["take"] == PLAIN
    assert "plain k-means" in text


def test_a_part_of_the_data_gets_advice_of_its_own_only_where_that_gains():
    texts = np.array([False] * 4 + [True] * 4)
    toys = Toys(EIGHT, MBC=np.where(texts, 90.0, 40.0), SNMF=np.where(texts, 55.0, 95.0))
    assert advice.rows(toys)["texts"]["take"] == "MBC"
    toys = Toys(EIGHT, MBC=[40.0, 90.0] * 4, SNMF=[95.0, 55.0] * 4)
    assert not advice.rows(toys)


@pytest.mark.parametrize("kind", KINDS)
def test_advice_is_among_our_methods_that_are_fast_and_plain_k_means(kind):
    sources = advice.evidence(kind)
    names = advice.ours(sources, sources.protocol.methods)
    own = [name for name, spec in sources.protocol.methods.items() if "Rival" not in spec.estimator]
    assert PLAIN in names
    assert {"tasks": "LLMC", "views": "DiMSC"}[kind] in set(own) - set(names)
    assert set(names) - {PLAIN} < set(own)


@pytest.mark.parametrize("kind", KINDS)
def test_the_readme_quotes_the_gain_if_followed(kind):
    sources, readme = advice.evidence(kind), (paths.root() / "README.md").read_text(encoding="utf-8")
    found, gains = advice.advised(sources), sources.gains(sources.scores())
    ten = summary(found["followed"] - gains[advice.TEN_STARTS])
    readme = " ".join(readme.split())
    assert f"{advice.spread(found)} points of ARI" in readme
    assert f"{100 * found['risk']:.0f} %), and {ten['gain']:+.1f} ({100 * ten['risk']:.0f} %)" in readme


@pytest.mark.parametrize("kind", KINDS)
def test_the_advice_says_what_it_gains_over_ten_starts_with_estimated_numbers_and_by_other_sources(kind):
    sources = advice.evidence(kind)
    own, guessed = sources.gains(sources.scores()), sources.gains(sources.scores(k="unknown"))
    take = advice.advised(sources)["take"]  # whichever source is left out
    over = (own[take] - own["sklearn KMeans, ten starts"]).mean()
    assert f"the gain is {over:+.1f} (" in advice.answer(kind)
    gain = f"with estimated numbers of clusters gains {guessed[take].mean():+.1f} ("
    assert gain in advice.promise(kind, "unknown")
    share, left = advice.redrawn(kind)
    assert 50 < share < 100
    assert 0 < left < own[take].mean()
    assert advice.followed(own[advice.ours(sources, own)]).equals(own[take].rename(None)), "all chose it"
    assert "did not choose it" not in advice.promise(kind)


@pytest.mark.parametrize("kind", KINDS)
def test_what_cluster_gives_on_raw_files_is_known_for_what_is_advised_on_every_set_that_it_ended_on(kind):
    sources = advice.evidence(kind)
    best, found, ended = advice.advised(sources), command.scores(kind), sources.scores()
    for method in {best["take"], best["safe"], PLAIN}:
        known = found.xs(method, level="method").dropna(subset="cluster").index
        assert set(known) == set(ended[method].dropna().index.unique("set"))
    assert found.xs(PLAIN, level="method")["orders"].isna().all()
    assert (found["cluster"] - found["comparison"]).abs().max() < 1, "one preparation, and the same seeds"


def test_the_rule_for_an_unknown_number_that_the_command_has_loses_least_with_and_without_any_source():
    lost = pd.concat({kind: command.without_k(kind) for kind in KINDS})
    for left in (None, *lost.index.unique(1)):
        kept = lost[lost.index.get_level_values(1) != left]
        assert kept[list(command.RULES)].mean().idxmin() == command.USED
    assert (lost["best"] <= lost[["smallest", "middle", "largest"]].min(axis=1) + 1e-9).all()


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_lost_without_a_number_is_known_on_every_set_that_is_run(kind):
    found = pd.read_csv(paths.paper_dir("comparison") / "candidates.csv").query("kind == @kind")
    assert set(found["set"]) == set(advice.evidence(kind).done)
    assert (found.groupby("set").size() == 1 + len(command.RULES)).all()
    assert f"lost {command.without_k(kind)[command.USED].mean():.0f} points" in command.lost_without_k(kind)


def test_prediction_strength_and_stability_find_planted_clusters():
    rng, y = np.random.default_rng(0), np.arange(150) % 3
    V = np.eye(3)[y] + rng.normal(0, 0.05, (150, 3))
    assert candidates.strength(V, 3, rng) == 1
    assert candidates.stability(V, 3, rng) == 1
    worse = np.hstack([V, rng.normal(0, 0.3, (150, 2))])
    assert candidates.strength(worse, 5, rng) < 0.8
    assert candidates.stability(worse, 5, rng) < 0.8


def test_sharing_is_measured_against_a_method_s_own_single_task_version_and_correlated_over_sources():
    found = sharing.gains("tasks", Toys(SETS, **{"SAMTC, alone": METHODS["SAMTC"] - 3.0}))
    assert set(found["method"]) == {"MBC", "SAMTC"}
    assert found.query("method == 'SAMTC'")["gain"].mean() == pytest.approx(3, abs=1)
    known, every = (set(sharing.gains("tasks", pooled=one)["method"]) for one in (False, True))
    assert every - known == set(sharing.POOLED)
    assert found.query("method == 'MBC'")["gain"].mean() == pytest.approx(8, abs=1)
    frame = pd.DataFrame({"measure": range(8), "gain": [1, 2, 3, 4, 5, 6, 8, 7]})
    assert sharing.correlation(frame) == pytest.approx((41 / 42, 0.86351, 0.99604), abs=1e-5)
    assert np.isnan(sharing.correlation(frame[:4])[0])


def test_relatedness_and_agreement_find_what_is_planted():
    rng = np.random.default_rng(0)
    one, other = rng.normal(size=(2, 90, 4))
    near, far = comparison_sets.relatedness([one, other]), comparison_sets.relatedness([one, other + 9])
    assert near > 0.6
    assert far == 0
    truth = np.repeat([0, 1, 2], 30)
    clear = np.eye(3)[truth] + rng.normal(0, 0.05, (90, 3))
    found = comparison_sets.single_views([one, clear], 3, truth, seeds=[0])
    assert (found["chosen"], found["single"], found["landmarks on one"]) == (2, 100.0, 100.0)
    assert found["landmarks side by side"] < 100
    assert found["agreement"] < 0.2


def test_what_views_add_to_a_better_method_on_one_of_them_sums_up_to_its_gain():
    parts, whole = sharing.by_parts(), sharing.gains("views").query("method == 'LandmarkSpectral'")
    whole = whole.groupby("source")["gain"].mean()
    assert (parts["alone"] + parts["views"]).to_numpy() == pytest.approx(whole[parts.index].to_numpy())
    assert "all views add +" in " ".join(sharing.sentences())
    for kind, told in zip(sharing.MEASURES, sharing.sentences()):
        known = [sharing.by_source(part)["gain"].mean() for _, part in sharing.gains(kind).groupby("method")]
        assert f"{sum(gain > 0 for gain in known)} of {len(known)} of them gain" in told


@pytest.mark.parametrize("kind", KINDS)
def test_every_set_is_described_and_every_method_that_shares_has_a_version_that_does_not(kind):
    sources = Sources(kind)
    known = pd.read_csv(sources.folder / "sets.csv")
    assert list(known["set"]) == sources.sets
    assert known[sharing.MEASURES[kind]].between(-0.1, 1).all()
    pairs, single = sharing.own(sources), {"ASI", "CLR", "SNMF", "Consensus", "Consensus, one scale"}
    single |= {name for name in sources.protocol.methods if name.startswith("Spectral NJW")}
    names = {name for name in sources.protocol.methods if "sklearn" not in name or "pooled" in name}
    assert kind == "views" or set(pairs) == names - single - set(pairs.values())


def test_an_exam_prints_what_was_promised_beside_what_came(tmp_path):
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        load.write_example("tasks", tmp_path / name, seed=len(name))
    (tmp_path / "one" / ".hidden").touch()
    found = exam.scores("tasks", tmp_path, n_runs=1)
    table, text = exam.report("tasks", found)
    best = advice.advised(advice.evidence("tasks"))
    assert list(found.index) == ["one", "two"]
    assert {best["take"], PLAIN} < set(found)
    gain = (found[best["take"]] - found[PLAIN]).mean()
    assert table.loc[best["take"], "gain"] == pytest.approx(gain, abs=0.06)
    assert table["sets"].tolist() == [2] * len(table)
    assert f"promised {best['gain']:+.1f}" in text
    assert "of 2 sets" in text
    with pytest.raises(DataFileError, match="each set is a folder"):
        exam.scores("tasks", tmp_path / "one")


def test_the_exam_tells_of_every_set_that_was_named_beforehand_and_of_no_other():
    scores = pd.read_csv(paths.data_dir() / "comparison" / "exam.csv", index_col="set")
    rules = (paths.data_dir() / "comparison" / "judgement.md").read_text(encoding="utf-8")
    text = exam.passed()
    assert set(scores.index) == set(FILES)
    assert all(name in rules for name in FILES)
    gains = scores[advice.advised(advice.evidence("views"))["take"]] - scores["sklearn KMeans"]
    assert f"came {gains.mean():+.1f} (" in text
    assert f"with a loss on {(gains < 0).sum()} of {len(FILES)} sets" in text


@pytest.mark.parametrize(("kind", "name", "content", "said"), [
    ("tasks", "absent", None, "absent: is no folder"), ("tasks", "a.csv", "a\n1\n", "a.csv: is no folder"),
    ("views", "one/.hidden", "", "one: has no files"),
    ("views", "one/a.csv", "a,b\n1,2\n3,4\n", "the set 'one': column: no view has a column 'class'"),
    ("tasks", "one/a.csv", "1,2\n3,4\n", "a.csv: the first line looks .*; each CSV file begins with a line"),
    ("tasks", "one/a.csv", "id,a,class\nx,1,p\ny,2,q\n", "the column 'id' does not .*; each CSV file begins"),
    ("tasks", "one/a.csv", "a,class\n1,\n3,\n", "the set 'one': .*a.csv: no sample has a class"),
    ("tasks", "x" * 300, None, "--data: .* cannot be a path here")])
def test_an_exam_names_the_folder_or_the_set_that_it_cannot_take(kind, name, content, said, tmp_path):
    if content is not None:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(content, encoding="utf-8")
    with pytest.raises(DataFileError, match=said):
        exam.scores(kind, tmp_path if "/" in name else tmp_path / name)


def test_an_exam_reads_all_sets_before_it_begins_and_holds_one_at_a_time(tmp_path, monkeypatch):
    read, known = [], load.load

    def reads(*given):
        assert not any(one() for one in read[:-1])
        data = known(*given)
        read.append(weakref.ref(data))
        return data

    def begins(*given):
        assert len(read) > 3
        return 0.0

    for name in ("one", "two", "three"):
        (tmp_path / name).mkdir()
        load.write_example("tasks", tmp_path / name)
    monkeypatch.setattr(load, "load", reads)
    monkeypatch.setattr(exam, "score", begins)
    exam.scores("tasks", tmp_path)
    assert len(read) == 6


@pytest.mark.parametrize("kind", KINDS)
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


@pytest.mark.parametrize(("kind", "faster", "bands", "share"), [
    ("tasks", "Spectral NJW, scales by cosine", 2, 0.5), ("views", "sklearn Spectral, neighbours", 1, 1.0)])
def test_what_is_said_to_be_faster_is_so_and_not_told_apart_there_alone(kind, faster, bands, share):
    found, sources = frontier.points(kind), advice.evidence(kind)
    advised, told = advice.advised(sources)["take"], frontier.FASTER[kind]
    for number, band in enumerate(frontier.BANDS):
        rows = found[found["band"] == band].set_index("method")
        if advised in rows.index and faster in rows.index:
            ahead = rows.at[faster, "ARI"] - rows.at[advised, "ARI"]
            as_fast = ahead > -0.5 and rows.at[faster, "time"] <= share * rows.at[advised, "time"]
            assert as_fast == (number < bands), band
            ends = np.array(re.findall(r"[-+][\d.]+", rows.at[faster, "over"]), dtype=float)[1:]
            assert "as good" not in told or (abs(ends) < 5).all(), "an interval within the margin"
    known = sources.overview().loc[[faster, advised]]
    assert ("often" in told) <= (known["worse"].diff().iloc[1] < 0)
    assert ("chance of a loss" in told) == (kind == "tasks" and known["risk"].diff().iloc[1] < 0)


def test_the_figure_has_a_panel_for_each_kind_and_number_of_samples_and_names_the_frontier():
    fig = frontier.figure()
    assert [ax.get_title() for ax in fig.axes] == [f"Many {kind}, {band}" for band in frontier.BANDS
                                                   for kind in KINDS]
    found = frontier.points("tasks").query("frontier")
    names = found.loc[found["band"] == frontier.BANDS[0], "method"]
    assert [text.get_text() for text in fig.axes[0].texts] == list(names)
    drawer = FigureCanvasAgg(fig).get_renderer()
    for ax in fig.axes:
        boxes = [Text.get_window_extent(text, drawer) for text in ax.texts]
        for place, box in enumerate(boxes):
            assert (box.min > ax.bbox.min).all(), "no name is cut off"
            assert (box.max < ax.bbox.max).all(), "no name is cut off"
            assert not box.padded(1).count_overlaps(boxes[:place]), "no name touches another"
            line = Path([ax.transData.transform(ax.texts[place].xy), (box.min + box.max) / 2])
            others = boxes[:place] + boxes[place + 1:]
            assert not any(map(line.intersects_bbox, others)), "no line to a point leads through another name"
