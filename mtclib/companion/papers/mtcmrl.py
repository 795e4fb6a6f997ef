"""MTCMRL: what its claims are tested on, and which classes of its tasks belong together."""

import pandas as pd

from mtclib.companion.papers.study import families
from mtclib.datasets.reuters import MTCMRL_FAMILIES


def frames(study):
    """Rows of committed results that the claims of the paper speak of, by the name of their frame."""
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

    Root category of a newsgroup, kind of a web page, family of a Reuters topic.

    >>> from mtclib.companion.papers.study import Study
    >>> sorted(relation_kinds(Study("mtcmrl")))
    ['20NewsGroups', 'Reuters', 'WebKB4']
    """
    pages, groups, topics = map(study.class_names, ("WebKB4", "20NewsGroups", "Reuters"))
    return {"WebKB4": [[page.partition(".")[2] for page in task] for task in pages],
            "20NewsGroups": families(groups),
            "Reuters": [[MTCMRL_FAMILIES[topic] for topic in task] for task in topics]}
