"""The named tests that a claims file may use.

A test is a function of a frame and parameters that says of itself that it returns a
:class:`~mtclib.companion.claims.methods.ClaimResult`; whatever does so in these modules can be named.
"""

import inspect
from types import MappingProxyType

from mtclib.companion.claims import columns, curves, methods
from mtclib.companion.claims.methods import ClaimResult, majority, printed_record

TESTS = MappingProxyType({
    name: test for module in (methods, curves, columns) for name, test in vars(module).items()
    if inspect.isfunction(test) and test.__annotations__.get("return") is ClaimResult})

__all__ = ["TESTS", "ClaimResult", "majority", "printed_record"]
