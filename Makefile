# Every target works on a fresh machine: `setup` runs first wherever it is needed.
.DEFAULT_GOAL := help
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: help setup setup-dev engine demo test proofs check chaos bench bench-environments bench-map lock clean

help: ## list the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /\1\t/' | expand -t 20

setup: $(VENV)/.runtime ## what the product needs, in .venv (leaves .venv/bin/agent-fix)

setup-dev: $(VENV)/.dev ## the same, and what its tests and checks need

$(VENV)/.runtime: requirements.lock pyproject.toml
	$(PYTHON) scripts/setup.py $(VENV) requirements.lock
	@touch $@

$(VENV)/.dev: requirements-dev.lock $(VENV)/.runtime
	$(PYTHON) scripts/setup.py $(VENV) requirements-dev.lock
	@touch $@

engine: $(VENV)/.dev ## a container engine for the tests, where this machine is root on Debian or Ubuntu and has none
	$(BIN)/python -m scripts.engine ensure

demo: setup ## label an issue and follow it to the draft pull request, and another to the escalation
	$(BIN)/agent-fix demo

test: setup-dev ## the tests, the end-to-end ones too
	$(BIN)/python -m scripts.test $(ARGS)

proofs: setup-dev ## the long proofs, of which `make test` runs a short form: each runner, release, cut and case of many alike
	$(BIN)/python -m scripts.test --long

check: setup-dev ## lint, types, import contracts
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

chaos: setup-dev ## kill, pause and cut everything, over and over; red where anything is lost, doubled, late or left out; writes docs/chaos.md
	$(BIN)/python -m bench.chaos $(ARGS)

bench: setup-dev ## speed and memory beside the peers, in one run; writes docs/benchmarks.md
	$(BIN)/python -m bench $(ARGS)

bench-environments: setup-dev ## real packages from source to a baseline, beside a run by hand; writes docs/environments.md
	$(BIN)/python -m bench.environments $(ARGS)

bench-map: setup-dev ## the repository map beside aider and plain BM25; ARGS="--repositories DIR…", ARGS="--set FILE", ARGS=--page
	$(BIN)/python -m bench.map $(ARGS)

lock: setup-dev ## resolve the dependencies again, for every supported Python, naming no index
	$(BIN)/python -m scripts.lock

clean: ## remove what the other targets made
	-[ ! -x $(BIN)/python ] || $(BIN)/python -m scripts.engine stop
	rm -rf $(VENV) .cache .mypy_cache .ruff_cache .pytest_cache *.egg-info
