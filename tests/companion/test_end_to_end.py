"""One toy paper from its files to its tables in one process: fit, store, export, verdict, claim, table."""

import shutil
from pathlib import Path

import numpy as np
import pytest

from mtclib.companion.papers.study import Study
from mtclib.companion.parameters import UsageError
from mtclib.companion.runs import profiles
from mtclib.companion.verdicts.ledger import LedgerError
from mtclib.core import paths


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    root = tmp_path_factory.mktemp("repository")
    shutil.copytree(Path(__file__).parents[1] / "data" / "toy", root / "data" / "toy")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MTCLIB_ROOT", str(root))
        profiles.run_jobs("toy", "full")
        assert not paths.results_dir("toy").exists()
        profiles.run_jobs("toy", "full", export=True)
        yield Study("toy")


def test_every_job_is_fitted_stored_and_exported(study):
    files = {file.name for file in paths.results_dir("toy").iterdir()}
    assert files == {"jobs.csv.xz", "scores.npz", "labels.npz", "provenance.json", "sizes.csv",
                     "classes.json"}
    jobs = study.results.frame.drop_duplicates("key")
    assert (len(jobs), set(jobs["status"])) == (24, {"ok"})
    assert len(list(paths.runs_dir().rglob("*.npz"))) == 24


def test_verdicts_compare_the_fits_with_print_and_say_why(study):
    cells = study.all_verdicts().set_index(["method", "task"])
    ours = study.selected("Tiny").query("method == 'noisy' and metric == 'ACC' and task == '1'")["value"]
    assert cells.loc[("noisy", "1"), "ours"] == pytest.approx(ours.mean())
    verdicts = cells["verdict"].groupby("method").agg(set).to_dict()
    assert verdicts == {"exact": {"exact"}, "noisy": {"lower"}}
    distance = 100 * np.mean(0.99 - cells.loc["noisy", "ours"])
    assert cells.loc[("noisy", "1"), "reason"] == f"The noise is not given; distance {distance:.1f}."


def test_the_claim_and_the_finding_follow_from_the_same_results(study):
    assert study.outcomes()[["status", "n"]].values.tolist() == [["holds", 8]]
    assert study.known["finding"][0]["text"] == "2 of 4 cells agree."
    (change,) = study.changes["change"]
    assert change < -20
    assert study.decisions_frame().loc[0, "leverage"] == f"ACC {change:+.1f} for much"


def test_the_tables_show_verdicts_and_claims(study):
    assert "exact beats noisy" in str(study.claims_table())
    assert "holds" in str(study.claims_table())
    assert "The weighting is not given" in str(study.decisions_table())
    assert study.audit_table().folded
    assert study.provenance_table().folded
    assert not study.sizes_table(["Nowhere"]).rows
    whole = study.reproduced("Tiny")
    assert whole.header[1:] == (("Task 1", "ACC"), ("Task 2", "ACC"))
    assert "The noise is not given; distance" in whole.html
    (live,) = Study("toy", "full").live_table().tables
    assert [row[0].lines for row in live.rows] == [("exact",), ("noisy",)]


@pytest.mark.parametrize(("show", "name"), [(Study.pipelines_of_tables, "answer"), (Study.answer, "summary")])
def test_a_paper_without_an_answer_or_a_summary_is_named_with_the_remedy(show, name, study):
    with pytest.raises(LedgerError, match=f"toy/claims.toml has no {name}; add one"):
        show(study)


def test_a_study_refuses_what_a_notebook_cannot_use_and_is_the_one_of_its_paper(study):
    with pytest.raises(UsageError, match="n_jobs"):
        Study("toy", n_jobs=0)
    assert type(study) is Study
    assert Study("toy", dask="").dask is None
    assert type(Study.__new__(Study, "mbc")).__name__ == "PaperStudy"
