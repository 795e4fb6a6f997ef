"""How far the order of the samples moves the methods that the comparison advises.

    python -m benchmarks.row_orders tasks
    python -m benchmarks.row_orders views

writes data/comparison/many-tasks/orders.csv (or many-views): the ARI of the advised method and of the safe
choice in five random orders of the samples, with one seed and the first preparation, on every set below 1,000
samples that is run.
"""

import argparse
import sys
from dataclasses import replace

import numpy as np
import pandas as pd

from mtclib.companion.comparison import advice
from mtclib.companion.comparison.exam import score
from mtclib.companion.comparison.sources import KINDS
from mtclib.companion.runs.jobs import load_dataset
from mtclib.companion.userdata.contents import as_list

ORDERS, FEWER = 5, 1000


def shuffled(data, seed):
    """The data with the samples of each task, or of all views alike, in another order."""
    rng = np.random.default_rng(seed)
    orders = [rng.permutation(len(y)) for y in as_list(data.labels)]
    labels = [y[order] for y, order in zip(as_list(data.labels), orders)]
    views = data.kind == "multiview"
    return replace(data, Xs=[X[orders[0 if views else t]] for t, X in enumerate(data.Xs)],
                   labels=labels[0] if views else labels)


def main():
    """Run the advised methods in every order."""
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kind", choices=KINDS)
    sources, rows = advice.evidence(parser.parse_args().kind), []
    best, known = advice.advised(sources), pd.read_csv(sources.folder / "sets.csv", index_col="set")
    for name in [name for name in sources.done if known["samples"][name] < FEWER]:
        spec = sources.protocol.datasets[name]
        data, _ = load_dataset(spec.loader, spec.params)
        for method in dict.fromkeys([best["take"], best["safe"]]):
            rows += [{"set": name, "method": method, "order": order,
                      "ARI": score(sources.protocol.methods[method], shuffled(data, order), 0)}
                     for order in range(ORDERS)]
        print(name, flush=True)
    pd.DataFrame(rows).round(4).to_csv(sources.folder / "orders.csv", index=False, lineterminator="\n")


if __name__ == "__main__":
    sys.exit(main())
