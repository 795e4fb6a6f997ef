"""Protocol files: a paper's experiment as data.

A protocol names data sets, methods with their grids, profiles (how much of it to run), studies (further
data sets and methods beside the paper's own), sensitivity sweeps and searches for unstated choices.  See
``data/mtcmrl/protocol.toml``.
"""

import tomllib
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, field, fields
from functools import lru_cache
from itertools import chain
from pathlib import Path

from mtclib.companion import schema
from mtclib.companion.parameters import UsageError
from mtclib.companion.runs.measures import MEASURES
from mtclib.core import paths
from mtclib.core.checks import check_option
from mtclib.metrics import SCORES

OPTIONS = {"pipeline": ("fixed", "identified", "released", "variant"), "extent": ("", "in part", "by sizes"),
           "criterion": ("", "log-sd", "distance", "misses"), "stage": ("sizes", "fingerprints", "distances")}


class ProtocolError(UsageError):
    """A protocol file says something that cannot be run; the message names the entry and the remedy."""


def _choose(name, known, where):
    return check_option(where, name, known, ProtocolError)


def _choose_all(names, known, where):
    for name in names:
        _choose(name, known, where)


@dataclass(frozen=True)
class DatasetSpec:
    """One data set of a protocol."""

    id: str  # its name in the ``dataset`` column of results
    loader: str = ""  # for :func:`mtclib.datasets.load`, or "package.module:function"
    params: dict = field(default_factory=dict)
    published: str = ""  # its name among the published numbers; empty where the paper prints none for it
    pool: str = ""  # its runs count as further runs of this one: a split, or a draw, of several
    pipeline: str = "fixed"  # before any run; or by a search, by the authors, beside
    search: str = ""  # with pipeline="identified": the name of the search in [identify.*]
    extent: str = ""  # with pipeline="identified": what was found, or what found it
    scale: dict = field(default_factory=dict)  # by metric: the factor of ours that goes beside print
    rows_of: str = ""  # id of the data set whose stored fits are reused, if only methods differ
    stand_ins: dict = field(default_factory=dict)  # with rows_of: printed method -> ours in its place
    printed_draws: int = 0  # independent draws behind a printed mean on these very data, where they are known
    chosen_by: str = "ACC"  # metric whose mean chooses settings with labels
    note: str = ""

    @property
    def standing(self):
        """Why it stands for the printed one: "fixed", "identified in part"."""
        return f"{self.pipeline} {self.extent}".strip()


@dataclass(frozen=True)
class MethodSpec:
    """One method of a protocol."""

    name: str  # as in the paper's tables
    estimator: str  # for :func:`mtclib.baselines.registry.estimator`, or "package.module:Class"
    params: dict = field(default_factory=dict)  # fixed
    grid: dict = field(default_factory=dict)  # searched: parameter to its values
    default: dict = field(default_factory=dict)  # one point of the grid: what a user without labels takes
    deterministic: bool = False  # run once, whatever the number of runs
    keep: list = field(default_factory=list)  # fitted attributes to store with the labels
    keep_history: bool = False  # export the history of the objective
    note: str = ""


@dataclass(frozen=True)
class Profile:
    """How much of a protocol to run."""

    name: str
    n_runs: int  # seeds of each grid point
    datasets: list
    methods: list
    studies: list = field(default_factory=list)
    sensitivity: list = field(default_factory=list)
    loader_params: dict = field(default_factory=dict)  # changes, by data set
    params: dict = field(default_factory=dict)  # changes to fixed parameters, by method
    grid: dict = field(default_factory=dict)  # changes to the grid, by method


@dataclass(frozen=True)
class StudySpec:
    """Further data sets and methods, run beside the paper's own tables."""

    id: str
    datasets: list
    methods: list
    grid: dict = field(default_factory=dict)  # changes to the grid, by method, after those of the profile
    n_runs: int = 0  # seeds of each grid point; 0 for as many as the profile has
    note: str = ""


@dataclass(frozen=True)
class Sweep:
    """A sensitivity figure: one parameter at a time moves away from a base point."""

    id: str
    method: str
    datasets: list
    base: dict  # value of every swept parameter while another one moves
    sweep: dict  # values of each parameter
    note: str = ""

    def points(self):
        """All points: ``base`` with one value in another's place."""
        return [{**self.base, name: value} for name, values in self.sweep.items() for value in values]


@dataclass(frozen=True)
class SearchSpec:
    """A search for unstated choices by printed cells; see :mod:`mtclib.companion.verdicts.identify`."""

    id: str
    datasets: list
    calibration: list  # printed cells: tables of column and value, each a set of cells
    stage: str = "distances"
    after: str = ""  # an earlier search: only hypotheses that it did not tell apart are tried
    criterion: str = ""  # by default "distance", and "misses" in the stages before
    data: dict = field(default_factory=dict)  # choices: parameters of the loaders; "none" stands for None
    only: dict = field(default_factory=dict)  # the data sets whose loaders have a parameter, if not all
    values: str = ""  # "package.module:function" that gives the values of a data set without fits
    further: dict = field(default_factory=dict)  # choices of that function
    methods: dict = field(default_factory=dict)  # choices for fits: methods that may stand for a printed one
    paired: bool = False  # the first choice of one method goes with the first of the others, and so on
    metrics: dict = field(default_factory=dict)  # metrics that may stand for a printed one
    n_runs: int = 1
    permute_within: list = field(default_factory=list)  # columns of the printed cells
    leave_out: list = field(default_factory=lambda: ["dataset"])  # columns of the printed cells
    n_permutations: int = 2000
    note: str = ""

    def __post_init__(self):
        usual = "distance" if self.stage == "distances" else "misses"
        object.__setattr__(self, "criterion", self.criterion or usual)


@dataclass(frozen=True)
class Protocol:
    """A paper's experiment; its parts by name, in the order of the file."""

    paper: str
    title: str
    root_seed: int  # all seeds come from it
    datasets: dict
    methods: dict
    profiles: dict
    studies: dict = field(default_factory=dict)
    sensitivity: dict = field(default_factory=dict)
    identify: dict = field(default_factory=dict)
    measures: list = field(default_factory=list)  # keys of `MEASURES` to compute for every fit
    own: list = field(default_factory=list)  # methods that the paper proposes, as printed
    position: int = 99  # among the papers, where they are listed
    nmi: str = "arithmetic"  # the mean in the denominator of what is printed as NMI
    printed_runs: int = 0  # behind each printed mean, where not those of the full profile
    printed_splits: int = 0  # of the data behind each printed mean, where each of our runs has its own
    task_sizes: dict = field(default_factory=dict)  # inferred, for printed data sets without them
    printed_tasks: dict = field(default_factory=dict)  # how many tasks are printed, where there are more
    suggested: list = field(default_factory=list)  # methods that had settings "suggested by their authors"
    variants: list = field(default_factory=list)  # endings "METHOD, variant": pipelines of some methods
    variants_of_all: list = field(default_factory=list)  # the same where a method not run so has no score

    def profile(self, name: str) -> Profile:
        """The profile called ``name``; an error with close matches otherwise."""
        return self.profiles[_choose(name, self.profiles, f"profile of protocol {self.paper}")]

    @property
    def n_published(self):
        """Runs behind each printed mean."""
        return self.printed_runs or self.profile("full").n_runs

    @property
    def defaults(self):
        """Dict from method to its fixed default point (empty for a method without a grid)."""
        return {name: dict(method.default) for name, method in self.methods.items()}

    def needed_datasets(self, profile: str) -> dict:
        """Loader and its parameters of each data set of a profile, its studies and its sweeps."""
        chosen = self.profile(profile)
        parts = [chosen, *(self.studies[name] for name in chosen.studies)]
        parts += [self.sensitivity[name] for name in chosen.sensitivity]
        specs = {name: self.datasets[name] for part in parts for name in part.datasets}
        return {name: (spec.loader, {**spec.params, **chosen.loader_params.get(name, {})})
                for name, spec in specs.items()}


def _schema(cls, **parts):
    """The fields of a class as a schema; the name of an entry is not inside of it."""
    inside = fields(cls) if parts else fields(cls)[1:]
    needed = [f.name for f in inside if f.default is MISSING and f.default_factory is MISSING]
    types = {f.name: {"type": schema.TYPES[f.type]} for f in inside}
    options = {name: schema.one_of(OPTIONS[name]) for name in types.keys() & OPTIONS}
    return schema.table(needed, **types | options | parts)


PARTS = {"datasets": DatasetSpec, "methods": MethodSpec, "profiles": Profile, "studies": StudySpec,
         "sensitivity": Sweep, "identify": SearchSpec}
SCHEMA = _schema(Protocol, **{
    part: {"type": "object", "additionalProperties": _schema(cls)} for part, cls in PARTS.items()})


def load_protocol(paper: str | Path) -> Protocol:
    """Read the protocol of a paper, by its short name or the path of a TOML file.

    >>> load_protocol("mtcmrl").methods["MTCMRL"].grid["lam"]
    [0.25, 0.5, 1.0, 2.0, 4.0]
    """
    path = Path(paper)
    if path.suffix != ".toml":
        path = paths.paper_dir(_choose(str(paper), paths.papers(), "protocol")) / "protocol.toml"
    try:
        table = schema.read_toml(path, path.name, ProtocolError)
    except FileNotFoundError:
        raise ProtocolError(f"there is no protocol file {path}") from None
    return parse_protocol(table, path.name)


def parse_protocol(table: Mapping, where: str = "protocol") -> Protocol:
    """Protocol from a parsed TOML document, checked; ``where`` begins the messages."""
    schema.check(table, SCHEMA, where, ProtocolError)
    parts = {part: {name: cls(name, **entry) for name, entry in table.get(part, {}).items()}
             for part, cls in PARTS.items()}
    protocol = Protocol(**{**table, **parts})
    _check(protocol, where)
    return protocol


def our_name(paper: str, metric: str) -> str:
    """Name in ``metrics.SCORES`` of what a paper prints: its "NMI" is one of four, as its protocol says.

    >>> our_name("mbc", "NMI"), our_name("mbc", "ARI")
    ('NMI_geometric', 'ARI')
    """
    path = paths.paper_dir(paper) / "protocol.toml"
    return _nmi(path, path.stat().st_mtime_ns) if metric == "NMI" and path.exists() else metric


@lru_cache
def _nmi(path, _changed):
    return f"NMI_{tomllib.loads(path.read_text(encoding='utf-8')).get('nmi', Protocol.nmi)}"


def _check(protocol, where):
    _choose(f"NMI_{protocol.nmi}", SCORES, f"{where}: nmi")
    _choose_all(protocol.measures, MEASURES, f"{where}: measures")
    _choose_all(protocol.suggested, protocol.methods, f"{where}: suggested")
    for name, dataset in protocol.datasets.items():
        if dataset.pipeline == "identified":
            _choose(dataset.search, protocol.identify, f"{where}: datasets.{name}.search")
        if bool(dataset.loader) == bool(dataset.rows_of):
            raise ProtocolError(f"{where}: datasets.{name} needs either a loader or rows_of")
        if dataset.rows_of:
            _choose(dataset.rows_of, protocol.datasets, f"{where}: datasets.{name}.rows_of")
        stand_ins = (*dataset.stand_ins, *dataset.stand_ins.values())
        _choose_all(stand_ins, protocol.methods, f"{where}: datasets.{name}.stand_ins")
    for name, method in protocol.methods.items():
        _check_grid(method.grid, f"{where}: methods.{name}.grid")
        _check_default(method, method.grid, f"{where}: methods.{name}.default")
    for part, check in (("studies", _check_part), ("sensitivity", _check_sweep),
                        ("identify", _check_search), ("profiles", _check_profile)):
        for name, entry in getattr(protocol, part).items():
            check(protocol, entry, f"{where}: {part}.{name}")


def _check_names(protocol, part, where):
    _choose_all(part.datasets, protocol.datasets, f"{where}.datasets")
    _choose_all(getattr(part, "methods", ()), protocol.methods, f"{where}.methods")


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
    method = protocol.methods[_choose(sweep.method, protocol.methods, f"{where}.method")]
    _check_names(protocol, sweep, where)
    _check_grid(sweep.sweep, f"{where}.sweep")
    if set(sweep.base) != set(sweep.sweep):
        raise ProtocolError(f"{where}.base must give a value for each swept parameter and for nothing else")
    known = {**method.params, **method.grid}
    _choose_all(sweep.sweep, known, f"{where}.sweep: parameter of {method.name}")


def _check_search(protocol, search, where):
    for name in ("n_runs", "n_permutations"):
        if not 1 <= getattr(search, name) <= 10**6:
            raise ProtocolError(f"{where}.{name} must be in 1 .. 1,000,000, not {getattr(search, name)}")
    columns = chain(search.leave_out, search.permute_within, *search.calibration)
    _choose_all(columns, ("table", "dataset", "task", "method", "metric"), f"{where}: column")
    _choose_all(chain(*search.metrics.values()), SCORES, f"{where}.metrics")
    _choose_all(search.only, search.data, f"{where}.only")
    _choose_all(chain(*search.only.values()), search.datasets, f"{where}.only: data set")
    if search.after:
        _choose(search.after, protocol.identify, f"{where}.after")
    if not (search.values or search.methods or search.stage == "sizes"):
        raise ProtocolError(f"{where} needs methods to fit, or values, or the stage \"sizes\"")
    _check_names(protocol, search, where)
    stands = {spec.published: spec.id for spec in map(protocol.datasets.get, search.datasets) if spec.loader}
    if "" in stands or len(stands) < len(search.datasets):
        raise ProtocolError(f"{where}.datasets: each must have a loader, and printed numbers that no other "
                            f"of them stands for; what competes for the same numbers is a choice in [data]")
    for choices in (search.data, search.further, search.methods, search.metrics):
        _check_grid(choices, where)
    for name in (method for stands in search.methods.values() for method in stands):
        if protocol.methods[_choose(name, protocol.methods, f"{where}.methods")].grid:
            raise ProtocolError(f"{where}.methods: {name!r} has a grid; calibrate on rows without one")


def _check_profile(protocol, profile, where):
    if profile.n_runs < 1:
        raise ProtocolError(f"{where}.n_runs must be at least 1, not {profile.n_runs}")
    _check_part(protocol, profile, where)
    for part, known in (("studies", protocol.studies), ("sensitivity", protocol.sensitivity),
                        ("loader_params", protocol.datasets), ("params", protocol.methods)):
        _choose_all(getattr(profile, part), known, f"{where}.{part}")


def _check_part(protocol, part, where):
    _check_names(protocol, part, where)
    for name, changes in part.grid.items():
        method = protocol.methods[_choose(name, protocol.methods, f"{where}.grid")]
        _choose_all(changes, method.grid, f"{where}.grid.{name}")
        _check_grid(changes, f"{where}.grid.{name}")
        _check_default(method, {**method.grid, **changes}, f"{where}.grid.{name}: methods.{name}.default")
