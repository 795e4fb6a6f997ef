"""Protocol files: a paper's experiment as data.

A protocol names data sets, methods with their grids, profiles (how much of it to run), studies (further
data sets and methods beside the paper's own) and sensitivity sweeps.  See ``data/mtcmrl/protocol.toml``.
"""

import difflib
import tomllib
from dataclasses import MISSING, dataclass, field, fields, replace
from pathlib import Path

from mtclib.companion.runs.measures import MEASURES
from mtclib.core import paths


class ProtocolError(ValueError):
    """A protocol file says something that cannot be run; the message names the entry and the remedy."""


@dataclass(frozen=True)
class DatasetSpec:
    """One data set of a protocol.

    Parameters
    ----------
    id : str
        Name in the ``dataset`` column of results.
    loader : str
        Name for :func:`mtclib.datasets.load`, or ``"package.module:function"``.
    params : dict
        Keyword arguments of the loader.
    published : str
        Name of the data set in ``published.csv``; empty where the paper prints nothing for it.
    pool : str
        Name under which this data set's runs count as further runs of one: a split, or a draw, of several.
    not_run, unavailable : str
        Why the data set is not run yet, or cannot be had; such a data set needs no loader.
    note : str
    """

    id: str
    loader: str = ""
    params: dict = field(default_factory=dict)
    published: str = ""
    pool: str = ""
    not_run: str = ""
    unavailable: str = ""
    note: str = ""


@dataclass(frozen=True)
class MethodSpec:
    """One method of a protocol, under its printed name.

    Parameters
    ----------
    name : str
        As in the paper's tables.
    estimator : str
        Name for :func:`mtclib.baselines.registry.estimator`, or ``"package.module:Class"``.
    params : dict
        Parameters that stay fixed.
    grid : dict of str to list
        Parameters that are searched, with their values.
    default : dict
        One point of the grid: what a user without labels would take.
    deterministic : bool
        Run once, whatever the number of runs.
    keep : list of str
        Fitted attributes to store with the labels.
    keep_history : bool
        Export the objective history with the committed results.
    note : str
    """

    name: str
    estimator: str
    params: dict = field(default_factory=dict)
    grid: dict = field(default_factory=dict)
    default: dict = field(default_factory=dict)
    deterministic: bool = False
    keep: list = field(default_factory=list)
    keep_history: bool = False
    note: str = ""


@dataclass(frozen=True)
class Profile:
    """How much of a protocol to run.

    Parameters
    ----------
    name : str
    n_runs : int
        Runs (seeds) of each grid point.
    datasets, methods : list of str
    studies, sensitivity : list of str
        Studies and sweeps to add.
    loader_params, params, grid : dict of str to dict
        Changes to a data set's loader parameters, a method's fixed parameters and a method's grid.
    """

    name: str
    n_runs: int
    datasets: list
    methods: list
    studies: list = field(default_factory=list)
    sensitivity: list = field(default_factory=list)
    loader_params: dict = field(default_factory=dict)
    params: dict = field(default_factory=dict)
    grid: dict = field(default_factory=dict)


@dataclass(frozen=True)
class Study:
    """Further data sets and methods, run beside the paper's own tables.

    Parameters
    ----------
    id : str
    datasets, methods : list of str
    grid : dict of str to dict
        Changes to a method's grid, after those of the profile.
    n_runs : int
        At most so many runs; 0 for as many as the profile has.
    note : str
    """

    id: str
    datasets: list
    methods: list
    grid: dict = field(default_factory=dict)
    n_runs: int = 0
    note: str = ""


@dataclass(frozen=True)
class Sweep:
    """A sensitivity figure: one parameter at a time moves away from a base point.

    Parameters
    ----------
    id : str
    method : str
    datasets : list of str
    base : dict
        Value of every swept parameter while another one moves.
    sweep : dict of str to list
        Values of each parameter.
    note : str
    """

    id: str
    method: str
    datasets: list
    base: dict
    sweep: dict
    note: str = ""

    def points(self):
        """Yield ``(parameter, value, point)``, the point being ``base`` with that one value."""
        for name, values in self.sweep.items():
            for value in values:
                yield name, value, {**self.base, name: value}


@dataclass(frozen=True)
class Protocol:
    """A paper's experiment.

    Parameters
    ----------
    paper, title : str
    root_seed : int
        All seeds come from it.
    datasets, methods, profiles, studies, sensitivity : dict
        Specifications by name, in the order of the file.
    measures : list of str
        Keys of :data:`mtclib.companion.runs.measures.MEASURES` to compute for every fit.
    printed_runs : int
        Runs behind each printed mean, where that is not the full profile's number of runs.
    task_sizes : dict of str to int
        Samples of each task of a printed data set, where the paper prints none: inferred.
    printed_tasks : dict of str to int
        How many tasks of a printed data set the tables show, where there are more; averages are over these.
    """

    paper: str
    title: str
    root_seed: int
    datasets: dict
    methods: dict
    profiles: dict
    studies: dict = field(default_factory=dict)
    sensitivity: dict = field(default_factory=dict)
    measures: list = field(default_factory=list)
    printed_runs: int = 0
    task_sizes: dict = field(default_factory=dict)
    printed_tasks: dict = field(default_factory=dict)

    def profile(self, name):
        """The profile called ``name``; :class:`ProtocolError` with close matches otherwise."""
        return _known(self.profiles, name, f"protocol {self.paper}", "profile")

    @property
    def n_published(self):
        """Runs behind each printed mean."""
        return self.printed_runs or self.profile("full").n_runs

    @property
    def defaults(self):
        """Dict from method to its fixed default point (empty for a method without a grid)."""
        return {name: dict(method.default) for name, method in self.methods.items()}

    def with_runs(self, n_runs):
        """A copy in which every profile has ``n_runs`` runs."""
        if not isinstance(n_runs, int) or isinstance(n_runs, bool) or n_runs < 1:
            raise ProtocolError(f"n_runs must be an integer >= 1, not {n_runs!r}")
        profiles = {name: replace(profile, n_runs=n_runs) for name, profile in self.profiles.items()}
        return replace(self, profiles=profiles)


def load_protocol(paper):
    """Read a protocol file.

    Parameters
    ----------
    paper : str or Path
        A paper's short name (``data/<paper>/protocol.toml``) or the path of a TOML file.

    Returns
    -------
    Protocol

    Raises
    ------
    ProtocolError
        No such file, not TOML, an unknown key, or a name that is used but not defined.

    Examples
    --------
    >>> protocol = load_protocol("mtcmrl")
    >>> protocol.methods["MTCMRL"].grid["lam"]
    [0.25, 0.5, 1.0, 2.0, 4.0]
    """
    path = Path(paper)
    if path.suffix != ".toml":
        known = {name: paths.paper_dir(name) / "protocol.toml" for name in paths.papers()}
        path = _known(known, str(paper), "data/<paper>/protocol.toml", "protocol")
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ProtocolError(f"there is no protocol file {path}") from None
    except tomllib.TOMLDecodeError as error:
        raise ProtocolError(f"{path.name} is not valid TOML: {error}") from None
    return parse_protocol(table, path.name)


def parse_protocol(table, where="protocol"):
    """Protocol from a parsed TOML document (a dict); raises as :func:`load_protocol`."""
    kinds = {"datasets": ("id", DatasetSpec), "methods": ("name", MethodSpec), "profiles": ("name", Profile),
             "studies": ("id", Study), "sensitivity": ("id", Sweep)}
    parts = dict(table)
    for part, (label, cls) in kinds.items():
        entries = _typed(table.get(part, {}), dict, f"{where}: {part}")
        parts[part] = {name: _build(cls, entry, f"{where}: {part}.{name}", **{label: name})
                       for name, entry in entries.items()}
    protocol = _build(Protocol, parts, where)
    _check(protocol, where)
    return protocol


def _build(cls, table, where, **given):
    table = _typed(table, dict, where)
    allowed = {f.name: f for f in fields(cls) if f.name not in given}
    for key in table:
        _known(allowed, key, where, "key")
    for f in allowed.values():
        if f.name not in table and f.default is MISSING and f.default_factory is MISSING:
            raise ProtocolError(f"{where}: the key {f.name!r} is missing")
    values = {key: _typed(value, allowed[key].type, f"{where}.{key}") for key, value in table.items()}
    return cls(**given, **values)


def _typed(value, kind, where):
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        raise ProtocolError(f"{where} must be {kind.__name__}, not {type(value).__name__}")
    return value


def _known(known, name, where, what):
    if name in known:
        return known[name]
    close = difflib.get_close_matches(str(name), list(known), n=3, cutoff=0.5)
    hint = f"did you mean {' or '.join(map(repr, close))}?" if close else f"known are {sorted(known)}"
    raise ProtocolError(f"{where}: unknown {what} {name!r}; {hint}")


def _check(protocol, where):
    for name in protocol.measures:
        _known(MEASURES, name, f"{where}: measures", "measure")
    for name, dataset in protocol.datasets.items():
        if sum(map(bool, (dataset.loader, dataset.not_run, dataset.unavailable))) != 1:
            raise ProtocolError(f"{where}: datasets.{name} needs either a loader or a reason in not_run or "
                                f"unavailable")
    for name, method in protocol.methods.items():
        _check_grid(method.grid, f"{where}: methods.{name}.grid")
        _check_default(method, method.grid, f"{where}: methods.{name}.default")
    for name, study in protocol.studies.items():
        _check_names(protocol, study, f"{where}: studies.{name}")
        _check_changes(protocol, study, f"{where}: studies.{name}")
    for name, sweep in protocol.sensitivity.items():
        _check_sweep(protocol, sweep, f"{where}: sensitivity.{name}")
    for name, profile in protocol.profiles.items():
        _check_profile(protocol, profile, f"{where}: profiles.{name}")


def _check_names(protocol, part, where):
    for name in part.datasets:
        spec = _known(protocol.datasets, name, f"{where}.datasets", "data set")
        if reason := spec.not_run or spec.unavailable:
            raise ProtocolError(f"{where}.datasets: {name!r} is marked as not run ({reason})")
    for name in getattr(part, "methods", ()):
        _known(protocol.methods, name, f"{where}.methods", "method")


def _check_grid(grid, where):
    for name, values in grid.items():
        if not isinstance(values, list) or not values:
            raise ProtocolError(f"{where}.{name} must be a list with at least one value")


def _check_default(method, grid, where):
    if set(method.default) != set(method.grid):
        raise ProtocolError(f"{where} must give a value for each of {sorted(method.grid)}, and no other")
    for name, value in method.default.items():
        if value not in grid[name]:
            raise ProtocolError(f"{where}.{name} = {value!r} is not a point of the grid {grid[name]}")


def _check_sweep(protocol, sweep, where):
    method = _known(protocol.methods, sweep.method, where, "method")
    _check_names(protocol, sweep, where)
    _check_grid(sweep.sweep, f"{where}.sweep")
    if set(sweep.base) != set(sweep.sweep):
        raise ProtocolError(f"{where}.base must give a value for each swept parameter and for nothing else")
    for name in sweep.sweep:
        _known({**method.params, **method.grid}, name, f"{where}.sweep", f"parameter of {method.name}")


def _check_profile(protocol, profile, where):
    if profile.n_runs < 1:
        raise ProtocolError(f"{where}.n_runs must be at least 1, not {profile.n_runs}")
    _check_names(protocol, profile, where)
    for part, known in (("studies", protocol.studies), ("sensitivity", protocol.sensitivity),
                        ("loader_params", protocol.datasets), ("params", protocol.methods)):
        for name in getattr(profile, part):
            _known(known, name, f"{where}.{part}", "name")
    _check_changes(protocol, profile, where)


def _check_changes(protocol, part, where):
    for name, changes in part.grid.items():
        method = _known(protocol.methods, name, f"{where}.grid", "method")
        for parameter in changes:
            _known(method.grid, parameter, f"{where}.grid.{name}", "grid parameter")
        _check_grid(changes, f"{where}.grid.{name}")
        _check_default(method, {**method.grid, **changes}, f"{where}.grid.{name}: methods.{name}.default")
