"""The two or three things about a paper that a reader must know, each held by a test.

``data/findings/<paper>.toml`` has the ``name`` and ``venue`` of the paper and tables ``[[finding]]``, the
most important first.  The sentences are written by hand; the test that a finding names compares its numbers
with the committed results.
"""

from mtclib.reproduction.contract import LedgerError, check_keys, read_tables

FINDING = {"text": True, "sources": True, "test": True, "short": False}
MOST_LETTERS = 110


def findings(paper, directory=None):
    """Name, venue and findings of a paper, checked.

    Parameters
    ----------
    paper : str
    directory : path-like, optional
        Folder of the toml files; the repository's ``data/findings`` by default.

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
