"""Running, storing and publishing notebooks."""

import sys

# jsonschema, which nbformat imports, would compile grammars of addresses for two seconds: none is read here.
sys.modules.setdefault("rfc3987_syntax", None)  # type: ignore[arg-type]
