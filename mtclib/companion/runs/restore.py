"""Committed fits go back into a run store, so that an export after a change runs only what is new."""

from collections import defaultdict
from dataclasses import replace
from itertools import cycle

import numpy as np

from mtclib.companion.runs.fit import failed_record


def restore(jobs, results, store):
    """Put those fits of committed results that are among the jobs into a store that lacks them, and return
    their keys. A fit without committed labels brings their digest, and is exported as before."""
    arrays = defaultdict(dict)
    for kind, pack in (("labels", results.labels), ("model", results.models)):
        for name, array in pack.items():
            key, _, rest = name.partition("/")
            arrays[key][f"{kind}/{rest}"] = array
    wanted = {job.key: job for job in jobs if not job.unavailable}
    missing = (set(results.frame["key"]) & wanted.keys()) - {*store.keys()}
    rows = results.frame[results.frame["key"].isin(missing)]
    rows = rows.drop_duplicates(["key", "task", "metric"]).groupby("key", sort=True, observed=True)
    # Which of the days a fit was run on is not committed, and none of them may be lost.
    for (key, fit), day in zip(rows, cycle(results.provenance["computed"])):
        record = _record(wanted[key], fit, arrays[key], results)
        record.cost.update(seconds=float(fit["seconds"].iloc[0]), when=day,
                           calibration=results.calibrations.get(key))
        store.put(record)
    return missing


def _record(job, rows, arrays, results):
    fit = rows.iloc[0]
    record = failed_record(job, fit["error"])
    if fit["status"] != "ok":
        return record
    values = rows.pivot(index="task", columns="metric", values="value")
    measures = [name for name in values if name in job.measures]
    scores = values.drop(columns=measures).dropna(how="all")
    record.info.update(status="ok", scores=scores.to_dict("index"), n_iter=int(fit["n_iter"]),
                       objective=float(fit["objective"]), converged=bool(fit["converged"]))
    if job.measures:
        record.info["measures"] = values.loc["", measures].dropna().to_dict()
    if not any(name.startswith("labels/") for name in arrays):
        record.info["labels"] = results.digests[job.key]
    history = results.histories.get(job.key, np.array([fit["objective"]]))
    return replace(record, arrays={**arrays, "objective": history})
