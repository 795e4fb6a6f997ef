"""Are the records of a run the committed results, bit for bit?"""

import numpy as np

from mtclib.experiments.committed import rounded


def agreement(store, results):
    """Compare every fit of committed results with its record in a run store.

    Parameters
    ----------
    store : RunStore
    results : Results
        From :func:`mtclib.experiments.read_results`.

    Returns
    -------
    dict
        ``jobs`` (fits in the results that succeeded), ``missing`` (without a record, or with one that
        failed), ``vectors`` (label vectors compared), ``labels_differ``, ``scores_differ`` and
        ``objectives_differ`` (lists of keys), and ``identical_labels``, ``identical_scores``,
        ``identical_objectives``: True if nothing is missing and nothing differs.  Labels are compared as
        they are; scores to the 6 decimals and objectives to the 8 digits that are committed.

    Examples
    --------
    >>> import tempfile
    >>> from mtclib.experiments import RunStore, read_results
    >>> from mtclib.paths import data_dir
    >>> found = agreement(RunStore(tempfile.mkdtemp()), read_results(data_dir() / "results" / "mtcmrl"))
    >>> found["missing"] == found["jobs"], found["identical_labels"]
    (True, False)
    """
    fits = results.frame[results.frame["status"] == "ok"]
    vectors = _by_key(results.labels)
    differ = {"labels": [], "scores": [], "objectives": []}
    missing = compared = 0
    for key, rows in fits.drop_duplicates(["key", "task", "metric"]).groupby("key", sort=False):
        record = store.get(key)
        if record is None or record.status != "ok":
            missing += 1
            continue
        compared += len(vectors[key])
        same = {"labels": _same_labels(record, vectors[key]), "scores": _same_scores(record, rows),
                "objectives": _same_objective(record, rows)}
        for part in differ:
            differ[part] += [] if same[part] else [key]
    return {"jobs": int(fits["key"].nunique()), "missing": missing, "vectors": compared,
            **{f"{part}_differ": keys for part, keys in differ.items()},
            **{f"identical_{part}": not (keys or missing) for part, keys in differ.items()}}


def _by_key(labels):
    found = {}
    for name, vector in labels.items():
        key, _, task = name.partition("/")
        found.setdefault(key, {})[task] = vector
    return found


def _same_labels(record, vectors):
    mine = {name.partition("/")[2]: y for name, y in record.arrays.items() if name.startswith("labels/")}
    return mine.keys() == vectors.keys() and all(np.array_equal(mine[task], y) for task, y in vectors.items())


def _same_scores(record, rows):
    scores, measures = record.info["scores"], record.info.get("measures", {})
    mine = [scores.get(task, {}).get(metric, measures.get(metric, np.nan))
            for task, metric in zip(rows["task"], rows["metric"])]
    # Reading a number from text may miss its last bit, so both sides are rounded.
    return np.array_equal(np.round(mine, 6), np.round(rows["value"].to_numpy(), 6), equal_nan=True)


def _same_objective(record, rows):
    mine, committed = rounded([record.info["objective"], rows["objective"].iloc[0]])
    return mine == committed
