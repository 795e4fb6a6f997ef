"""BibTeX of the software, the papers, the methods and the data sets, from what the repository keeps."""

import re
import tomllib
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from html import escape
from itertools import chain

import yaml

from mtclib.companion.parameters import UsageError
from mtclib.companion.runs import load_protocol
from mtclib.companion.tables import Shown
from mtclib.companion.verdicts import ledger
from mtclib.core import paths
from mtclib.datasets import registry

SOFTWARE = "mtclib"
WORK = re.compile(r"(?P<author>.+?\w{2,})\. (?P<title>.+?)\. (?P<venue>.*?)"
                  r"[, ]*\(?(?P<year>(?:19|20)\d\d)\)?[, ]*(?P<pages>[\d-]*)(?:Eq\. \(\d+\))?\."
                  r"(?: doi:(?P<doi>\S+)\.)?")
"""A work as the repository writes it: authors, title, where, year; then pages and a DOI."""


@dataclass(frozen=True, repr=False)
class Entries(Shown):
    """BibTeX entries by name: plain text, and in HTML a fold for each."""

    entries: dict

    @property
    def text(self):
        return "\n\n".join(self.entries.values())

    @property
    def html(self):
        return "\n".join(f"<details><summary>{escape(name)}</summary><pre>{escape(entry)}</pre></details>"
                         for name, entry in self.entries.items())


@cache
def _file():
    return yaml.safe_load((paths.root() / "CITATION.cff").read_text(encoding="utf-8"))


def _entry(kind, author, year, **fields):
    """One entry; its key is the name of the first author, the year and the first word of the title."""
    first = re.sub(r"[^a-z]", "", author.partition(" and ")[0].split(",")[0].split()[-1].lower())
    key = f"{first}{year}{re.search(r'[A-Za-z0-9]+', fields['title'])[0].lower()}"
    fields = {"author": author, **fields, "title": f"{{{fields['title']}}}", "year": year}
    lines = [f"  {name} = {{{str(text).replace('&', chr(92) + '&')}}},"
             for name, text in fields.items() if text]
    return "\n".join([f"@{kind}{{{key},", *lines, "}"])


def key(entry):
    """What an entry is cited by."""
    return re.findall(r"\{(.+?),", entry)[0]


def _paper(known):
    author = " and ".join(f"{one['family-names']}, {one['given-names']}" for one in known["authors"])
    preprint = known.get("identifiers", [{}])[0].get("value", "").removeprefix("arXiv:")
    rest = {"eprint": preprint, "archiveprefix": "arXiv", "note": known["notes"]} if preprint else {
        "booktitle": known["collection-title"],
        "pages": f"{known['start']}--{known['end']}" if "start" in known else ""}
    kind = "misc" if preprint else "inproceedings"
    return _entry(kind, author, known["year"], title=known["title"], **rest)


def works(citation):
    """The entries of a citation as the repository writes it, of one work or of several."""
    found = list(WORK.finditer(citation.replace(" (ed.)", "")))
    if not found:
        raise ValueError(f"citation: {citation!r} is not of the form AUTHORS. TITLE. WHERE YEAR.")
    return [_work(**one.groupdict(default="")) for one in found]


def _work(author, title, venue, year, pages, doi):
    author = author.strip().replace(" et al", ", others").replace(", ", " and ")
    author = re.sub(r"(\S+) (\S+) (III?|Jr\.?)(?= and |$)", r"\2, \3, \1", author)
    venue = venue.strip(" ,")
    if re.search("thesis", venue):
        kind, where = "phdthesis", {"school": re.sub(r"PhD thesis,? ?", "", venue)}
    elif re.search(r"\d|TPAMI|TKDE", venue) and "Report" not in venue and "TR " not in venue:
        journal, volume, number = re.fullmatch(r"(.*?)(?: (\d+)(?:\((\S+)\))?)?", venue).groups()
        kind, where = "article", {"journal": journal, "volume": volume, "number": number}
    elif not venue or re.search("Report|Repository|TR ", venue):
        kind, where = "misc", {"howpublished": venue}
    else:
        kind, where = "inproceedings", {"booktitle": venue}
    return _entry(kind, author, year, title=title, **where, pages=pages.replace("-", "--"), doi=doi)


@cache
def known():
    """Names of the papers, methods, data sets and their files, and the entries of each."""
    file = _file()
    papers = {one["abbreviation"]: [_paper(one)] for one in file["references"]}
    methods = tomllib.loads((paths.data_dir() / "methods" / "methods.toml").read_text(encoding="utf-8"))
    loaders, found = {}, {SOFTWARE: [_entry(
        "misc", "{The mtclib developers}", file["date-released"].year, title=file["title"],
        note=f"Version {file['version']}", url=file["repository-code"])]}
    for entry in registry().values():
        for name in (entry.name, *entry.loaders):
            loaders.setdefault(name, {}).update(dict.fromkeys(works(entry.citation)))
    found |= {name: list(entries) for name, entries in loaders.items()}
    own = {name.lower(): entries for name, entries in papers.items()}
    printed = [(spec, paper) for paper in paths.papers() for spec in load_protocol(paper).datasets.values()
               if spec.published]
    # Data that are made here are those of the paper.
    for spec, paper in sorted(printed, key=lambda one: one[0].loader not in loaders):
        found.setdefault(spec.published, list(loaders.get(spec.loader, own.get(paper, ()))))
    found |= {name: works(one["citation"]) for name, one in methods["methods"].items()} | papers
    # A file of references has each key once: a work is written as the first says, the papers above all.
    same = {key(entry): entry for entry in [*chain(*papers.values(), *found.values())][::-1]}
    return {name: [same[key(entry)] for entry in each] for name, each in found.items()}


def entries(name):
    """Entries of a paper, a method, a data set or, as "mtclib", of the software; none for other names."""
    found = known()
    return found.get(name) or found.get({one.lower(): one for one in found}.get(str(name).lower()), [])


def cite(name):
    """The same as text; raises UsageError where there is nothing of that name."""
    if found := entries(name):
        return "\n\n".join(found)
    names = {one.lower(): one for one in known()}
    near = [names[one] for one in get_close_matches(str(name).lower(), names)]
    hint = f" Did you mean {' or '.join(map(repr, near))}?" if near else ""
    raise UsageError(f"NAME: nothing is called {name!r}.{hint} `python -m mtclib cite` lists all names.")


def box():
    """BibTeX of the software and of each of the papers, to copy."""
    names = {one["abbreviation"]: _in_words(one) for one in _file()["references"]}
    return Entries({told: cite(name) for name, told in {SOFTWARE: SOFTWARE, **names}.items()})


def _in_words(paper):
    """A paper as a list of references has it, after its name."""
    authors = ", ".join(f"{one['given-names'][0]}. {one['family-names']}" for one in paper["authors"])
    venue = ledger.findings(paper["abbreviation"].lower())["venue"]
    return f"{paper['abbreviation']}: {authors}. {paper['title']}. {venue}"
