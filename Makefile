# `make app` and `make test` do all the set-up they need; `make` alone lists the commands.

PYTHON  ?= python3
VENV    := .venv
LOWEST  := .lowest
PY      := $(VENV)/bin/python
READY   := $(VENV)/.ready
SERVES  := $(VENV)/.serves
PORT    ?= 5006
WORKERS ?= 2
ARGS    ?=
RUNS    ?= 10
BENCH   ?= $(filter-out benchmarks/_%,$(sort $(wildcard benchmarks/*.py)))

# Compiled sources save each of the many processes of a run or a test from compiling them again.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help env warm app desktop browsers test lint format types size figures outputs bench coverage mutants fuzz truth notebook docs pictures lock sbom audit chromium flaky clean wheel profile hooks kernels lowest

help:  ## List the commands
	@sed -n 's/^\([a-z-]*\):.*##  *\(.*\)/  make \1	\2/p' $(MAKEFILE_LIST) | expand -t 18

# --- Set-up ---------------------------------------------------------------------------------

env: $(READY)  ## Build .venv with everything in it, at the versions of requirements.lock

$(READY): requirements.lock pyproject.toml | $(PY)
	@tools/install $(PY) requirements.lock
	@touch $@ $(SERVES)

# What the dashboard needs, at the same versions; `make env` brings the rest.
$(SERVES): requirements-app.lock pyproject.toml | $(PY)
	@tools/install $(PY) requirements-app.lock
	@touch $@

# Before tests, which would all compile the same; the dashboard compiles beside its page.
warm: env
	@$(PY) -m ccviz.runs.warm

$(PY):
	@command -v $(PYTHON) >/dev/null || tools/apt-install "Python is missing" python3
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "ccviz: Python 3.11 or newer is needed, and $(PYTHON) is $$($(PYTHON) --version)." >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || \
		tools/apt-install "Python's venv module is missing" python3-venv
	@$(PYTHON) -m venv $(VENV)

chromium: env
	@command -v chromium >/dev/null || command -v google-chrome >/dev/null || tools/apt-install \
		"the browser tests need Chromium" chromium chromium-headless-shell fonts-dejavu-core
	@$(PY) -m playwright --version >/dev/null 2>&1 || \
		tools/apt-install "the driver of the browser tests lacks a library" libatomic1

# The other browser that handouts are tested in, and the screen on which the window opens.
browsers: chromium
	@command -v firefox-esr >/dev/null || command -v firefox >/dev/null || \
		tools/apt-install "the tests of handouts need Firefox" firefox-esr
	@command -v Xvfb >/dev/null || tools/apt-install "the test of the window needs a screen" xvfb

# The locks name no index: uv resolves every dependency for all platforms, with hashes, and then
# once more those of the dashboard alone, to the same versions.
UV_LOCK = $(VENV)/bin/uv pip compile pyproject.toml --universal --fork-strategy fewest \
	--generate-hashes --no-emit-index-url --custom-compile-command "make lock" --quiet

lock: $(if $(wildcard $(VENV)/bin/uv),,env)  ## Resolve the dependencies of pyproject.toml again
	@$(UV_LOCK) --extra all --output-file requirements.lock $(ARGS)
	@$(UV_LOCK) --extra app --extra setup --constraint requirements.lock --annotation-style line \
		--output-file requirements-app.lock

# cyclonedx-bom and pip-audit are needed here only, and so are not in the lock.
UV_WITH = $(VENV)/bin/uv run --quiet --no-project --python $(PY) --with

sbom: env  ## Write the bill of materials (CycloneDX) of requirements.lock to dist/sbom.json
	@mkdir -p dist
	@PYTHONWARNINGS=ignore $(UV_WITH) cyclonedx-bom==7.5.0 cyclonedx-py requirements \
		--pyproject pyproject.toml --output-reproducible --output-file dist/sbom.json requirements.lock
	@echo "dist/sbom.json: $$(grep -c '"purl"' dist/sbom.json) packages, with their hashes"

audit: env  ## Look the packages of requirements.lock up in an advisory database
	@$(UV_WITH) pip-audit==2.10.1 python tools/audit.py requirements.lock

clean:  ## Remove .venv and every cache
	rm -rf $(VENV) $(LOWEST) ccviz/packs build dist docs/_build docs/_api docs/notebooks docs/gallery test-results .hypothesis .mypy_cache .pytest_cache .ruff_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# --- Use ------------------------------------------------------------------------------------

app: $(SERVES)  ## Serve the dashboard at http://localhost:5006 (PORT=... to move it, ARGS=... for options)
	$(VENV)/bin/ccviz app --port $(PORT) $(ARGS)

desktop: $(SERVES)  ## Open the dashboard in a window of its own (ARGS=FILE to open a file)
	$(VENV)/bin/ccviz desktop $(ARGS)

notebook: env  ## Open the notebooks in JupyterLab
	$(PY) -m jupyterlab notebooks $(ARGS)

docs: env  ## Build the documentation into docs/_build/html
	$(PY) -m sphinx -W --keep-going -b html docs docs/_build/html $(ARGS)

outputs: env  ## Run the notebooks and store small outputs in them (ARGS="01 10" for some)
	$(PY) docs/notebook_pictures.py $(ARGS)

pictures: chromium  ## Make the pictures of README and docs from the real page (ARGS="tour tree" for some)
	$(PY) docs/pictures.py $(ARGS)

kernels: env  ## Compile the kernels that the next wheel brings (minutes), for this Python and system
	$(PY) tools/pack_kernels.py $(ARGS)

wheel: $(SERVES)  ## Build a wheel into dist/, with the kernels of `make kernels` if there are any
	$(PY) -m hatchling build -t wheel $(ARGS)

profile: env  ## Say where a solve spends its time (ARGS="data.csv -k 3 --solver sdp")
	$(PY) -m pyinstrument $(VENV)/bin/ccviz solve $(or $(ARGS),iris -k 3 --solver sdp --no-archive)

# --- Checks ---------------------------------------------------------------------------------

test: browsers lint types warm  ## Lint, check types and run the tests that are not slow
	$(PY) -m pytest -n $(WORKERS) -m "not slow" $(ARGS)

test-slow: browsers warm  ## Run the slow tests, and those with many seeds with all of them
	CCVIZ_EXHAUSTIVE=1 $(PY) -m pytest -n $(WORKERS) -m slow $(ARGS)

test-all: test test-slow  ## Lint, check types and run every test

size: env  ## Count files, lines and functions by package, into docs/development.md
	@$(PY) tools/size.py --write

lint: env  ## Check style and formatting
	$(PY) -m ruff check .
	$(PY) -m ruff format --check .

types: env  ## Check types
	$(PY) -m mypy

hooks:  ## Let git run `make lint` before every commit
	@printf '#!/bin/sh\nexec make lint types\n' >"$$(git rev-parse --git-path hooks)/pre-commit"
	@chmod +x "$$(git rev-parse --git-path hooks)/pre-commit"

format: env  ## Format the code and mend what ruff can mend
	$(PY) -m ruff check --fix .
	$(PY) -m ruff format .

figures: env  ## Write the figures of benchmarks/results into README and docs
	@$(PY) docs/fill.py

bench: env  ## Measure every claim again (BENCH=benchmarks/NAME.py for one)
	@set -e; for script in $(BENCH); do echo "$$script"; $(PY) $$script $(ARGS); done

# An environment of its own, with its own kernels; where there is no wheel that old, uv says so.
lowest: env  ## Test the core with the lowest versions that pyproject.toml allows (PYTHON=python3.12)
	@$(VENV)/bin/uv venv --quiet --clear --python $(PYTHON) $(LOWEST)
	@$(VENV)/bin/uv pip install --quiet --python $(LOWEST)/bin/python --resolution lowest-direct \
		--only-binary :all: --no-binary ccviz-lab ".[app,test]"
	NUMBA_CACHE_DIR=$(LOWEST)/kernels $(LOWEST)/bin/python -m pytest -n $(WORKERS) -m "not slow" \
		-p no:cacheprovider @tests/core.txt $(ARGS)

coverage: env warm  ## Branch coverage of the core (all but the views and the command line) by its tests
	$(PY) -m coverage erase
	$(PY) -m coverage run -m pytest -q -p no:xdist -m "not browser" $(ARGS)
	$(PY) -m coverage combine --quiet
	@printf 'Measured on %s, of the sources of that day.\n\n' "$$(date +%F)" >benchmarks/results/coverage.md
	$(PY) -m coverage report --format=markdown >>benchmarks/results/coverage.md
	@tail -1 benchmarks/results/coverage.md

# mutmut is needed here only, and so is not in the lock.
mutants: env  ## Change the core in one place at a time, and see whether a test notices (ARGS="solvers/search/tree --sample 0")
	$(UV_WITH) mutmut==3.8.1 python tools/mutants.py $(ARGS)

fuzz: env warm  ## Hostile inputs: no traceback, nothing over 10 s, 1 GB or half changed (ARGS="--minutes 60")
	$(PY) tools/fuzz.py $(ARGS)

truth: env warm  ## Every public statement of drawn problems against exact brute force (ARGS="--problems 20000 --seed 1")
	$(PY) -m tests.truth $(ARGS)

flaky: chromium  ## Run the tests of the page RUNS times idle and RUNS times beside busy processes
	$(PY) tools/flaky.py --runs $(RUNS) --workers $(WORKERS) -- $(ARGS)
