"""The files in which others keep their data: arrays of MATLAB, R and numpy, and the SGML of Reuters-21578."""

import bz2
import html
import io
import lzma
import pickle
import re
from collections import namedtuple
from contextlib import contextmanager

import numpy as np
from scipy import sparse
from scipy.io import loadmat

from mtclib.core.checks import check_indices
from mtclib.datasets.fetching import fetch

_DOCUMENT = re.compile(r"<REUTERS\s([^>]*)>(.*?)</REUTERS>", re.DOTALL)
_ATTRIBUTE = re.compile(r'([A-Z]+)="([^"]*)"')
_ITEM = re.compile(r"<D>(.*?)</D>", re.DOTALL)


@contextmanager
def _fetched(name):
    """The path of a file; whatever goes wrong while it is read is a ValueError that names it."""
    path = fetch(name)
    try:
        yield path
    except Exception as error:  # what a damaged file raises is not limited
        raise ValueError(f"{name}: {error}.") from error


def _chosen(content, variables):
    if missing := [variable for variable in variables if variable not in content]:
        raise ValueError(f"it has no variable {missing[0]!r}")
    return [content[variable] for variable in variables]


def read_mat(name, *variables) -> list:
    """Fetch a MATLAB file and return some of its variables, with the shapes and types of the file."""
    with _fetched(name) as path:
        found = _chosen(loadmat(path, variable_names=variables), variables)
        for variable, value in zip(variables, found):
            check_indices(value, variable)
    return found


def _unpacked(path, most) -> bytes:
    """Content of a file packed by bzip2 or xz, of at most so many bytes."""
    with open(path, "rb") as file:
        packed = bz2 if file.read(3) == b"BZh" else lzma
    with packed.open(path) as file:
        content = file.read(most + 1)
    if len(content) > most:
        raise ValueError(f"it holds more than the {most} bytes expected")
    return content


class _Items:
    """Reader of R's serialisation (XDR): numbers and texts in pairlists and lists, and nothing that runs."""

    NUMBERS = {13: ">i4", 14: ">f8"}

    def __init__(self, content):
        self.file, self.symbols = io.BytesIO(content), []

    def numbers(self, kind, n):
        found = np.frombuffer(self.file.read(max(0, n) * int(kind[-1])), kind)
        if len(found) != n:
            raise ValueError("it ends too early")
        return found

    def count(self):
        return int(self.numbers(">i4", 1)[0])

    def item(self):
        flags = self.count()
        kind = flags & 255
        if kind == 254:
            return {}
        if kind == 255:
            return self.symbols[(flags >> 8) - 1]
        if kind == 1:
            self.symbols.append(self.item())
            return self.symbols[-1]
        if kind == 2:  # a pair: attributes, name and value, then the rest of the list
            _, name = flags & 512 and self.item(), self.item() if flags & 1024 else ""
            return {name: self.item(), **self.item()}
        if kind == 9:
            return self.numbers("S1", max(0, self.count())).tobytes().decode()
        if kind in (16, 19):
            value = [self.item() for _ in range(self.count())]
        elif kind in self.NUMBERS:
            value = self.numbers(self.NUMBERS[kind], self.count())
        else:
            raise ValueError(f"it holds an object of R's type {kind}, which is not read")
        attributes = self.item() if flags & 512 else {}
        return np.reshape(value, attributes["dim"], order="F") if "dim" in attributes else value


def read_rda(name, *variables, most=2**26) -> list:
    """Fetch an R data file (version 2, packed by bzip2 or xz) and return some of its variables."""
    with _fetched(name) as path:
        content = _unpacked(path, most)
        if content[:7] != b"RDX2\nX\n":
            raise ValueError("it is no R data file of version 2")
        return _chosen(_Items(content[19:]).item(), variables)  # after the versions of R


class _Said:
    """What a pickle says of an array or of its type; numpy would believe it, flags of the type and all."""

    def __init__(self, *args):
        self.args = args

    def __setstate__(self, state):
        self.state = state


class _ArrayUnpickler(pickle._Unpickler):  # the one in C takes 32 GB for a note with a large number
    """Admits an array of float64, and no other name."""

    ADMITTED = {("numpy.core.multiarray", "_reconstruct"): _Said, ("numpy", "ndarray"): None,
                ("numpy", "dtype"): _Said}

    def find_class(self, module, name):
        if (module, name) not in self.ADMITTED:
            raise pickle.UnpicklingError(f"it asks for {module}.{name}")
        return self.ADMITTED[module, name]


def read_pickled_array(name, most) -> np.ndarray:
    """Fetch a packed pickle of one array of float64; whatever else it holds is a ValueError, and not run."""
    with _fetched(name) as path:
        said = _ArrayUnpickler(io.BytesIO(_unpacked(path, most))).load()
        if not isinstance(said, _Said):
            raise ValueError("it holds no array")
        _, shape, kind, by_columns, content = said.state
        if (kind.args[0], kind.state[1]) != ("f8", "<"):
            raise ValueError(f"its numbers are of type {kind.args[0]!r}, not float64")
        return np.frombuffer(content, "<f8").reshape(shape, order="F" if by_columns else "C").copy()


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


Story = namedtuple("Story", "newid modapte topics title body")
"""One Reuters story.  Its half of the "ModApte" split is "train", "test" or "" (unused); texts are "" where
missing, and stories that are a headline only have no body."""


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
        split = attributes["LEWISSPLIT"].lower() if attributes["TOPICS"] == "YES" else ""
        topics = tuple(map(html.unescape, _ITEM.findall(_field("TOPICS", text))))
        stories.append(Story(int(attributes["NEWID"]), split.replace("not-used", ""), topics,
                             _text("TITLE", text), _text("BODY", text)))
    return stories
