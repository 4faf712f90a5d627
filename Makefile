# What a contributor types; everything runs in .venv, which `make .venv` makes.
PYTHON = .venv/bin/python

.PHONY: check test thorough slow faults mutants checker coverage bench format docs release

.venv:
	python3 -m venv .venv && .venv/bin/pip install --quiet -e '.[test]'

check: .venv  ## style and types
	.venv/bin/ruff check .
	.venv/bin/ruff format --check .
	.venv/bin/mypy

test: .venv  ## the default tests
	.venv/bin/pytest

thorough: .venv  ## whole programs, browsers, clusters, large cases
	.venv/bin/pytest -m thorough

slow: .venv  ## the tests that take minutes
	.venv/bin/pytest -m slow

faults: .venv  ## the store with every call failing once and 1,000 power cuts, a line of figures for each
	.venv/bin/pytest -p no:xdist -o addopts= -s -m slow tests/faults

mutants: .venv  ## changes one thing at a time in checkers and statistics: does a test notice? docs/results/mutants.md
	$(PYTHON) benchmarks/mutants.py

checker: .venv  ## dist/verify.pyz: one file that checks certificates by the standard library alone
	$(PYTHON) benchmarks/standalone_checker.py dist/verify.pyz

coverage: .venv  ## which lines the tests reach, with the compiler off so that kernels count
	NUMBA_DISABLE_JIT=1 .venv/bin/pytest --cov=fogspiel --cov-report=term:skip-covered tests/core tests/stats tests/games

bench: .venv  ## speed, each result as JSON with its commit
	$(PYTHON) benchmarks/speed.py --output docs/results/speed.json
	$(PYTHON) benchmarks/solvers.py --output docs/results/solvers.json
	$(PYTHON) benchmarks/kriegspiel_speed.py --output docs/results/kriegspiel-speed.json

docs: .venv  ## the documentation as a site, in site/
	NO_MKDOCS_2_WARNING=1 .venv/bin/mkdocs build --strict --quiet

format: .venv
	.venv/bin/ruff check --fix .
	.venv/bin/ruff format .

release: check  ## dist/: sdist and wheel from a clean tree, looked into and tried in fresh environments
	test -z "$$(git status --porcelain)" || { git status --short; echo "commit or remove these first"; exit 1; }
	.venv/bin/pip check
	rm -rf dist
	.venv/bin/hatchling build -d dist
	$(PYTHON) benchmarks/standalone_checker.py dist/verify.pyz
	FOGSPIEL_DIST=dist .venv/bin/pytest -p no:xdist -o addopts= -q -rs tests/release tests/test_readme.py tests/runs/test_old_store.py
	@ls -l dist
