# Every target does the set-up that it needs: python3 (3.11 or newer), make and a package registry are enough.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
AGREE := .venv-agree
PEERS := .venv-peers
HEAT := openstack-heat==27.0.1
PEER_TOOLS := awscli schemathesis tempest python-openstackclient pytest pytest-xdist ddt fixtures oslotest requests-mock testscenarios
CLIENTS := python-heatclient==5.3.0 openstacksdk==4.22.0
PYTEST_ARGS ?=
SERVE_ARGS ?=

.DEFAULT_GOAL := help
.PHONY: help install lock demo serve test test-agree test-peers test-cloud check format bench clean

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-10s %s\n", $$1, $$2}' Makefile

install: $(VENV)/.project ## Make .venv with everything in it (does nothing when it is up to date)

demo: install ## Bring a small cloud and Stoker up, and show a stack's life from create to delete
	@$(BIN)/stoker demo

serve: install ## Run Stoker beside the embedded cloud until Ctrl-C (options: SERVE_ARGS="--port 8004")
	@$(BIN)/stoker serve $(SERVE_ARGS)

test: install ## Run the tests (options: PYTEST_ARGS="-k graph")
	@$(BIN)/python -m pytest -n 2 --dist loadfile $(PYTEST_ARGS)

test-agree: install $(AGREE)/.heat ## Compare the template language with real Heat (STOKER_LONG=1: 2,000 cases each)
	@STOKER_AGREE=1 $(BIN)/python -m pytest tests/agreement/language $(PYTEST_ARGS)

test-peers: install $(PEERS)/.fetched ## Run the clients' own tests of the orchestration service (minutes)
	@STOKER_PEERS=1 $(BIN)/python -m pytest tests/clients $(PYTEST_ARGS)

test-cloud: install ## Bring up real OpenStack services, test on them, take them down (as root; minutes)
	@$(BIN)/python -m tools.with_cloud $(PYTEST_ARGS)

check: install ## Format, lint, types, import contracts and shape, all told in one go
	@$(BIN)/python tools/check.py

format: install ## Rewrite the files as `make check` wants them
	@$(BIN)/ruff check --fix-only --quiet .
	@$(BIN)/ruff format .

bench: install ## Measure; see benchmarks/
	@$(BIN)/python benchmarks/run.py

lock: ## Choose newer versions of everything that we stand on
	@PYTHON=$(PYTHON) tools/lock.sh

clean: ## Remove .venv and all caches
	rm -rf $(VENV) $(AGREE) $(PEERS) .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis build dist

$(BIN)/python:
	@PYTHON=$(PYTHON) tools/venv.sh $(VENV)

# Real Heat has an environment of its own: nothing of it may stand where Stoker could import it.
$(AGREE)/.heat:
	@PYTHON=$(PYTHON) tools/venv.sh $(AGREE)
	@echo "Fetching real Heat into $(AGREE) …"
	@$(AGREE)/bin/python -m pip install -qq --disable-pip-version-check $(HEAT)
	@touch $@

# The clients' own tests stand in their source archives, and want programs that Stoker does not.
$(PEERS)/.fetched:
	@PYTHON=$(PYTHON) tools/venv.sh $(PEERS)
	@echo "Fetching the clients' own tests into $(PEERS) …"
	@$(PEERS)/bin/python -m pip install -qq --disable-pip-version-check $(CLIENTS) $(PEER_TOOLS)
	@$(PEERS)/bin/python -m pip download -qq --disable-pip-version-check --no-deps --no-binary :all: --dest $(PEERS)/src $(CLIENTS)
	@cd $(PEERS)/src && for each in *.tar.gz; do tar xzf "$$each"; done
	@touch $@

# The lock holds the whole closure, so that pip need resolve nothing: it only fetches and unpacks.
$(VENV)/.locked: requirements.lock | $(BIN)/python
	@echo "Fetching what Stoker stands on into $(VENV) …"
	@$(BIN)/python -m pip install -qq --disable-pip-version-check --no-deps --require-hashes -r requirements.lock
	@touch $@

$(VENV)/.project: $(VENV)/.locked pyproject.toml
	@$(BIN)/python -m pip install -qq --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@touch $@
