"""The ledger: what a paper leaves open or gets wrong, and what it claims.

``data/<paper>/decisions.toml`` has a table ``[[decision]]`` for each erratum and each open choice, and
optionally ``[[deviation]]`` for cells whose difference is explained.  ``data/<paper>/claims.toml`` has
``[[claim]]``: a sentence of the paper and the test that decides it, or the reason why it cannot be tested
yet.  Both are checked when they are read.

Reading the toml files of the ledger and checking their keys.

The two or three things about a paper that a reader must know, each held by a test.

``data/<paper>/findings.toml`` has the ``name`` and ``venue`` of the paper and tables ``[[finding]]``, the
most important first.  The sentences are written by hand; the test that a finding names compares its numbers
with the committed results.
"""

import inspect
import tomllib
from pathlib import Path

import pandas as pd

from mtclib.companion.claims import TESTS
from mtclib.companion.claims.methods import printed_record
from mtclib.companion.verdicts.judge import CAUSES, SCOPE
from mtclib.core.paths import paper_dir
from mtclib.metrics import NMI_DEFAULT, our_name


class LedgerError(ValueError):
    """A decisions or claims file is missing or breaks its contract."""


def read_tables(paper, directory, folder, tables):
    """Content of ``data/<paper>/<folder>.toml``: a dict of lists of tables.

    Parameters
    ----------
    paper : str
        Name of the paper.
    directory : path-like or None
        Folder of the papers' folders; the repository's ``data`` if None.
    folder : str
        "decisions" or "claims".
    tables : collection of str
        Names of tables that the file may have.

    Returns
    -------
    dict

    Raises
    ------
    LedgerError
        No such file, not TOML, an unknown table.
    """
    path = (paper_dir(paper) if directory is None else Path(directory) / paper) / f"{folder}.toml"
    if not path.is_file():
        others = path.parent.parent.glob(f"*/{path.name}")
        known = ", ".join(sorted(other.parent.name for other in others)) or "none"
        raise LedgerError(f"paper={paper!r}: no {folder} file; known papers: {known}")
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise LedgerError(f"{paper}/{path.name}: {error}") from None
    unknown = set(content) - set(tables)
    if unknown:
        raise LedgerError(f"{paper}/{path.name}: unknown table {sorted(unknown)[0]!r}")
    return content


def check_keys(entry, contract, name):
    """Refuse unknown, empty and missing keys; returns `name` with the id of the entry.

    Parameters
    ----------
    entry : dict
        One table.
    contract : mapping of str to bool
        Known keys and whether each must be there.
    name : str
        What the entry is, for the error.

    Returns
    -------
    str

    Raises
    ------
    LedgerError
        A key breaks the contract.
    """
    name = f"{name} {entry['id']}" if "id" in entry else name
    for key in entry:
        if key not in contract:
            raise LedgerError(f"{name}: unknown key {key!r}; known: {', '.join(contract)}")
        if entry[key] in ("", []):
            raise LedgerError(f"{name}: {key} is empty")
    missing = [key for key, needed in contract.items() if needed and key not in entry]
    if missing:
        raise LedgerError(f"{name}: missing {', '.join(missing)}")
    return name


def check_one_of(value, known, name):
    """Raise a LedgerError that names the known values unless `value` is one of `known`."""
    if value not in known:
        raise LedgerError(f"{name}: {value!r} is unknown; use one of {', '.join(known)}")


def check_unique(entries, paper):
    """Return `entries`; raise a LedgerError if two have the same id."""
    seen = set()
    for entry in entries:
        if entry["id"] in seen:
            raise LedgerError(f"{paper}: id {entry['id']} is used twice")
        seen.add(entry["id"])
    return entries

FINDING = {"text": True, "sources": True, "test": True, "short": False}
MOST_LETTERS = 110


def findings(paper, directory=None):
    """Name, venue and findings of a paper, checked.

    Parameters
    ----------
    paper : str
    directory : path-like, optional
        Folder of the papers' folders; the repository's ``data`` by default.

    Returns
    -------
    dict
        ``name, venue`` and ``finding``: a list of dicts with ``text``, ``sources`` (ids of decisions and
        claims, names of studies), ``test`` ("file::name"), and for the first ``short``, for the README.

    Raises
    ------
    LedgerError
        No such file, an unknown or missing key, a `short` that is missing, too long or not the first's.

    Examples
    --------
    >>> findings("mbc")["name"]
    'MBC'
    """
    content = read_tables(paper, directory, "findings", ("name", "venue", "finding"))
    check_keys(content, {"name": True, "venue": True, "finding": True}, f"{paper}: findings")
    for number, entry in enumerate(content["finding"]):
        check_keys(entry, FINDING, f"{paper}: finding {number + 1}")
        if ("short" in entry) != (number == 0):
            raise LedgerError(f"{paper}: the first finding, and no other, has a 'short' for the README")
    if len(content["finding"][0]["short"]) > MOST_LETTERS:
        raise LedgerError(f"{paper}: 'short' of the first finding has more than {MOST_LETTERS} letters")
    return content

KINDS = ("erratum", "open choice")
EVIDENCE = ("algebra", "numeric", "table", "text")
FRAMES = ("results", "sensitivity", "relations", "timings", "streams")
NOT_YET = "not yet testable"
NO_DATA = "no data"
# Keys of each kind of entry: name to whether it must be there.
_NEEDED = ("id", "place", "kind", "problem", "evidence", "evidence_type", "decision", "cause")
DECISION = {**dict.fromkeys(_NEEDED, True), "alternatives": False, "leverage": False}
DEVIATION = {"cause": True, "evidence": True, **dict.fromkeys(SCOPE, False)}
_OPTIONAL = ("test", "frame", "params", "reason")
CLAIM = {"id": True, "quote": True, "place": True, **dict.fromkeys(_OPTIONAL, False)}
LEVERAGE = {"metric": True, "change": True, "measured": True}


def decisions(paper: str, directory=None) -> list[dict]:
    """Errata and open choices of a paper, checked.

    Parameters
    ----------
    paper : str
        Name of the paper.
    directory : path-like, optional
        Folder of the papers' folders; the repository's ``data`` by default.

    Returns
    -------
    list of dict
        ``id, place, kind`` (`KINDS`), ``problem, evidence, evidence_type`` (a list out of `EVIDENCE`),
        ``decision`` (what we do), ``cause`` (a key of ``CAUSES``) and, where given, ``alternatives`` (list of
        str) and ``leverage`` (``metric``, ``change`` and ``measured``: on what and how).

    Raises
    ------
    LedgerError
        No such file, an unknown or missing key, an empty value, an id used twice.

    Examples
    --------
    >>> decisions("mtcmrl")[0]["place"]
    'Eq. (2), (4)'
    """
    entries = read_tables(paper, directory, "decisions", ("decision", "deviation")).get("decision", [])
    for entry in entries:
        name = check_keys(entry, DECISION, f"{paper}: decision")
        check_one_of(entry["kind"], KINDS, f"{name}: kind")
        check_one_of(entry["cause"], CAUSES, f"{name}: cause")
        if isinstance(entry["evidence_type"], str):
            raise LedgerError(f"{name}: evidence_type must be a list out of {', '.join(EVIDENCE)}")
        for kind in entry["evidence_type"]:
            check_one_of(kind, EVIDENCE, f"{name}: evidence_type")
        if "leverage" in entry:
            check_keys(entry["leverage"], LEVERAGE, f"{name}: leverage")
    return check_unique(entries, paper)


def deviations(paper: str, directory=None) -> list[dict]:
    """Explained deviations of a paper, for the ``causes`` of :func:`mtclib.companion.verdicts.judge.judge`.

    Parameters
    ----------
    paper, directory
        As in :func:`decisions`.

    Returns
    -------
    list of dict
        ``cause``, ``evidence`` and any of ``table, dataset, task, method, metric``; empty if the file has
        none.

    Raises
    ------
    LedgerError
        As in :func:`decisions`.

    Examples
    --------
    >>> deviations("mbc")[0]["metric"]
    'd_M'
    """
    entries = read_tables(paper, directory, "decisions", ("decision", "deviation")).get("deviation", [])
    for entry in entries:
        check_one_of(entry.get("cause"), CAUSES, check_keys(entry, DEVIATION, f"{paper}: deviation"))
    return entries


def claims(paper: str, directory=None) -> list[dict]:
    """Testable sentences of a paper, checked.

    Parameters
    ----------
    paper : str
        Name of the paper.
    directory : path-like, optional
        Folder of the papers' folders; the repository's ``data`` by default.

    Returns
    -------
    list of dict
        ``id, quote, place`` and either ``test`` (a key of ``TESTS``), ``frame`` (one of `FRAMES`) and
        ``params``, or ``reason`` why the claim is not yet testable.

    Raises
    ------
    LedgerError
        As in :func:`decisions`; also an unknown test, and parameters that the test does not take or lacks.

    Examples
    --------
    >>> claims("mtcmrl")[0]["test"]
    'best_in_each_task'
    """
    entries = read_tables(paper, directory, "claims", ("claim",)).get("claim", [])
    for entry in entries:
        name = check_keys(entry, CLAIM, f"{paper}: claim")
        if ("test" in entry) == ("reason" in entry):
            raise LedgerError(f"{name} needs either a test or the reason why it is {NOT_YET}")
        if "test" in entry:
            check_one_of(entry["test"], TESTS, f"{name}: test")
            check_one_of(entry.setdefault("frame", "results"), FRAMES, f"{name}: frame")
            try:
                inspect.signature(TESTS[entry["test"]]).bind(None, **entry.get("params", {}))
            except TypeError as error:
                raise LedgerError(f"{name}: params of {entry['test']}: {error}") from None
    return check_unique(entries, paper)


def decisions_table(paper: str, kind: str | None = None, directory=None) -> pd.DataFrame:
    """Decisions of a paper as a frame, one a row.

    Parameters
    ----------
    paper, directory
        As in :func:`decisions`.
    kind : str, optional
        One of `KINDS`; all by default.

    Returns
    -------
    DataFrame
        Columns in the order of `DECISION`; missing optional values are empty strings.

    Raises
    ------
    LedgerError
        As in :func:`decisions`; unknown `kind`.

    Examples
    --------
    >>> set(decisions_table("mtcmrl", kind="erratum")["kind"])
    {'erratum'}
    """
    if kind is not None:
        check_one_of(kind, KINDS, "kind")
    rows = [
        {
            **{key: "" for key in DECISION},
            **entry,
            "evidence_type": ", ".join(entry["evidence_type"]),
            "alternatives": "; ".join(entry.get("alternatives", [])),
            "leverage": _leverage(entry),
        }
        for entry in decisions(paper, directory)
        if kind in (None, entry["kind"])
    ]
    return pd.DataFrame(rows, columns=list(DECISION))


def claims_table(paper, frames=None, published=None, methods=None, datasets=None, directory=None):
    """Claims of a paper with their outcome, one a row.

    Parameters
    ----------
    paper, directory
        As in :func:`claims`.
    frames : mapping of str to DataFrame, optional
        What to test on, by the names in `FRAMES`; a claim whose frame is not given has the status "no data".
    published : DataFrame, optional
        Printed numbers: adds what comparisons between methods give in the paper's own table.
    methods, datasets : mapping of str to str, optional
        Printed name to the name in the frames, as in `judge`; the claims
        use printed names.

    Returns
    -------
    DataFrame
        ``id, place, quote, test, status, counts, statistic, n, in_print, reason``.  ``status`` is "holds",
        "fails", "undecided", "no data" or "not yet testable".

    Raises
    ------
    LedgerError
        As in :func:`claims`.

    Examples
    --------
    >>> sorted(set(claims_table("mtcmrl")["status"]))
    ['no data', 'not yet testable']
    """
    frames = {
        name: _printed_names(frame, paper, methods, datasets)
        for name, frame in (frames or {}).items()
        if frame is not None
    }
    frames = {name: _ByMetric(frame) for name, frame in frames.items()}
    rows = [
        _outcome(claim, frames) | {"in_print": _in_print(claim, published)}
        for claim in claims(paper, directory)
    ]
    columns = ["id", "place", "quote", "test", "status", "counts", "statistic", "n", "in_print", "reason"]
    return pd.DataFrame(rows, columns=columns)


def _leverage(entry):
    leverage = entry.get("leverage")
    return f"{leverage['metric']}: {leverage['change']} ({leverage['measured']})" if leverage else ""


class _ByMetric:
    """A frame that finds the rows of one metric once, for claims ask for the same few again and again."""

    def __init__(self, frame):
        self.frame = frame
        self.parts = dict(list(frame.groupby("metric", sort=False))) if "metric" in frame else {}

    def rows(self, metric):
        """Rows of a metric; all rows if it is None or not there."""
        return self.parts.get(metric, self.frame)


def _printed_names(frame, paper, methods, datasets):
    renames = {"method": methods or {}, "dataset": datasets or {}}
    out = frame.copy()
    for column, names in renames.items():
        if column in out:
            # Rows that bear a printed name for which another one stands would be mixed with those.
            out = out[~out[column].isin(set(names) - set(names.values()))].copy()
            out[column] = out[column].replace({ours: printed for printed, ours in names.items()})
    if "metric" in out and paper in NMI_DEFAULT:
        out["metric"] = out["metric"].replace(our_name(paper, "NMI"), "NMI")
    return out


def _outcome(claim, frames):
    row = {"reason": "", **claim}
    if "test" not in claim:
        return row | {"status": NOT_YET}
    if claim["frame"] not in frames:
        return row | {"status": NO_DATA, "reason": f"needs the frame {claim['frame']!r}"}
    try:
        params = claim.get("params", {})
        result = TESTS[claim["test"]](frames[claim["frame"]].rows(params.get("metric")), **params)
    except ValueError as error:
        return row | {"status": NO_DATA, "reason": str(error)}
    outcome = {"status": result.status, "counts": result.counts, "statistic": result.statistic, "n": result.n}
    return row | outcome


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
    printed = published[published["metric"] == params["metric"]]
    if not others or method not in set(printed.loc[printed["dataset"] == params["dataset"], "method"]):
        return ""
    tasks = [task for task in params.get("tasks", []) if task != "avg"]
    return printed_record(published, method, others, params["metric"], params["dataset"], tasks)
