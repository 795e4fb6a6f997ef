"""Do the tests notice an error?  Plants those of mutants.toml, one by one, in a copy of the checkout.

    python benchmarks/mutants.py --out trial.csv     an hour or two; goes on where it was stopped

Run it from the root of the checkout.  It refuses a stale table, as test_project.py does.  An error that the
tests of its area miss meets a wider selection.  Tests that fail without the error, too, are left out.
"""

import argparse
import contextlib
import csv
import fnmatch
import functools
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import tomllib
from collections import Counter
from pathlib import Path

COLUMNS = ("id", "area", "result", "selection", "seconds", "test")
FAILED = re.compile(r"^(?:FAILED|ERROR) (.+?)(?: - .*)?$", re.MULTILINE)
PYTEST = [sys.executable, "-m", "pytest", "-xq", "-n0", "--tb=no", "-rfE", "-p", "no:cacheprovider",
          "--doctest-modules"]


@functools.cache
def sources():
    return {file: file.read_text(encoding="utf-8") for file in sorted(Path("mtclib").rglob("*.py"))}


def places(find):
    """A pattern for the snippet, however it is broken into lines, and the file of each occurrence."""
    pattern = re.compile(r"\s+".join(map(re.escape, find.split())))
    return pattern, [file for file, text in sources().items() for _ in pattern.findall(text)]


def stale(table, folder):
    """What the table names and is not there: tests without a file, and errors without one place."""
    lists = [table["never"], *table["wide"].values(), *(area["tests"] for area in table["areas"].values())]
    lost = [f"no tests {name}" for name in sorted(set().union(*lists)) if not test_files(folder, [name])]
    counts = {mutant["id"]: len(places(mutant["find"])[1]) for mutant in table["mutant"]}
    return lost + [f"{name} found {n} times" for name, n in counts.items() if n != 1]


def copy_checkout(folder):
    """What git knows or would add; errors are planted there, so that none can be left in the checkout."""
    command = ["git", "ls-files", "-co", "--exclude-standard"]
    listed = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    for name in filter(os.path.isfile, listed):
        target = Path(folder, name)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(name, target)


def test_files(folder, patterns, never=()):
    """Test files in the order of the patterns, which are paths below ``folder``."""
    files = [file.relative_to(folder).as_posix() for file in sorted(Path(folder).rglob("test_*.py"))]
    found = dict.fromkeys(file for pattern in patterns for file in fnmatch.filter(files, pattern))
    return [f"{folder}/{file}" for file in found if not any(fnmatch.fnmatch(file, each) for each in never)]


def first_failure(folder, arguments, limit):
    """Name of the first test that fails, or "".

    The limit is one of processor time, for machines that do other work; TimeoutError if it is reached.
    """
    import resource  # missing on Windows, where the table is checked all the same

    environment = {**os.environ, "PYTHONPATH": folder, "PYTHONDONTWRITEBYTECODE": "1", "COLUMNS": "1000"}
    with subprocess.Popen(
            [*PYTEST, *arguments], cwd=folder, env=environment, text=True, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, start_new_session=True,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 5))) as process:
        try:
            output = process.communicate(timeout=15 * limit)[0]
        except subprocess.TimeoutExpired:
            output = ""
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
    if process.returncode < 0:
        raise TimeoutError
    failed = FAILED.findall(output)
    return failed[0] if failed else f"pytest ended with {process.returncode}" if process.returncode else ""


def try_tests(folder, file, text, arguments, limit, broken):
    """First test that fails with ``text`` in ``file`` and passes without; "" if there is none."""
    while True:
        Path(folder, file).write_text(text, encoding="utf-8")
        try:
            left_out = [f"--deselect={test}" for test in broken]
            # Last, or its examples would import the file a second time, under tests that pickle its classes.
            failed = first_failure(folder, [*left_out, *arguments, str(file)], limit)
        finally:
            Path(folder, file).write_text(sources()[file], encoding="utf-8")
        if "::" not in failed or not first_failure(folder, [failed], limit):
            return failed
        broken.add(failed)


def plant(mutant, selection, table, options, folder, broken):
    """The row of an error: caught or survived, and what caught it."""
    pattern, (file,) = places(mutant["find"])
    row = {"id": mutant["id"], "area": mutant["area"], "selection": selection}
    text = pattern.sub(lambda _: mutant["replace"], sources()[file])
    area = table["areas"][mutant["area"]]
    patterns = area["tests"] if selection == "area" else table["wide"][area["wide"]]
    arguments = test_files(options.tests, patterns, table["never"])
    if "contract" in area:
        arguments += ["-k", f"not keeps_the_contract or {area['contract']}"]
    start, limit = time.monotonic(), options.limit * (1 if selection == "area" else 5)
    try:
        test = try_tests(folder, file, text, arguments, limit, broken)
        row |= {"result": "caught" if test else "survived", "test": test}
    except TimeoutError:
        row |= {"result": "timeout"}
    return row | {"seconds": round(time.monotonic() - start)}


def read(out):
    """Results so far: id to row of the last selection that was tried, which comes after the other."""
    rows = csv.DictReader(out.read_text().splitlines()) if out.exists() else []
    return {row["id"]: row for row in rows}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tests", default="tests", help="folder of the tests")
    parser.add_argument("--out", required=True, help="CSV file of the results")
    parser.add_argument("--limit", type=int, default=240, help="seconds; fivefold for the wide selection")
    options = parser.parse_args()
    table = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
    if lost := stale(table, options.tests):
        sys.exit("mutants.toml is stale: " + "; ".join(lost))
    out, broken = Path(options.out), set()
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder, open(out, "a", newline="") as file:
        copy_checkout(folder)
        writer = csv.DictWriter(file, COLUMNS, restval="")
        if file.tell() == 0:
            writer.writeheader()
        for selection, open_ones in (("area", (None,)), ("wide", (("area", "survived"),))):
            found = read(out)
            for mutant in table["mutant"]:
                last = found.get(mutant["id"])
                if (last and (last["selection"], last["result"])) in open_ones:
                    row = plant(mutant, selection, table, options, folder, broken)
                    writer.writerow(row)
                    file.flush()
                    print(*row.values(), flush=True)
    results = Counter((row["area"], row["result"]) for row in read(out).values())
    print(*(f"{area}: {n} {result}" for (area, result), n in sorted(results.items())), sep="\n")
    print(f"left out: {sorted(broken) or 'nothing'}")


if __name__ == "__main__":
    main()
