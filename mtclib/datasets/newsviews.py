"""News stories in several views, as counts of stemmed words: 3Sources, BBC and BBCSport (Greene, Cunningham).

In 3Sources a story was reported by several agencies; in BBC and BBCSport the views are segments of one
article.  A data set is the stories that have all views.
"""

import io

import numpy as np
from scipy import sparse
from scipy.io import mmread

from mtclib.core.checks import check_option
from mtclib.datasets.dataset import Dataset, loader, with_printed
from mtclib.datasets.fetching import fetch
from mtclib.datasets.tasks import source_record
from mtclib.datasets.text import WEIGHTINGS, weigh

HEADERLESS = {"BBC/bbc_seg1of4.mtx": (4659, 1543, 80187)}
"""Terms, documents and entries of a file whose two header lines are missing in its only known copy.

The first two are the lengths of its lists of terms and of documents, the third its number of lines."""


def read_counts(name) -> sparse.csr_array:
    """Read a Matrix Market file of terms x documents, with documents in rows; put back a missing header."""
    data = fetch(name).read_bytes()
    if not data.startswith(b"%%MatrixMarket") and name in HEADERLESS:
        sizes = " ".join(map(str, HEADERLESS[name]))
        data = f"%%MatrixMarket matrix coordinate real general\n{sizes}\n".encode() + data
    try:
        counts = mmread(io.BytesIO(data))
    except ValueError as error:
        raise ValueError(f"{name} is not a complete Matrix Market file: {error}") from error
    return sparse.csr_array(sparse.csr_array(counts, dtype=np.float64).T)


def read_classes(name) -> dict[str, str]:
    """Class of each document of a ``.clist`` file, whose lines are ``class: document,document,...``."""
    lines = fetch(name).read_text(encoding="utf-8").splitlines()
    rows = [line.partition(":")[::2] for line in lines if line.strip()]
    return {item.strip(): label.strip() for label, items in rows for item in items.split(",") if item.strip()}


def _view(counts, rows, weighting):
    if weighting == "share-idf":  # counted over all documents of the view, as in the file that circulates
        return weigh([counts], weighting)[0][rows]
    return weigh([counts[rows]], weighting)[0]


def _segments(stem, n_views):
    return {str(v + 1): f"{stem}_seg{v + 1}of{n_views}" for v in range(n_views)}


SETS = {
    "3sources": (
        {"BBC": "3sources_bbc", "Guardian": "3sources_guardian", "Reuters": "3sources_reuters"},
        "3Sources", "3sources.disjoint.clist", {"n_samples": 169},
    ),
    "bbc": (_segments("bbc", 4), "BBC", "bbc.clist", {"n_samples": 685, "n_classes": 5}),
    "bbcsport": (_segments("bbcsport", 2), "BBCSport", "bbcsport.clist", {"n_samples": 544}),
}
"""Views (name -> stem of its files), folder, file of the classes, and what the LMSC paper prints."""


@loader({
    "3sources": "3Sources of the LMSC paper: 169 news stories as told by the BBC, The Guardian and "
    "Reuters.",
    "bbc": "BBC news of the LMSC paper: 685 articles, each cut into four segments.",
    "bbcsport": "BBCSport of the LMSC paper: 544 sports articles, each cut into two segments."})
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
    views, folder, classes, printed = SETS[name]
    docs = [fetch(f"{folder}/{stem}.docs").read_text(encoding="utf-8").split() for stem in views.values()]
    shared = set(docs[0]).intersection(*docs[1:])
    chosen = [story for story in docs[0] if story in shared]
    counts = [read_counts(f"{folder}/{stem}.mtx") for stem in views.values()]
    places = [{story: i for i, story in enumerate(each)} for each in docs]
    label_of = read_classes(f"{folder}/{classes}")
    names = sorted({label_of[story] for story in chosen})
    files = [f"{folder}/{stem}.{ending}" for stem in views.values() for ending in ("mtx", "docs")]
    data = Dataset(
        name=name, kind="multiview", edition="counts",
        Xs=[_view(X, [place[story] for story in chosen], weighting) for X, place in zip(counts, places)],
        labels=np.array([names.index(label_of[story]) for story in chosen]),
        task_names=tuple(views), class_names=(tuple(names),),
        sources=tuple(map(source_record, [*files, f"{folder}/{classes}"])),
        preprocessing=({"step": "stories in all views", "documents": [len(each) for each in docs]},
                       {"step": "weigh", "weighting": weighting, "idf_scope": "view"}))
    return with_printed(data, printed)
