# Everything a newcomer needs: `make demo` shows what it does, `make test` shows that it works.
# Both work as the first command in a fresh clone; they make their own environment in .venv.

PYTHON ?= python3
BIN := .venv/bin

.PHONY: demo test check format docs lab-results clean chromium postgresql

demo: .venv/run
	rm -rf .demo
	$(BIN)/clew try --keep .demo
	@echo
	@echo "look at this crawl in the browser:  $(BIN)/clew open .demo/lighthouses"

test: .venv/dev chromium postgresql
	$(BIN)/pytest -n 3 --dist loadfile -m "not timed"
	$(BIN)/pytest -n 2 --dist loadfile -m timed

check: .venv/dev
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(MAKE) test

# The pages of clew serve are tested in a real browser: Debian's, installed if it is missing and we may.
chromium:
	@if command -v chromium >/dev/null || command -v chromium-browser >/dev/null || command -v google-chrome >/dev/null; then :; \
	elif [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
		apt-get install -y -qq chromium >/dev/null || { apt-get update -qq && apt-get install -y -qq chromium >/dev/null; }; \
	else echo "!!! NO CHROMIUM: the pages are not tested in a browser; as root: apt-get install chromium"; fi

# Crawls on many machines are coordinated by PostgreSQL: the tests start a server of their own.
postgresql:
	@if ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || command -v initdb >/dev/null; then :; \
	elif [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
		apt-get install -y -qq postgresql >/dev/null || { apt-get update -qq && apt-get install -y -qq postgresql >/dev/null; }; \
	else echo "!!! NO POSTGRESQL: coordination is tested on SQLite only; as root: apt-get install postgresql"; fi

format: .venv/dev
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

.venv/run: pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[web]'
	touch $@

.venv/dev: pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[all,dev]'
	touch $@

# The documentation as a site in .site; what is wrong with a link, an anchor or a page stops it.
docs: .venv/dev
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict --quiet
	@echo "look at it: .site/index.html"

lab-results: .venv/dev
	test -n "$(CLEW_WORLDS)" || { echo "name the folder of worlds: CLEW_WORLDS=FOLDER make lab-results"; exit 2; }
	$(BIN)/python -m bench.lab_results --worlds "$(CLEW_WORLDS)"

clean:
	rm -rf .venv .demo .site .pytest_cache .mypy_cache .ruff_cache .hypothesis
