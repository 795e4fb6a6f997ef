"""SPMTC: what its claims are tested on."""

import pandas as pd

from mtclib.companion.papers.study import ONE_A_JOB


def frames(study):
    """Rows of committed results that the claims of the paper speak of, by the name of their frame."""
    sets = study.protocol.profile("full").datasets
    noisy = [name for kind in ("mixed", "long") for name in study.protocol.studies[f"{kind}-noise"].datasets]
    frame = study.results.frame
    alone = frame[(frame["part"] == "no-sharing") & frame["dataset"].isin(sets)]
    judged = pd.concat([*map(study.selected, sets), alone, *map(study.default, noisy)])
    times = study.table("fit_times")
    sweeps = [study.sweep(f"figure1-{name}") for name in ("lssmtc", "hard", "soft")]
    return {"results": judged.drop_duplicates(ONE_A_JOB), "sensitivity": pd.concat(sweeps),
            "timings": times[times["w_update"] == "mult"]}
