"""The command line: ``python -m mtclib cluster | table | cite | fetch | run | report | ...``."""

import argparse
import io
import logging
import os
import re
import signal
import sys
from collections import ChainMap
from functools import partial
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory

from mtclib.companion.parameters import HOME, PROFILES, UsageError, check_parameters, choose, read_value
from mtclib.companion.site import notebooks
from mtclib.core import paths
from mtclib.core.errors import MtclibError

OPTIONS = ("profile", "n_jobs", "dask")  # parameters of a notebook that are options of the command as well

def _at_least_one(text: str) -> int:
    if not text.isdecimal() or len(text) > 18 or int(text) < 1:
        raise argparse.ArgumentTypeError(f"must be an integer of at least 1, not {text[:60]!r}")
    return int(text)


def _numbers(text: str) -> list[int]:
    return [_at_least_one(part.strip()) for part in text.split(",")]


_IN_PYTHON = {"int": int, "at least one": _at_least_one, "numbers": _numbers,
              "yes-no": argparse.BooleanOptionalAction}
"""What argparse takes, by the words of ``commands.toml``."""


def build_parser() -> argparse.ArgumentParser:
    """Return the parser of all commands, which stand in ``commands.toml``."""
    known = paths.beside(__package__, "commands.toml")
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(
        prog="python -m mtclib", description="Five clustering papers, re-run: methods, tables, notebooks.",
        epilog=known.pop("examples"), formatter_class=raw)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for name, about in known.items():
        command = commands.add_parser(name, help=about["help"], description=about["help"],
                                      epilog=about["examples"], formatter_class=raw)
        command.set_defaults(command=name, function=globals()[about.get("function", name)])
        alone = about.get("only_one", ())
        one_of = command.add_mutually_exclusive_group() if alone else command
        for names, given in about.get("options", {}).items():
            given |= {key: _IN_PYTHON[value] for key, value in given.items()
                      if key == "type" or value == "yes-no"}
            if given.get("nargs") == 2:
                given["metavar"] = tuple(given["metavar"])
            (one_of if names in alone else command).add_argument(*names.split(), **given)
    return parser


def _parsed(argv):
    """The arguments of a command; of a list of values some may stand behind options, too."""
    parser = build_parser()
    for word in sys.argv[1:] if argv is None else argv:
        if word.startswith("-") and Path(word).suffix and os.path.isfile(word):
            parser.error(f"{word} begins like an option; for the file of that name write ./{word}")
    args, more = parser.parse_known_args(argv)
    lists = [value for name, value in vars(args).items() if name in ("files", "names", "sets", "papers")]
    if more and (not lists or any(text.startswith("-") for text in more)):
        parser.error(f"unrecognized arguments: {' '.join(more)}; see python -m mtclib {args.command} --help")
    for each in lists:
        each.extend(more)
    return args


# What arguments are called in Python and here: anywhere but in names of files, or at the beginning.
_ANYWHERE = {"header=False": "--no-header", "header=True": "--header", "id_column": "--id-column",
             "label_column": "--label-column", "n_clusters": "--n-clusters", "text_column": "--text-column"}
_FIRST = {"kind": "--kind", "methods": "--method", "n_jobs": "--n-jobs", "n_runs": "--n-runs",
          "output": "--output", "scaling": "--scaling", "seed": "--seed"}
_ARGUMENTS = re.compile(rf"(?<![\w'])({'|'.join(_ANYWHERE)})(?![\w'./])|^({'|'.join(_FIRST)})(?=[ :])")


def cluster(args) -> int:
    """Cluster a reader's own files and write the clusters, tables and pictures."""
    from mtclib.companion import advice, tables
    from mtclib.companion.comparison import command
    from mtclib.companion.userdata import bundle, cost, load, number, run as own

    try:
        check_parameters(seed=args.seed)
        choose(args.scaling, (load.AUTO, *load.SCALES), "scaling")
        kind = {"tasks": "multitask", "views": "multiview"}[choose(args.kind, load.KINDS, "kind")]
        own.named(args.methods, kind)
        _no_stray_words(args.files)
        data = load.load(args.kind, args.files, args.label_column, id_column=args.id_column or None,
                         text_column=args.text_column or None, header=args.header)
        bundle.check(args.output, data.files)
        from mtclib.companion import plots  # which takes longer than most refusals

        data = load.scale(data, args.scaling)
        off = " (--scaling none leaves the entries as they are)" if args.scaling == load.AUTO else ""
        _say("\n".join(load.preparation(data)) + off, end="\n\n")
        ks, figures = args.n_clusters, {}
        if not ks and any(y.max() < 0 for y in own.as_list(data.labels)):  # a task without known classes
            tried = number.candidates(data, seed=args.seed)
            ks = tried.agreeing(own.as_list(data.n_clusters))
            figures["number"] = plots.number_of_clusters(tried)
            note = (f"agreement: adjusted Rand index with k-means. Used below: {', '.join(map(str, ks))}: of "
                    f"known classes their number, without any the candidate of highest agreement, or among "
                    f"equals that of the largest gap. {command.lost_without_k(args.kind)} See all three in "
                    f"number.png, and choose with --n-clusters.")
            _say(tables.frame_table(tried.table, number.CAPTION, notes=[note]), end="\n\n")
        said, problem = cost.verdict(data, args.methods, ks, args.n_runs, args.n_jobs)
        _say(f"{said}\n" * bool(said), file=sys.stderr, end="")
        if problem and not args.yes:
            raise UsageError(f"{problem} Add --yes to run all the same.")
        if not args.methods:
            k = "unknown" if figures else "known"  # each choice of numbers has gains of its own
            _say(f"Recommended, and run first. {advice.promise(args.kind, k)}\n")
        result = own.cluster(data, args.methods, ks, n_runs=args.n_runs, seed=args.seed, n_jobs=args.n_jobs)
        groups = result.groups(first := result.first())
        figures["embedding"] = plots.embedding(data.Xs, groups.of(result.labels[first]), data.task_names,
                                               first, groups.names, result.agreements(first))
        written = result.save(args.output, args.raw, partial(plots.write, figures))
    except ValueError as error:
        # The same words as in Python, where these are arguments.
        said = _ARGUMENTS.sub(lambda found: (_ANYWHERE | _FIRST)[found[0]], str(error))
        raise UsageError(said) from None
    found = own.contents(data, result.labels[first], groups)
    found = found.drop(columns=["task"] * (data.kind == "multiview") + ["most are"] * (not data.labelled))
    _say(tables.frame_table(found, f"Clusters by {own.shown_name(first)}"))
    if data.kind == "multitask" and len(data.Xs) > 1:
        _say(f"\n{own.RELATED}")
    for row in result.frame[result.frame["status"] == "failed"].drop_duplicates("method").itertuples():
        _say(f"\n{row.method} failed and is left out: {row.error}")
    _say(f"\n{own.report(result)}\n")
    _say(f"wrote to {written[0].parent}: {', '.join(path.name for path in written)}\n\n"
         f"The cluster of every sample by {own.shown_name(first)} is in {written[0]}.")
    return 0


def _no_stray_words(files):
    """Refuse a second value of an option, which is no file, with what to write instead."""
    from mtclib.baselines.registry import all_estimators

    for word in (word for word in files if not os.path.exists(word)):
        if word.isdecimal():
            raise UsageError(f"there is no file {word!r}; join numbers of clusters by commas, as in 2,3")
        if word in all_estimators():
            raise UsageError(f"there is no file {word!r}; repeat --method for each: --method A --method B")


def _plain(text):
    """Text without characters that steer a terminal, as names of files and samples may hold some."""
    return "".join(c if c.isprintable() or c == "\n" else "\ufffd" for c in str(text))


class _Plain(logging.Formatter):
    """What is told on the way, as plain text."""

    def format(self, record):
        return _plain(super().format(record))


def _say(text, **options):
    """Print plain text; that nobody can read it any more is no reason to lose results."""
    try:
        print(_plain(text), flush=True, **options)
    except OSError:
        sys.stdout = io.StringIO()


def table(args) -> int:
    """Print a table to copy."""
    from mtclib.companion.papers import copies

    found = copies.copy(args.dataset, args.paper, args.task)
    print(found.text(args.format), end="")
    if args.format == "csv":
        print(*found.facts, sep="\n", file=sys.stderr)
    return 0


def cite(args) -> int:
    """Print BibTeX, or what there is to cite."""
    from mtclib.companion.papers import citations

    print("\n".join(citations.known()) if args.name is None else citations.cite(args.name))
    return 0


def fetch(args) -> int:
    """Get data files; say where each one is."""
    from mtclib import datasets
    from mtclib.companion.runs import load_protocol
    from mtclib.companion.runs.profiles import needed_files

    choose(args.profile, PROFILES, "--profile")
    if args.names and args.paper is not None:
        raise UsageError("--paper: name files or a paper, not both.")
    try:
        names = {datasets.lookup(name).name for name in args.names}
    except ValueError as error:
        said = str(error).removeprefix("name: ").replace(" registry() lists the names.", "")  # as in Python
        raise UsageError(f"{said} `python -m mtclib list --data` lists all.") from None
    tasks = [partial(datasets.fetch_all, sorted(names))] if names else [
        partial(needed_files, load_protocol(paper), args.profile) for paper in _papers(args)]
    failed = 0
    for task in tasks:
        try:
            names.update(task())
        except datasets.FetchError as error:
            failed = _fail(error)
    if names:
        print(datasets.status().loc[sorted(names), ["bytes", "where"]].to_string())
    return failed


_RUN = re.compile(b'"(papermill|mtclib)":')  # what a run notes in the metadata of a notebook, also unfinished


def _plan(args) -> list[tuple]:
    """Check the whole request before anything runs: notebook, executed copy and parameters."""
    from mtclib.companion.site.report import executed_copy

    found = notebooks.find_notebooks()
    for name, text in args.given:  # `-p profile full` is `--profile full`: jobs and notebook must not differ
        if name in OPTIONS:
            setattr(args, name, read_value(name, text, "int" if name == "n_jobs" else "str"))
    args.given = [(name, text) for name, text in args.given if name not in OPTIONS]
    choose(args.profile, PROFILES, "--profile")
    check_parameters(n_jobs=args.n_jobs, dask=args.dask or "")
    choose(args.paper, [*found, "all"], "PAPER")
    names = list(found) if args.paper == "all" else [args.paper]
    if args.output and len(names) > 1:
        raise UsageError("--output: give it with one notebook, not with all.")
    if args.output is not None and not args.output.endswith(".ipynb"):
        raise UsageError(f"--output: the name must end in .ipynb, not {args.output!r}.")
    if args.output and Path(args.output).is_dir():
        raise UsageError(f"--output: {args.output} is a folder; name a file, such as one in it.")
    if args.output and Path(args.output).resolve() in map(Path.resolve, found.values()):
        raise UsageError(f"--output: {args.output} is a notebook of the companion; name another file.")
    if args.output and (held := Path(args.output)).is_file() and not _RUN.search(held.read_bytes()):
        raise UsageError(f"--output: {held} was written by no run, and would be lost; name another file.")
    if args.export and args.profile != "full":
        raise UsageError("--export: only results of the full profile are exported; add --profile full.")
    if args.export and {"seed", "n_runs"} & {name for name, _ in args.given}:
        raise UsageError("--export: committed results have the protocol's own seed and runs; leave out -p.")
    of_notebooks, plan = {name: notebooks.parameters(found[name]) for name in names}, []
    for name, _ in args.given:
        choose(name, list(ChainMap(*of_notebooks.values())), f"-p: a parameter of {args.paper}")
    for notebook, known in of_notebooks.items():
        values = {name: value for name, value in vars(args).items()
                  if name in OPTIONS and name in known and value is not None}
        values |= {name: read_value(name, text, known[name].type)
                   for name, text in args.given if name in known}
        check_parameters(**{name: values[name] for name in ("seed", "n_runs") if name in values})
        plan.append((notebook, found[notebook], args.output or executed_copy(notebook, args.profile), values))
    if args.output:
        _writable(Path(args.output).parent)
    return plan


def _writable(folder):
    """Make a folder for results and try to write in it, before anything runs."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(dir=folder):
            return folder
    except (OSError, ValueError) as error:
        raise UsageError(f"--output: {folder} cannot be written to ({getattr(error, 'strerror', error)}); "
                         f"name another folder.") from None


def run(args) -> int:
    """Run notebooks; a failure does not stop the others."""
    from mtclib.companion.papers import board
    from mtclib.companion.runs.profiles import run_jobs
    from mtclib.companion.site.report import summary, write_report

    plan, results = _plan(args), []
    for number, (name, path, output, values) in enumerate(plan, start=1):
        title = f"[{number}/{len(plan)}] {name}"
        if args.profile == "full" and name in paths.papers():
            # Here the progress of the jobs can be seen; the notebook then finds them done.
            wanted = {k: v for k, v in notebooks.effective(path, values).items() if k in ("seed", "n_runs")}
            run_jobs(name, args.profile, **wanted, n_jobs=args.n_jobs, dask=args.dask, export=args.export)
        result = notebooks.execute(path, output, values, profile=args.profile, title=title)
        results.append(result)
        print(f"{title}: {result.status}, {result.seconds:.1f} s {result.error}".rstrip(), flush=True)
    print(f"\n{summary([vars(result) for result in results]).to_string(index=False)}\n", flush=True)
    # The table comes first: it stands even if the site cannot be made.
    print("\n".join([f"open {write_report(board.write)[0]}"] if args.report else
                    [f"executed: {output}" for *_, output, _ in plan]))
    return int(any(result.status != "ok" for result in results))


def identify(args) -> int:
    """Run searches for unstated choices, and say what was found and how sure it is."""
    from mtclib.companion import runs, tables
    from mtclib.companion.verdicts import identify as search

    paper = choose(args.paper, paths.papers(), "PAPER")
    if args.search is None and args.mine is None:
        if args.output != "identified":
            raise UsageError("--output: all searches renew the committed results; add --search or --mine.")
        for name, found in search.identify(paper, n_jobs=args.n_jobs).items():
            print(tables.search(name, found), end="\n\n")
        return 0
    sys.path.insert(0, os.getcwd())  # where a reader's module is
    mine = args.mine is not None
    protocol = search.mine(paper, args.mine) if mine else runs.load_protocol(paper)
    name = "mine" if mine else choose(args.search, protocol.identify, "--search")
    if not args.output.strip():
        raise UsageError("--output: the name of the folder is empty; give one, such as 'identified'.")
    if Path(args.output).resolve().is_relative_to(paths.data_dir().resolve()):
        raise UsageError(f"--output: {args.output} is among the committed results; name another folder.")
    folder = _writable(Path(args.output))
    if others := search.not_ours(paper, name, folder):
        raise UsageError(f"--output: {others} is not of this command, and would be replaced; name another "
                         f"folder, or move it.")
    own = {"store": runs.RunStore(folder / "runs"), "n_jobs": args.n_jobs}
    try:
        found = search.identify(paper, protocol=protocol, names=[name], folder=folder, **own)[name]
    except (Exception, SystemExit) as error:
        if not mine or isinstance(error, (MtclibError, OSError)):
            raise
        raise UsageError(f"--mine {args.mine}: mend the file, or the code that it names; the search ended in "
                         f"{type(error).__name__}: {error}") from error
    rows = search.held_out(protocol, protocol.identify[name], found, **own)
    page = tables.search(name, found, search.winner_cells(protocol, name, folder), rows)
    (folder / f"{name}.html").write_text(page.html, encoding="utf-8")
    print(f"{page}\n\nwrote {folder / f'{name}.html'} and all hypotheses beside it")
    return 0


def compare(args) -> int:
    """Run sets of the comparison by sources, or write the results of those that are run."""
    from mtclib.companion import runs
    from mtclib.companion.comparison import exam, runner, sources

    if args.data == "":
        raise UsageError("--data: name a folder, or leave it out to run the comparison.")
    if args.data and (args.sets or args.restore or args.write):
        raise UsageError("--data: leave out SET, --restore and --write; they are of no use to it.")
    if args.data:
        found = exam.scores(choose(args.kind, sources.KINDS, "KIND"), args.data)
        table, text = exam.report(args.kind, found)
        print(f"{found.round(1).to_string()}\n\n{table.to_string()}\n\n{text}")
        return 0
    chosen, store = sources.Sources(choose(args.kind, sources.KINDS, "KIND")), runs.RunStore(paths.runs_dir())
    sets = [choose(name, chosen.sets, "SET") for name in args.sets] or chosen.sets
    if args.restore:
        print(f"{runner.restore(chosen, store)} committed fits put into {paths.runs_dir()}", flush=True)
    if args.write:
        print("\n".join(runner.write(chosen, store, sets)))
    else:
        runner.run(chosen, store, sets)
    return 0


def report(args) -> int:
    """Write the report; fail if a notebook in it failed."""
    from mtclib.companion.papers import board
    from mtclib.companion.site.report import write_report

    index, table = write_report(board.write)
    print(f"{table.to_string(index=False)}\n\nopen {index}")
    return int((table["status"] != "ok").any())


def store(args) -> int:
    """Execute notebooks in place and keep their outputs and figures."""
    found = notebooks.find_notebooks()
    names = [choose(name, found, "PAPER") for name in args.papers] or found
    os.environ.setdefault("MTCLIB_FIGURES", str(paths.root() / "figures"))
    # The front door reads what the others leave behind, so it comes last.
    for name in sorted(names, key=lambda name: name == notebooks.FRONT):
        notebooks.store_outputs(found[name])
        print(f"stored {found[name].relative_to(paths.root())}", flush=True)
    return 0


def _papers(args) -> list[str]:
    """The paper that is asked for, or all in the order of the page."""
    from mtclib.companion.papers import in_order

    return in_order() if args.paper is None else [choose(args.paper, paths.papers(), "--paper")]


def judge(args) -> int:
    """Write the scoreboard, or all verdicts, from committed results."""
    from mtclib.companion.papers import scoreboard

    written = (scoreboard.write(_papers(args)) if args.command == "scoreboard" else
               scoreboard.write_verdicts(_papers(args), args.errors))
    print("\n".join(f"wrote {path}" for path in written))
    return 0


def new(args) -> int:
    """Write a skeleton, and say what was written and what is left."""
    from mtclib.companion import skeletons

    what, lines = args.command.removeprefix("new-"), []
    try:
        for line in getattr(skeletons, f"new_{what}")(args.name, args.kind):
            print(line, flush=True)
            lines.append(line)
    except (MtclibError, OSError) as error:
        left = "\nTo begin again, take back what was written before, which `git status` shows."
        raise UsageError(f"{error}{left * bool(lines)}") from error
    again = "after a change run the python commands above again, and "
    again *= any(line.startswith("python ") for line in lines)
    print(f"\nLeft to you; {again}at the end `make test`:\n"
          f"- every TODO: `{skeletons.TODO}`{skeletons.LEFT[what]}")
    return 0


def list_known(args) -> int:
    """List what there is."""
    if args.data:
        from mtclib import datasets

        for name, row in datasets.status().astype(object).fillna("unknown").iterrows():
            print(f"{name:44} {row['bytes']!s:>11} {row['where']:12} {row['licence']} | {row['citation']}")
        return 0
    for name, path in notebooks.find_notebooks().items():
        print(name)
        for given, parameter in notebooks.parameters(path).items():
            default = f"{given}: {parameter.type} = {parameter.default}"
            print(f"    {default:36} {parameter.help}".rstrip())
    return 0


def _fail(error, code=1):
    """Tell an error, and return the code to end with."""
    print(_plain(f"error: {error}{paths.remedy(error)}"), file=sys.stderr)
    return code


def main(argv=None) -> int:
    """Run one command and return its exit code: 0 done, 1 failed, 2 wrong usage, 130 interrupted."""
    # Closed streams, and names that a terminal has no letters for, are no reason to stop.
    sys.stdout, sys.stderr = (stream or io.StringIO() for stream in (sys.stdout, sys.stderr))
    for stream in (sys.stdout, sys.stderr):
        getattr(stream, "reconfigure", dict)(errors="replace")
    args = _parsed(argv)
    # After --help, and before Ctrl-C may strike inside of numpy.
    if args.function is not list_known:
        import_module("mtclib.companion.runs")
    told = logging.StreamHandler()
    told.setFormatter(_Plain())
    logging.basicConfig(handlers=[told])
    logging.getLogger("mtclib").setLevel(logging.INFO)
    try:
        if getattr(signal.getsignal(signal.SIGINT), "__module__", "") == "__main__":  # the imports are done
            signal.signal(signal.SIGINT, signal.default_int_handler)
        of_data = args.command == "fetch" and args.names or args.command == "list" and args.data
        if not (of_data or paths.papers() or notebooks.find_notebooks()):  # data sets are had anywhere
            raise UsageError(f"{paths.root()} has no notebooks and results, which `{args.command}` reads; "
                             f"set MTCLIB_ROOT to a clone of {HOME}")
        code = args.function(args)
        print(end="", flush=True)
        return code
    except BrokenPipeError:
        # The reader of a pipe, such as `head`, has seen enough; nothing more may be written at exit either.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except (MtclibError, OSError, ImportError, MemoryError) as error:
        return _fail(error, 2 if isinstance(error, UsageError) else 1)
    except Exception as error:
        if os.environ.get("MTCLIB_TRACEBACK"):
            raise
        return _fail(f"{type(error).__name__}: {error}. This was not foreseen: a file in {paths.data_dir()} "
                     f"may be damaged (git status tells), or the program is; MTCLIB_TRACEBACK=1 shows where.")
    except KeyboardInterrupt:
        kept = (f": finished jobs are kept in {paths.runs_dir()}; run the same command again to continue"
                if args.command in ("run", "compare", "identify") else "")
        print(f"\ninterrupted{kept}", file=sys.stderr)
        return 130
