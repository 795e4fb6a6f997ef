"""News stories in several views, as counts of stemmed words: 3Sources, BBC and BBCSport (Greene, Cunningham).

In 3Sources a story was reported by several agencies; in BBC and BBCSport the views are segments of one
article.  A data set is the stories that have all views.
"""

import io

import numpy as np
from scipy import sparse
from scipy.io import mmread

from mtclib.core.checks import check_option
from mtclib.datasets.dataset import SETS, Dataset, loader, with_printed
from mtclib.datasets.fetching import fetch
from mtclib.datasets.formats import as_rows
from mtclib.datasets.tasks import source_record
from mtclib.datasets.text import WEIGHTINGS, weigh

HEADERS = {"BBC/bbc_seg1of4.mtx": b"%%MatrixMarket matrix coordinate real general\n4659 1543 80187\n"}
"""The two header lines that a file lacks in its only known copy.  Terms and documents are the lengths of its
lists of them, entries its number of lines."""


def read_counts(name) -> sparse.csr_array:
    """Read a Matrix Market file of terms x documents, with documents in rows; put back a missing header."""
    return as_rows(mmread(io.BytesIO(HEADERS.get(name, b"") + fetch(name).read_bytes())), columns=True)


def read_classes(name) -> dict[str, str]:
    """Class of each document of a ``.clist`` file, whose lines are ``class: document,document,...``."""
    lines = fetch(name).read_text(encoding="utf-8").splitlines()
    rows = [line.partition(":")[::2] for line in lines if line.strip()]
    return {item.strip(): label.strip() for label, items in rows for item in items.split(",") if item.strip()}


def _view(counts, rows, weighting):
    if weighting == "share-idf":  # counted over all documents of the view, as in the file that circulates
        return weigh([counts], weighting)[0][rows]
    return weigh([counts[rows]], weighting)[0]


@loader("3sources", "bbc", "bbcsport")
def stories(name, weighting="counts") -> Dataset:
    """News stories that have all views: told by three agencies (3Sources), or segments of one article (BBC).

    The LMSC paper calls the segments "sources".  Papers often use a file of BBCSport with "share-idf".

    Parameters
    ----------
    name : {"3sources", "bbc", "bbcsport"}
    weighting : str, default="counts"
        As in :func:`mtclib.datasets.text.weigh`, with documents counted in each view for itself, over the
        stories of the data set; for "share-idf" over all documents of the view, as in the file of BBCSport
        that circulates.

    Returns
    -------
    Dataset
        Sparse views, in which some terms are of no story; stories in the order of the first view.
    """
    check_option("weighting", weighting, WEIGHTINGS)
    views, classes = SETS[name]["views"], SETS[name]["classes"]  # names and stems of files, and a file
    docs = [fetch(f"{stem}.docs").read_text(encoding="utf-8").split() for stem in views.values()]
    shared = set(docs[0]).intersection(*docs[1:])
    chosen = [story for story in docs[0] if story in shared]
    counts = [read_counts(f"{stem}.mtx") for stem in views.values()]
    places = [{story: i for i, story in enumerate(each)} for each in docs]
    label_of = read_classes(classes)
    names = sorted({label_of[story] for story in chosen})
    files = [f"{stem}.{ending}" for stem in views.values() for ending in ("mtx", "docs")]
    data = Dataset(
        name=name, kind="multiview", edition="counts",
        Xs=[_view(X, [place[story] for story in chosen], weighting) for X, place in zip(counts, places)],
        labels=np.array([names.index(label_of[story]) for story in chosen]),
        task_names=tuple(views), class_names=(tuple(names),),
        sources=tuple(map(source_record, [*files, classes])),
        preprocessing=({"step": "stories in all views", "documents": [len(each) for each in docs]},
                       {"step": "weigh", "weighting": weighting, "idf_scope": "view"}))
    return with_printed(data)
