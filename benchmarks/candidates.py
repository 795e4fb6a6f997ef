"""How often is the number of classes among the candidates that `cluster` names where k is unknown?

    python -m benchmarks.candidates

runs :func:`mtclib.companion.userdata.number.candidates` on every set of the comparison by sources, prepared
as the command prepares a user's files where the set is stored raw, and the recommended method with each
candidate and with the true number.  A set of tasks counts as the mean of its tasks.  About half an hour.
"""

import numpy as np
import pandas as pd

from mtclib.baselines.registry import all_estimators
from mtclib.companion.comparison.sources import KINDS, Sources
from mtclib.companion.runs.jobs import load_dataset
from mtclib.companion.userdata.contents import as_list
from mtclib.companion.userdata.number import candidates
from mtclib.companion.userdata.run import RECOMMENDED
from mtclib.metrics import adjusted_rand_index


def judged(data, found):
    """One row for each task, or for all views together."""
    truth = [data.n_clusters] if data.kind == "multiview" else data.n_clusters
    for (_, ks), true in zip(found, truth):
        far = np.abs(np.log(ks.to_numpy() / true))
        yield {"within 1": (abs(ks - true) <= 1).any(), "within a factor 1.5": far.min() <= np.log(1.5),
               "smallest": far[0], "middle": far[len(far) // 2], "largest": far[-1]}  # fmt: skip


def score(data, k):
    """Adjusted Rand index of the recommended method in percent, the mean over tasks."""
    labels = all_estimators()[RECOMMENDED[data.kind]](k, random_state=0).fit(data.Xs).labels_
    pairs = zip(as_list(data.labels), as_list(labels))
    return 100 * np.mean([adjusted_rand_index(y[y >= 0], each[y >= 0]) for y, each in pairs])


def lost(data, found):
    """Points that are lost with the smallest, the middle and the largest candidate, and with the best."""
    views, known, points = data.kind == "multiview", score(data, data.n_clusters), {}
    for name, place in (("smallest", 0), ("middle", 0.5), ("largest", 1)):
        ks = [int(part.iloc[min(int(place * len(part)), len(part) - 1)]) for _, part in found]
        points[f"lost, {name}"] = known - score(data, ks[0] if views else ks)
    return points | {"lost, best": min(points.values())}


def main():
    """Print shares of sets, mean factors by which each candidate is off, and points that it loses."""
    rows = {}
    for kind in KINDS:
        sources = Sources(kind)
        for name in sources.sets:
            spec = sources.protocol.datasets[name]
            raw = {"preparation": "auto"} if "preparation" in spec.params else {}
            data, _ = load_dataset(spec.loader, spec.params | raw)
            found = candidates(data).table.groupby("task", sort=False)["clusters"]
            each = pd.DataFrame(judged(data, found)).astype(float)
            rows[kind, name] = each.mean().to_dict() | lost(data, found)
            print(kind, name, rows[kind, name], flush=True)
    table = pd.DataFrame.from_dict(rows, orient="index").astype(float)
    table.iloc[:, 2:5] = np.exp(table.iloc[:, 2:5])
    print(table.groupby(level=0).mean().round(2).to_string(), table.mean().round(2).to_string(), sep="\n")


if __name__ == "__main__":
    main()
