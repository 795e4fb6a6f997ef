"""Re-create a random share of the committed fits and compare them: digests of labels, scores, objectives.

    MTCLIB_DATA=FOLDER python -m benchmarks.recreate --share 0.1 --seed 20261122 --n-jobs 2

Interrupted and started again with the same folder, it goes on where it was.  It needs the data of the full
profile; fits of data sets that cannot be had are left out and counted.
"""

import argparse
import sys
from dataclasses import replace

import numpy as np
import pandas as pd

from mtclib.companion.runs import RunStore, read_results, run
from mtclib.companion.runs.committed import rounded
from mtclib.companion.runs.fit import labels_digest
from mtclib.companion.runs.profiles import plan
from mtclib.core import paths


def recreated(paper, share, rng, store, n_jobs):
    """One row: how many fits of a paper were drawn, run again, and are the same."""
    results = read_results(paths.results_dir(paper))
    committed = np.sort(results.frame.loc[results.frame["status"] == "ok", "key"].unique())
    drawn = set(rng.choice(committed, size=round(share * len(committed)), replace=False))
    jobs = [job for job in plan(paper, "full")[1] if job.key in drawn]
    possible = {job.key for job in jobs if not job.unavailable}
    run([job for job in jobs if job.key in possible], store, n_jobs=n_jobs)
    rows = results.frame[results.frame["key"].isin(possible)]
    found = agreement(store, replace(results, frame=rows))
    return {"paper": paper, "committed": len(committed), "drawn": len(drawn),
            "no data": len(drawn - possible), "missing": found["missing"],
            **{part: len(found[f"{part}_differ"]) for part in ("labels", "scores", "objectives")}}


def agreement(store, results):
    """Compare every fit of committed results with its record in a run store, to the digits that are
    committed. A dict: ``jobs`` (that succeeded), ``missing`` (no record, or a failed one), keys in
    ``labels_differ`` (by their digests), ..., and whether nothing is missing nor differs in
    ``identical_labels``, ..."""
    fits = results.frame[results.frame["status"] == "ok"]
    rows_of = fits.drop_duplicates(["key", "task", "metric"]).groupby("key", sort=False, observed=True)
    differ = {"labels": [], "scores": [], "objectives": []}
    missing = 0
    for key, rows in rows_of:
        record = store.get(key)
        if record is None or record.status != "ok":
            missing += 1
            continue
        same = {"labels": labels_digest(record) == results.digests[key], "scores": _same_scores(record, rows),
                "objectives": np.equal(*rounded([record.info["objective"], rows["objective"].iloc[0]]))}
        for part in differ:
            differ[part] += [] if same[part] else [key]
    return {"jobs": int(fits["key"].nunique()), "missing": missing,
            **{f"{part}_differ": keys for part, keys in differ.items()},
            **{f"identical_{part}": not (keys or missing) for part, keys in differ.items()}}


def _same_scores(record, rows):
    scores, measures = record.info["scores"], record.info.get("measures", {})
    mine = [scores.get(task, {}).get(metric, measures.get(metric, np.nan))
            for task, metric in zip(rows["task"], rows["metric"])]
    # Reading a number from text may miss its last bit, so both sides are rounded.
    return np.array_equal(np.round(mine, 6), np.round(rows["value"].to_numpy(), 6), equal_nan=True)


def main():
    """Command line; exit code 1 if anything differs or is missing."""
    layout = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=layout)
    parser.add_argument("--share", type=float, default=0.1)
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--n-jobs", type=int, default=1)
    parser.add_argument("--store", default=str(paths.build_dir() / "recreate"), help="folder of the fits")
    parser.add_argument("papers", nargs="*", default=paths.papers())
    args = parser.parse_args()
    rng, store = np.random.default_rng(args.seed), RunStore(args.store)
    table = pd.DataFrame([recreated(paper, args.share, rng, store, args.n_jobs) for paper in args.papers])
    print(table.to_string(index=False))
    sys.exit(int(table[["missing", "labels", "scores", "objectives"]].to_numpy().sum() > 0))


if __name__ == "__main__":
    main()
