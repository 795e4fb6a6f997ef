"""The ledger: what a paper leaves open or gets wrong, what it claims, and what a reader must know.

``data/<paper>/decisions.toml`` has a table ``[[decision]]`` for each erratum and each open choice, with
``[[decision.alternative]]`` for what else could have been chosen (`mtclib.companion.verdicts.leverage`) and
``test`` for the test that it speaks of, and ``[[deviation]]`` for cells whose difference is explained.
``data/<paper>/claims.toml`` has ``name`` and ``venue`` of the paper, ``[summary]`` for the question that
readers have, ``[[finding]]`` for what they must know, ``[[answer]]`` for the pipeline of a printed table, and
``[[claim]]``: a sentence and the test that decides it, or the reason why it cannot be tested.  Numbers in
sentences are templates (`mtclib.companion.verdicts.numbers`).
"""

import inspect
from collections import Counter

import pandas as pd

from mtclib.companion.claims import ALPHA, TESTS, printed_record
from mtclib.companion.runs import our_name
from mtclib.companion.schema import TEXT, check, one_of, read_toml, some_of, table
from mtclib.companion.verdicts.judge import CAUSES, SCOPE
from mtclib.companion.verdicts.published import matching
from mtclib.core.errors import MtclibError
from mtclib.core.paths import paper_dir

KINDS = ("erratum", "open choice")
EVIDENCE = ("algebra", "numeric", "table", "text")
FRAMES = ("results", "noise", "sensitivity", "relations", "timings", "streams")
LEVERS = ("preprocessing", "data", "initialisation", "stopping", "metric", "formulation", "tuning")
NOT_YET = "not yet testable"
NO_DATA = "no data"
_NEEDED = ("id", "place", "kind", "problem", "evidence", "evidence_type", "decision", "cause")
NAMES = {"type": "array", "minItems": 1, "items": TEXT}
SIDE = ("methods", "datasets", "metric", "point")
ALTERNATIVE = table(("kind", "ours", "alternative", "methods", "datasets", "metric"),
                    ("point", *(f"other_{name}" for name in SIDE), "note"), kind=one_of(LEVERS),
                    **dict.fromkeys(("methods", "datasets", "other_methods", "other_datasets"), NAMES))
DECISION = table(
    _NEEDED, ("alternatives", "test"), kind=one_of(KINDS), cause=one_of(CAUSES),
    evidence_type=some_of(EVIDENCE), alternative={"items": ALTERNATIVE},
    unmeasured=table(("kind", "reason"), ("trial",), kind=one_of(LEVERS)))
CLAIM = table(("id", "quote", "place"), ("params", "reason", "sentence"),
              test=one_of(TESTS), frame=one_of(FRAMES))
FILES = {
    "decisions": table((), decision={"items": DECISION}, deviation={
        "items": table(("cause", "evidence"), SCOPE, cause=one_of(CAUSES))}),
    "claims": table((), ("name", "venue"), finding={"items": table(("text", "sources"))},
                    summary=table(("question", "claim", "rival", "over"),
                                  ("first", "short", "also", "caveat", "rivals")),
                    answer={"items": table(("tables", "pipeline", "sure"))}, claim={"items": CLAIM})}
SHOWN = (*_NEEDED, "alternatives", "leverage")


class LedgerError(MtclibError, ValueError):
    """A decisions or claims file is missing or breaks its contract."""


def read_tables(paper, file):
    """Content of ``data/<paper>/<file>.toml``: a dict of lists of tables."""
    path = paper_dir(paper) / f"{file}.toml"
    if not path.is_file():
        raise LedgerError(f"paper={paper!r}: no {file} file")
    where = f"{paper}/{path.name}"
    content = check(read_toml(path, where, LedgerError), FILES[file], where, LedgerError)
    ids = Counter(entry["id"] for name in ("decision", "claim") for entry in content.get(name, ()))
    if twice := [name for name, n in ids.items() if n > 1]:
        raise LedgerError(f"{paper}: id {twice[0]} is used twice")
    return content


def findings(paper):
    """Name, venue, summary and findings of a paper, checked, templates as they stand; see ``Study.known``."""
    content = {name: value for name, value in read_tables(paper, "claims").items() if name != "claim"}
    check(content, table(("name", "venue", "finding"), ("answer", "summary")), paper, LedgerError)
    return content


def part(paper, name):
    """``[[answer]]`` or ``[summary]`` of a paper, for what cannot be shown without."""
    found = findings(paper).get(name)
    if not found:
        raise LedgerError(f"{paper}/claims.toml has no {name}; add one as the other papers have it")
    return found


def decisions(paper):
    """Errata and open choices of a paper, checked: a list of dicts with the keys of `DECISION`."""
    entries = read_tables(paper, "decisions").get("decision", [])
    for entry in entries:
        for other in entry.get("alternative", []):
            for side in ("methods", "datasets"):
                if len(other.get(f"other_{side}", other[side])) != len(other[side]):
                    raise LedgerError(f"{paper}: decision {entry['id']}: alternative: other_{side} must have "
                                      f"one name for each of {side}")
    return entries


def deviations(paper):
    """Explained deviations of a paper, for the ``causes`` of `mtclib.companion.verdicts.judge.judge`."""
    return read_tables(paper, "decisions").get("deviation", [])


def claims(paper):
    """Testable sentences of a paper, checked: a list of dicts with the keys of `CLAIM`."""
    entries = read_tables(paper, "claims").get("claim", [])
    for entry in entries:
        name = f"{paper}: claim {entry['id']}"
        if ("test" in entry) == ("reason" in entry):
            raise LedgerError(f"{name} needs either a test or the reason why it is {NOT_YET}")
        if "test" in entry:
            entry.setdefault("frame", "results")
            try:
                inspect.signature(TESTS[entry["test"]]).bind(None, **entry.get("params", {}))
            except TypeError as error:
                raise LedgerError(f"{name}: params of {entry['test']}: {error}") from None
    return entries


def decisions_frame(paper, leverage):
    """Decisions of a paper as a frame; `leverage` has a sentence for some ids."""
    rows = [{**entry, "evidence_type": ", ".join(entry["evidence_type"]),
             "alternatives": "; ".join(entry.get("alternatives", [])),
             "leverage": leverage.get(entry["id"], "")} for entry in decisions(paper)]
    return pd.DataFrame(rows, columns=list(SHOWN))


def outcomes(paper, frames, published=None):
    """Claims of a paper with their outcome. `frames` are what to test on, by the names in `FRAMES`;
    `published`, the printed numbers, adds what the paper's own table says."""
    frames = {name: _by_metric(frame, paper) for name, frame in frames.items()}
    rows = [_outcome(claim, frames) | {"in_print": _in_print(claim, published)} for claim in claims(paper)]
    columns = ["id", "place", "quote", "test", "status", "counts", "statistic", "n", "p", "in_print",
               "reason"]
    return pd.DataFrame(rows, columns=columns)


def outcomes_of_sentences(paper, outcomes):
    """Outcome of each sentence, from those of its claims: it holds with all parts, and fails with two, or
    with one that fails at 5 % divided by their number; one decided by its interval has no p, and fails at
    5 %. It is ``sentence``, or the quotation up to a bracket."""
    known = {one["id"]: one.get("sentence", one["quote"].partition(" (")[0]) for one in claims(paper)}
    rows = []
    for sentence, parts in outcomes.groupby(outcomes["id"].map(known), sort=False):
        tested = parts[parts["status"].isin(["holds", "fails", "undecided"])]
        holds, fails = ((tested["status"] == status).sum() for status in ("holds", "fails"))
        p = pd.to_numeric(tested.loc[tested["status"] == "fails", "p"]).fillna(ALPHA).min()
        status = "not testable" if tested.empty else "holds" if holds == len(tested) else "undecided"
        if fails > 1 or (fails == 1 and p * len(tested) <= ALPHA):
            status = "fails"
        rows.append({"sentence": sentence, "parts": len(tested), "hold": holds, "fail": fails,
                     "status": status})
    return pd.DataFrame(rows).set_index("sentence")


def _by_metric(frame, paper):
    """Rows by metric, under the printed name of NMI, and all under None."""
    if "metric" not in frame:
        return {None: frame}
    frame = frame.assign(metric=frame["metric"].replace(our_name(paper, "NMI"), "NMI"))
    return {None: frame, **dict(list(frame.groupby("metric", sort=False)))}


def _outcome(claim, frames):
    row = {"reason": "", **claim}
    if "test" not in claim:
        return row | {"status": NOT_YET}
    if claim["frame"] not in frames:
        return row | {"status": NO_DATA, "reason": f"needs the frame {claim['frame']!r}"}
    try:
        params, parts = claim.get("params", {}), frames[claim["frame"]]
        return row | vars(TESTS[claim["test"]](parts.get(params.get("metric"), parts[None]), **params))
    except ValueError as error:
        return row | {"status": NO_DATA, "reason": str(error)}


def _in_print(claim, published):
    params = claim.get("params", {})
    named = {params.get("dataset"), *params.get("datasets", ())}
    if published is None or "metric" not in params or not named & set(published["dataset"]):
        return ""
    if "datasets" in params:
        try:
            return TESTS[claim["test"]](published.assign(run=0, value=published["mean"]), **params).counts
        except ValueError:  # a metric that is ours alone
            return ""
    method = params.get("method_a", params.get("method"))
    others = [params["method_b"]] if "method_b" in params else params.get("others")
    printed = {"dataset": params["dataset"], "metric": params["metric"], "method": method}
    if method is None or not others or matching(published, printed).empty:
        return ""
    tasks = [task for task in params.get("tasks", []) if task != "avg"]
    return printed_record(published, method, others, params["metric"], params["dataset"], tasks)
