"""`clew search` as a user types it."""

import json
import subprocess
import sys

import pytest
from search_kit import crawl
from servers import KEY, Reply, brave, running, searxng

from clew.cli import main


@pytest.fixture
def clew(monkeypatch, capsys):
    """Type a command line in this process, which has read all modules already; return code and texts."""

    def typed(*words, **environment):
        with monkeypatch.context() as changed:
            changed.setattr(sys, "argv", ["clew", "search", *words])
            changed.delenv("CLEW_BRAVE_KEY", raising=False)
            for name, value in environment.items():
                changed.setenv(name, value)
            with pytest.raises(SystemExit) as left:
                main()
        said = capsys.readouterr()
        return subprocess.CompletedProcess(words, left.value.code, said.out, said.err)

    return typed


def test_it_is_a_command_of_the_program():
    run = subprocess.run(
        [sys.executable, "-m", "clew", "search", "brave"], capture_output=True, text=True, check=False
    )
    assert run.returncode == 2
    assert "QUERY is missing; write: clew search ENGINE QUERY" in run.stderr


def test_results_are_shown_and_handed_to_programs(clew):
    with running(searxng()) as server:
        run = clew(f"searxng={server.url}", "light", "house", "--count", "3")
        assert run.returncode == 0
        assert '3 of 45 results for "light house"' in run.stdout
        assert "http://host2.test/page/2" in run.stdout
        said = json.loads(clew(f"searxng={server.url}", "light", "--json").stdout)
    assert [result["rank"] for result in said["results"]] == list(range(1, 11))
    assert said["error"] == ""


def test_faults_say_what_to_do(clew):
    with running(brave()) as server:
        run = clew(f"brave={server.url}", "light", CLEW_BRAVE_KEY="wr0ng")
        assert run.returncode == 4
        assert "CLEW_BRAVE_KEY" in run.stderr
        assert "wr0ng" not in run.stdout + run.stderr
        assert clew(f"brave={server.url}", "light", CLEW_BRAVE_KEY=KEY).returncode == 0
    with running(lambda asked: Reply.of({"error": "\x1b[31mno"}, 500)) as server:
        run = clew(f"searxng={server.url}", "light", "--json")
        assert run.returncode == 4
        assert json.loads(run.stdout)["results"] == []
        assert "\x1b" not in run.stderr
    run = clew("brave", "light")
    assert run.returncode == 2
    assert "set CLEW_BRAVE_KEY" in run.stderr
    assert run.stderr.count("\n") <= 3


@pytest.mark.parametrize("named", ["", "clew.toml"])
def test_a_crawl_is_searched_with_its_engines_or_its_pages(clew, tmp_path, named):
    crawl(tmp_path, [("http://one.test/", "a lighthouse"), ("http://two.test/", "bees")])
    run = clew(str(tmp_path), "lighthouse")
    assert "http://one.test/" in run.stdout
    assert "1 result for" in run.stdout
    with running(searxng()) as server:
        (tmp_path / "clew.toml").write_text(
            f'[crawl]\ncontact = "https://crawl.ourlab.org/"\n[seek]\nsearch = "searxng={server.url}"\n'
        )
        run = clew(str(tmp_path / named), "lighthouse")
    assert "10 of 45 results" in run.stdout
