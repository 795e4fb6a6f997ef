"""One thread: for every library, whenever it was loaded, and at no cost worth speaking of."""

import os
import platform
import subprocess
import sys
import textwrap
import warnings
from concurrent.futures import ThreadPoolExecutor
from threading import Event

import numpy as np
import pytest
from sklearn.cluster import KMeans
from structure import ROOT
from threadpoolctl import threadpool_info, threadpool_limits

from mtclib.__main__ import KERNELS
from mtclib.core.starts import kmeans_once

# scipy's reader of Matrix Market files has threads of its own, and is loaded when it is first used.
LOADED_LATER = """
    import io
    from threadpoolctl import threadpool_info, threadpool_limits
    from mtclib.core.starts import one_thread

    def threads():
        return {library["prefix"]: library["num_threads"] for library in threadpool_info()}

    with one_thread():
        before = threads()
    from scipy.io import mmread
    mmread(io.BytesIO(b"%%MatrixMarket matrix array real general\\n1 1\\n5\\n"))
    with threadpool_limits(limits=2):
        assert "_fmm_core" not in before and threads()["_fmm_core"] == 2
        with one_thread():
            assert set(threads().values()) == {1}, threads()
        assert set(threads().values()) == {2}, threads()
"""


def test_a_library_that_is_loaded_after_the_first_limit_is_limited_too():
    command = [sys.executable, "-c", textwrap.dedent(LOADED_LATER)]
    found = subprocess.run(command, capture_output=True, text=True)
    assert found.returncode == 0, found.stderr


def test_tests_run_with_the_kernels_of_the_committed_results():
    kernels = {library.get("architecture") for library in threadpool_info() if library["user_api"] == "blas"}
    if platform.machine().lower() in ("x86_64", "amd64"):
        assert kernels <= {os.environ["OPENBLAS_CORETYPE"]}
    loops = np.show_config(mode="dicts")["SIMD Extensions"]
    assert not {*KERNELS["NPY_DISABLE_CPU_FEATURES"].split()} & {*loops.get("found", ())}


@pytest.mark.parametrize("start", ["runpy.run_module('mtclib', run_name='__main__', alter_sys=True)",
                                   "import benchmarks; raise ImportError"])
def test_the_command_line_and_benchmarks_choose_the_kernels_before_numpy_is_loaded(start):
    code = ("import os, runpy, sys\n"
            "sys.modules['mtclib.companion.cli'] = None  # cannot be imported\n"
            f"try:\n    {start}\n"
            "except ImportError:\n"
            "    print('numpy' in sys.modules, *map(os.environ.get, sorted(os.environ.keys() & KERNELS)))")
    environment = {name: value for name, value in os.environ.items() if name not in KERNELS}
    command = [sys.executable, "-c", code.replace("KERNELS", repr({*KERNELS}))]
    found = subprocess.run(command, capture_output=True, text=True, env=environment, cwd=ROOT)
    assert found.stdout.split() == ["False", "X86_V4", "AVX512_ICL", "AVX512_SPR", "Haswell"], found.stderr
    # The Makefile, too, has them for what is not started by this command.
    assert all(value in (ROOT / "Makefile").read_text(encoding="utf-8") for value in KERNELS.values())


def test_threads_that_leave_in_the_order_they_came_put_back_what_was(monkeypatch):
    def blas():
        return {library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"}

    second_came, first_left = Event(), Event()

    def fit(model, X):
        (second_came.wait if model.random_state == 1 else second_came.set)()
        assert model.random_state == 1 or first_left.wait(9)
        assert blas() == {1}

    monkeypatch.setattr(KMeans, "fit", fit)
    before = list(warnings.filters)
    with threadpool_limits(limits=2), ThreadPoolExecutor(2) as pool:
        first, second = (pool.submit(kmeans_once, np.eye(3), 2, seed) for seed in (1, 2))
        first.add_done_callback(lambda _: first_left.set())
        assert first.result() == second.result()
        assert (blas(), warnings.filters) == ({2}, before)
