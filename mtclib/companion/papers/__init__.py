"""What one paper shows, and all papers at a glance."""

from functools import cache
from importlib import import_module

from mtclib.companion.runs import load_protocol
from mtclib.core import paths


@cache
def position(paper):
    """What papers are sorted by, as their protocols say."""
    return load_protocol(paper).position, paper


def in_order():
    """Papers in the order of the page."""
    return sorted(paths.papers(), key=position)


@cache
def study_of(paper):
    """The study of a paper: its committed results are read, and judged, once."""
    return import_module("mtclib.companion.papers.study").Study(paper)
