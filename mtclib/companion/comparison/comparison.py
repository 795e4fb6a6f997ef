"""An earlier comparison: all methods on the data sets of the papers, at one preprocessing and their defaults.

It stands in for sets that the comparison by sources has not run yet.  ``data/comparison/multitask/`` and
``multiview/`` are folders like a paper's: ``protocol.toml`` says what was run, ``absent.csv`` what is absent
and why, ``results`` what came out.  :func:`of_papers` opens them.
"""

import pandas as pd

from mtclib.companion.comparison.sources import Sources
from mtclib.companion.parameters import choose
from mtclib.companion.runs import profiles
from mtclib.core import paths

KINDS = ("multitask", "multiview")
NAMES = {"tasks": "multitask", "views": "multiview"}
"""The kinds as `Sources` has them."""


def protocol_file(kind):
    """File of a comparison's protocol; `UsageError` if there is no such kind."""
    return paths.paper_dir(_folder(kind)) / "protocol.toml"


def absences(kind):
    """Methods that are not run on a data set, and why: ``dataset, method, reason``."""
    return pd.read_csv(protocol_file(kind).with_name("absent.csv"), dtype=str)


def plan(kind, profile="full", *, seed=None, n_runs=0):
    """Jobs of a comparison, without those of absent methods, and the store they belong to."""
    _, jobs, store = profiles.plan(protocol_file(kind), profile, seed=seed, n_runs=n_runs)
    absent = set(absences(kind)[["dataset", "method"]].itertuples(index=False, name=None))
    return [job for job in jobs if (job.dataset, job.method) not in absent], store


def run(kind, profile="full", *, seed=None, n_runs=0, n_jobs=1, export=False):
    """Run what the store does not have yet, and return the results of all. With ``export`` they are written
    to ``data/comparison/<kind>/results``, to be committed."""
    jobs, store = plan(kind, profile, seed=seed, n_runs=n_runs)
    folder = results_folder(kind) if export else None
    return profiles.run_and_export(jobs, store, folder, n_jobs=n_jobs)


def results_folder(kind):
    """Folder of the committed results."""
    return paths.results_dir(_folder(kind))


def _folder(kind):
    return f"comparison/{choose(kind, KINDS, 'comparison')}"


def of_papers(kind):
    """The committed results on the sets of the papers as `Sources`; ``kind`` is "tasks" or "views"."""
    return Sources(kind, protocol_file(NAMES[kind]).parent)
