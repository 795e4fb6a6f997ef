"""The cells of a notebook that depend on its parameters, found by the flow of data through names."""

import ast

import nbformat
from structure import tagged

COMMITTED = ("Study", "Comparison", "load_protocol")
"""What these return shows committed results; only their attributes `LIVE` depend on the parameters."""
LIVE = ("live", "store", "jobs")


def reduced(notebook):
    """A copy with the markdown, the cells that depend on a parameter, and all that define what these use."""
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    reads, writes = zip(*(_flow(cell.source) for cell in cells))
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
            reads, writes = _flow(statement)
            dependent = reads & moved or _attributes(statement) & {*LIVE}
            kept |= {place} if dependent else set()
            follows = dependent and not _calls(statement) & {*COMMITTED}
            moved = moved | writes if follows else moved - writes
    return kept


def _definition(name, place, writes):
    """The last cell before this one that gives the name a value."""
    return next((earlier for earlier in reversed(range(place)) if name in writes[earlier]), None)


def _flow(code):
    """Names that code takes from elsewhere, and those to which it gives a value."""
    reads, writes = set(), set()
    tree = ast.parse(code) if isinstance(code, str) else ast.Module([code], [])
    for statement in tree.body:
        names = [node for node in ast.walk(statement) if isinstance(node, ast.Name)]
        again = [node.target for node in ast.walk(statement) if isinstance(node, ast.AugAssign)]
        own = {node.arg for node in ast.walk(statement) if isinstance(node, ast.arg)} | {
            name.id for node in ast.walk(statement) if isinstance(node, ast.comprehension)
            for name in ast.walk(node.target) if isinstance(name, ast.Name)}
        reads |= {node.id for node in names if isinstance(node.ctx, ast.Load) or node in again} - own - writes
        writes |= {node.id for node in names if isinstance(node.ctx, ast.Store)} - own
        writes |= {(node.asname or node.name).partition(".")[0] for node in ast.walk(statement)
                   if isinstance(node, ast.alias)}
        writes |= {node.name for node in ast.walk(statement) if isinstance(node, ast.FunctionDef)}
    return reads, writes


def _attributes(statement):
    return {node.attr for node in ast.walk(statement) if isinstance(node, ast.Attribute)}


def _calls(statement):
    return {node.func.id for node in ast.walk(statement)
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)}
