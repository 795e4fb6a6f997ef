"""What follows from a paper's results: verdicts, the audit, open choices, and outcomes of claims."""

import re
from collections import Counter
from functools import cache, cached_property
from itertools import product

import pandas as pd

from mtclib.companion.papers.results import PaperResults
from mtclib.companion.runs.jobs import resolve_estimator
from mtclib.companion.verdicts import audit, chance, errors, identify, judge, ledger, leverage, numbers
from mtclib.companion.verdicts.published import class_sizes

NOT_YET = "not yet run"
MANY = 16
NOT_ASKED = {"cause": "", "evidence": ""}


class PaperJudging(PaperResults):
    """The printed numbers and the sentences of one paper beside its results."""

    @cache
    def headline(self, printed):
        """The data set of the protocol that stands for a printed one in the paper's tables. That of the
        released pipeline, or of the identified one where its search holds, if its fits are committed; else
        the one named as printed."""
        found = identify.summaries(self.paper)
        names = [name for name, spec in self.protocol.datasets.items() if spec.published == printed
                 and (spec.pipeline == "released" or (
                     spec.pipeline == "identified" and spec.search in found
                     and identify.holds(found[spec.search])))]
        return next((name for name in names if self._is_committed(name)), printed)

    def fitted(self, printed):
        """The data set whose fits are judged beside a printed one."""
        return self._data(self.headline(printed)).id

    def told_pipelines(self, names=()):
        """The data sets that numbers stand on, by default those that stand for the printed ones, and why each
        does, with what must be known of it; of very many, how many have each ending."""
        heads = map(self.headline, self.published["dataset"].unique())
        names = names or [name for name in heads if self._is_committed(name)]
        specs = {name: self._spec(name) for name in names}
        told = [f"{name} ({spec.standing})" for name, spec in specs.items()]
        if len(names) > MANY:
            kinds = Counter((name.partition(" ")[2], spec.standing) for name, spec in specs.items())
            told = [f"{n} data sets {end or 'as named'} ({standing})" for (end, standing), n in kinds.items()]
        notes = [f"{name}: {spec.note}" if len(names) > 1 else spec.note
                 for name, spec in specs.items() if spec.note]
        return " ".join([f"Pipeline{'s' * (len(names) > 1)}: {', '.join(told)}.", *notes])

    def on_headlines(self, which):
        """Rows that ``which`` gives of the data sets that stand for the printed ones, under printed names."""
        return pd.concat([which(self.headline(name)).assign(dataset=name) for name in self.sets])

    def _is_committed(self, dataset):
        spec = self.protocol.datasets[dataset]
        printed = self.published.loc[self.published["dataset"] == spec.published, "method"]
        wanted = {spec.stand_ins.get(name, name) for name in printed if name in self.protocol.methods}
        return {(spec.rows_of or dataset, name) for name in wanted} <= self._committed

    def verdicts(self, printed, dataset=None, rows=None):
        """Every printed cell of a data set beside ours, as from ``judge``, with numbers in the sentences.
        Causes are those of the pipeline that is judged, so that cells on another have none."""
        cells = self.judged(printed, dataset, rows)
        reasons = [self.numbers.fill(row.reason, dataset=row.dataset, printed=row.method)
                   for row in cells[["reason", "dataset", "method"]].itertuples(index=False)]
        rows = zip(cells["dataset"], cells["method"], reasons)
        return cells.assign(reason=reasons, decisions=[self._decisions(*row) for row in rows])

    def _decisions(self, dataset, method, reason):
        """Ids of the decisions that a reason names, then of those that an alternative to them was run for on
        this data set and method."""
        told = self._ids.intersection(re.findall(r"\w+(?:\.\w+)?", str(reason)))
        run = self._alternatives.get((dataset, method), ())
        return ", ".join([*sorted(told), *(one for one in run if one not in told)])

    @cached_property
    def _ids(self):
        return {one["id"] for one in ledger.decisions(self.paper)}

    @cached_property
    def _alternatives(self):
        """Ids of the decisions with an alternative, by printed data set and method."""
        found = {}
        for entry in leverage.entries(self.paper)[0]:
            for name, method in product(entry["datasets"], entry["methods"]):
                spec = self.protocol.datasets.get(name)
                key = spec.published if spec else name, method
                found.setdefault(key, {})[entry["decision"]] = None
        return found

    def judged(self, printed, dataset=None, rows=None):
        """As ``verdicts``, with the sentences as they stand in the decisions file."""
        if rows is None:
            return self._judged(printed, dataset or printed)
        return self._judge(self.printed(printed), rows, dataset or printed, printed)

    @cache
    def _judged(self, printed, dataset):
        rows, cells = pd.concat([self.judged_rows(dataset), self.truth_of(dataset)]), self.printed(printed)
        cells = cells.assign(selection=self._selection(cells, dataset, printed))
        return self._judge(cells, rows, dataset, printed)

    def _judge(self, cells, rows, dataset, printed):
        rows = self.as_printed(rows, dataset, printed)
        missing = {name: NOT_YET for name in cells["method"].unique() if name not in self.protocol.methods}
        missing |= {name: spec.note for name, spec in self.protocol.datasets.items() if spec.note}
        once = ["true", *(name for name, method in self.protocol.methods.items() if method.deterministic)]
        spec = self._spec(dataset)
        calibration = identify.calibration_cells(self.protocol, spec.search)
        verdicts = judge.judge(
            cells, rows, n_published=self.n_published(dataset), deterministic=once,
            not_run=missing, misprints=self.misprints, calibration=calibration,
            causes=self._deviations if dataset == self.headline(printed) else [NOT_ASKED])
        known = {"pipeline": spec.standing, "source": dataset, "note": spec.note}
        return chance.beside(verdicts.assign(kind=verdicts["method"].map(self.kinds), **known), self._chance)

    @cached_property
    def _deviations(self):
        return ledger.deviations(self.paper)

    @cached_property
    def _chance(self):
        return chance.load()

    def _selection(self, cells, dataset, printed):
        """Spread that comes from choosing the setting of a method with labels, for each printed cell."""
        parts, n = dict(list(self.grid(dataset, printed).groupby("method"))), self.n_published(dataset)
        spread = pd.Series(0.0, index=cells.index)
        for method, own in cells.groupby("method"):
            if method in parts and parts[method]["params"].nunique() > 1:
                runs = parts[method]["run"].nunique()
                spread[own.index] = errors.selection_spread(self, own, parts[method], runs, n)
        return spread

    def all_verdicts(self):
        """Every printed cell of the paper, on the headline data sets."""
        names = self.published["dataset"].unique()
        return pd.concat([self.verdicts(name, self.headline(name)) for name in names], ignore_index=True)

    @cached_property
    def kinds(self):
        """Kind of each printed method."""
        return {name: method_kind(self.protocol, name) for name in self.published["method"].unique()}

    @cached_property
    def misprints(self):
        """Cells that the audit takes out of the counts."""
        return audit.misprints(self.audit, self.published)

    @cached_property
    def audit(self):
        """Findings about the printed tables themselves."""
        return audit.audit_tables(self.published, self.protocol.task_sizes, class_sizes(self.paper),
                                  self.protocol.n_published)

    @cached_property
    def changes(self):
        """How far each open choice moves the numbers, as from ``leverage.measured``."""
        return leverage.measured(self)

    @cached_property
    def numbers(self):
        """What templates in sentences ask for: the paper's own ``Numbers``, or those of all papers."""
        return numbers.Numbers.of_papers.get(self.paper, numbers.Numbers)(self)

    def decisions_frame(self):
        """As ``ledger.decisions_frame``, with the leverage, and with numbers in the sentences."""
        table = ledger.decisions_frame(self.paper, leverage.sentences(self))
        sentences = ["problem", "evidence", "decision"]
        return table.assign(**table[sentences].map(self.numbers.fill))

    def unmeasured(self):
        """Open choices that no run can decide, with numbers in their reasons."""
        _, aside = leverage.entries(self.paper)
        return [{**one, "reason": self.numbers.fill(one["reason"])} for one in aside]

    @cached_property
    def known(self):
        """Name, venue and findings of the paper, with numbers in the sentences."""
        known = ledger.findings(self.paper)
        filled = [{**one, "text": self.numbers.fill(one["text"])} for one in known["finding"]]
        return {**known, "finding": filled}

    def frames(self):
        """Rows of committed results that the claims of the paper speak of, by the name of their frame."""
        return {"results": pd.concat(map(self.selected, self.protocol.profile("full").datasets))}

    def outcomes(self):
        """The claims of the paper with their outcome, as from ``verdicts.ledger.outcomes``."""
        found = ledger.outcomes(self.paper, self.frames(), self.published)
        return found.assign(pipeline=["; ".join(sorted(self._pipelines(entry)))
                                      for entry in ledger.claims(self.paper)])

    def _pipelines(self, entry):
        """Data sets that a claim is tested on."""
        params = entry.get("params", {})
        names = {params.get("dataset"), params.get("clean"), *params.get("datasets", ())} - {None}
        return set(map(self.headline, names))


def method_kind(protocol, method):
    """Kind of a method: the paper's own, a reconstruction of another, or another that is compared.

    >>> from mtclib.companion.runs import load_protocol
    >>> [method_kind(load_protocol("lmsc"), name) for name in ("LMSC", "AWP", "LLMC")]
    ['own', 'compared', 'reconstruction']
    """
    if method in protocol.own:
        return "own"
    spec = protocol.methods.get(method)
    names = (spec.estimator, spec.params.get("estimator")) if spec else ()  # of a wrapper, and what is inside
    traits = [getattr(resolve_estimator(name), "traits", None) for name in names if name]
    return "reconstruction" if any(one and one.reconstruction for one in traits) else "compared"
