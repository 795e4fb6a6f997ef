"""Numbers in the sentences of the ledger, computed from the results when a sentence is shown.

A sentence of ``decisions.toml`` or ``claims.toml`` says ``{what|argument|...;format}`` where a result
belongs: `what` is a method of :class:`Numbers` or of a paper's own subclass of it, arguments are text, some
with a name (``how=largest``), and the format is Python's or one of `FORMATS`.
"""

import copy
import re
from functools import cache, partial
from typing import ClassVar

import numpy as np
import pandas as pd

from mtclib.companion.claims import paired_differences, signed
from mtclib.companion.runs import our_name
from mtclib.companion.verdicts import identify
from mtclib.companion.verdicts.intervals import DELTA, RELATIVE
from mtclib.companion.verdicts.judge import COUNTED, JUDGED, joined
from mtclib.companion.verdicts.ledger import LedgerError
from mtclib.companion.verdicts.published import matching

TEMPLATE = re.compile(r"\{([^{}]*)\}")
# These take ``dataset`` and ``printed`` from the scope of a sentence.
IN_SCOPE = ("distance", "within", "near", "off")
WORDS = ("none", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
# Definitions of a metric that may have given the printed digits.
VARIANTS = {"NMI": ("NMI_max", "NMI_geometric", "NMI_arithmetic", "NMI_min"), "ACC": ("ACC", "purity"),
            "purity": ("purity", "ACC")}
PICK = {"mean": np.mean, "least": np.min, "largest": np.max, "spread": partial(np.std, ddof=1)}
FORMATS = {"word": lambda value: WORDS[value] if value < len(WORDS) else str(value),
           "percent": lambda value: f"{100 * value:.0f}", "percent .1": lambda value: f"{100 * value:.1f}",
           "percent .2": lambda value: f"{100 * value:.2f}", "size": lambda value: f"{abs(value):.1f}",
           "+.1f": signed,
           # As the papers print fractions: .874.
           ".2": lambda value: f"{value:.2f}".removeprefix("0"),
           ".3": lambda value: f"{value:.3f}".removeprefix("0")}


class Numbers:
    """Quantities of one paper's committed results, by the names that templates use. ``dataset`` and
    ``printed`` name the printed row of a sentence; sentences on causes have them from their scope."""

    of_papers: ClassVar[dict] = {}  # subclasses by paper

    def __init_subclass__(cls, paper):
        cls.of_papers[paper] = cls

    def __init__(self, study):
        self.study = study

    def fill(self, text, **scope):
        """`text` with every template replaced by its number."""
        return TEMPLATE.sub(lambda found: self._one(found.group(1), **scope), text)

    def identified(self, search, what):
        """A figure of a search for unstated choices, or of its permutations; "same" counts equal folds."""
        found = identify.summaries(self.study.paper)[search]
        return {**found, **found["permutations"], "same": sum(fold["same"] for fold in found["folds"]),
                "folds": len(found["folds"]), "won": found["won"]["winner"],
                "tied": found["not_told_apart"]["n"]}[what]

    @cache
    def _one(self, template, **scope):
        call, _, form = template.partition(";")
        what, *arguments = call.split("|")
        plain = [part for part in arguments if not re.match(r"\w+=", part)]
        named = dict(part.split("=", 1) for part in arguments if part not in plain)
        quantity = getattr(self, what, None)
        if quantity is None:
            raise LedgerError(f"{self.study.paper}: {{{template}}} names no quantity {what!r}")
        value = quantity(*plain, **{**(scope if what in IN_SCOPE else {}), **named})
        if isinstance(value, str):
            return value
        return FORMATS[form](value) if form in FORMATS else format(value, form)

    @cache
    def judged(self, on=""):
        """Every printed cell with its verdict on the headline pipeline, or with ``on=fixed`` on the one that
        was fixed before any run; sentences are not filled in."""
        names = self.study.published["dataset"].unique()
        sources = names if on == "fixed" else map(self.study.headline, names)
        return pd.concat(map(self.study.judged, names, sources), ignore_index=True)

    def cells(self, verdict, on="", **where):
        """Counted cells with a verdict, a key of ``judge.COUNTED``, "cells" for all, or the "ceiling"; cells
        that are not judged (unavailable, misprint, ...) count under their own verdict. ``on=fixed``: before
        any search."""
        rows = matching(self.judged(on), where)
        if verdict == "cells":
            return len(rows)
        rows = rows[rows["counted"] | ~rows["verdict"].isin(JUDGED)]
        if verdict == "ceiling":
            return rows.loc[rows["counted"], "expected"].sum()
        return int(rows["verdict"].isin(COUNTED.get(verdict, (verdict,))).sum())

    def in_band(self, dataset="", which="method != ''"):
        """How many printed cells, of one data set or all, lie in the band of shuffled labels."""
        return str(matching(self.judged(), {"dataset": dataset or None}).query(which)["in_band"].sum())

    def below_band(self, metric=None):
        """How many printed cells, of one metric or all, lie below the band of shuffled labels."""
        cells = matching(self.judged(), {"metric": metric})
        return int((cells["published"].round(9) < cells["chance_low"]).sum())

    def change(self, decision, alternative, method=None, dataset=None, how="mean", **where):
        """What an alternative changes, in points, over its data sets and methods."""
        rows = matching(self.study.changes, {"decision": decision, "alternative": alternative, **where})
        rows = matching(rows, {"method": method, "dataset": dataset})
        if rows.empty:
            raise LedgerError(f"{self.study.paper}: no change of {decision}, {alternative!r}")
        return abs(rows["change"].mean()) if how == "mean size" else PICK[how](rows["change"])

    def score(self, method, dataset, metric, task="", how="mean", point=None, **setting):
        """Mean, least, largest or spread of the scores of runs, as fractions: of a method at its default, a
        named setting, or ``point=chosen`` with labels."""
        rows = self._setting(method, dataset, point, setting)
        rows = rows[rows["metric"] == our_name(self.study.paper, metric)]
        rows = rows[rows["task"] == (task or ("avg" if (rows["task"] == "avg").any() else ""))]
        if rows.empty:
            raise LedgerError(f"{self.study.paper}: no {metric} of {method!r} on {dataset!r}")
        return PICK[how](rows.drop_duplicates("key")["value"])

    def in_print(self, method, dataset, metric, task=""):
        """Mean of the printed cells of a row, or the cell of a task, as a fraction."""
        return matching(self.study.printed(dataset, method, metric), {"task": task or None})["mean"].mean()

    def gap(self, method, other, dataset, metric, **setting):
        """Mean score of one method minus that of another, in points."""
        return 100 * (self.score(method, dataset, metric, **setting)
                      - self.score(other, dataset, metric, **setting))

    def ahead(self, method, other, metric, count="ahead"):
        """Printed columns in which a method is ahead of another, or with ``count=all`` all of them."""
        cells = matching(self.study.published, {"metric": metric})
        cells = cells[cells["dataset"].isin(self.study.sets) & (cells["task"] != "avg")]
        table = cells.pivot(index=["dataset", "task"], columns="method", values="mean")
        return len(table) if count == "all" else int((table[method] > table[other]).sum())

    def paired(self, method, other, metric, what):
        """Data sets on their headline pipelines: how many have the outcome, or the differences."""
        names = map(self.study.headline, self.study.sets)
        rows = pd.concat(map(self.study.selected, names))
        return outcome(paired_differences(rows, [(method, other)], our_name(self.study.paper, metric)), what)

    def definition(self, variant, what):
        """What `variant_table` says of a definition of NMI: cells, within 5, distance."""
        return variant_table(self.study, "NMI").set_index("variant").at[variant, what]

    def distance(self, method=None, other_dataset=None, **where):
        """Mean absolute difference from the cells of a printed row, in points."""
        return float(self._gaps(method, other_dataset, **where).abs().mean())

    def within(self, method=None, other_dataset=None, **where):
        """How many cells of a printed row come within the margin: "3 of 4"."""
        gaps = self._gaps(method, other_dataset, **where)
        return f"{int((gaps.abs() <= 100 * DELTA).sum())} of {len(gaps)}"

    def near(self, method=None, other_dataset=None, count="near", **where):
        """How many of the cells of a row that deviate come within the margin, or with ``count=all`` all."""
        gaps = self._gaps(method, other_dataset, deviating=True, **where)
        return len(gaps) if count == "all" else int((gaps.abs() <= 100 * DELTA).sum())

    def off(self, method=None, other_dataset=None, how="mean size", **where):
        """Mean difference from print, or by default its size, over the cells of a row that deviate."""
        gaps = self._gaps(method, other_dataset, deviating=True, **where)
        return float((gaps.abs() if how == "mean size" else gaps).mean())

    def retuned(self, method, what="gain"):
        """Settings chosen with labels for each task and measure, against once for a data set: the gain in
        points over all cells, or the distance from print ``before`` or ``after``."""
        cells, sets = self.judged(), self.study.sets
        cells, best = cells[cells["dataset"].isin(sets) & (cells["method"] == method)], []
        for name, rows in cells.groupby("dataset", sort=False):
            grid, places = self.study.by_method(self.study.headline(name))
            grid = grid.iloc[places[method]][lambda part: part["in_grid"]]
            means = grid.groupby(["metric", "task", "params"])["value"].mean().groupby(level=[0, 1]).max()
            best.append(self._for_cells(means, name, rows))
        best = np.concatenate(best)
        return 100 * {"gain": (best - cells["ours"]).mean(), "before": cells["difference"].abs().mean(),
                      "after": np.abs(best - cells["published"]).mean()}[what]

    def _gaps(self, method=None, other_dataset=None, dataset=None, printed=None, metric=None, task=None,
              deviating=False, point=None, **setting):
        """Ours minus printed in points under another method, data set or setting; one entry per cell."""
        printed, parts = printed or method, []
        for name in [dataset] if dataset else self.study.published["dataset"].unique():
            cells = matching(self._row(name, printed, deviating), {"metric": metric, "task": task})
            if len(cells):
                means = self._means(method or printed, other_dataset or name, point, *setting.items())
                parts.append(100 * (self._for_cells(means, name, cells) - cells["published"].to_numpy()))
        if not parts:
            raise LedgerError(f"{self.study.paper}: no printed cell of {printed!r} on {dataset!r}")
        return pd.Series(np.concatenate(parts))

    @cache
    def _row(self, dataset, printed, deviating):
        """Cells of a printed row, or those that deviate, without averages over tasks that are there."""
        cells = self.study.judged(dataset, self._source(dataset))
        cells = cells[(cells["method"] == printed) & ~cells["metric"].isin(RELATIVE)]
        cells = cells[cells["verdict"].ne("misprint") | cells["counted"]]
        if deviating:
            cells = cells[cells["verdict"].isin(["higher", "lower"])]
        tasks = cells[cells["counted"]] if deviating else cells[cells["task"] != "avg"]
        return tasks if len(tasks) else cells

    @cache
    def _means(self, method, dataset, point, *setting):
        source, rows = self._source(dataset), self._setting(method, dataset, point, dict(setting))
        if printed := self.study._data(source).published:
            rows = self.study.as_measured(rows, source, printed)
        return rows.groupby(["metric", "task"])["value"].mean()

    def _for_cells(self, means, dataset, cells):
        """Our means for printed cells; an average is over as many tasks as are printed."""
        tasks = [str(t + 1) for t in range(self.study.protocol.printed_tasks.get(dataset, 0))]
        names = [our_name(self.study.paper, metric) for metric in cells["metric"]]
        return np.array([means[name].reindex(tasks).mean() if task == "avg" and tasks else means[name, task]
                         for name, task in zip(names, cells["task"])])

    def _source(self, dataset):
        """The data set of the protocol that a sentence means: the printed name is that of the pipeline which
        stands for it, "fixed NAME" the one chosen beforehand."""
        if dataset.startswith("fixed "):
            return dataset.removeprefix("fixed ")
        printed = (self.study.published["dataset"] == dataset).any()
        return self.study.headline(dataset) if printed else dataset

    def _setting(self, method, dataset, point, setting):
        """Rows of a method at a named point, or at its default but for a `setting`, whose values are text."""
        wanted = copy.deepcopy(self.study.protocol.defaults.get(method) or {})
        inner = wanted.get("parameters", {})  # of the estimator that a wrapper fits to each task
        for name, text in setting.items():
            number = re.fullmatch(r"-?[\d.]+(e-?\d+)?", text)
            (inner if name in inner else wanted)[name] = float(text) if number else text
        return self.study.at(method, self._source(dataset), point or wanted)


def outcome(table, what):
    """Rows of ``paired_differences`` by status, "all" of them, or the "least" or "most" difference."""
    picked = {"all": len(table), "least": table["difference"].min(), "most": table["difference"].max()}
    return picked[what] if what in picked else int((table["status"] == what).sum())


@cache
def variant_table(study, metric="NMI") -> pd.DataFrame:
    """Which definition of a metric comes nearest to the printed cells of a paper, misprints and averages left
    out? ``by luck``: how many of the cells within five points would be ``exact`` if differences were spread
    evenly."""
    cells = study.published.query("metric == @metric and task != 'avg' and cell not in @study.misprints")
    name = our_name(study.paper, metric)
    lines = []
    for variant in VARIANTS[metric]:
        parts = []
        for dataset, printed in cells.groupby("dataset", sort=False):
            source = study.headline(dataset)
            if study._spec(source).pipeline == "released":  # by one known definition alone
                source = dataset
            rows = study.judged_rows(source)
            rows = study.as_printed(rows[rows["metric"] == variant].assign(metric=name), source, dataset)
            parts.append(joined(printed, rows))
        frame = pd.concat(parts).dropna(subset=["ours", "published"])
        gap = frame["ours"] - frame["published"]
        near = gap.abs() <= DELTA
        lines.append({
            "variant": variant, "ours": variant == name, "cells": len(frame),
            "exact": int((gap.abs() <= frame["half_unit"] * (1 + 1e-9)).sum()),
            "by luck": float((frame["half_unit"] / DELTA)[near].sum()), "within 5": int(near.sum()),
            "shift": 100 * gap.mean(), "distance": 100 * gap.abs().mean()})
    return pd.DataFrame(lines)
