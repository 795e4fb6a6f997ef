"""Why the cells of a paper differ from print: causes, open choices and what they change, digits."""

import numpy as np
import pandas as pd

from mtclib import datasets, metrics
from mtclib.companion import plots, runs, tables
from mtclib.companion.papers import scoreboard, study_of
from mtclib.companion.papers.study import show
from mtclib.companion.verdicts import ledger, leverage, numbers, published
from mtclib.companion.verdicts.identify import sizes


def causes(paper):
    """The findings of the paper in full, and every block of cells that deviates with its cause, folded."""
    study = study_of(paper)
    name, found = study.known["name"], study.known["finding"]
    rows = [{"finding": one["text"], "rests on": ", ".join(one["sources"])} for one in found]
    blocks = leverage.by_cause(study.all_verdicts().query("counted"))
    counts = blocks.groupby("cause")["cells"].sum().sort_values(ascending=False)
    told = f"{counts.sum()} cells: {', '.join(f'{cause} ({n})' for cause, n in counts.items())}"
    return tables.Tables((
        tables.frame_table(rows, f"What to know of {name}", folded=f"{len(rows)} findings in full"),
        tables.frame_table(blocks, "Cells that deviate, and why", folded=told)))


def choices(paper):
    """How far the score moves with each open choice, drawn."""
    alt = (f"{paper.upper()}: for each open choice of the paper and each alternative to it, a dot for every "
           "data set and method at the change of the score in points, with a band of plus and minus five.")
    return show(plots.leverage(study_of(paper).changes), f"{paper}-leverage",
                "notebooks/differences.ipynb", f"data/{paper}/results", alt=alt)


def in_detail(paper):
    """The choices, the definitions of the measures and the claims as tables, each folded."""
    study = study_of(paper)
    changes = study.changes.assign(dataset=study.changes["dataset"].map(lambda name: _marked(study, name)))
    moved = leverage.by_alternative(changes).round(1)
    aside = [{**one, "reason": study.numbers.fill(one["reason"])} for one in leverage.entries(paper)[1]]
    outcomes = scoreboard.outcomes(paper)
    parts = ["NMI", *[name for name in ("purity", "ACC") if name in set(study.published["metric"])][:1]]
    digits = {name: numbers.variant_table(study, name).round(1) for name in parts}
    return tables.Tables((
        tables.frame_table(moved, "Open choices", folded=f"{len(moved)} alternatives, largest change first"),
        tables.frame_table(aside, "Choices that no run can decide", folded=f"{len(aside)}, with the reason"),
        *(tables.frame_table(part, f"Digits of {name}", folded=f"{len(part)} definitions against print")
          for name, part in digits.items()),
        *study.definitions().tables,
        tables.claims_table(outcomes, ledger.outcomes_of_sentences(paper, outcomes))))


def _marked(study, name):
    """A data set with a printed name: says if another is judged by now, and if presence is all it holds."""
    if name not in set(study.published["dataset"]) or study.fitted(name) == name:
        return name
    return f"{name} ({'presence, ' * study._spec(name).note.startswith('Presence')}not judged)"


def find(loader, rules, **given):
    """Which rules for the words give the class sizes of Table 1 of MTCMRL? Nothing is clustered. A table of
    the rules, and the data set of the first; None and a sentence where the file cannot be had."""
    cells = published.size_cells("mtcmrl").query("dataset == '20NewsGroups' and metric == 'class_size'")
    rows, first = [], (-1, 0, None)
    for rule in rules:
        try:
            data = datasets.load(loader, **given, **rule)
        except datasets.FetchError as error:
            told = f"The file cannot be had here, so nothing is searched: {error}"
            return tables.Points((told, "The stored outputs show what it gives.")), None
        ours = next(sizes(data, {}))[1]
        lost = [ours[one.task, one.method, one.metric] - one.mean for one in cells.itertuples()]
        same, off = int(np.equal(lost, 0).sum()), int(np.abs(lost).sum())
        rows.append({**rule, f"equal, of {len(lost)}": same, "documents off": off})
        first = max(first, (same, -off, data), key=lambda one: one[:2])
    frame = pd.DataFrame(rows).sort_values(list(rows[0])[-2:], ascending=[False, True])
    caption = f"Table 1 of MTCMRL: class sizes by rule, the first eight of {len(rows)} rules"
    return tables.frame_table(frame.head(8), caption), first[-1]


def beside(data, models):
    """Accuracy and NMI of each model by task, in percent, beside the printed numbers of Table 3 of MTCMRL."""
    cells = published.load("mtcmrl").query("dataset == '20NewsGroups'")
    means, rows = cells.set_index(["method", "task", "metric"])["mean"], []
    for name, model in models.items():
        scores = list(map(metrics.score_all, data.labels, model.fit(data.Xs).labels_))
        for metric in ("ACC", "NMI"):
            own = runs.our_name("mtcmrl", metric)
            ours = {f"task {t}": 100 * one[own] for t, one in enumerate(scores, 1)}
            theirs = {f"printed {t}": 100 * means[name, str(t), metric] for t in range(1, len(scores) + 1)}
            gaps = np.subtract(list(ours.values()), list(theirs.values()))
            rows.append({"method": name, "metric": metric, **ours, **theirs, "distance": np.abs(gaps).mean()})
    return tables.frame_table(pd.DataFrame(rows).round(1), "Rows that follow, from one fit each")
