"""A change of the mathematics must raise ALGORITHM_VERSION, or stored results would pass for new ones.

``data/algorithm_versions.json`` holds, for each estimator, its version and a hash of the syntax tree of
all the code that it reaches inside ``mtclib``.  Comments, docstrings, the wording of errors, functions that
the estimator does not use, and the file in which a function stands do not count.  After raising a version:

    python tests/core/test_versions.py --update

For a rewrite that leaves every result the same, bit for bit: ``--update --same-results ESTIMATOR ...``.
"""

import argparse
import ast
import hashlib
import json
from functools import cache
from pathlib import Path

import pytest

from mtclib.baselines.registry import all_estimators

LOCK = Path(__file__).parents[1] / "data" / "algorithm_versions.json"
ROOT = Path(__file__).parents[2]
VERSION = "ALGORITHM_VERSION"


@cache
def _module(root, name):
    """Top-level definitions and imports from this package, both by name."""
    path = root.joinpath(*name.split("."))
    path = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    definitions, imports = {}, {}
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ImportFrom):
            base = package.rsplit(".", node.level - 1)[0] if node.level else ""
            source = ".".join(filter(None, (base, node.module)))
            if source.partition(".")[0] == name.partition(".")[0]:
                imports.update({alias.asname or alias.name: (source, alias.name) for alias in node.names})
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            definitions[node.name] = node
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            definitions.update({part.id: node for target in targets for part in ast.walk(target)
                                if isinstance(part, ast.Name)})
    return definitions, imports


@cache
def _names(root, module, name):
    """The names that a definition uses, in order."""
    tree = _module(root, module)[0][name]
    return sorted({node.id for node in ast.walk(tree) if isinstance(node, ast.Name)})


@cache
def _tree(root, module, name):
    return json.dumps([name, _plain(_module(root, module)[0][name])])


def _is_module(root, name):
    path = root.joinpath(*name.split("."))
    return path.is_dir() or path.with_suffix(".py").exists()


def _reached(root, module, estimator):
    """Dict from (module, name) to the definitions that an estimator's class uses, directly or not."""
    todo, found = [(module, estimator)], {}
    while todo:
        place, name = todo.pop()
        definitions, imports = _module(root, place)
        if (place, name) in found:
            continue
        if name in definitions:
            found[place, name] = definitions[name]
            todo.extend((place, other) for other in _names(root, place, name)
                        if other in definitions or other in imports)
        elif name in imports:
            source, original = imports[name]
            whole = f"{source}.{original}"
            todo.extend([(whole, other) for other in _module(root, whole)[0]] if _is_module(root, whole)
                        else [(source, original)])
    return found


def _plain(node):
    """A syntax tree as nested lists: no positions, docstrings or messages, the same in every Python."""
    if isinstance(node, list):
        return [_plain(item) for item in node]
    if not isinstance(node, ast.AST):
        return repr(node)
    if isinstance(node, ast.Raise):
        raised = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
        return ["Raise", _plain(raised)]
    if isinstance(node, ast.Call) and ast.unparse(node.func) in ("tell", "warnings.warn"):
        return ["Warn"]
    fields = dict(ast.iter_fields(node))
    if isinstance(node, ast.FunctionDef | ast.ClassDef) and ast.get_docstring(node) is not None:
        fields["body"] = node.body[1:]
    if isinstance(node, ast.ClassDef):
        fields["body"] = [part for part in fields["body"] if _version(part) is None]
    # Newer Pythons add empty fields, and leave others out.
    return [type(node).__name__, *([name, _plain(value)] for name, value in sorted(fields.items())
                                   if value not in (None, []) and name not in ("kind", "type_comment"))]


def _version(node):
    """The number in ``ALGORITHM_VERSION = 3`` or ``ALGORITHM_VERSION: int = 3``; None otherwise."""
    targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
    return ast.literal_eval(node.value) if ast.unparse(targets[0] or node) == VERSION else None


def fingerprint(root, module, estimator):
    """Hash of the code that determines an estimator's results, wherever it stands."""
    trees = sorted(_tree(root, *place) for place in _reached(root, module, estimator))
    return hashlib.sha256(f"[{', '.join(trees)}]".encode()).hexdigest()[:16]


def current(estimators=None, root=ROOT):
    """Version and fingerprint of every estimator: by default those of the package."""
    if estimators is None:
        estimators = {name: (cls.__module__, cls.ALGORITHM_VERSION) for name, cls in all_estimators().items()}
    return {name: {"version": version, "tree": fingerprint(root, module, name)}
            for name, (module, version) in estimators.items()}


def unraised(locked, found):
    """Estimators whose code changed while their version did not go up."""
    return [name for name, entry in found.items() if name in locked and entry["tree"] != locked[name]["tree"]
            and entry["version"] <= locked[name]["version"]]


def update(lock, found, same_results=()):
    """Write the lock file; refuse if a version should have been raised."""
    locked = json.loads(lock.read_text(encoding="utf-8")) if lock.exists() else {}
    wrong = [name for name in unraised(locked, found) if name not in same_results]
    if wrong:
        raise SystemExit(f"raise {VERSION} in {', '.join(wrong)} first, or name them after --same-results "
                         f"if every result is still the same, bit for bit")
    lock.write_text(json.dumps(found, indent=2, sort_keys=True) + "\n", encoding="utf-8")


def main():
    """Command line."""
    layout = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=layout)
    parser.add_argument("--update", action="store_true", required=True, help="write the lock file anew")
    parser.add_argument("--same-results", nargs="+", default=[], metavar="ESTIMATOR")
    update(LOCK, current(), parser.parse_args().same_results)


def test_every_change_of_an_algorithm_has_raised_its_version():
    locked, found = json.loads(LOCK.read_text(encoding="utf-8")), current()
    assert unraised(locked, found) == [], f"raise {VERSION} of these; see the top of this file"
    assert found == locked, "run python tests/core/test_versions.py --update"


SHARED = """
import warnings
LIMIT = 3

def step(x):
    '''One step.'''
    if x < 0:
        raise ValueError("negative")
    warnings.warn("slow")
    return x + LIMIT

def unused(x):
    return x
"""
METHOD = """
from mtclib.shared import step


class Method:
    '''A method.'''

    ALGORITHM_VERSION = 1

    def fit(self, x):
        return 2 * step(x)  # twice
"""


def _fingerprint(folder, shared=SHARED, method=METHOD):
    (folder / "mtclib").mkdir(parents=True)
    (folder / "mtclib" / "shared.py").write_text(shared)
    (folder / "mtclib" / "method.py").write_text(method)
    return current({"Method": ("mtclib.method", 1)}, folder)["Method"]["tree"]


@pytest.mark.parametrize(("old", "new", "counts"), [
    ("# twice", "# two times", False), ("A method.", "Another text.", False), ("One step.", "A step.", False),
    ('"negative"', 'f"{x} is negative"', False), ('"slow"', '"very slow"', False),
    ("return x\n", "return -x\n", False), ("= 1", "= 2", False),
    ("        return 2", "\n        return 2", False),
    ("2 *", "3 *", True), ("x + LIMIT", "x - LIMIT", True), ("LIMIT = 3", "LIMIT = 4", True),
    ("x < 0", "x <= 0", True), ("ValueError", "TypeError", True)])
def test_the_mathematics_that_is_used_counts_and_no_comment_docstring_or_message(tmp_path, old, new, counts):
    assert (old in SHARED) != (old in METHOD)
    changed = _fingerprint(tmp_path / "after", SHARED.replace(old, new), METHOD.replace(old, new))
    assert (changed != _fingerprint(tmp_path / "before")) == counts


if __name__ == "__main__":
    main()
