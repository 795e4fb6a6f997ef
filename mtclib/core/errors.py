"""The base of all errors that the project raises under names of its own."""


class MtclibError(Exception):
    """Something that the message explains, and what to do about it; the command line prints it as it is.

    Each subclass is an error of the standard library as well, mostly a ``ValueError``.
    """
