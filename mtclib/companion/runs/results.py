"""Results: from records to one tidy frame, and the selections that papers make."""

from collections.abc import Iterable, Mapping

import pandas as pd

from mtclib.companion.runs.fit import NO_RESULT
from mtclib.companion.runs.jobs import Job, canonical, shown_params
from mtclib.companion.runs.protocol import Protocol
from mtclib.companion.runs.store import Record
from mtclib.metrics import SCORES

JOB_COLUMNS = ("paper", "dataset", "published", "edition", "data_sha", "method", "params", "run", "seed")
STATUS_COLUMNS = ("status", "error", "n_iter", "converged", "objective", "seconds", "key",
                  "algorithm_version", "part", "in_grid")
OF_RECORD = STATUS_COLUMNS[:5]
OF_JOB = {*JOB_COLUMNS, "key", "algorithm_version", "part", "in_grid"} - {"params"}
COLUMNS = (*JOB_COLUMNS, "task", "metric", "value", *STATUS_COLUMNS)
QUIET = 0.0004  # seconds of a calibration while nothing else runs, on the machine of the committed fits
FARTHEST = 5.0  # by which factor a calibration may differ from that


def calibrated(seconds: pd.Series, calibration: pd.Series) -> pd.Series:
    """Seconds of fits as they would be while nothing else runs, two Series; as they are without calibration.

    Where the clock of the processor ticks too slowly for a calibration, it is 0 or a whole tick: none, too.

    >>> calibrated(pd.Series([3.0, 3.0, 3.0]), pd.Series([0.0006, None, 0.0])).tolist()
    [2.0, 3.0, 3.0]
    """
    ratio = QUIET / pd.to_numeric(calibration, errors="coerce")
    return seconds * ratio.where(ratio.between(1 / FARTHEST, FARTHEST), 1.0)


def frame(jobs: Iterable[Job], records: Mapping[str, Record | None]) -> pd.DataFrame:
    """Tidy results of jobs, one row per job, task and metric: `COLUMNS`. Jobs without a record are those
    whose data cannot be had; measures of the whole fit have the task ""."""
    rows = []
    for job in jobs:
        record = records.get(job.key)
        info = record.info if record else {"status": "unavailable", "error": job.unavailable, **NO_RESULT}
        given = {"params": job.shown, "seconds": record.cost["seconds"] if record else 0.0,
                 **{name: getattr(job, name) for name in OF_JOB}, **{name: info[name] for name in OF_RECORD}}
        scores, measures = info["scores"], info.get("measures", {})
        values = [(task, metric, scores.get(task, {}).get(metric)) for task in job.tasks for metric in SCORES]
        values += [("", metric, measures.get(metric)) for metric in job.measures]
        rows += [{**given, "task": task, "metric": metric, "value": value} for task, metric, value in values]
    types = {"value": float, "objective": float, "seconds": float, "converged": bool, "in_grid": bool}
    return pd.DataFrame(rows, columns=COLUMNS).astype(types)


def oracle(results: pd.DataFrame, metric: str = "ACC") -> pd.DataFrame:
    """Rows at the best grid point, chosen with the labels as papers do, by the mean of ``metric`` over tasks.
    Points with a failed run do not take part; ties go to the point that comes first."""
    grid, point = results[results["in_grid"]], ["dataset", "method", "params"]
    rows = grid[(grid["metric"] == metric) & grid["task"].isin(["avg", ""])]
    means = rows.groupby(point, sort=False)["value"].mean(skipna=False)
    best = means.dropna().groupby(["dataset", "method"], sort=False).idxmax()
    best = pd.MultiIndex.from_tuples(best, names=point)
    return grid[pd.MultiIndex.from_frame(grid[point]).isin(best)]


def fixed(results: pd.DataFrame, defaults: Mapping) -> pd.DataFrame:
    """Rows at the fixed default point of each method, what a user gets without labels. ``defaults`` are
    ``Protocol.defaults``; methods that are not in it are left out."""
    wanted = results["method"].map({name: canonical(point) for name, point in defaults.items()})
    return results[results["in_grid"] & (results["params"] == wanted)]


def read_by_labels(results, protocol):
    """Keys of the fits whose labels are committed: those behind the tables that stand beside print, and those
    of which a model is kept. A number, claim or figure that reads others fails with a KeyError."""
    profile = protocol.profile("full")
    rows = results["dataset"].isin(profile.datasets) & results["method"].isin(profile.methods)
    for name, spec in protocol.datasets.items():
        if spec.pipeline == "identified":
            own = [spec.stand_ins.get(method, method) for method in protocol.own]
            rows |= (results["dataset"] == (spec.rows_of or name)) & results["method"].isin(own)
    rows = results[rows & (results["published"] != "")]
    of_models = results["method"].isin([name for name, method in protocol.methods.items() if method.keep])
    parts = [results[of_models], fixed(rows, protocol.defaults), *([oracle(rows)] if len(rows) else [])]
    return {key for part in parts for key in part["key"].unique()}


def sweep_rows(results: pd.DataFrame, protocol: Protocol, name: str, profile: str = "full") -> pd.DataFrame:
    """Rows of a sensitivity sweep, wherever its points were computed, each point once, with every swept
    parameter in ``params``."""
    sweep, profile = protocol.sensitivity[name], protocol.profile(profile)
    rows = results[(results["method"] == sweep.method) & results["dataset"].isin(sweep.datasets)]
    shown = {canonical(point): shown_params(protocol, profile, sweep.method, point)
             for point in sweep.points()}
    return pd.concat([rows[rows["params"] == text].assign(params=point) for point, text in shown.items()],
                     ignore_index=True)


def pooled(rows, names):
    """Several draws of a data set as one, with runs numbered through. ``names`` maps a data set to the name
    of its pool; others stay as they are."""
    pool = rows["dataset"].map(lambda name: names.get(name, name))
    draws = rows.groupby(["dataset", "run"], sort=False).ngroup().groupby(pool, sort=False)
    return rows.assign(dataset=pool, run=draws.transform(lambda own: pd.factorize(own)[0]))
