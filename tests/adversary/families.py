"""Families of attacks.  Each takes an empty folder, and returns ``attempt(rng, number)`` for the hunt."""

import contextlib
import copy
import hashlib
import io
import itertools
import json
import os
import pickle
import re
import signal
import sys
import tarfile
import threading
import time
import warnings
from functools import partial
from pathlib import Path

import contract
import numpy as np
import pandas as pd
import scipy.io
import scipy.sparse as sp
from sklearn import config_context
from sklearn.base import clone

FAMILIES = {}


def family(function):
    """Take part under the function's name."""
    FAMILIES[function.__name__] = function
    return function


def refused(call, *errors, naming):
    """"refused" if a call ends in one of the errors, with the words in its message; else a fault."""
    try:
        call()
    except errors as error:
        assert any(word in str(error) for word in naming), f"not named: {type(error).__name__}: {error}"
        return "refused"
    raise AssertionError(f"was accepted; {naming} expected")


def digest(folder):
    """What a folder holds, by name."""
    return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
            for path in Path(folder).rglob("*") if path.is_file()}  # fmt: skip


# ---- estimators ------------------------------------------------------------------------------------------

WHOLE = (np.uint8, np.int8, np.uint16, np.int16, np.int32, np.uint64, np.int64)
FRACTIONAL = (np.float16, np.float32, np.float64, np.longdouble)


def _numbers(cls, rng):
    """Some of the numbers among the defaults, each as a scalar of numpy that equals it."""
    for name, value in contract.brief(cls).get_params().items():
        if type(value) in (int, float) and rng.random() < 0.5:
            kinds = WHOLE + FRACTIONAL * (type(value) is float)
            kinds = [kind for kind in kinds if _equals(kind, value)]
            yield name, kinds[rng.integers(len(kinds))](value) if kinds else value


def _equals(kind, value):
    with contextlib.suppress(OverflowError):
        return kind(value) == value
    return False


def _named(Xs, kind, rng):
    """Data frames with names, which all but the first have in another order."""
    def frame(X, place, view):
        rows, columns = ([f"{letter}{i}" for i in range(size)] for letter, size in zip("sw", X.shape))
        X = pd.DataFrame(X, rows, [f"{view}{name}" for name in columns])
        return X if not place else X.iloc[rng.permutation(len(X))] if kind == "multiview" else (
            X.iloc[:, rng.permutation(X.shape[1])])

    if kind == "lifelong":
        return [[frame(X, t, v) for v, X in enumerate(views)] for t, views in enumerate(Xs)]
    return [frame(X, place, place if kind == "multiview" else 0) for place, X in enumerate(Xs)]


def _changed(Xs, rng):
    """Data that are still sound: empty rows, copies, constant and lone features."""
    change = (lambda X: np.vstack([0.0 * X[:2], X[2:]]), lambda X: np.repeat(X[:4], 3, axis=0),
              lambda X: np.hstack([X, np.ones((len(X), 1))]), np.ones_like, lambda X: X[:, :1] + 1,
              lambda X: X + 1e6, lambda X: X * np.logspace(-30, 30, X.shape[1]))  # fmt: skip
    chosen = change[rng.integers(len(change))]
    return contract.mapped(chosen, Xs), chosen is change[0]


@family
def estimators(folder):
    """Estimators by containers, scalars of numpy, scales and damaged input."""
    from mtclib.baselines.registry import all_estimators

    classes, known = list(all_estimators().values()), {}

    def data(cls):
        return contract.planted(cls, sizes=(12, 10, 11), d=6)

    def attempt(rng, number):
        cls = classes[number % len(classes)]
        Xs, how = data(cls), rng.choice(["convert", "name", "damage", "change", "scalar", "scale", "use"])
        if cls not in known:
            known[cls] = contract.fit(contract.brief(cls), Xs)
        model = contract.brief(cls)
        if how in ("scalar", "convert"):
            model.set_params(**dict(_numbers(cls, rng)))
        if how == "use":
            model = _used(model, cls, rng)
        if how == "damage":
            return _damaged(cls, model, Xs, rng)
        if how == "change":
            return _sound(cls, model, *_changed(Xs, rng))
        if how == "scale" and not cls.traits.scale_free:
            return "held"
        if how == "scale":
            factor = 2.0 ** rng.integers(-480, 480)
            Xs = contract.mapped(lambda X: X * factor, Xs)
        if how == "name" and hasattr(cls, "partial_fit") and rng.random() < 0.5:
            first, other = ([pd.DataFrame(X).add_prefix(a) for X in views] for a, views in zip("ab", Xs))
            return refused(lambda: model.partial_fit(first).partial_fit(other), ValueError, naming=["Xs["])
        if how == "name":
            Xs = _named(Xs, cls.traits.kind, rng)
        if how == "convert":
            ways = contract.DENSE + contract.SPARSE
            Xs = contract.mapped(lambda X: ways[rng.integers(len(ways))](X), Xs)
        # Whatever the caller has set for other code.
        with np.errstate(all="raise"), config_context(transform_output="pandas", assume_finite=True):
            pairs = zip(*map(contract.partitions, (known[cls], contract.fit(model, Xs))))
        # Other containers add in another order: the last bit may name the clusters, but not choose them.
        alike = np.array_equal if how in ("scalar", "scale", "use") else lambda one, two: (
            len(set(zip(one, two))) == len(set(one)) == len(set(two)))
        assert all(alike(*pair) for pair in pairs), f"{cls.__name__}: {how} gives other labels"
        return "held"

    return attempt


def _used(model, cls, rng):
    """The same model after a life of its own: fits of other data, refused and interrupted ones, copies."""
    given = model.get_params()
    for change in rng.choice(["other data", "refused", "interrupted", "copied"], rng.integers(1, 4)):
        k = int(rng.integers(1, 4))
        other = contract.planted(cls, int(rng.integers(9)), (9, 8)[:int(rng.integers(1, 3))], d=9)
        if change == "other data":
            contract.fit(model.set_params(n_clusters=k), other)
        elif change == "refused":
            refused(partial(model.set_params(n_clusters=99).fit, other), ValueError, naming=["n_clusters"])
        elif change == "interrupted" and hasattr(signal, "setitimer"):
            _interrupted(model, other, rng.uniform(0.0005, 0.03))
        else:
            model = (copy.deepcopy, clone, lambda one: pickle.loads(pickle.dumps(one)))[k - 1](model)
        model.set_params(**given)
    return model


def _interrupted(model, Xs, seconds):
    """Ctrl-C after a while."""
    signal.signal(signal.SIGALRM, signal.default_int_handler)
    try:
        signal.setitimer(signal.ITIMER_REAL, seconds)
        contract.fit(model, Xs)
        signal.pause()
    except KeyboardInterrupt:
        pass


def _sound(cls, model, Xs, empty):
    """Changed data have a valid result, with a word of empty samples, or are refused by name."""
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            contract.is_valid(model.fit(Xs), Xs, 3)
    except (contract.NumericalError, ValueError) as error:
        named = ["broke down", "Xs[", *model.get_params()]
        assert any(word in str(error) for word in named), f"not named: {error}"
        return "refused"
    told = any("empty" in str(warning.message) for warning in caught)
    assert told or not (empty and cls.traits.graph), f"{cls.__name__}: empty samples, no word"
    return "held"


def _damaged(cls, model, Xs, rng):
    """One array, one parameter or the number of clusters is wrong, and must be refused by name."""
    places = len(contract.arrays(Xs))
    if rng.random() < 0.3:
        names = [name for name, value in model.get_params().items()
                 if type(value) in (int, float) and name != "random_state"]  # fmt: skip
        wrong = (np.nan, -np.inf, 10**400, 10**5000, "3", None, np.array([3, 3, 3, 3]), 3j, -7, [],
                 np.array(0.5), np.longdouble("1e400"), np.uint64(2**63 + 1))  # fmt: skip
        name, value = rng.choice(names), wrong[rng.integers(len(wrong))]
        return refused(lambda: model.set_params(**{name: value}).fit(Xs), ValueError, naming=[name])
    worse, (spoil, _) = int(rng.integers(places)), contract.SPOILED[rng.integers(len(contract.SPOILED))]
    counter = itertools.count()
    bad = contract.mapped(lambda X: spoil(X, rng) if next(counter) == worse else X, Xs)
    return refused(lambda: model.fit(bad), ValueError, naming=["Xs["])


# ---- neighbours ------------------------------------------------------------------------------------------


@family
def ties(folder):
    """Rows of small integers in another order."""
    from mtclib.maths.neighbours import nearest_distances

    def attempt(rng, number):
        n, d = int(rng.integers(6, 70)), int(rng.integers(2, 6))
        X = np.unique(rng.integers(0, 4, (n, d)).astype(float), axis=0)
        count = int(rng.integers(1, min(12, len(X))))
        convert = sp.csr_array if rng.random() < 0.5 else np.array
        order = rng.permutation(len(X))
        lists, other = (nearest_distances(convert(Z), count)[1] for Z in (X, X[order]))
        place = np.argsort(order)
        assert all(set(order[other[place[i]]]) == set(lists[i]) for i in range(len(X))), "rows decide ties"
        return "held"

    return attempt


# ---- files that the project writes -----------------------------------------------------------------------


def _ruined(good, number, rng):
    """Every bit first, in an order that jumps; then parts zeroed, cut out, doubled or exchanged."""
    bits = 8 * len(good)
    content = bytearray(good)
    if number < bits:
        place = number * 7919 % bits if bits % 7919 else number
        content[place // 8] ^= 1 << place % 8
        return bytes(content)
    place, length = int(rng.integers(len(good))), int(rng.choice([1, 2, 4, 12, 46, 200]))
    part = good[place:place + length]
    noise = bytes(rng.integers(0, 256, len(part), np.uint8))
    instead = (bytes(len(part)), b"", part * 2, part[::-1], noise)[rng.integers(5)]
    return good[:place] + instead + good[place + length:]


@family
def records(folder):
    """Every bit of a record of the run store, and its parts."""
    from mtclib.companion.runs import Record, RunStore

    key = "0123456789ab0123456789ab"
    arrays = {"labels/1": np.arange(40, dtype=np.int32) % 3, "objective": np.array([3.0, 0.1 + 0.2])}
    store = RunStore(folder)
    store.put(Record({"key": key, "status": "ok", "objective": 0.1 + 0.2}, {"seconds": 1.0}, arrays))
    good, expected = store.path(key).read_bytes(), store.get(key)

    def attempt(rng, number):
        store.path(key).write_bytes(_ruined(good, number, rng))
        found = store.get(key)
        if found is None:
            return "refused"
        assert found.info == expected.info, "another record is adopted"
        assert found.arrays.keys() == arrays.keys(), "arrays are lost"
        assert all(contract.equal([found.arrays[name]], [value]) for name, value in arrays.items())
        return "held"

    return attempt


@family
def states(folder):
    """Every bit of a saved state of LMSC, its parts, and forged headers and arrays."""
    from mtclib import LMSC
    from mtclib.core import lifelong
    from mtclib.core.lifelong import StateFileError

    file = Path(folder, "state.npz")
    model = contract.brief(LMSC).fit(contract.planted(LMSC, sizes=(12, 10), d=6))
    model.save(file)
    good = file.read_bytes()
    with np.load(file) as members:
        parts = {name: members[name] for name in members.files if name != "digest"}

    def forge(rng):
        forged, header = dict(parts), json.loads(parts["header"].tobytes())
        if rng.random() < 0.5:
            where = header if rng.random() < 0.5 else header["parameters"]
            name = str(rng.choice(list(where)))
            where[name] = (None, -1, "x", [], {}, 1e400, [[]])[rng.integers(7)]
            if where is header and name == "entropy" and header[name] is None:
                where[name] = "x"
            forged["header"] = np.frombuffer(json.dumps(header).encode(), dtype=np.uint8)
        else:
            name = str(rng.choice([name for name in parts if name != "header"]))
            change = (lambda a: a[:0], lambda a: a.astype(complex), lambda a: a * np.nan, lambda a: a[None],
                      lambda a: a.astype(str))[rng.integers(5)]  # fmt: skip
            forged[name] = change(np.asarray(parts[name], dtype=float) if parts[name].dtype.kind != "U"
                                  else np.ones(3))  # fmt: skip
        np.savez(file, digest=np.array(lifelong.digest(forged)), **forged)

    def attempt(rng, number):
        if number % 5 == 4:
            forge(rng)
        else:
            file.write_bytes(_ruined(good, number - number // 5, rng))
        try:
            found = LMSC.load(file)
        except StateFileError as error:
            assert "state.npz" in str(error)
            return "refused"
        except ValueError as error:  # a header that names another estimator
            assert "holds libraries of" in str(error)
            return "refused"
        if number % 5 != 4:
            assert np.array_equal(found.basis_, model.basis_), "other libraries are adopted"
        return "held"

    return attempt


@family
def writes(folder):
    """Kills and full disks while results, records and states are written."""
    from mtclib import LMSC
    from mtclib.companion.runs import Record, RunStore
    from mtclib.companion.userdata import bundle, load
    from mtclib.companion.userdata.run import cluster

    key, store, out = "f" * 24, RunStore(Path(folder, "store")), Path(folder, "out")
    result = cluster(load.example("tasks"), ["KMeans"])
    model = contract.brief(LMSC).fit(contract.planted(LMSC, sizes=(12, 10), d=6))
    record = Record({"key": key, "status": "ok"}, {}, {"objective": np.random.default_rng(0).random(4000)})
    state = Path(folder, "state.npz")
    targets = {
        "bundle": (lambda: result.save(out), lambda: _whole_bundle(out, bundle), 20_000),
        "record": (lambda: store.put(record), lambda: store.get(key).key == key, 40_000),
        "state": (lambda: model.save(state), lambda: LMSC.load(state).n_tasks_ == 2, 9000)}  # fmt: skip
    for write, _, _ in targets.values():
        write()

    def attempt(rng, number):
        name = list(targets)[number % len(targets)]
        write, whole, size = targets[name]
        if sys.platform == "win32" or rng.random() < 0.3 and name == "bundle":
            return (_foreign, _foreign, _forged)[rng.integers(3)](out, result, bundle, rng)
        if rng.random() < 0.2:
            return _together(write, whole)
        if rng.random() < 0.5:
            outcome = _full(write, int(rng.integers(size)), str(Path(folder)))
        else:
            outcome = _killed(write, rng.uniform(0, 0.03))
        assert whole(), f"{name}: neither the old nor the new is there"
        return outcome

    return attempt


def _whole_bundle(out, bundle):
    """Whether the bundle is in its place, at the latest when the next writer has looked."""
    bundle.check(out)
    whole = (out / "report.txt").is_file() and (out / bundle.MANIFEST).is_file()
    return whole and bundle._not_ours(out) == ""


def _full(write, most, folder):
    """Write where no file may be larger than some bytes, as on a full disk."""
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, hard))
    try:
        write()
        return "held"
    except OSError as error:
        said = str(error)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert folder in said or "File too large" in said, f"says no path: {said}"
    return "refused"


def _forked(write):
    """The number of a process that writes, and ends with 0 if that ended well."""
    child = os.fork()
    if not child:
        with contextlib.suppress(BaseException):
            write()
            os._exit(0)
        os._exit(1)
    return child


def _killed(write, seconds):
    child = _forked(write)
    time.sleep(seconds)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return "held"


def _together(write, whole):
    """Two writers at once: both end well."""
    child = _forked(write)
    write()
    assert os.waitpid(child, 0)[1] == 0, "of two writers one fails"
    assert whole(), "two writers leave nothing whole"
    return "held"


def _forged(out, result, bundle, rng):
    """A manifest that no writer wrote, beside a folder of the user's own."""
    kept = (out / bundle.MANIFEST).read_text(encoding="utf-8")
    known = json.loads(kept)
    known["outputs"]["mine"] = (None, "")[rng.integers(2)]
    forged = (json.dumps(known), "[" * 100_000, '{"writer": "mtclib cluster"}')[rng.integers(3)]
    (out / "mine").mkdir()
    (out / bundle.MANIFEST).write_text(forged, encoding="utf-8")
    outcome = refused(lambda: result.save(out), bundle.BundleError, naming=["mine", "agreement.csv"])
    (out / "mine").rmdir()
    (out / bundle.MANIFEST).write_text(kept, encoding="utf-8")
    return outcome


def _foreign(out, result, bundle, rng):
    """A file of the user's own in the folder of results."""
    name = str(rng.choice(["report.txt", "manifest.csv", "manifest.json", "mine.csv", "methods.csv"]))
    older = digest(out)
    (out / name).write_text("mine", encoding="utf-8")
    outcome = refused(lambda: result.save(out), bundle.BundleError, naming=[name, "agreement.csv"])
    assert (out / name).read_text(encoding="utf-8") == "mine", "a file of the user's is gone"
    (out / name).unlink()
    if name in older:
        for path in out.iterdir():
            path.unlink()
        result.save(out)
    return outcome


# ---- a user's files --------------------------------------------------------------------------------------

NAMES = ["001", "1e3", "NA", "nan", "-5", "1.50", "None", "01", "1", "true", "NULL", "=1+1", "@x", "a,b",
         'a"b', "ä", "2020-01-01", "0x1F", "1_000", "+3", "inf", "#N/A", " x", "<img src=x onerror=alert(1)>"]
TOKENS = (b", \n \" NaN 1e999 -1e308 \x00 \xff\xfe inf 1,5 ; 0x10 \r | \t 99999999999999999999 a -- 1+2j"
          .split(b" ") + [b"7" * 500, b"x" * 5000])


@family
def files(folder):
    """A user's files, whole and broken in every way, by every reader."""
    from mtclib.companion import tables
    from mtclib.companion.userdata.files import DataFileError
    from mtclib.companion.userdata.load import KINDS, load
    from mtclib.core import large

    folder, numbers = Path(folder), np.random.default_rng(0).normal(size=(9, 4)).round(2)
    mapped = (0, large.IN_MEMORY)

    def whole(ending, separator):
        file = folder / f"data{ending}"
        if ending == ".npz":
            np.savez(file, X=numbers, y=np.arange(9) % 2)
        elif ending == ".npy":
            np.save(file, numbers)
        elif ending == ".mat":
            scipy.io.savemat(file, {"X": numbers, "y": np.arange(9) % 2})
        else:
            pd.DataFrame(numbers, columns=list("abcd")).to_csv(file, index=False, sep=separator)
        return file

    def named(rng):
        ids, labels = rng.permutation(NAMES)[:8], rng.choice(NAMES, 8)
        frame = pd.DataFrame(numbers[:8], columns=list("abcd")).assign(id=ids, y=labels)
        frame.to_csv(folder / "named.csv", index=False)
        data = load("tasks", [folder / "named.csv"], "y", id_column="id")
        assert data.sample_names[0].tolist() == [name.strip() for name in ids] or (
            data.sample_names[0].tolist() == list(ids)), "names changed"
        found = np.array(data.class_names[0], dtype=object)[data.labels[0]].tolist()
        assert found in (list(labels), [label.strip() for label in labels]), "labels changed"
        shown = tables.frame_table(pd.DataFrame({"name": ids}), NAMES[-1])
        assert "<img" not in shown.html, "a name runs in the page"
        return "held"

    def attempt(rng, number):
        if number % 6 == 5:
            return named(rng)
        ending = str(rng.choice([".csv", ".csv", ".tsv", ".npy", ".npz", ".mat"]))
        file = whole(ending, "\t" if ending == ".tsv" else str(rng.choice([",", ";", "|", "\t"])))
        content = file.read_bytes()
        for _ in range(rng.integers(0, 4)):
            at, end = sorted(rng.integers(0, len(content) + 1, 2))
            token, flipped = TOKENS[rng.integers(len(TOKENS))], bytearray(content or b"x")
            flipped[rng.integers(len(flipped))] ^= 1 << rng.integers(8)
            content = (content[:at] + token + content[at:], content[:at] + token + content[min(end, at + 9):],
                       content[:end], content[at:], content[:at] + content[end:], bytes(flipped),
                       content.decode("latin-1").encode("utf-16-le"))[rng.integers(7)]  # fmt: skip
        file.write_bytes(content)
        large.IN_MEMORY = mapped[number % 2]
        try:
            data = load(str(rng.choice(KINDS)), [file, file][:rng.integers(1, 3)],
                        *(["y"] if rng.random() < 0.2 else []))  # fmt: skip
        except DataFileError as error:
            said = str(error)
            assert file.name in said or "label_column" in said, f"names no file: {said}"
            assert "pickle" not in said, said
            assert len(said) < 999, said
            return "refused"
        finally:
            large.IN_MEMORY = mapped[1]
        for X in data.Xs:
            values = X.data if sp.issparse(X) else X
            assert values.dtype in (np.float64, np.float32)
            assert np.isfinite(values).all()
            assert min(X.shape) > 0
        return "held"

    return attempt


@family
def scalings(folder):
    """Every scaling by kind of entries, dense and sparse, for tasks and views."""
    from mtclib.companion.userdata import load as loading
    from mtclib.companion.userdata.load import load

    cases = list(itertools.product(("auto", *loading.SCALES), loading.KINDS, range(5)))
    files = [str(Path(folder, name)) for name in ("dense.npz", "sparse.npz")]

    def attempt(rng, number):
        scaling, kind, entries = cases[number % len(cases)]
        n, d = rng.integers(2, 14), rng.integers(1, 8)
        counts, some = rng.poisson(0.7, (n, d)).astype(float), rng.integers(0, 2, (n, d)).astype(float)
        X = (counts, some, rng.random((n, d)) * some, rng.normal(size=(n, d)),
             counts * 10.0 ** rng.integers(-9, 9))[entries]  # fmt: skip
        np.savez(files[0], X=X)
        sp.save_npz(files[1], sp.csr_array(X))
        found, errors = [], []
        for file in files:
            try:
                with config_context(transform_output="pandas"):  # set for other code
                    Z = loading.scale(load(kind, [file, file][:1 + number % 2]), scaling).Xs[0]
                assert isinstance(Z, np.ndarray | sp.csr_array)
                found.append(Z.toarray() if sp.issparse(Z) else Z)
            except ValueError as error:
                errors.append(str(error).replace("dense", "sparse"))
        if errors:
            assert len(errors) == 2, f"{scaling}: dense and sparse: {errors}"
            assert errors[0] == errors[1], f"{scaling}: dense and sparse: {errors}"
            return "refused"
        atol = 1e-9 * max(1.0, np.abs(found[0]).max())
        np.testing.assert_allclose(*found, atol=atol, err_msg=f"{scaling}, {kind}")
        return "held"

    return attempt


@family
def commands(folder):
    """The command line with hostile names and values, and on damaged files of the project."""
    from mtclib.companion.cli import main
    from mtclib.core import paths

    names = ("growth.csv", "methods/costs.csv", "methods/methods.toml", "verdicts.csv", "mbc/claims.toml",
             "mbc/protocol.toml", "mbc/published.csv")  # fmt: skip
    root, own = paths.root(), Path(f"{folder}-root")
    parts = [root, root / "data", root / "data/methods", root / "data/mbc"]
    links = [path for part in parts for path in part.iterdir() if path not in parts]
    for path in links * (sys.platform != "win32"):
        place = own / path.relative_to(root)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.symlink_to(path)

    formula = re.compile(r"\s*[=+@\-](?!\d|\.)")
    Path("mine").mkdir()
    Path("mine/report.txt").write_text("mine", encoding="utf-8")
    X = np.random.default_rng(0).normal(size=(12, 3)).round(2) + 5 * (np.arange(12) % 2)[:, None]
    frame = pd.DataFrame(X, columns=list("abc")).assign(id=["=1+1", "@x", "+cmd", "-x", *"efghijkl"])
    hostile = ["<img src=x onerror=alert(1)>", "a::b", "$\\frac{", "\u65e5"] * (sys.platform != "win32")
    for name in ("contents", "methods", "=cmd", "$(x)", *hostile):
        frame.to_csv(f"{name}.csv", index=False)
    frame.head(1).to_csv("one.csv", index=False)
    frame.assign(a=1, b=1, c=1).to_csv("same.csv", index=False)
    before, mine = digest("."), [path.name for path in Path().glob("*.csv")]
    options = {
        "--kind": ("tasks", "views", ""), "--n-clusters": ("1", "2", "3", "0", "3,2", "999", "x", "1e9"),
        "--method": ("KMeans", "kmeans", "AWP", "no", ""), "--scaling": ("auto", "none", "rows", "?"),
        "--n-runs": ("1", "2", "0"), "--label-column": ("id", "c", "no"), "--seed": ("0", "-1", "9" * 40),
        "--output": ("out", "new/out", "", "methods.csv", "out/in", "..", "mine", ".", "mine")}  # fmt: skip
    others = [line.split() for line in (
        "table NoSet", "table 20NewsGroups --format x", "fetch no/file", "list", "run nothing",
        "run all -p x 1", "run mtcmrl -p n_runs x", "compare no", "compare views no", "store no",
        "identify no", "--help", "", "fetch --paper no", "cluster", "run all --output x")]
    read = [line.split() for line in (
        "table tr11", "cite MBC", "list", "run mbc -p n_runs x", "identify mbc --search no",
        "cluster methods.csv --id-column id --n-clusters 2 --method KMeans --output out")]

    def damaged(rng):
        """A file of the project is not as it was."""
        name = rng.choice(names)
        good = (root / "data" / name).read_bytes()
        at, end = sorted(rng.integers(0, len(good) + 1, 2))
        (own / "data" / name).unlink()
        (own / "data" / name).write_bytes((
            good[:at], good[at:], good[:at] + good[end:], b"",
            good[:at] + TOKENS[rng.integers(len(TOKENS))] + good[at:])[rng.integers(5)])  # fmt: skip
        os.environ.update(MTCLIB_ROOT=str(own), MTCLIB_TRACEBACK="")
        try:
            return tell(list(read[rng.integers(len(read))]), rng)
        finally:
            (own / "data" / name).unlink()
            (own / "data" / name).symlink_to(root / "data" / name)

    def attempt(rng, number):
        if number % 8 == 7 and sys.platform != "win32":
            return damaged(rng)
        os.environ.update(MTCLIB_ROOT=str(root), MTCLIB_TRACEBACK="1")
        if number % 4 == 3:
            call = list(others[rng.integers(len(others))])
        else:
            call = ["cluster", *map(str, rng.choice(mine, rng.integers(1, 4))), "--n-clusters", "2"]
            call += ["--method", "KMeans", "--n-runs", "1", "--id-column", "id"]
            for name in rng.choice(list(options), rng.integers(0, 4), replace=False):
                call += [str(name), str(rng.choice(options[name]))]
        return tell(call, rng)

    def tell(call, rng):
        out = (io.StringIO(), io.TextIOWrapper(io.BytesIO(), "ascii"), None)[rng.integers(3)]
        with (contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()) as told,
              warnings.catch_warnings(), np.errstate(all="warn")):  # fmt: skip
            warnings.simplefilter("default")
            try:
                code = main(call)
            except SystemExit as stop:  # argparse
                code = stop.code
        assert code in (0, 1, 2), f"{call}: exit code {code}"
        assert code == 0 or "error:" in told.getvalue(), f"{call}: no reason given"
        told = told.getvalue() * bool(os.environ["MTCLIB_TRACEBACK"])
        assert "Warning:" not in told, f"{call}: {told}"
        assert digest(".").items() >= before.items(), f"{call}: an input is gone"
        for table in Path("out").glob("**/*.csv"):
            cells = pd.read_csv(table, dtype=str, keep_default_na=False)
            assert not cells.map(lambda text: bool(formula.match(text))).to_numpy().any(), f"{call}: {table}"
        return "refused" if code else "held"

    return attempt


# ---- servers and archives --------------------------------------------------------------------------------


BOMB = 30_000_000


def _memory(reset=False):
    """The most memory in bytes since the last reset, where it can be had."""
    if sys.platform != "linux":
        return 0
    if reset:
        Path("/proc/self/clear_refs").write_text("5")
    return 1024 * int(re.search(r"VmHWM:\s+(\d+)", Path("/proc/self/status").read_text())[1])


@family
def servers(folder):
    """Servers that lie, break off, drip or send bombs, and archives broken in every way."""
    import socketserver

    import fetching_support as support

    from mtclib.datasets import FetchError, entries, fetch, fetching

    answer = {"bytes": b"", "pause": 0.0}

    class Server(socketserver.ThreadingTCPServer):
        allow_reuse_address, daemon_threads = True, True

        def handle_error(self, *_):
            pass

    class Handler(socketserver.BaseRequestHandler):
        def handle(self):
            self.request.recv(4096)
            for part in range(0, len(answer["bytes"]), 4096):
                self.request.sendall(answer["bytes"][part:part + 4096])
                time.sleep(answer["pause"])

    server = Server(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    registry = Path(folder, "registry.toml")
    registry.write_text(support.registry_text(f"http://127.0.0.1:{server.server_address[1]}"))
    entries._REGISTRY = registry
    entries.registry.cache_clear()
    fetching.RETRIES, fetching.TIMEOUT, fetching.LARGEST = 0, 0.3, 1_000_000
    os.environ.update(MTCLIB_CACHE=str(Path(folder, "cache")))
    os.environ.pop("MTCLIB_DATA", None)

    bombs = [support.bomb(kind, BOMB, "data/news/") for kind in ("pax", "gnu", "member")]
    archives = (support.tar_bytes({"news/../../evil": b"x"}, "repo-1/data/"),
                support.tar_bytes({"data/news/train/1": b"x"}, "r/", kind=tarfile.SYMTYPE))  # fmt: skip

    def body(good, rng):
        at, end = sorted(rng.integers(0, len(good) + 1, 2))
        flipped = bytearray(good)
        flipped[min(at, len(good) - 1)] ^= 1 << rng.integers(8)
        return (good, good[:at], good + good[:end], bytes(flipped), good[:at] + good[end:], b"",
                b"x" * len(good), bombs[rng.integers(3)], *archives)[rng.integers(10)]

    def attempt(rng, number):
        name = str(rng.choice(["good", "repository", "packed-zip"]))
        good = {"good": support.GOOD, "repository": support.REPOSITORY,
                "packed-zip": support.Handler.bodies["/packed.zip"]}[name]  # fmt: skip
        sent = body(good, rng)
        length = (len(sent), len(sent) + 9, max(0, len(sent) - 9), -1, 10**18, "x")[rng.integers(6)]
        status = ["200 OK", "404 No", "500 Oh", "302 Found", "206 Part", "999 ?", ""]
        further = ("Content-Encoding: gzip", "Location: /again", "Transfer-Encoding: chunked",
                   f"X: {'y' * 70_000}")  # fmt: skip
        head = [f"HTTP/1.1 {status[max(0, rng.integers(-9, 7))]}", "Connection: close",
                f"Content-Length: {length if rng.random() < 0.5 else len(sent)}",
                *further[rng.integers(4):][:rng.random() < 0.3]]  # fmt: skip
        noise = bytes(rng.integers(0, 256, 99, np.uint8))
        answer["bytes"] = "\r\n".join([*head, "", ""]).encode() + sent if rng.random() < 0.95 else noise
        answer["pause"] = 0.05 if rng.random() < 0.02 else 0.0
        start, memory = time.perf_counter(), _memory(reset=True)
        try:
            path = fetch(f"set/{name}")
            expected = support.GOOD if name != "repository" else None
            assert expected is None or path.read_bytes() == expected, "other content is taken"
            if expected is None:
                assert fetching.read_folders(path, ["news"]) == support.FOLDER
            path.unlink()
            outcome = "held"
        except FetchError as error:
            assert f"set/{name}" in str(error)
            outcome = "refused"
        assert not digest(Path(folder, "cache")), "half a file stays in the cache"
        assert time.perf_counter() - start < 20, "the server is not given up"
        assert _memory() - memory < BOMB, "a bomb went off"
        return outcome

    return attempt
