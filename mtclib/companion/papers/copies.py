"""Tables to copy: all methods on a data set of a paper, as printed and as measured here, as CSV or LaTeX."""

from dataclasses import dataclass

import pandas as pd

from mtclib.companion.papers import scoreboard
from mtclib.companion.parameters import UsageError, choose
from mtclib.companion.runs import load_protocol
from mtclib.companion.verdicts import published
from mtclib.core import paths

FORMATS = ("text", "csv", "latex")
_KEY = ["table", "dataset", "task", "method", "metric"]


@dataclass(frozen=True)
class Copy:
    """One table, ready to be pasted, and what its reader must know."""

    frame: pd.DataFrame  # task, method, and of each metric "printed" and "ours"; text, scores in percent
    caption: str
    facts: tuple[str, ...]  # data, pipeline and how to re-create it

    def text(self, form="text") -> str:
        """The table in one of `FORMATS`; CSV without the facts, as it has no comments."""
        choose(form, FORMATS, "--format")
        if form == "csv":
            return self.frame.to_csv(index=False, lineterminator="\n")
        if form == "latex":
            facts = (r"needs \usepackage{booktabs}", *self.facts)
            body = self.frame.to_latex(index=False, escape=True, caption=self.caption, position="t")
            return "".join(f"% {fact}\n" for fact in facts) + body.replace(" ± ", r" $\pm$ ")
        return "\n".join([self.caption, "", self.frame.to_string(index=False), "", *self.facts, ""])


def datasets() -> dict:
    """Printed data sets and the papers that print them."""
    known = {}
    for paper in paths.papers():
        for name in published.load(paper)["dataset"].unique():
            known.setdefault(name, []).append(paper)
    return known


def copy(dataset, paper=None, task=None) -> Copy:
    """The table of a printed data set, from ``data/verdicts.csv``. ``paper`` chooses where several papers
    print the data set, ``task`` one task, such as "avg"."""
    known = datasets()
    papers = known[choose(dataset, list(known), "DATASET")]
    if paper is None and len(papers) > 1:
        raise UsageError(f"DATASET: {' and '.join(papers)} both print {dataset}; choose one with --paper.")
    paper = choose(paper or papers[0], papers, "--paper")
    cells = _cells(paper, dataset)
    if task is not None:
        cells = cells[cells["task"] == choose(task, list(cells["task"].unique()), "--task")]
    frame = cells.pivot(index=["task", "method"], columns="metric", values=["printed", "ours"])
    frame = frame.reindex(pd.MultiIndex.from_product([cells["task"].unique(), cells["method"].unique()],
                                                     names=["task", "method"])).dropna(how="all")
    frame = frame[[(kind, metric) for metric in cells["metric"].unique() for kind in ("printed", "ours")]]
    frame.columns = [f"{metric} {kind}" for kind, metric in frame.columns]
    if (cells["task"] == "").all():
        frame = frame.droplevel("task")
    caption = (f"{dataset}: mean ± standard deviation as printed in the {paper.upper()} paper, and ours; "
               "proportions in percent")
    return Copy(frame.fillna("").reset_index(), caption, tuple(_facts(paper, dataset)))


def _cells(paper, dataset):
    """Printed cells and ours, as text in one unit."""
    ours = pd.read_csv(paths.data_dir() / "verdicts.csv", dtype={"table": str, "task": str},
                       keep_default_na=False, na_values={"ours": [""], "sd": [""]})
    printed = published.load(paper)
    cells = printed.merge(ours[ours["paper"] == paper][[*_KEY, "ours", "sd"]], on=_KEY, validate="1:1")
    cells = cells[cells["dataset"] == dataset]
    factor = cells["unit"].map({"raw": 1}).fillna(100)
    shown = {kind: [_shown(*pair) for pair in zip(factor * cells[mean], factor * cells[spread])]
             for kind, mean, spread in (("printed", "mean", "std"), ("ours", "ours", "sd"))}
    return cells.assign(**shown)


def _shown(mean, spread):
    if pd.isna(mean):
        return ""
    return f"{mean:.1f}" if pd.isna(spread) else f"{mean:.1f} ± {spread:.1f}"


def _facts(paper, dataset):
    protocol, stands = load_protocol(paper), scoreboard._study(paper).headline(dataset)
    # A printed data set of several splits or draws has no entry of its own; the first stands for all.
    pooled = [name for name, spec in protocol.datasets.items() if dataset in (spec.pool, spec.published)]
    headline = protocol.datasets.get(stands) or protocol.datasets[pooled[0]]
    spec = protocol.datasets[headline.rows_of] if headline.rows_of else headline
    if spec.loader:
        given = "".join(f", {name}={value!r}" for name, value in spec.params.items())
        yield f"data: mtclib.datasets.load({spec.loader!r}{given})"
    else:
        yield f"data: {spec.unavailable or spec.not_run}"
    if headline.pipeline == "identified":
        yield "preprocessing: not stated in the paper; identified by a search of printed cells"
    yield (f"to re-create it: python -m mtclib run {paper} --profile full --export && "
           "python -m mtclib verdicts")
