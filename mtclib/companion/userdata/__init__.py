"""A reader's own files: read (`files`), checked (`load`), clustered (`run`), described (`contents`)."""

from mtclib.companion.userdata.load import describe, load_tasks, load_views
from mtclib.companion.userdata.run import cluster
