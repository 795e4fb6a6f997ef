"""Warnings that several methods share."""


class DegenerateSubspaceWarning(UserWarning):
    """The data do not determine the subspace that a method works in, or nothing is left in it.

    The result is then that of the start, or of a tie broken by rule; the message says why, and which
    option avoids it.
    """


class ConstantViewWarning(UserWarning):
    """All samples are equal in a view, so that it cannot tell clusters apart; it is left out."""
