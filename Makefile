PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin

.DEFAULT_GOAL := help
.PHONY: help run test lint clean

help: ## Say what each target does
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.*## /  make \1\t/'

$(BIN)/python:
	$(PYTHON) -m venv $(VENV) || (echo "error: 'python3 -m venv' failed; on Debian and Ubuntu: apt-get install python3-venv" >&2; exit 1)

$(VENV)/.runtime: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	@touch $@

$(VENV)/.development: pyproject.toml constraints.txt | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[train,dev]'
	@touch $@ $(VENV)/.runtime

run: $(VENV)/.runtime ## Set up, start PostgreSQL, index the example blog, serve it and print the address
	$(BIN)/wenci serve --with examples/blog

test: $(VENV)/.development ## Set up and run the tests
	$(BIN)/python -m pytest

lint: $(VENV)/.development ## Set up and run ruff, mypy and import-linter
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

clean: ## Remove the virtual environment and the caches
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis build dist *.egg-info
