"""A reader's own files: read (`files`), matched, checked and described (`load`), clustered (`run`)."""

from mtclib.companion.userdata.load import describe, load_tasks, load_views
from mtclib.companion.userdata.run import cluster

__all__ = ["cluster", "describe", "load_tasks", "load_views"]
