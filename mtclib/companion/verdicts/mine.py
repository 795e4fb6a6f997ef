"""A reader's own hypotheses as a search, and the printed rows that a search did not use."""

import tomllib
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd

from mtclib.companion import runs
from mtclib.companion.runs import our_name
from mtclib.companion.runs.jobs import dotted
from mtclib.companion.verdicts import published
from mtclib.companion.verdicts.identify import as_text, own_choices, scores_of
from mtclib.companion.verdicts.intervals import DELTA
from mtclib.companion.verdicts.published import PERCENT_OR_FRACTION
from mtclib.core import paths
from mtclib.core.checks import check_option


def mine(paper, given):
    """The protocol of a paper with a reader's hypotheses as the search "mine". `given` is a TOML file with
    the fields of ``SearchSpec``, and the ``loader`` of the data sets if it is not the protocol's; or
    "module:function", a function that yields data sets, each a hypothesis, whose name is a printed one."""
    document = tomllib.loads((paths.paper_dir(paper) / "protocol.toml").read_text(encoding="utf-8"))
    printed, params = published.load(paper), {}
    if given.endswith(".toml"):
        search = tomllib.loads(Path(given).read_text(encoding="utf-8"))
        loader = search.pop("loader", "")
    else:
        found, loader, params = _all_yielded(given), f"{__name__}:yielded", {"function": given}
        of_set = printed.loc[printed["dataset"] == found[0].name, "method"].unique()
        methods = [name for name in of_set if name in document["methods"]
                   and not document["methods"][name].get("grid")]
        search = {"datasets": [found[0].name], "data": {"number": list(range(len(found)))},
                  "calibration": [{"method": name} for name in methods]}
    for i, name in enumerate(search.get("datasets", ()) if loader else ()):
        name = check_option(f"{given}: data set", name, printed["dataset"].unique(), runs.ProtocolError)
        document["datasets"][f"{name} (mine)"] = {"loader": loader, "params": params, "published": name}
        search["datasets"][i] = f"{name} (mine)"
    if not search.get("values") and search.get("stage") != "sizes":
        named = [one["method"] for one in search.get("calibration", ()) if "method" in one]
        search.setdefault("methods", {name: [name] for name in named})
    search.setdefault("leave_out", ["dataset", "task", "method", "metric"])
    document.setdefault("identify", {})["mine"] = search
    return runs.parse_protocol(document, given)


@cache
def _all_yielded(function):
    try:
        return list(dotted(function)())
    except (ImportError, AttributeError, ValueError) as error:
        raise runs.ProtocolError(f"--mine {function}: a .toml file, or MODULE:FUNCTION ({error})") from error


def yielded(function, number):
    """The data set of some number that "module:function" yields, as a loader."""
    return _all_yielded(function)[int(number)]


def held_out(protocol, search, found, store, *, n_jobs=1):
    """The printed rows that did not choose, on the data of the winner with methods at their defaults: data
    set, method, cells, their mean distance and how many come within five points. Empty where nothing was
    clustered."""
    if not search.methods:
        return pd.DataFrame()
    names = {protocol.datasets[name].published: name for name in search.datasets}
    cells, winner = published.load(protocol.paper), found["winner"]
    stand_in = {name: winner.get(name, name) for name in search.hold_out or protocol.methods}
    cells = cells[cells["dataset"].isin(names) & ~cells["cell"].isin(found["cells"])
                  & cells["method"].isin(stand_in) & cells["metric"].isin(PERCENT_OR_FRACTION)]
    point = {name: next(value for value in values if as_text(value) == winner[name])
             for name, values in search.data.items()}
    own = {name: own_choices(search, name, point) for name in names.values()}
    variants = {name: {runs.canonical(one): one} for name, one in own.items()}
    methods = list(dict.fromkeys(cells["method"].map(stand_in)))
    scores = {place: one for (place, _), one in
              scores_of(protocol, search, variants, methods, store, n_jobs).items()}
    metrics = {name: winner.get(name, our_name(protocol.paper, name)) for name in cells["metric"].unique()}
    ours = [np.mean(scores[names[one.dataset]].get(
        (one.task, stand_in[one.method], metrics[one.metric]), np.nan)) for one in cells.itertuples()]
    gap = 100 * (np.array(ours, dtype=float) - cells["mean"]).abs()
    rows = cells.assign(distance=gap, near=gap <= 100 * DELTA).groupby(["dataset", "method"], sort=False)
    found = rows.agg(cells=("cell", "size"), distance=("distance", "mean"), within_5=("near", "sum"))
    return found.round(1).reset_index()
