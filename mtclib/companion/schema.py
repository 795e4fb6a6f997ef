"""One check of the data files: a JSON schema, and messages that name the place and what is allowed there. By
fastjsonschema, as to import jsonschema takes more than a second in every notebook."""

import json
import tomllib
from copy import deepcopy
from functools import cache
from pathlib import Path

import fastjsonschema

from mtclib.core.checks import check_option

FILLED = {"not": {"enum": ["", []]}}
TEXT = {"type": "string", "pattern": r"\S"}
_parsed = cache(tomllib.loads)  # pages ask again and again; to copy what was read takes an eighth of the time
TYPES = {str: "string", int: "integer", bool: "boolean", dict: "object", list: "array"}


def read_toml(path, where, error):
    """Content of a TOML file; raise `error` with `where` if it is none."""
    try:
        return deepcopy(_parsed(Path(path).read_text(encoding="utf-8-sig")))
    except ValueError as fault:  # of text that is not UTF-8, too
        raise error(f"{where} is not valid TOML: {fault}") from None


def table(required, optional=(), **known):
    """Schema of a table with these keys and no other; values without a schema in `known` are not empty."""
    keys = {**dict.fromkeys((*required, *optional), FILLED), **known}
    return {"type": "object", "required": list(required), "properties": keys, "additionalProperties": False}


def one_of(names):
    """Schema of one of some names."""
    return {"enum": list(names)}


def some_of(names):
    """Schema of a list of some names, of one at least."""
    return {"type": "array", "minItems": 1, "items": one_of(names)}


def check(value, schema, where, error=ValueError):
    """Return `value`; raise `error` if it breaks a schema, with its place below `where`."""
    try:
        return _compiled(json.dumps(schema))(value)
    except fastjsonschema.JsonSchemaValueException as fault:
        place, found, allowed = _place(value, fault.name, where), fault.value, fault.rule_definition
        if fault.rule == "additionalProperties":
            known = tuple(fault.definition["properties"])
            check_option(f"{place}: key", next(key for key in found if key not in known), known, error)
        if fault.rule == "enum":
            check_option(place, str(found), tuple(map(str, allowed)), error)
        if fault.rule == "required":
            raise error(f"{place}: missing {', '.join(key for key in allowed if key not in found)}") from None
        wrong = f"must be {allowed}, not {type(found).__name__}" if fault.rule == "type" else "is empty"
        raise error(f"{place} {wrong}") from None


@cache
def _compiled(schema):
    return fastjsonschema.compile(json.loads(schema), use_default=False)


def _place(value, name, where):
    """Place of a value in a file: names of tables, and ids or numbers of the entries of lists."""
    places, rest = [], name.removeprefix("data")
    while rest:
        if isinstance(value, dict):
            step = max((key for key in value if rest.startswith(f".{key}")), key=len)
            places.append(step)
            rest = rest[len(step) + 1:]
        else:
            step, rest = int(rest[1:rest.index("]")]), rest[rest.index("]") + 1:]
            places[-1] += f" {value[step].get('id', step + 1) if isinstance(value[step], dict) else step + 1}"
        value = value[step]
    return ": ".join(filter(None, (where, ".".join(places))))
