"""Tables to copy: all methods on a data set of a paper, as printed and as measured here, as CSV or LaTeX."""

import re
from dataclasses import dataclass, replace
from itertools import product

import numpy as np
import pandas as pd

from mtclib.companion.papers import citations, scoreboard, study_of
from mtclib.companion.parameters import UsageError, choose
from mtclib.companion.tables import task_name
from mtclib.companion.verdicts import ledger, published
from mtclib.core import paths

FORMATS = ("text", "csv", "latex")
CHOSEN, RECONSTRUCTION = "settings chosen with the labels", "reconstruction by us"
MARKS = {CHOSEN: ("*", r"$^{*}$"), RECONSTRUCTION: ("†", r"$^{\dagger}$")}
_KEY = ["table", "dataset", "task", "method", "metric"]
SIDES = {"printed": ("mean", "std"), "ours": ("ours", "sd")}


@dataclass(frozen=True)
class Copy:
    """One table, ready to be pasted, and what its reader must know."""

    paper: str
    cells: pd.DataFrame  # of `_cells`: a row for each printed number
    printed: "Copy | None" = None  # of all the data sets that the paper's table has side by side

    @property
    def title(self):
        return ", ".join(self.cells["dataset"].unique())

    @property
    def facts(self):
        """Data, pipeline and how to re-create it."""
        told = [fact for name in self.cells["dataset"].unique() for fact in _facts(self.paper, name)]
        return [*told, f"to re-create it: python -m mtclib run {self.paper} --profile full --export && "
                       "python -m mtclib verdicts"]

    @property
    def bibtex(self):
        """Entries of the paper, the data sets and the compared methods, each once."""
        methods = (cited(self.paper, name) for name in self.cells["method"].unique())
        names = [self.paper, *self.cells["dataset"].unique(), *methods]
        return "\n".join(dict.fromkeys(entry for name in names for entry in citations.entries(name)))

    @property
    def caption(self):
        return self._told("mean ± standard deviation, printed in the {} paper and ours")

    def _told(self, what):
        named = what.format(ledger.findings(self.paper)["name"])
        return f"{self.title}: {named}, to one decimal; proportions in percent"

    def text(self, form="text") -> str:
        """The table in one of `FORMATS`; CSV without the facts, as it has no comments."""
        choose(form, FORMATS, "--format")
        if form == "csv":
            return self.numbers().to_csv(index=False, lineterminator="\n")
        if form == "latex":
            return self._latex()
        notes = [f"{mark} {about}" for about, (mark, _) in MARKS.items() if self.cells[about].any()]
        return "\n".join([self.caption, "", self.long().to_string(index=False), "", *notes, *self.facts, ""])

    def numbers(self):
        """A row for each task and method, with a column for each number; proportions in percent."""
        names = {column: f"{side} {part}" for side, columns in SIDES.items()
                 for part, column in zip(("mean", "sd"), columns)}
        wide = self._wide(self.cells.rename(columns=names), ["task", "method", *MARKS], list(names.values()))
        return wide.round(2).reset_index()

    def long(self, marked=0):
        """A row for each task and method: "mean ± standard deviation", printed and ours."""
        shown = self.cells.assign(method=self._marked(marked), **{
            side: [_shown(*pair) for pair in zip(self.cells[mean], self.cells[spread])]
            for side, (mean, spread) in SIDES.items()})
        frame = self._wide(shown, ["task", "method"], list(SIDES)).fillna("").reset_index()
        return frame.drop(columns="task") if (frame["task"] == "").all() else frame

    def _wide(self, cells, index, values):
        cells = cells.iloc[pd.factorize(cells["task"])[0].argsort(kind="stable")]
        wide = cells.set_index([*index, "metric"])[values].unstack("metric", sort=False)
        wide = wide[[(name, metric) for metric in self.cells["metric"].unique() for name in values]]
        return wide.set_axis([f"{metric} {name}" for name, metric in wide], axis=1)

    def as_printed(self, marked=0):
        """Methods by tasks, or by data sets, as the paper has it: our means, the printed ones in brackets."""
        pairs = zip(self.cells["ours"], self.cells["mean"])
        shown = [f"{_shown(ours) or '–'} ({_shown(theirs) or '–'})" for ours, theirs in pairs]
        tasks = self.cells["task"].map(lambda task: task_name(task) if task else "all")
        cells = self.cells.assign(shown=shown, task=tasks, method=self._marked(marked))
        wide = cells.set_index(["method", "task", "metric"])["shown"].unstack(["task", "metric"], sort=False)
        columns = product(tasks.unique(), cells["metric"].unique())
        return wide.fillna("")[[column for column in columns if column in wide]]

    def _marked(self, which):
        marks = [(self.cells[about], known[which]) for about, known in MARKS.items()]
        added = ["".join(mark for column, mark in marks if column.loc[row]) for row in self.cells.index]
        escaped = self.cells["method"].map(_escape) if which else self.cells["method"]
        return escaped + added

    def _latex(self):
        """Both layouts with booktabs, and what to cite as comments."""
        whole = self.printed or self
        means = whole._told("our means, with those printed in the {} paper in brackets")
        wide = whole.as_printed(1).rename_axis(index=None, columns=[None, None]).rename(columns=_escape)
        long = self.long(1).rename(columns=_escape)
        look = {"escape": False, "position": "t"}
        label, own = ("tab:" + re.sub(r"[^a-z0-9]+", "-", f"{one.paper} {one.title}".lower()).strip("-")
                      for one in (whole, self))
        parts = [wide.to_latex(caption=whole._noted(means), label=label, multicolumn_format="c", **look),
                 long.to_latex(index=False, caption=self._noted(self.caption), label=f"{own}-long", **look)]
        facts = (r"needs \usepackage{booktabs}", *whole.facts, *f"BibTeX:\n{whole.bibtex}".splitlines())
        body = "\n".join(parts).replace(" ± ", r" $\pm$ ").replace("–", "--")
        return "".join(f"% {fact}".rstrip() + "\n" for fact in facts) + "\n" + body

    def _noted(self, caption):
        """A caption in LaTeX, with what the marks mean."""
        notes = "; ".join(f"{mark}~{about}" for about, (_, mark) in MARKS.items() if self.cells[about].any())
        return _escape(caption).replace(" ± ", r" $\pm$ ") + (f". {notes}" if notes else "")


def cited(paper, method):
    """What a printed method is cited by: its estimator, or what is inside of that."""
    spec = study_of(paper).protocol.methods.get(method)
    return spec.params.get("estimator", spec.estimator) if spec else method


def _escape(text):
    return re.sub(r"([&%$#_{}])", r"\\\1", text)


def datasets() -> dict:
    """Printed data sets and the papers that print them."""
    printed = pd.concat(map(published.load, paths.papers()))
    return printed.groupby("dataset", sort=False)["paper"].unique().map(list).to_dict()


def copy(dataset, paper=None, task=None) -> Copy:
    """The table of a printed data set, from ``data/verdicts.csv``. ``paper`` chooses where several papers
    print the data set, ``task`` one task, such as "avg"."""
    known = datasets()
    papers = known[choose(dataset, list(known), "DATASET")]
    if paper is None and len(papers) > 1:
        raise UsageError(f"DATASET: {' and '.join(papers)} both print {dataset}; choose one with --paper.")
    paper = choose(paper or papers[0], papers, "--paper")
    cells = _cells(paper, [dataset])
    if task is not None:
        cells = cells[cells["task"] == choose(str(task), list(cells["task"].unique()), "--task")]
    found = Copy(paper, cells)
    # Where a data set has a single score, all those of its table are columns, in the place of tasks.
    beside = study_of(paper).published.query("table in @cells['table']")["dataset"].unique()
    if len(beside) == 1 or cells["task"].any():
        return found
    every = _cells(paper, beside)
    return replace(found, printed=Copy(paper, every.assign(task=every["dataset"])))


def _cells(paper, datasets):
    """Printed cells and ours in one unit, and what a reader must know of each method."""
    printed, protocol = study_of(paper).published, study_of(paper).protocol
    ours = scoreboard.all_verdicts().query("paper == @paper")[[*_KEY, "ours", "sd", "reconstruction"]]
    cells = printed.merge(ours, on=_KEY, validate="1:1")
    cells = cells[cells["dataset"].isin(datasets)].reset_index(drop=True)
    factor = np.where(cells["unit"] == "distance", 1, 100)
    tuned = {name for name, spec in protocol.methods.items() if spec.grid and name not in protocol.suggested}
    numbers = {name: factor * cells[name] for pair in SIDES.values() for name in pair}
    return cells.assign(**numbers, **{CHOSEN: cells["method"].isin(tuned),
                                      RECONSTRUCTION: cells["reconstruction"] == "yes"})


def _shown(mean, spread=np.nan):
    return "" if pd.isna(mean) else f"{mean:.1f}" if pd.isna(spread) else f"{mean:.1f} ± {spread:.1f}"


def _facts(paper, dataset):
    protocol, stands = study_of(paper).protocol, study_of(paper).headline(dataset)
    # A printed data set of several splits or draws has no entry of its own; the first stands for all.
    pooled = [name for name, spec in protocol.datasets.items() if dataset in (spec.pool, spec.published)]
    headline = protocol.datasets.get(stands) or protocol.datasets[pooled[0]]
    spec = protocol.datasets[headline.rows_of] if headline.rows_of else headline
    given = "".join(f", {name}={value!r}" for name, value in spec.params.items())
    yield f"data: mtclib.datasets.load({spec.loader!r}{given})"
    yield study_of(paper).told_pipelines([stands])
