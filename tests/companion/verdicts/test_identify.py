"""A search for unstated choices: it finds a planted pipeline, and none in print that is shuffled."""

import numpy as np
import pandas as pd
import pytest

from mtclib.companion import runs
from mtclib.companion.cli import main
from mtclib.companion.papers.study import Study
from mtclib.companion.runs import profiles, store
from mtclib.companion.verdicts import identify
from mtclib.companion.verdicts.published import REQUIRED
from mtclib.core import paths

PROTOCOL = """
paper = "toy"
title = "A toy paper"
root_seed = 1

[datasets]
Tiny = { loader = "experiments_support:tiny", published = "Tiny" }

[datasets.Found]
loader = "experiments_support:tiny"
params = { n = 90 }
published = "Tiny"
pipeline = "identified"
search = "tiny"
scale = { ACC = 0.5 }

[methods]
noisy = { estimator = "experiments_support:Noisy", params = { noise = 4.0 } }
"very noisy" = { estimator = "experiments_support:Noisy", params = { noise = 9.0 } }

[identify.tiny]
datasets = ["Tiny"]
calibration = [{ method = "noisy", table = "1" }]
criterion = "distance"
data = { n = [30, 90, 99], shift = [0.0, 0.0] }
methods = { noisy = ["noisy", "very noisy"] }
metrics = { NMI = ["NMI_max", "NMI_geometric"] }
n_runs = 3
leave_out = ["task", "metric"]
n_permutations = 100

[profiles.full]
n_runs = 3
datasets = ["Tiny", "Found"]
methods = ["noisy"]
"""


@pytest.fixture
def toy(write):
    """A repository with a toy paper whose table 1 a pipeline printed; give print, or shuffle it."""
    for name, text in (("protocol.toml", PROTOCOL), ("decisions.toml", ""),
                       ("sizes.csv", "table,dataset,task,quantity,value,note\n")):
        write(name, text, "toy")
    metrics = ["ACC", "NMI", "ARI", "RI", "purity"]

    def write_means(means):
        rows = [("toy", "1", "Tiny", task, "noisy", metric, f"{mean:.4f}", "", "4")
                for (task, metric), mean in zip(((t, m) for t in "12" for m in metrics), means)]
        rows.append(("toy", "2", "Tiny", "1", "noisy", "ACC", "0.5", "", "4"))
        write("published.csv", pd.DataFrame(rows, columns=list(REQUIRED)).to_csv(index=False), "toy")

    write_means(np.linspace(0.1, 0.9, 10))
    main(["identify", "toy"])
    table = pd.read_csv(identify.table_file("toy", "tiny"), keep_default_na=False)
    row = table.query("n == 90.0 and noisy == 'very noisy' and NMI == 'NMI_geometric'")
    return write_means, row.filter(like="toy:").to_numpy()[0]


def test_a_planted_pipeline_is_found_from_stored_fits_and_its_cells_are_the_calibration(toy, monkeypatch):
    write, ours = toy
    write(ours)
    monkeypatch.setattr(store.RunStore, "put", None)
    assert main(["identify", "toy"]) == 0
    found = identify.summaries("toy")["tiny"]
    assert found["hypotheses"] == 12 and found["distance"] < 1e-4
    assert found["winner"] == {"n": "90.0", "shift": "0.0", "noisy": "very noisy", "NMI": "NMI_geometric"}
    assert found["permutations"]["reached"] == 0 and found["permutations"]["p"] == 0.009901
    assert len(found["folds"]) == 7 and all(fold["rank"] == 1 for fold in found["folds"])
    assert len(identify.calibration_cells("toy")) == 10


def test_nothing_is_found_in_shuffled_print_and_what_is_found_stands_for_the_printed_data_with_its_fits(toy):
    write, ours = toy
    profiles.run_jobs("toy", "full", export=True)
    write(ours[::-1])
    main(["identify", "toy"])
    assert identify.summaries("toy")["tiny"]["permutations"]["p"] > identify.LEVEL
    assert not identify.calibration_cells("toy") and Study("toy").headline("Tiny") == "Tiny"
    write(ours)
    main(["identify", "toy"])
    study = Study("toy")
    assert study.headline("Tiny") == "Found"
    cells, fits = study.all_verdicts().query("metric == 'ACC' and task == '1'"), study.rows("Found")
    mean = fits.query("metric == 'ACC' and task == '1'")["value"].mean()
    assert cells["ours"].tolist() == pytest.approx([mean / 2] * 2)


@pytest.mark.parametrize("paper", [name for name in paths.papers() if identify.summaries(name)])
def test_committed_searches_are_what_their_tables_give(paper):
    protocol, cells = runs.load_protocol(paper), identify.published.load(paper)
    found = identify.summaries(paper)
    assert list(found) == list(protocol.identify)
    for name, search in protocol.identify.items():
        table = pd.read_csv(identify.table_file(paper, name), keep_default_na=False, dtype=str)
        choices = list(table.columns[: table.columns.get_loc("distance")])
        chosen = identify.calibration(protocol, search, cells)
        table[chosen["cell"]] = table[chosen["cell"]].astype(float)
        assert identify.summary(table, choices, chosen, search) == found[name]


def test_the_winner_gives_mbc_true_distances_to_the_last_digit_on_all_sets_but_two_cuts_of_ng20():
    table = pd.read_csv(identify.table_file("mbc", "weights"))
    cells = identify.published.load("mbc").set_index("cell")
    ours = (1000 * table.loc[table["distance"].idxmin()].filter(like="mbc:").astype(float)).round(2)
    assert list(ours.index[ours != cells.loc[ours.index, "mean"]]) == list(ours.index[:2])
