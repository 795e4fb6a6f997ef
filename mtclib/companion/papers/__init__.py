"""What one paper shows, and all papers at a glance."""

from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

from mtclib.companion.runs import load_protocol
from mtclib.core import paths

if TYPE_CHECKING:
    from mtclib.companion.papers.study import Study


@cache
def position(paper: str) -> tuple:
    """What papers are sorted by, as their protocols say."""
    return load_protocol(paper).position, paper


def in_order() -> list[str]:
    """Papers in the order of the page."""
    return sorted(paths.papers(), key=position)


@cache
def study_of(paper: str) -> "Study":
    """The study of a paper: its committed results are read, and judged, once."""
    return import_module("mtclib.companion.papers.study").Study(paper)
