"""Reading MATLAB data files, which hold several papers' matrices and labels.

Reading the SGML files of Reuters-21578.
"""

import html
import re
from dataclasses import dataclass

import numpy as np
from scipy import sparse
from scipy.io import loadmat

from mtclib.datasets.fetching import fetch


def read_mat(name, *variables) -> list:
    """Fetch a MATLAB file and return some of its variables.

    Parameters
    ----------
    name : str
        A name from :func:`mtclib.datasets.registry`.
    *variables : str
        Which variables, such as ``"fea"``.

    Returns
    -------
    list of ndarray or sparse matrix
        In the order of `variables`, with the shapes and types of the file.

    Raises
    ------
    ValueError
        If the file has no such variable.
    FetchError
        If the file cannot be had.

    Examples
    --------
    >>> fea, gnd = read_mat("20news-lssmtc/comp.vs.sci_task1.mat", "fea", "gnd")  # doctest: +SKIP
    >>> fea.shape, gnd.shape  # doctest: +SKIP
    ((1875, 2000), (1875, 1))
    """
    content = loadmat(fetch(name), variable_names=variables)
    if missing := [variable for variable in variables if variable not in content]:
        raise ValueError(f"variables: {name} has no variable {missing[0]!r}.")
    return [content[variable] for variable in variables]


def as_rows(matrix, columns=False) -> sparse.csr_array:
    """Return a stored matrix with samples in rows.

    Parameters
    ----------
    matrix : ndarray or sparse matrix
    columns : bool, default=False
        Whether the file keeps samples in columns.

    Returns
    -------
    csr_array of float64, shape (n_samples, n_features)

    Examples
    --------
    >>> as_rows([[1, 0, 2]], columns=True).shape
    (3, 1)
    """
    matrix = sparse.csr_array(matrix, dtype=np.float64)
    return sparse.csr_array(matrix.T if columns else matrix)


def as_codes(values, order) -> np.ndarray:
    """Number the classes of a stored label column.

    Parameters
    ----------
    values : ndarray or sparse matrix, shape (n_samples, 1)
    order : sequence of int
        The stored value of class 0, of class 1, and so on.

    Returns
    -------
    ndarray of int, shape (n_samples,)

    Raises
    ------
    ValueError
        If a stored value is not in `order`.

    Examples
    --------
    >>> as_codes([[1], [-1], [1]], order=(1, -1)).tolist()
    [0, 1, 0]
    """
    values = values.toarray() if sparse.issparse(values) else np.asarray(values)
    same = values.reshape(-1, 1).astype(int) == np.asarray(order)
    if not same.any(axis=1).all():
        raise ValueError(f"values: the stored labels {np.unique(values).tolist()} are not all in {order}.")
    return same.argmax(axis=1)

_DOCUMENT = re.compile(r"<REUTERS\s([^>]*)>(.*?)</REUTERS>", re.DOTALL)
_ATTRIBUTE = re.compile(r'([A-Z]+)="([^"]*)"')
_ITEM = re.compile(r"<D>(.*?)</D>", re.DOTALL)


@dataclass(frozen=True)
class Story:
    """One Reuters story.

    Attributes
    ----------
    newid : int
    lewis_split : str
        "TRAIN", "TEST" or "NOT-USED".
    has_topics : str
        The attribute TOPICS: "YES", "NO" or "BYPASS".
    topics : tuple of str
    title, dateline, body : str
        "" where missing.  Stories that are a headline only have no body.
    """

    newid: int
    lewis_split: str
    has_topics: str
    topics: tuple
    title: str
    dateline: str
    body: str

    @property
    def modapte(self) -> str:
        """Half of the "ModApte" split: "train", "test" or "" (unused)."""
        return self.lewis_split.lower() if self.has_topics == "YES" and self.lewis_split != "NOT-USED" else ""


def _field(tag, text):
    found = re.search(rf"<{tag}[^>]*>(.*?)</{tag}>", text, re.DOTALL)
    return found[1] if found else ""


def _text(tag, text):
    return html.unescape(_field(tag, text)).replace("\x03", "").strip()


def parse_stories(sgml: str) -> list[Story]:
    """Read the stories of one ``.sgm`` file.

    Parameters
    ----------
    sgml : str
        The file, decoded as Latin-1.

    Returns
    -------
    list of Story

    Examples
    --------
    >>> parse_stories('''<REUTERS TOPICS="YES" LEWISSPLIT="TEST" NEWID="7"><TOPICS><D>gold</D></TOPICS>
    ... <TEXT><TITLE>A &lt;B> C</TITLE><BODY>Up.</BODY></TEXT></REUTERS>''')[0].title
    'A <B> C'
    """
    stories = []
    for match in _DOCUMENT.finditer(sgml):
        attributes, text = dict(_ATTRIBUTE.findall(match[1])), match[2]
        story = Story(
            newid=int(attributes["NEWID"]), lewis_split=attributes["LEWISSPLIT"],
            has_topics=attributes["TOPICS"],
            topics=tuple(map(html.unescape, _ITEM.findall(_field("TOPICS", text)))),
            title=_text("TITLE", text), dateline=_text("DATELINE", text), body=_text("BODY", text),
        )  # fmt: skip
        stories.append(story)
    return stories
