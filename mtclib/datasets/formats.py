"""The files in which others keep their data: MATLAB's matrices and labels, and the SGML of Reuters-21578."""

import html
import re
from dataclasses import dataclass

import numpy as np
from scipy import sparse
from scipy.io import loadmat

from mtclib.core.checks import check_indices
from mtclib.datasets.fetching import fetch

_DOCUMENT = re.compile(r"<REUTERS\s([^>]*)>(.*?)</REUTERS>", re.DOTALL)
_ATTRIBUTE = re.compile(r'([A-Z]+)="([^"]*)"')
_ITEM = re.compile(r"<D>(.*?)</D>", re.DOTALL)


def read_mat(name, *variables) -> list:
    """Fetch a MATLAB file and return some of its variables, with the shapes and types of the file."""
    content = loadmat(fetch(name), variable_names=variables)
    if missing := [variable for variable in variables if variable not in content]:
        raise ValueError(f"variables: {name} has no variable {missing[0]!r}.")
    for variable in variables:
        check_indices(content[variable], f"{name}: {variable}")
    return [content[variable] for variable in variables]


def as_rows(matrix, columns=False) -> sparse.csr_array:
    """Return a stored matrix with samples in rows; `columns` says that the file keeps them in columns."""
    matrix = sparse.csr_array(matrix, dtype=np.float64)
    return sparse.csr_array(matrix.T if columns else matrix)


def as_codes(values, order) -> np.ndarray:
    """Number the classes of a stored label column; `order` has the stored value of class 0, class 1, ...

    >>> as_codes([[1], [-1], [1]], order=(1, -1)).tolist()
    [0, 1, 0]
    """
    values = values.toarray() if sparse.issparse(values) else np.asarray(values)
    same = values.reshape(-1, 1).astype(int) == np.asarray(order)
    if not same.any(axis=1).all():
        raise ValueError(f"values: the stored labels {np.unique(values).tolist()} are not all in {order}.")
    return same.argmax(axis=1)


@dataclass(frozen=True)
class Story:
    """One Reuters story: texts are "" where missing, and stories that are a headline only have no body."""

    newid: int
    lewis_split: str  # "TRAIN", "TEST" or "NOT-USED"
    has_topics: str  # the attribute TOPICS: "YES", "NO" or "BYPASS"
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
    """Read the stories of one ``.sgm`` file, decoded as Latin-1."""
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
