# `make` alone says what there is. Needs Python 3.11 or newer and nothing else.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
PIP    := $(BIN)/python -m pip install --quiet --disable-pip-version-check

.DEFAULT_GOAL := help
.PHONY: help run test lint clean
.DELETE_ON_ERROR:

help: ## Say what each target does
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.*## /  make \1|/' | column -t -s '|' 2>/dev/null \
	  || grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST)

$(VENV)/.created:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null \
	  || { echo "error: Python 3.11 or newer is needed; choose one with: make PYTHON=python3.12 ..." >&2; exit 1; }
	@$(PYTHON) -m venv $(VENV) && $(BIN)/python -m pip --version >/dev/null \
	  || { rm -rf $(VENV); \
	       echo "error: '$(PYTHON) -m venv' does not work; on Debian and Ubuntu: apt-get install python3-venv" >&2; exit 1; }
	@touch $@

$(VENV)/.runtime: pyproject.toml $(VENV)/.created
	@echo "installing Wenci and the packages it needs into $(VENV): once, and it takes a minute or two" >&2
	@$(PIP) --editable .
	@touch $@

$(VENV)/.development: pyproject.toml constraints.txt $(VENV)/.runtime
	@echo "installing what the tests need into $(VENV): once, and it takes some minutes" >&2
	@$(PIP) --constraint constraints.txt --editable '.[train,dev]'
	@touch $@

run: $(VENV)/.runtime ## Set up, start PostgreSQL, index the example blog, serve it and print the address
	@exec $(BIN)/wenci serve --examples examples/blog

test: $(VENV)/.development ## Set up and run the tests
	$(BIN)/python -m pytest --numprocesses auto --dist loadfile

lint: $(VENV)/.development ## Set up and run ruff, mypy and import-linter
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

clean: ## Remove the virtual environment and the caches
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis build dist *.egg-info
