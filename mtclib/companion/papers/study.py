"""A paper's study as its notebook shows it: what is printed, what was run, and what follows.

A notebook makes one ``Study`` and asks it; nothing here is computed twice, and nothing here knows a
particular paper: what only one paper has is in its ``PaperStudy``.  Tables with verdicts come from the
committed results of the full profile; what runs live in the quick profile is shown beside the printed numbers
without a verdict.
"""

import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from importlib import import_module
from pkgutil import iter_modules

import pandas as pd
from matplotlib.figure import Figure

from mtclib.companion import papers, plots, runs, tables
from mtclib.companion.claims import paired_differences
from mtclib.companion.papers import answers
from mtclib.companion.papers.results import PaperResults
from mtclib.companion.parameters import choose
from mtclib.companion.runs import our_name
from mtclib.companion.verdicts import identify, ledger
from mtclib.core import paths

PAIRS = {"dataset": "data set", "comparison": "comparison", "difference": "points", "low": "low",
         "high": "high", "p": "p", "record": "record", "status": "is the first better?"}


class Study(PaperResults):
    """One paper: protocol, data, live runs, committed results, verdicts, claims; its parameters are those of
    every notebook. In the profile "full" the whole protocol is computed, or resumed, and judged instead of
    the committed results.

    ``PaperStudy`` in the module of that name beside this one has what only its paper shows; ``Study(name)``
    then makes one of those.  Methods that show something return it, so that a notebook
    cell can end with the call; the names of those that run something on this machine begin with "live".

    >>> Study("mtcmrl").protocol.title
    'Multi-Task Clustering with Model Relation Learning'
    """

    def __new__(cls, paper, *args, **kwargs):
        if cls is Study and paper in {module.name for module in iter_modules(papers.__path__)}:
            cls = getattr(import_module(f"{papers.__name__}.{paper}"), "PaperStudy", cls)
        return super().__new__(cls)

    answer, forest, curve = answers.answer, answers.forest, answers.curve

    def gain_tables(self) -> tables.Tables:
        """Gains by printed table, and verdicts on whole rows, each folded."""
        return tables.Tables((answers.by_table(self), answers.row_verdicts(self)))

    def pipelines_of_tables(self) -> tables.Points:
        """Who the rivals are, which pipeline printed each table, how sure that is, and the answer in full."""
        found = {(f"Pipeline of {_named(one['tables'])}", "differences.ipynb"):
                 self.numbers.fill(f"{one['pipeline']} {one['sure']}")
                 for one in ledger.part(self.paper, "answer")}
        found = {("Rivals", "methods.ipynb"): ledger.part(self.paper, "summary").get("rivals"), **found,
                 ("The gain in full", "../data/README.md"): " ".join(answers.further(self))}
        told = {head: text for head, text in found.items() if text}
        return tables.Points(tuple(told.values()), tuple(told))

    def searches(self) -> tables.Tables:
        """What each search for unstated choices found, and how sure it is, folded."""
        pages = [tables.search(*found).tables[0] for found in identify.summaries(self.paper).items()]
        told = "which hypothesis is nearest to print, and how sure that is"
        return tables.Tables(tuple(replace(page, folded=told) for page in pages))

    def decisions_table(self) -> tables.Table:
        """What the paper leaves open or gets wrong, folded."""
        return tables.decisions_table(self.decisions_frame())

    def audit_table(self) -> tables.Table:
        """What the paper's own tables contradict, folded."""
        return tables.audit_table(self.audit)

    def definitions(self) -> tables.Tables:
        """Printed cells under several definitions of their measures, where a paper has such a table."""
        return tables.Tables(())

    def claims_table(self) -> tables.Table:
        """The claims of the paper with their outcome, folded."""
        outcomes = self.outcomes()
        return tables.claims_table(outcomes, ledger.outcomes_of_sentences(self.paper, outcomes))

    def provenance_table(self) -> tables.Table:
        """What made the results that are shown, folded."""
        return tables.provenance_table(self.results.provenance)

    def sizes_table(self, sets: Iterable[str] | None = None,
                    caption: str = "Data sets, ours beside the paper's") -> tables.Table:
        """Sizes of the data sets of the full profile, beside those that the paper gives."""
        sizes = self.table("sizes")
        sizes = sizes if sets is None else sizes[sizes["data set"].isin(sets)]
        sizes = sizes.drop(columns=["edition", "difference"], errors="ignore")
        told = "samples, features and classes"
        return tables.frame_table(sizes.dropna(axis="columns", how="all"), caption, folded=told)

    def reproduced(self, dataset: str | Iterable[str], source: str | None = None,
                   metrics: Sequence[str] | None = None) -> tables.Table:
        """The printed table of a data set, with ours and the verdict in each cell.
        `dataset` may be a list of data sets of one printed table, which then are its columns. `source` is the
        data set of the protocol that stands for the printed one, `metrics` those to show, all by default."""
        names = [dataset] if isinstance(dataset, str) else list(dataset)
        for name in names:
            choose(name, list(self.published["dataset"].unique()), f"data set of {self.paper}/published.csv")
        cells = pd.concat([self.verdicts(name, source) for name in names])
        if len(names) > 1:
            cells = cells.assign(task=cells["dataset"], dataset=", ".join(names))
        elif source is not None:
            cells = cells.assign(dataset=source)
        metrics = list(dict.fromkeys(cells["metric"])) if metrics is None else list(metrics)
        return tables.reproduced(cells, metrics=metrics)

    def printed_tables(self, *datasets: str, metrics: Sequence[str] | None = None) -> tables.Tables:
        """As ``reproduced`` for several data sets, each on the pipeline that stands for it in the counts."""
        return tables.Tables(tuple(self.reproduced(name, self.headline(name), metrics) for name in datasets))

    def beforehand(self, *datasets: str, metrics: Sequence[str] | None = None) -> tables.Tables:
        """As ``printed_tables``, on the pipeline that was chosen before any run, each folded."""
        found = (self.reproduced(name, name, metrics) for name in datasets)
        return tables.Tables(tuple(replace(one, folded="the pipeline fixed before any run") for one in found))

    def live_table(self, *sets: str, metrics: Sequence[str] | None = None) -> tables.Tables:
        """Scores of this run, beside the printed ones of the same name; all of them by default."""
        failed = self.live[self.live["status"] != "ok"]
        if len(failed):
            errors_met = ", ".join(failed["error"].unique())
            raise RuntimeError(f"{failed['key'].nunique()} fits failed: {errors_met}")
        shown = []
        for name in sets or self.live["dataset"].unique():
            rows = self.live[self.live["dataset"] == name]
            known = runs.fixed(rows, self.protocol.defaults)
            rows = rows[rows.index.isin(known.index) | ~rows["method"].isin(known["method"])]
            rows = rows[rows["task"] != "avg"]
            printed = self.printed(name)
            names = {metric: our_name(self.paper, metric) for metric in metrics or self.published["metric"]}
            names = {metric: ours for metric, ours in names.items() if ours in set(rows["metric"])}
            rows = rows[rows["metric"].isin(names.values())]
            percent = "percent" in set(self.published["unit"])
            table = tables.side_by_side(rows, printed, names, f"This run: {name}", percent)
            shown.append(replace(table, notes=(*table.notes, self.told_pipelines([name]))))
        return tables.Tables(tuple(shown))

    def scores_table(self, frame: pd.DataFrame | list, caption: str, columns: Mapping | None = None,
                     status: str | None = None, folded: str = "", of: Iterable[str] = ()) -> tables.Table:
        """As ``tables.frame_table``, and the data sets `of` its numbers, by default those that are judged."""
        return tables.frame_table(frame, caption, columns, status, [self.told_pipelines(list(of))], folded)

    def pairs_table(self, rows: pd.DataFrame, pairs: Sequence, metric: str, caption: str,
                    of: Iterable[str] = ()) -> tables.Table:
        """Differences in points, with 95 % intervals and tests."""
        shown = paired_differences(rows, pairs, metric).round({"difference": 1, "low": 1, "high": 1, "p": 4})
        shown = shown.assign(comparison=shown["comparison"].str.replace(" - ", " against "),
                             p=shown["p"].where(shown["p"] > 0, "< 0.0001"))
        better, worse = ((shown["status"] == status).sum() for status in ("holds", "fails"))
        told = f"the first method is better in {better} of {len(shown)} comparisons and worse in {worse}"
        return self.scores_table(shown, caption, PAIRS, "status", told if len(shown) > 8 else "", of)

    def outcomes_table(self, found: Mapping, caption: str, of: Iterable[str] = ()) -> tables.Table:
        """Outcomes of a claim's test, ``ClaimResult``s by data set."""
        rows = [{"data set": name, "outcome": one.counts, "status": one.status}
                for name, one in found.items()]
        return self.scores_table(rows, caption, status="status", of=of)

    def show(self, fig: Figure, name: str, data: str | None = None, alt: str = "") -> plots.Picture:
        """Keep a figure of this paper's notebook and hand it on. `data` is what it was drawn from, if not
        ``results``; ``figures.toml`` has what it stands for in print, and, without `alt`, what is seen."""
        if data is None:
            data = f"data/{self.paper}/results"
            if self.profile == "full":
                data = plots.folder_key(paths.build_dir(), f"results/{self.paper}")
        path = paths.paper_dir(self.paper) / "figures.toml"
        known = tomllib.loads(path.read_text(encoding="utf-8")).get(name, {}) if path.is_file() else {}
        return show(fig, name, f"notebooks/{self.paper}.ipynb", data, known.get("printed", ""),
                    alt or known.get("alt", ""))


def _named(numbers):
    """Tables by their numbers.

    >>> _named(["4", "5", "6"]), _named(["2", "3", "7"]), _named(["1"])
    ('Tables 4 to 6', 'Tables 2, 3 and 7', 'Table 1')
    """
    first, last = numbers[0], numbers[-1]
    if len(numbers) > 2 and int(last) - int(first) == len(numbers) - 1:
        return f"Tables {first} to {last}"
    return f"Tables {', '.join(numbers[:-1])} and {last}" if len(numbers) > 1 else f"Table {last}"


def show(fig, name, notebook, data="data/*/results", printed="", alt=""):
    """Keep a figure under ``paths.figures_dir()`` and hand it on. `data` is what it was drawn from: folders
    below ``data/`` get the hash over their files, so that a figure older than its data can be told."""
    if data.startswith("data/"):
        data = plots.folder_key(paths.root(), data)
    if folder := paths.figures_dir():
        plots.save(fig, name, folder, notebook=notebook, data=data, printed=printed)
    return plots.Picture(fig, name, alt)
