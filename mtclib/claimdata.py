"""What the claims of each paper are tested on: rows of its committed results, put together paper by paper."""

from functools import cache

import pandas as pd

from mtclib.datasets.reuters import MTCMRL_FAMILIES
from mtclib.reproduction import distances, trajectories
from mtclib.study import families

_ONE_A_JOB = ["key", "task", "metric"]


def outcomes(study):
    """The claims of a paper with their outcome.

    Parameters
    ----------
    study : mtclib.study.Study

    Returns
    -------
    DataFrame
        As from ``mtclib.reproduction.ledger.claims_table``.

    Examples
    --------
    >>> from mtclib.study import Study
    >>> set(outcomes(Study("mbc"))["status"]) <= {"holds", "fails", "undecided"}
    True
    """
    return study.claims(**frames(study))


def frames(study):
    """The frames that the claims file of a paper speaks of.

    Parameters
    ----------
    study : mtclib.study.Study

    Returns
    -------
    dict of str to DataFrame
        ``results`` and, as the paper needs, ``sensitivity``, ``relations``, ``timings``, ``streams``.

    Raises
    ------
    KeyError
        A paper without claims.

    Examples
    --------
    >>> from mtclib.study import Study
    >>> list(frames(Study("mbc")))
    ['results']
    """
    return _FRAMES[study.paper](study)


def _spmtc(study):
    sets = study.protocol.profile("full").datasets
    noisy = [name for kind in ("mixed", "long") for name in study.protocol.studies[f"{kind}-noise"].datasets]
    frame = study.results.frame
    alone = frame[(frame["part"] == "no-sharing") & frame["dataset"].isin(sets)]
    judged = pd.concat([*map(study.selected, sets), alone, *map(study.default, noisy)])
    times = study.table("fit_times")
    sweeps = [study.sweep(f"figure1-{name}") for name in ("lssmtc", "hard", "soft")]
    return {"results": judged.drop_duplicates(_ONE_A_JOB), "sensitivity": pd.concat(sweeps),
            "timings": times[times["w_update"] == "mult"]}


def _mbc(study):
    judged = pd.concat([study.selected(name) for name in study.protocol.profile("full").datasets])
    return {"results": pd.concat([judged[judged["method"].isin(["IND", "MBC"])], study.truth])}


def _mtcmrl(study):
    sets = ["WebKB4", "20NewsGroups", "Reuters"]
    shared = study.protocol.studies["negative-transfer"].datasets
    kinds = relation_kinds(study)
    fits = {name: study.default(name).query("method == 'MTCMRL'") for name in sets}
    return {"results": pd.concat([*map(study.selected, sets), *map(study.default, shared)]),
            "sensitivity": study.sweep("figure1"),
            "relations": pd.concat(study.relations(name, fits[name], kinds[name]) for name in sets),
            "timings": study.table("relation_times").query("costs == 'models'")}


def relation_kinds(study):
    """Which kind of document each class of the three sets of MTCMRL is, by task.

    Parameters
    ----------
    study : mtclib.study.Study
        Of "mtcmrl".

    Returns
    -------
    dict of str to list of list of str
        Root category of a newsgroup, kind of a web page, family of a Reuters topic.

    Examples
    --------
    >>> from mtclib.study import Study
    >>> sorted(relation_kinds(Study("mtcmrl")))
    ['20NewsGroups', 'Reuters', 'WebKB4']
    """
    pages, groups, topics = map(study.class_names, ("WebKB4", "20NewsGroups", "Reuters"))
    return {"WebKB4": [[page.partition(".")[2] for page in task] for task in pages],
            "20NewsGroups": families(groups),
            "Reuters": [[MTCMRL_FAMILIES[topic] for topic in task] for task in topics]}


def _lmsc(study):
    sets = ["3Sources", "BBC", "BBCSport", "Cornell"]
    every = pd.concat(map(study.rows, sets))
    grid = distances.with_params(every[every["method"] == "LMSC"], "lam", "mu").query("mu == 0.01")
    steps = grid.assign(method=[f"lam = {value:g}" for value in grid["lam"]])
    sweeps = study.sweep("figures-2-3")
    sweeps = trajectories.pooled(sweeps, {name: name.rpartition(" ")[0] for name in set(sweeps["dataset"])})
    judged = pd.concat([*map(study.selected, sets), every[every["part"] == "readings"]])
    later = study.table("transfer").query("position > 1").assign(task="avg")
    later = later.rename(columns={"knowledge": "method", "seed": "run"})
    keys = ["dataset", "method", "run", "metric", "task"]
    return {"results": judged.drop_duplicates(_ONE_A_JOB), "sensitivity": pd.concat([sweeps, steps]),
            "streams": later.groupby(keys)["value"].mean().reset_index()}


def _mspl(study):
    frame, digits = study.results.frame, "Handwritten Numerals"
    pages = ["Cornell", "Texas", "Washington", "Wisconsin"]
    main = pd.concat([study.default(name) for name in [digits, *pages]])
    curves, pools = mspl_curves(study)
    falls = trajectories.total_falls(curves, "NMI_arithmetic", until=10)
    falls = falls.assign(metric="fall of NMI", method=falls["method"] + ", curves")
    damaged = mspl_damaged(study)
    parts = [main, trajectories.fit_objectives(main), damaged[damaged["share"].notna()], falls,
             mspl_rounds(study), trajectories.pooled(frame[frame["part"] == "curves"], pools)]
    return {"results": pd.concat(parts).assign(task="")}


@cache
def mspl_curves(study):
    """NMI, accuracy and purity of MSPL and its rivals after each of 30 iterations, from stored histories.

    Parameters
    ----------
    study : mtclib.study.Study
        Of "mspl"; asked twice, it is computed once.

    Returns
    -------
    curves : DataFrame
        As from ``mtclib.reproduction.trajectories.score_trajectories``, toy data sets of one spread as one.
    pools : dict of str to str
        Toy data set to the name it is pooled under.
    """
    frame = study.results.frame
    kept = frame[frame["part"].isin(["curves", "curves-handwritten"])].drop_duplicates("key")
    kept = kept.assign(method=kept["method"].str.partition(",")[0])
    classes = {name: study.classes(name) for name in kept["dataset"].unique()}
    histories = study.kept(kept, "label_history_")
    metrics = ["NMI_arithmetic", "ACC", "purity"]
    curves = trajectories.score_trajectories(kept, histories, classes, metrics, until=30)
    pools = {name: f"toy, s = {name[4]}" for name in classes if name.startswith("toy")}
    return trajectories.pooled(curves, pools), pools


def mspl_rounds(study):
    """In which round hard and smooth pacing take in the samples of the toy data, one row a run."""
    kept = study.results.frame.query("part == 'selection'").drop_duplicates("key")
    (name,) = kept["dataset"].unique()
    return trajectories.selection_rounds(kept, study.kept(kept, "selection_order_"), study.classes(name))


def mspl_damaged(study):
    """Rows of the study of a damaged view with the kind of damage, its unit and its share as columns."""
    frame = study.results.frame
    rows = frame[(frame["part"] == "corruption") | frame["dataset"].eq("Handwritten Numerals")]
    rows = rows[rows["method"].isin(study.protocol.studies["corruption"].methods)]
    return study.with_loader_params(rows, "kind", "unit", "share")

_FRAMES = {"spmtc": _spmtc, "mspl": _mspl, "mbc": _mbc, "mtcmrl": _mtcmrl, "lmsc": _lmsc}
