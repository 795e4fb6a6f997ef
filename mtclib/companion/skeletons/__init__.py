"""Skeletons of a paper, a method or a data set: files that run and pass the tests, with TODO where words and
numbers are to come.

Each function writes files from the templates beside this one, adds lines to files that there are, and runs
what renews all that follows from them.  It yields what it does, a line for each.
"""

import keyword
import re
import subprocess
import sys
from collections.abc import Iterator
from datetime import date
from pathlib import Path

from mtclib.baselines.registry import all_estimators
from mtclib.companion.papers import in_order, position
from mtclib.companion.parameters import HOME, UsageError, choose
from mtclib.companion.site import notebooks
from mtclib.core import paths
from mtclib.datasets import available

WORDS = paths.beside(__package__, "words.toml")
KINDS, LEFT = WORDS["kinds"], WORDS["left"]
CLASS = r"[A-Za-z][A-Za-z0-9]*", "the name of a class: plain letters and digits, a letter first, such as ABCD"
DATA = r"[a-z][a-z0-9]*(-[a-z0-9]+)*", "lower-case words joined by hyphens, such as abcd-news"
MODULES = "mtclib/{}", "mtclib/{}.py", "mtclib/baselines/{}.py"
OF_A_PAPER = "protocol.toml", "decisions.toml", "claims.toml", "published.csv", "sizes.csv", "facts.csv"
LONGEST = 60
# Six processes would import for longer than they work.
TOGETHER = """import runpy, sys
for command in sys.argv[1:]:
    run = runpy.run_module if command.startswith("-m ") else runpy.run_path
    sys.argv = command.removeprefix("-m ").split()
    try:
        run(sys.argv[0], run_name="__main__")
    except SystemExit as end:
        if end.code:
            sys.exit(f"by `python {command}`: {end.code}")"""
TODO = "git grep -n --untracked TODO -- ':!*companion*' ':!*.md'"


def new_method(name: str, kind: str = "tasks") -> Iterator[str]:
    """Write a compared method, its test and its entry among the methods."""
    name, place = _place(name, kind, CLASS, *MODULES, "tests/baselines/test_{}.py")
    words = {"SKELETON": name, "skeleton": place, "MODULE": "mtclib.baselines", "APPEARS": ""}
    yield _file(f"mtclib/baselines/{place}.py", _filled("method.py", kind, words))
    yield _file(f"tests/baselines/test_{place}.py", _filled("test_method.py", kind, words))
    yield _added("mtclib/baselines/__init__.py", r"(?=\}\n__all__)", f'    "{name}": "{place}",\n')
    yield from _known(name, kind, words)
    yield from _run(*_measured(name))


def new_data(name: str, kind: str = "tasks") -> Iterator[str]:
    """Write a loader and the hash by which its data set is known."""
    name, place = _place(name, kind, DATA, "mtclib/datasets/{}.py")
    yield _file(f"mtclib/datasets/{place}.py", _filled("data.py", kind, dict(SKELETON=name, skeleton=place)))
    code = f"from mtclib.datasets import load; print(load({name!r}).sha256[:12])"
    yield _added("tests/data/known_data_sets.csv", r"\Z", f"{name},{_said(code).strip()},\n")


def new_paper(name: str, kind: str = "tasks") -> Iterator[str]:
    """Write all that a paper consists of, from its method to its notebook, and run it on toy data."""
    name, place = _place(name, kind, CLASS, *MODULES, "tests/test_{}.py", "data/{}", "notebooks/{}.ipynb")
    known = dict(KINDS[kind])
    printed = known.pop("printed")
    tasks = [task for task, *_ in printed]
    names, rows = (name, known["RIVAL"]), f'paper = "{place}", tables = ["1"]'
    own, other = (f'{{ {rows}, names = ["{method}"] }}' for method in names)
    words = {**known, "SKELETON": name, "skeleton": place, "MODULE": "mtclib",
             "POSITION": str(1 + max(position(paper)[0] for paper in in_order())),
             "TASKNAMES": ", ".join(f'"{task}"' for task in tasks), "HOME": HOME.partition("github.com/")[2],
             "APPEARS": f" {own} ", "FIRSTTASK": tasks[0], "CELLS": "\n".join(
                 f"{place},1,Toy,{task},{method},ACC,{value:.3f},,fraction" for task, *values in printed
                 for method, value in zip(names, values))}
    files = {f"mtclib/{place}.py": "method.py", f"tests/test_{place}.py": "test_method.py",
             **{f"data/{place}/{file}": file for file in OF_A_PAPER}}
    rival = rf"(?<=\[methods\.{words['RIVALCLASS']}\]\n)(title = .*\nappears_in = \[)"
    row = f"{f'``{name}``':<28}{'TODO: the title of the paper':<45}``notebooks/{place}.ipynb``\n"
    yield from (_file(path, _filled(template, kind, words, "paper")) for path, template in files.items())
    yield _notebook(f"notebooks/{place}.ipynb", _filled("notebook", kind, words))
    yield from _known(name, kind, words)
    yield _added("data/methods/methods.toml", rival, f"\n  {other},")
    yield _added("CITATION.cff", r"\Z", _filled("citation", kind, words))
    yield _added("pyproject.toml", r"(?= \| mtclib\.datasets)", f" | mtclib.{place}")
    yield _added("pyproject.toml", r'"mtclib\.spmtc"(, "mtclib\.\w+")+', f', "mtclib.{place}"')
    yield _added("mtclib/__init__.py", r"\n(?==+  =+  =+\n\n)", row)
    yield from _run(*_measured(name), *(f"-m mtclib {command}" for command in (
        f"run {place} --profile full --export", f"verdicts --errors --paper {place}",
        f"scoreboard --paper {place}", f"store {place}")))


def _measured(name):
    return ["tests/core/test_versions.py --update",
            f"-m benchmarks.method_costs --only {name} --output data/methods/costs.csv"]


def _place(name, kind, allowed, *patterns):
    """Name, with a capital letter if it is that of a class, and its module; refused if either is taken."""
    choose(kind, KINDS, "--kind")
    place, (shape, told) = name.lower().replace("-", "_"), allowed
    if not re.fullmatch(shape, name) or len(name) > LONGEST:
        raise UsageError(f"NAME: {name!r} must be {told}, of at most {LONGEST} characters.")
    name = name[0].upper() + name[1:] if allowed is CLASS else name
    by = [path for path in (pattern.format(place) for pattern in patterns) if (paths.root() / path).exists()]
    known = all_estimators() if allowed is CLASS else available()
    by += [repr(other) for other in known if other.lower().replace("-", "_") == place]
    by += ["Python"] * (keyword.iskeyword(place) or keyword.iskeyword(name))
    by += ["the commands, which mean everything by it"] * (place == "all")
    by += ["the software itself"] * (place == "mtclib")
    if by:
        raise UsageError(f"NAME: {name!r} is taken by {by[0]}; choose another.")
    return name, place


def _filled(template, kind, words, *flags):
    """A template with the lines of this kind, and with what stands for its words, longer ones first."""
    text = Path(__file__).with_name(f"{template}.txt").read_text(encoding="utf-8")
    lines = [re.match(r"(?:(tasks|views|paper)\| )?(.*)", line, re.S) for line in text.splitlines(True)]
    text = "".join(line[2] for line in lines if line[1] in (None, kind, *flags))
    words = {"YEAR": str(date.today().year), **words}
    return re.sub("|".join(sorted(words, key=len, reverse=True)), lambda found: words[found[0]], text)


def _file(path, text):
    place = paths.root() / path
    place.parent.mkdir(parents=True, exist_ok=True)
    with place.open("x", encoding="utf-8") as file:
        file.write(text)
    return f"{path}: new"


def _added(path, after, text):
    """Put text after the first passage of a file that matches."""
    place = paths.root() / path
    old = place.read_text(encoding="utf-8")
    found = re.search(after, old)
    if not found:
        raise UsageError(f"{path} has no place {after!r} any more; add by hand: {text}")
    place.write_text(old[:found.end()] + text + old[found.end():], encoding="utf-8")
    return f"{path}: {text.strip().partition(chr(10))[0]}"


def _known(name, kind, words):
    """The places that name every method, or count them."""
    readme = paths.root() / "README.md"
    text = readme.read_text(encoding="utf-8")
    readme.write_text(re.sub(r"\d+(?= tested methods)", lambda found: str(int(found[0]) + 1), text),
                      encoding="utf-8")
    yield "README.md: number of methods"
    yield _added("data/methods/methods.toml", r"\Z", _filled("methods.toml", kind, words))


def _notebook(path, text):
    import nbformat
    from nbformat import v4

    cells = []
    for number, part in enumerate(re.split(r"^%% ", text, flags=re.M)[1:]):
        (form, *tags), source = part.partition("\n")[0].split(), part.partition("\n")[2].rstrip("\n")
        folded = {"jupyter": {"source_hidden": True}} if "parameters" in tags else {}
        make = v4.new_markdown_cell if form == "markdown" else v4.new_code_cell
        cells.append(make(source, id=f"cell-{number}", metadata={"tags": tags, **folded} if tags else {}))
    notebook = v4.new_notebook(cells=cells)
    notebooks.clean(notebook)
    return _file(path, nbformat.writes(notebook) + "\n")


def _run(*commands):
    yield from (f"python {command}" for command in commands)
    _said(TOGETHER, *commands)


def _said(*code):
    """Run code in the repository; a failure ends with what was said."""
    done = subprocess.run([sys.executable, "-c", *code], cwd=paths.root(), capture_output=True, text=True)
    if done.returncode:
        raise UsageError(f"a step failed:\n{(done.stdout + done.stderr)[-3000:]}")
    return done.stdout
