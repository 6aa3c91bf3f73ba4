"""A newcomer's whole run: a web, an engine over a part of it, one word; every command a real process."""

import os
import re
import subprocess
import sys
from contextlib import contextmanager

import pytest

from clew.store import read_sql

ENVIRONMENT = {**os.environ, "NO_COLOR": "1", "COLUMNS": "160", "PYTHONUNBUFFERED": "1"}
CONTACT = ["--contact", "https://crawler.uni-x.org/bot"]


def clew(folder, *words, code=0):
    command = [sys.executable, "-m", "clew", *words]
    done = subprocess.run(command, cwd=folder, env=ENVIRONMENT, capture_output=True, text=True, check=False)
    assert done.returncode == code, f"{words}: {done.stdout}{done.stderr}"
    return done.stdout + done.stderr


@contextmanager
def running(folder, *words):
    """Start a server and give the address it says it has."""
    command = [sys.executable, "-m", *words, "--port", "0"]
    with subprocess.Popen(command, cwd=folder, env=ENVIRONMENT, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield process.stdout.readline().strip()
        finally:
            process.terminate()
            process.wait()


@pytest.fixture(scope="module")
def workspace(tmp_path_factory):
    """A synthetic web, and an engine that speaks SearXNG's JSON over what another crawl has read of it."""
    folder = tmp_path_factory.mktemp("newcomer")
    with running(folder, "clew.lab.synthetic", "--pages", "1500") as proxy:
        quick = ["--set", f"fetch.proxy={proxy}", "--set", "fetch.delay=0", "--set", "seek.delay=0"]
        home = subprocess.run(
            [sys.executable, "-c", "from clew.lab.synthetic import Web; print(*Web(1500).home_urls()[:12])"],
            env=ENVIRONMENT, capture_output=True, text=True, check=True,
        ).stdout.split()  # fmt: skip
        seeds = [word for url in home for word in ("--seed", url)]
        clew(folder, "new", "known", *CONTACT, *seeds, *quick, "--no-check", "--set", "rank.policy=random")
        clew(folder, "run", "known", "--pages", "250", "--plain")
        with running(folder, "clew.search.serve", "known") as engine:
            yield folder, engine, quick


def test_from_one_word_to_pages(workspace):
    folder, engine, quick = workspace
    made = clew(
        folder, "new", "lights", "--about", "lighthouse", "--search", f"searxng={engine}", *CONTACT, *quick
    )
    assert f"searxng={engine} found" in made
    assert "seeds for «lighthouse»" in made
    assert re.search(r"\d+ seeds?, \d+ respond", made)
    assert "reseed = true" in (folder / "lights" / "clew.toml").read_text()

    learned = clew(folder, "learn", "lights", "--search")
    assert f"searched «lighthouse» on searxng={engine} (to learn the words of the topic)" in learned
    assert re.search(r"priority\.tsv: \d+ words from \d+ pages\n  1\.00  lighthouse\n", learned)
    assert (folder / "lights" / "models" / "priority.tsv").read_text().splitlines()[3:]

    ran = clew(folder, "run", "lights", "--policy", "reseed", "--pages", "160", "--plain")
    assert "policy reseed" in ran
    assert "budget of 160 pages is spent" in ran or "nothing is left to fetch" in ran
    searches = read_sql(folder / "lights", "SELECT query, new FROM searches ORDER BY id")
    assert [query for query, _ in searches].count("lighthouse") == 1

    listed = clew(folder, "why", "lights", "--searches")
    assert "«lighthouse» on" in listed
    assert re.search(r"quer(y|ies) found \d+ new URLs", listed)
    (url,) = read_sql(
        folder / "lights", "SELECT url FROM search_results WHERE rank = 1 ORDER BY search LIMIT 1"
    )[0]
    assert " for «lighthouse» on" in clew(folder, "why", "lights", url)


def test_json_tells_of_searches(workspace):
    folder, engine, quick = workspace
    clew(
        folder,
        "new",
        "told",
        "--about",
        "railway",
        "--search",
        f"searxng={engine}",
        *CONTACT,
        *quick,
        "--no-check",
    )
    lines = clew(folder, "run", "told", "--pages", "20", "--json").splitlines()
    (search,) = [line for line in lines if '"query"' in line][:1]
    assert '"results":' in search
    assert '"why": "where to begin"' in search


def test_a_dead_engine_is_named_and_the_exit_code_says_it(workspace):
    folder, _, quick = workspace
    dead = "searxng=http://127.0.0.1:9"
    made = clew(folder, "new", "gone", "--about", "lighthouse", "--search", dead, *CONTACT, *quick)
    assert f"! {dead} did not respond" in made
    output = clew(folder, "run", "gone", "--plain", code=4)
    assert "searching «lighthouse» failed" in output
    assert "nothing could be fetched" in output


@pytest.mark.parametrize(
    ("words", "cure"),
    [
        (["--search", "searxing=http://127.0.0.1:1"], "searxng"),
        (["--search", "brave"], "CLEW_BRAVE_KEY"),
        (["--search", "searxng"], "needs to know where"),
    ],
)
def test_wrong_engines_are_refused_at_once(tmp_path, words, cure):
    output = clew(tmp_path, "new", "c", "--about", "lighthouse", *words, *CONTACT, "--no-check", code=2)
    assert cure in output
    assert not (tmp_path / "c").exists()


def test_searching_needs_words(tmp_path):
    output = clew(tmp_path, "new", "c", "--search", "searxng=http://127.0.0.1:1", *CONTACT, code=2)
    assert "--about" in output
