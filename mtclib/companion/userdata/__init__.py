"""A reader's own files: read, check, cluster, describe."""
