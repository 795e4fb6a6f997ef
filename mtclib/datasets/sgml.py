"""Reading the SGML files of Reuters-21578."""

import html
import re
from dataclasses import dataclass

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
