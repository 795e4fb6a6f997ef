"""Estimators that learn tasks one by one and keep libraries alone: fitting, asking, saving, loading.

``Libraries`` is what such a method keeps between tasks.  One file without pickles takes it over a restart.
"""

import json
import os
import zipfile
from dataclasses import dataclass, field, replace
from numbers import Integral

import numpy as np
from sklearn.exceptions import NotFittedError

from mtclib.core.base import Fit, LifelongClusterer, spawn_seeds, summed, tell_empty
from mtclib.core.checks import (
    aligned,
    check_n_clusters,
    check_number,
    check_same_views,
    check_sequence,
    check_views,
    column_names,
)
from mtclib.core.errors import MtclibError
from mtclib.core.paths import digest, replacing
from mtclib.core.shield import check_finite, shield
from mtclib.core.starts import best_kmeans

FORMAT = "mtclib lifelong libraries"
FORMAT_VERSION = 1
PARTS = ("basis", "embedding", "spectral", "coclustering")
WIDE = ("embedding", "coclustering")  # a row for each feature, not for each cluster


class StateFileError(MtclibError, ValueError):
    """A file that holds no usable libraries: damaged, of another kind, or of another format version."""


@dataclass
class Libraries:
    """The knowledge of LMSC: libraries and sums over tasks, no sample and nothing of the size of a task."""

    n_tasks: int = 0  # tasks learned
    basis: list = field(default_factory=list)  # B_v (k, k), orthogonal
    embedding: list = field(default_factory=list)  # L_v (d_v, k), with orthonormal columns
    fusion: np.ndarray | None = None  # D (k, k), orthogonal
    weights: list = field(default_factory=list)  # alpha_v
    spectral: list = field(default_factory=list)  # the paper's M_v (k, k), the sum of E^T K E over the tasks
    coclustering: list = field(default_factory=list)  # the paper's C_v (d_v, k), lambda sum X-hat E

    @property
    def n_features(self):
        """Features of each view, list of int; empty before the first task."""
        return [L.shape[0] for L in self.embedding]

    @property
    def nbytes(self):
        """Bytes of all arrays."""
        return sum(array.nbytes for array in self.arrays().values())

    def arrays(self):
        """All arrays by name, e.g. 'basis/0'."""
        found = {f"{part}/{v}": array for part in PARTS for v, array in enumerate(getattr(self, part))}
        return {**found, "fusion": self.fusion, "weights": np.asarray(self.weights)} if self.n_tasks else {}


def save_libraries(path, libraries, header):
    """Write the libraries of at least one task to one npz file, all of it or nothing.  A file of that name is
    replaced.  ``header`` is what else is needed to go on; ``ValueError`` if JSON has no form for it."""
    header = {"format": FORMAT, "version": FORMAT_VERSION, "n_tasks": libraries.n_tasks, **header}
    try:
        text = json.dumps(header, sort_keys=True, allow_nan=False, default=lambda value: value.tolist())
    except (AttributeError, TypeError, ValueError) as error:
        raise ValueError(f"the parameters cannot be saved ({error}); use numbers and named options, no "
                         f"callables or generators") from error
    arrays = {name: np.asarray(array, dtype=np.result_type(array, np.float64))
              for name, array in libraries.arrays().items()}
    members = {"header": np.frombuffer(text.encode(), dtype=np.uint8), **arrays}
    with replacing(path) as partial, open(partial, "wb") as file:
        np.savez(file, digest=np.array(digest(members)), **members)
        file.flush()
        os.fsync(file.fileno())


def load_libraries(path):
    """Libraries and header from a file of :func:`save_libraries`; ``FileNotFoundError`` if there is none.
    ``StateFileError`` if it is damaged, no file of libraries, or of another format version."""
    try:
        if os.path.exists(path) and not os.path.isfile(path):  # a pipe would be waited for
            raise ValueError("it is no file")
        with open(path, "rb") as file:
            if not zipfile.is_zipfile(file):  # numpy would advise to load it unsafely
                raise ValueError("it is no npz archive")
        with np.load(path, allow_pickle=False) as file:
            members = {name: np.asarray(file[name]) for name in file.files}  # what is no array comes as bytes
        written = str(members.pop("digest"))
        header = json.loads(members["header"].tobytes())
        found = header["format"], header["version"]
    except (FileNotFoundError, PermissionError):
        raise
    except Exception as error:  # damaged archives make zipfile and numpy raise almost anything
        raise StateFileError(f"{path} is damaged or holds no libraries ({type(error).__name__}: {error}); "
                             f"load another copy, or learn the tasks again") from error
    if found != (FORMAT, FORMAT_VERSION):
        raise StateFileError(f"{path} has the format {found[0]!r}, version {found[1]!r}, but this mtclib "
                             f"reads {FORMAT!r}, version {FORMAT_VERSION}; use the mtclib that wrote it, or "
                             f"learn the tasks again")
    if written != digest(members):
        raise StateFileError(f"{path} is damaged: its content does not match its checksum; load another "
                             f"copy, or learn the tasks again")
    # Whoever can write the file can write its checksum.
    try:
        return _libraries(header.pop("n_tasks"), members), _checked(header)
    except (KeyError, TypeError, ValueError, IndexError) as error:
        raise StateFileError(f"{path} holds no libraries that {FORMAT!r} allows ({type(error).__name__}: "
                             f"{error}); load another copy, or learn the tasks again") from error


def _libraries(n_tasks, members):
    n_views, rank = len(members["weights"]), len(members["fusion"])
    parts = {part: [members[f"{part}/{v}"] for v in range(n_views)] for part in PARTS}
    found = Libraries(n_tasks, **parts, fusion=members["fusion"], weights=members["weights"].tolist())
    check_number("n_tasks", n_tasks, low=1, integer=True)
    shapes = {"weights": (n_views,), "fusion": (rank, rank)}
    for v, d in enumerate(found.n_features):
        shapes |= {f"{part}/{v}": (d if part in WIDE else rank, rank) for part in PARTS}
    for name, array in members.items():
        if name == "header":
            continue
        if array.shape != shapes[name] or array.dtype.kind not in "fc" or not np.isfinite(array).all():
            raise ValueError(f"{name} has the shape {array.shape} and the type {array.dtype}, not "
                             f"{shapes[name]} and finite numbers")
    return found


def _checked(header):
    if not isinstance(header["parameters"], dict):
        raise TypeError("the parameters are no table")
    check_number("entropy", header["entropy"], low=0, integer=True)
    for part in header.setdefault("features", []):  # names, or their number; the first files have none
        if not (isinstance(part, list) and part and all(isinstance(name, str) for name in part)):
            check_number("features", part, low=1, integer=True)
    return header


class LibraryClusterer(LifelongClusterer):
    """Common to the methods with libraries.  A subclass implements ``_task(views, k, seed, past)``, which
    gives a :class:`mtclib.lmsc.Task`, and ``_represent(task)``, which gives what k-means sees."""

    def fit(self, Xs, y=None):
        """Forget everything and learn a list of tasks, one after the other.

        Raises and warns as ``fit`` of any estimator does; one task that stopped at ``max_iter`` is enough.

        Parameters
        ----------
        Xs : list of list of {ndarray, CSR array} of shape (n_t, d_v), nonnegative
            ``Xs[t][v]`` is view v of task t.
        y : None
            Ignored.

        Returns
        -------
        self
        """
        with self._plain_parameters():
            Xs, n_clusters = self._read(Xs)
            self._forget()
            self._entropy = spawn_seeds(self.random_state, 1)[0]
            with shield(self, Xs):
                fits = [self._learn(self._views_of(views), n_clusters[0], self._at_arrival) for views in Xs]
                self._store(replace(fits[-1], labels=self._labels(fits, n_clusters[0]),
                                    objective=summed([fit.objective for fit in fits]),
                                    converged=all(fit.converged for fit in fits)))
        self.histories_ = [np.asarray(fit.objective) for fit in fits]
        return self

    def partial_fit(self, Xs, y=None):
        """Learn one more task from the libraries, and the libraries from it.

        Parameters
        ----------
        Xs : list of {ndarray, CSR array} of shape (n, d_v), nonnegative
            The views of the task: the same views with the same features as in the first task.
        y : None
            Ignored.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            As in ``fit``, and if the views do not fit to the libraries.
        NumericalError
            As in ``fit``; the libraries stay as they were.
        """
        with self._plain_parameters():
            views, k = self._check_task(Xs)
            if not hasattr(self, "libraries_"):
                self._entropy = spawn_seeds(self.random_state, 1)[0]
                self._note_features([Xs])
            with shield(self, views):
                self._store(self._learn(views, k))
        self.__dict__.pop("histories_", None)
        return self

    def predict(self, Xs):
        """Cluster a task with the libraries as they are; nothing is learned.

        Parameters
        ----------
        Xs : list of {ndarray, CSR array} of shape (n, d_v), nonnegative
            The views of a task, an earlier or a new one.

        Returns
        -------
        ndarray of shape (n,), int

        Raises
        ------
        NotFittedError
            Before the first task.
        ValueError
            If the views do not fit to the libraries.
        """
        self._needs_a_task()
        with self._plain_parameters():
            views, k = self._check_task(Xs)
            with shield(self, views):
                task = self._task(views, k, self._seeds(0)[0], self.libraries_)
                task.run(task.represent)
                return self._cluster(self._represent(task), k, 0)

    def save(self, path):
        """Write libraries and parameters to one file, so that ``load`` can go on with the next task.

        Parameters
        ----------
        path : str or Path
            An npz archive without pickled objects; replaced if it exists, all at once.

        Raises
        ------
        NotFittedError
            Before the first task.
        ValueError
            If a parameter cannot be written, such as a callable ``affinity``.
        """
        self._needs_a_task()
        parameters = self.get_params()
        if not isinstance(parameters["random_state"], Integral):
            parameters["random_state"] = None  # it has been drawn from; what it gave is the entropy
        save_libraries(path, self.libraries_, {
            "estimator": type(self).__name__, "parameters": parameters, "entropy": self._entropy,
            "features": [own or d for d, own in zip(self.n_features_in_[0], self._columns)]})

    @classmethod
    def load(cls, path):
        """An estimator that goes on where the saved one stopped, with the same results bit for bit.

        Parameters
        ----------
        path : str or Path
            Written by ``save``.

        Returns
        -------
        estimator
            With libraries; ``labels_`` come with the next task.

        Raises
        ------
        FileNotFoundError
            There is no such file.
        StateFileError
            The file is damaged, of another kind, or of another format version.
        ValueError
            It is the file of another estimator.
        """
        libraries, header = load_libraries(path)
        if header["estimator"] != cls.__name__:
            raise ValueError(f"{path} holds libraries of {header['estimator']}; load it with "
                             f"{header['estimator']}.load")
        try:
            model = cls(**header["parameters"])
            model._check_parameters()
        except (TypeError, ValueError) as error:
            raise StateFileError(f"{path} has parameters that no {cls.__name__} has ({error}); load another "
                                 f"copy, or learn the tasks again") from error
        model._entropy = header["entropy"]
        model._publish(libraries)
        model._columns = [part if isinstance(part, list) else [] for part in header["features"]]
        if features := header["features"]:
            model.n_features_in_ = [[len(part) if isinstance(part, list) else part for part in features]]
        if any(model._columns):
            model.feature_names_in_ = [[np.array(names, dtype=object) if names else None
                                        for names in model._columns]]
        return model

    def _note_features(self, Xs):
        super()._note_features(Xs)
        # Numbers name columns, too; an array has no names.
        self._columns = [list(map(str, column_names(X))) for X in Xs[0]]

    def _needs_a_task(self):
        if not hasattr(self, "libraries_"):
            raise NotFittedError(f"this {type(self).__name__} has no libraries yet; call partial_fit with "
                                 f"the views of a first task, or fit with a list of tasks")

    def _forget(self):
        for name in [name for name in vars(self) if name.endswith("_") and not name.endswith("_in_")]:
            delattr(self, name)

    # Whether a task gets its labels when it is learned, and keeps them.
    _at_arrival = True

    def _labels(self, fits, k):
        """The labels of all tasks after the last one."""
        return [fit.labels for fit in fits]

    def _cluster(self, Z, k, place):
        """Labels of the rows of Z, of the task at a place in the sequence; place 0 is for asking again."""
        return best_kmeans(Z, k, self._seeds(place), seeding=self.seeding).labels_.astype(np.intp)

    def _views_of(self, views):
        """The views that are used."""
        return views

    def _check_input(self, Xs):
        Xs = check_sequence(Xs, nonnegative=self.negative == "refuse")
        return Xs, check_n_clusters(self.n_clusters, [views[0] for views in Xs], same_for=type(self).__name__)

    def _check_task(self, Xs):
        """Views and number of clusters of one task that must fit to the libraries."""
        (Xs,) = aligned([Xs], "lifelong") or [Xs]
        views = check_views(Xs, nonnegative=self.negative == "refuse")
        for v, (X, names) in enumerate(zip(Xs, self._columns if hasattr(self, "libraries_") else ())):
            if names and (own := list(map(str, column_names(X)))) and own != names:
                raise ValueError(f"Xs[{v}] has other columns than in the first task, or in another order; "
                                 f"pass them in its order, which begins with {', '.join(names[:9])}")
        views = self._views_of(views)
        k, n = self._one_n_clusters(), views[0].shape[0]
        if k > n:
            raise ValueError(f"n_clusters is {k} but the task has only {n} sample(s); gather more samples "
                             f"before you pass the task, or ask for fewer clusters from the first task on")
        libraries = getattr(self, "libraries_", None)
        if libraries is not None:
            parts = 1 if self.negative == "refuse" else 2
            check_same_views(views, [d // parts for d in libraries.n_features], "Xs", "the first task")
            if self._rank(k) != len(libraries.fusion):
                raise ValueError(f"n_clusters is {k} but the libraries were learned with "
                                 f"{len(libraries.fusion)}; set it back, or start anew with fit")
        return views, k

    def _rank(self, k):
        """Columns of the libraries."""
        return k

    def _one_n_clusters(self):
        many = isinstance(self.n_clusters, (list, tuple)) or getattr(self.n_clusters, "ndim", 0) == 1
        ks = list(self.n_clusters) if many else [self.n_clusters]
        for k in ks:
            check_number("n_clusters", k, low=1, integer=True)
        if len(set(ks)) != 1:
            raise ValueError(f"n_clusters must be the same integer for all tasks; got {self.n_clusters!r}")
        return int(ks[0])

    def _seeds(self, place):
        sequence = np.random.SeedSequence([self._entropy, place])
        return spawn_seeds(int(sequence.generate_state(1)[0]), self.n_init)

    def _learn(self, Xs, k, labelled=True):
        """One task: learned, counted into the libraries, clustered."""
        past = getattr(self, "libraries_", Libraries())
        place = past.n_tasks + 1
        if isinstance(getattr(self, "affinity", None), str):
            tell_empty(Xs, "view", f"in task {place} their place in the embedding is zero")
        task = self._task(Xs, k, self._seeds(place)[0], past)
        history, converged = task.run()
        Z, libraries = self._represent(task), task.libraries()
        check_finite("objective_ or libraries_", (history, libraries))
        labels = self._cluster(Z, k, place) if labelled else None
        self._publish(libraries)
        return Fit(labels, history, converged, {"task_embeddings_": task.Es, "representation_": Z})

    def _publish(self, libraries):
        self.libraries_, self.n_tasks_ = libraries, libraries.n_tasks
        self.basis_, self.embedding_ = libraries.basis, libraries.embedding
        self.fusion_, self.weights_ = libraries.fusion, libraries.weights
