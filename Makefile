# Everything a newcomer needs: `make demo` shows what it does, `make test` shows that it works.
# Both work as the first command in a fresh clone; they make their own environment in .venv.

PYTHON ?= python3
BIN := .venv/bin

.PHONY: demo test check format docs lab-results clean

demo: .venv/run
	$(BIN)/clew try

test: .venv/dev
	$(BIN)/pytest -n 3 --dist loadfile -m "not timed"
	$(BIN)/pytest -n 2 --dist loadfile -m timed

check: .venv/dev
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(MAKE) test

format: .venv/dev
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

.venv/run: pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e .
	touch $@

.venv/dev: pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[all,dev]'
	touch $@

lab-results: .venv/dev
	test -n "$(CLEW_WORLDS)" || { echo "name the folder of worlds: CLEW_WORLDS=FOLDER make lab-results"; exit 2; }
	$(BIN)/python -m bench.lab_results --worlds "$(CLEW_WORLDS)"

clean:
	rm -rf .venv .pytest_cache .mypy_cache .ruff_cache .hypothesis
