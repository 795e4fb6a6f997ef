"""The cells of a notebook that depend on its parameters, found by the flow of data through names."""

import ast
import dis
from types import CodeType

import nbformat
from structure import tagged

COMMITTED = ("Study", "Comparison", "load_protocol")
"""What these return shows committed results, but for attributes that begin with "live"."""


def reduced(notebook):
    """A copy with the markdown, the cells that depend on a parameter, and all that define what these use."""
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    reads, writes, _ = zip(*(_flow(cell.source) for cell in cells))
    kept = _dependent(notebook, cells)
    for place in reversed(range(len(cells))):
        if place in kept:
            kept |= {_definition(name, place, writes) for name in reads[place]} - {None}
    copy = nbformat.from_dict(notebook)
    copy.cells = [cell for cell in copy.cells if cell.cell_type != "code" or cell in [cells[n] for n in kept]]
    return copy


def _dependent(notebook, cells):
    """Places of the cells with the parameters, with their check, and with what follows from them."""
    (declared,) = tagged(notebook, "parameters")
    moved, kept = _flow(declared.source)[1], {cells.index(declared)}
    for place, statement in ((n, one) for n, cell in enumerate(cells) for one in ast.parse(cell.source).body):
        if cells[place] is not declared:
            reads, writes, attributes = _flow(ast.unparse(statement))
            dependent = reads & moved or any(name.startswith("live") for name in attributes)
            kept |= {place} if dependent else set()
            moved = moved | writes if dependent and not reads & {*COMMITTED} else moved - writes
    return kept


def _definition(name, place, writes):
    """The last cell before this one that gives the name a value."""
    return next((earlier for earlier in reversed(range(place)) if name in writes[earlier]), None)


def _flow(source):
    """Names that code takes from elsewhere, those to which it gives a value, and attributes that it reads."""
    reads, writes, attributes = set(), set(), set()
    for step in _steps(compile(source, "cell", "exec")):
        if step.opname in ("LOAD_NAME", "LOAD_GLOBAL"):
            reads |= {step.argval} - writes
        elif step.opname == "STORE_NAME":
            writes.add(step.argval)
        elif step.opname in ("LOAD_ATTR", "LOAD_METHOD"):
            attributes.add(step.argval)
    return reads, writes, attributes


def _steps(code):
    """The instructions of code, and of the functions and comprehensions in it."""
    yield from dis.get_instructions(code)
    for inner in code.co_consts:
        yield from _steps(inner) if isinstance(inner, CodeType) else ()
