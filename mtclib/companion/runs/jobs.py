"""Jobs: what a protocol asks for, one fit each, with a key made from all that determines the result."""

import hashlib
import itertools
import json
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pkgutil import resolve_name

import numpy as np

from mtclib import datasets
from mtclib.baselines import registry
from mtclib.companion.runs.protocol import Protocol, ProtocolError
from mtclib.core.checks import check_option
from mtclib.datasets import FetchError

KEY_FORMAT = 1
RETRY_AFTER = 60.0  # seconds
FILES = ("edition", "loader", "base")  # parameters of loaders that decide which files are read
_failures: dict = {}  # by loader and those parameters: when and why its data could not be had


def canonical(value: object) -> str:
    """Canonical JSON: sorted keys, no spaces, every number as a float; NaN and infinities are refused.

    >>> canonical({"lam": 1, "alpha": 4.0})
    '{"alpha":4.0,"lam":1.0}'
    """
    floats = json.loads(json.dumps(value), parse_int=float)
    return json.dumps(floats, sort_keys=True, separators=(",", ":"), allow_nan=False)


def seed_for(root_seed: int, paper: str, dataset: str, run: int) -> int:
    """Seed of one run on one data set, in 0 .. 2**31 - 1. Method and parameters are left out on purpose: all
    methods start run r from the same stream, which pairs the comparisons."""
    name = hashlib.sha256(canonical([paper, dataset]).encode()).digest()[:8]
    sequence = np.random.SeedSequence([root_seed, int.from_bytes(name, "big"), run])
    return int(sequence.generate_state(1)[0] & 0x7FFFFFFF)


@dataclass(frozen=True)
class Job:
    """One fit.  The names of paper, data set and method do not enter the key."""

    paper: str
    dataset: str
    loader: str
    loader_params: dict = field(hash=False)
    method: str
    estimator: str
    params: dict = field(hash=False)  # all of the estimator but ``n_clusters`` and ``random_state``
    shown: str  # canonical JSON of grid parameters and of what departs from its fixed value
    run: int
    seed: int
    data_sha: str  # content hash of the data set; empty if the data cannot be had
    algorithm_version: int
    edition: str = ""  # of the data
    published: str = ""  # name of the data set among the published numbers
    tasks: tuple = ("",)  # "1" .. "T" and "avg"; for views one unnamed task
    part: str = "main"  # or the name of the study or sweep that asks for the job
    in_grid: bool = True  # False for a point of a sweep that the grid does not have
    keep: tuple = ()  # fitted attributes to store
    keep_history: bool = False
    unavailable: str = ""  # why the data cannot be had
    measures: tuple = ()  # keys of `MEASURES`

    def identity(self) -> dict:
        """Dict of all that determines the result."""
        further = {"measures": sorted(self.measures)} if self.measures else {}
        return {"format": KEY_FORMAT, "data": self.data_sha or [self.loader, self.loader_params],
                "estimator": self.estimator, "algorithm_version": self.algorithm_version,
                "params": self.params, "seed": self.seed, "keep": sorted(self.keep), **further}

    @property
    def algorithm(self):
        """Name of the algorithm that ``algorithm_version`` counts, as :func:`algorithm` gives it."""
        return algorithm(self.estimator, self.params)

    @cached_property
    def key(self):
        """24 hexadecimal digits: SHA-256 of the canonical JSON of :meth:`identity`."""
        return hashlib.sha256(canonical(self.identity()).encode()).hexdigest()[:24]


def resolve_estimator(name):
    """Estimator class from a registered name or from ``"package.module:Class"``."""
    return resolve_name(name) if ":" in name else registry.estimator(name)


def algorithm(estimator, params):
    """What is run, such as "PerTask of AWP" where an estimator runs another, else its own name."""
    return f"{estimator} of {params['estimator']}" if "estimator" in params else estimator


def present_version(algorithm):
    """Version of an algorithm in the code that is here, by its name from :func:`algorithm`."""
    name, _, nested = algorithm.partition(" of ")
    return resolve_estimator(name).algorithm_version(*filter(None, [nested]))


def load_dataset(loader: str, params: Mapping) -> tuple:
    """A data set and its content hash, by a loader's name or "package.module:function"; the last two are
    kept. A FetchError is raised again at once for a minute, or every job would wait for the same server."""
    source = loader, *map(params.get, FILES)
    since, error = _failures.get(source, (-np.inf, None))
    if time.monotonic() - since < RETRY_AFTER:
        raise error
    try:
        return _load(loader, json.dumps(params, sort_keys=True))
    except FetchError as failure:
        _failures[source] = time.monotonic(), failure
        raise


@lru_cache(maxsize=2)
def _load(loader, params):
    params = json.loads(params)
    data = resolve_name(loader)(**params) if ":" in loader else datasets.load(loader, **params)
    return data, data.sha256


def expand(protocol: Protocol, profile: str) -> list[Job]:
    """All jobs of a profile, by data set, method, grid point and run. Data that cannot be had give jobs that
    carry the reason, so that their rows are not missing. A point of a sweep that the grid has is one job."""
    profile = protocol.profile(profile)
    jobs = {}
    for dataset, *request in _requests(protocol, profile):
        for job in _jobs(protocol, profile, dataset, *request):
            jobs.setdefault((job.dataset, job.method, job.key), job)
    order = list(dict.fromkeys(job.dataset for job in jobs.values()))
    return sorted(jobs.values(), key=lambda job: order.index(job.dataset))


def _requests(protocol, profile):
    """(dataset, method, part, in_grid, points, n_runs), by data set, so that each is loaded once."""
    parts = [("main", profile), *((name, protocol.studies[name]) for name in profile.studies)]
    sweeps = [protocol.sensitivity[name] for name in profile.sensitivity]
    for dataset in protocol.needed_datasets(profile.name):
        for part, spec in parts:
            for method in spec.methods if dataset in spec.datasets else ():
                grid = {**protocol.methods[method].grid, **profile.grid.get(method, {}),
                        **spec.grid.get(method, {})}
                points = [dict(zip(grid, values)) for values in itertools.product(*grid.values())]
                yield dataset, method, part, True, points, spec.n_runs or profile.n_runs
        for sweep in sweeps:
            if dataset in sweep.datasets:
                yield dataset, sweep.method, sweep.id, False, sweep.points(), profile.n_runs


def fixed_params(protocol, profile, method):
    """Parameters of a method that do not belong to its grid, in a profile (a ``Profile``)."""
    return {**protocol.methods[method].params, **profile.params.get(method, {})}


def shown_params(protocol, profile, method, point):
    """The ``params`` column: grid parameters, and any other that departs from its fixed value."""
    fixed, grid = fixed_params(protocol, profile, method), protocol.methods[method].grid
    return canonical({name: value for name, value in point.items()
                      if name in grid or name not in fixed or fixed[name] != value})


def _jobs(protocol, profile, dataset, method, part, in_grid, points, n_runs):
    spec, how = protocol.datasets[dataset], protocol.methods[method]
    loader_params = {**spec.params, **profile.loader_params.get(dataset, {})}
    fixed = fixed_params(protocol, profile, method)
    try:
        cls = resolve_estimator(how.estimator)
    except (ValueError, ImportError, AttributeError) as error:
        raise ProtocolError(f"methods.{method}.estimator = {how.estimator!r}: {error}") from error
    for parameter in {**fixed, **points[0]}:
        check_option(f"methods.{method}: parameter of {how.estimator}", parameter, cls._get_param_names(),
                     ProtocolError)
    common = {"paper": protocol.paper, "dataset": dataset, "published": spec.published, "loader": spec.loader,
              "loader_params": loader_params, "method": method, "estimator": how.estimator, "part": part,
              "in_grid": in_grid, "keep": tuple(how.keep),
              "keep_history": how.keep_history, "measures": tuple(protocol.measures),
              **_data_facts(spec.loader, loader_params)}
    for point in points:
        shown, params = shown_params(protocol, profile, method, point), {**fixed, **point}
        version = present_version(algorithm(how.estimator, params))
        for run in range(1 if how.deterministic else n_runs):
            seed = seed_for(protocol.root_seed, protocol.paper, dataset, run)
            yield Job(**common, params=params, algorithm_version=version, shown=shown, run=run, seed=seed)


def _data_facts(loader, params):
    try:
        data, sha = load_dataset(loader, params)
    except FetchError as error:
        return {"data_sha": "", "unavailable": str(error), "edition": str(params.get("edition", ""))}
    tasks = ("",) if data.kind == "multiview" else (*(str(t + 1) for t in range(len(data.Xs))), "avg")
    return {"data_sha": sha, "edition": data.edition, "tasks": tasks}
