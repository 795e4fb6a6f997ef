"""One check of the data files: a JSON schema, and messages that name the place and what is allowed there."""

from jsonschema import Draft202012Validator

from mtclib.core.checks import check_option

FILLED = {"not": {"enum": ["", []]}}
TEXT = {"type": "string", "pattern": r"\S"}
TYPES = {str: "string", int: "integer", bool: "boolean", dict: "object", list: "array"}


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
    fault = min(Draft202012Validator(schema).iter_errors(value), key=lambda one: len(one.path), default=None)
    if fault is None:
        return value
    place, found, allowed = _place(value, fault.path, where), fault.instance, fault.validator_value
    if fault.validator == "additionalProperties":
        known = tuple(fault.schema["properties"])
        check_option(f"{place}: key", next(key for key in found if key not in known), known, error)
    if fault.validator == "enum":
        check_option(place, str(found), tuple(map(str, allowed)), error)
    if fault.validator == "required":
        raise error(f"{place}: missing {', '.join(key for key in allowed if key not in found)}")
    wrong = f"must be {allowed}, not {type(found).__name__}" if fault.validator == "type" else "is empty"
    raise error(f"{place} {wrong}")


def _place(value, path, where):
    """Place of a value in a file: names of tables, and ids or numbers of the entries of lists."""
    places = []
    for step in path:
        value = value[step]
        if isinstance(step, int):
            places[-1] += f" {value.get('id', step + 1) if isinstance(value, dict) else step + 1}"
        else:
            places.append(step)
    return ": ".join(filter(None, (where, ".".join(places))))
