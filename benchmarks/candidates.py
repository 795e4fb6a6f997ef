"""How often is the number of classes among the candidates that `cluster` names where k is unknown?

    python -m benchmarks.candidates

runs :func:`mtclib.companion.userdata.number.candidates` on every set of the comparison by sources, prepared
as the command prepares a user's files where the set is stored raw.  A set of tasks counts as the mean of
its tasks.  About ten minutes.
"""

import numpy as np
import pandas as pd

from mtclib.companion.comparison.sources import KINDS, Sources
from mtclib.companion.runs.jobs import load_dataset
from mtclib.companion.userdata.number import candidates


def judged(data):
    """One row for each task, or for all views together."""
    found = candidates(data).table.groupby("task", sort=False)["clusters"]
    truth = [data.n_clusters] if data.kind == "multiview" else data.n_clusters
    for (_, ks), true in zip(found, truth):
        far = np.abs(np.log(ks.to_numpy() / true))
        yield {"within 1": (abs(ks - true) <= 1).any(), "within a factor 1.5": far.min() <= np.log(1.5),
               "smallest": far[0], "middle": far[len(far) // 2], "largest": far[-1]}  # fmt: skip


def main():
    """Print shares of sets, and mean factors by which each candidate is off."""
    rows = {}
    for kind in KINDS:
        sources = Sources(kind)
        for name in sources.sets:
            spec = sources.protocol.datasets[name]
            raw = {"preparation": "auto"} if "preparation" in spec.params else {}
            data, _ = load_dataset(spec.loader, spec.params | raw)
            rows[kind, name] = pd.DataFrame(judged(data)).mean()
            print(kind, name, rows[kind, name].round(2).to_dict(), flush=True)
    table = pd.DataFrame.from_dict(rows, orient="index").astype(float)
    table.iloc[:, 2:] = np.exp(table.iloc[:, 2:])
    print(table.groupby(level=0).mean().round(2).to_string(), table.mean().round(2).to_string(), sep="\n")


if __name__ == "__main__":
    main()
