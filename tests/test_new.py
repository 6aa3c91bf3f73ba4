"""`clew new`: prompts on a terminal, options elsewhere, keys in the file, shell completion."""

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from clew.cli.arguments import folders, policies, settings
from clew.cli.new import split_urls
from clew.cli.new_settings import parse_settings
from clew.config import KEYS, load, template
from clew.errors import ConfigError
from clew.insight.preflight import saved_page_urls
from clew.urls import Canon
from tests.small_web import CONTACT, linked, serving
from tests.terminal import CTRL_C, CTRL_D, run_on_terminal
from tests.test_cli import clew

CLEW = str(Path(sys.executable).with_name("clew"))


def test_prompts_are_repeated_until_the_answer_is_valid(tmp_path):
    with serving({"/": linked(title="Harbour")}) as web:
        output, code = run_on_terminal(
            tmp_path, "new", "wind", "--set", "fetch.allow=127.0.0.1",
            answers=[
                ("looking for?", "what is the\n"),
                ("has only stop words", "offshore wind\n"),
                ("start?", "\n"),
                ("no seeds", "nonsense\n"),
                ("neither", f"{web.origin}, http://127.0.0.1:1/\n"),
                ("reach you?", "https://example.com\n"),
                ("placeholder", f"{CONTACT}\n"),
            ],
        )  # fmt: skip
        assert web.asked == ["/robots.txt", "/"]
    assert code == 0, output
    assert "2 seeds, 1 responds, 1 cannot be used" in output
    assert "http://127.0.0.1:1/: refuses the connection" in output
    assert "clew plan wind" in output
    created = load(tmp_path / "wind" / "clew.toml")
    assert (created.goal.about, created.crawl.contact, created.fetch.allow) == (
        "offshore wind",
        CONTACT,
        ["127.0.0.1"],
    )
    assert created.crawl.seeds == [web.origin, "http://127.0.0.1:1/"]


def test_a_proxy_that_does_not_answer_is_named_once_for_all_seeds(tmp_path):
    seeds = [part for number in range(4) for part in ("--seed", f"http://s{number}.test/")]
    ran = clew(
        "new", tmp_path / "wind", "--about", "wind", "--contact", CONTACT, *seeds,
        "--set", "fetch.proxy=http://127.0.0.1:1",
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.count("does not work") == 1
    assert "all 4: the proxy http://127.0.0.1:1" in ran.stdout


@pytest.mark.parametrize("key", [CTRL_C, CTRL_D])
def test_interrupting_a_prompt_writes_nothing(tmp_path, key):
    output, code = run_on_terminal(
        tmp_path, "new", "wind", answers=[("looking for?", "wind\n"), ("start?", key)]
    )
    assert code == 3, output
    assert "nothing was written" in output
    assert "Traceback" not in output
    assert not (tmp_path / "wind").exists()


def test_an_existing_crawl_and_an_invalid_key_are_reported_before_any_prompt(tmp_path):
    template.write_new(tmp_path / "wind", contact=CONTACT, seeds=["https://a.org/"])
    output, code = run_on_terminal(tmp_path, "new", "wind")
    assert code == 2
    assert "looking for?" not in output
    wrong = clew("new", tmp_path / "x", "--set", "fetch.dely=1")
    assert wrong.returncode == 2
    assert "did you mean fetch.delay" in wrong.stderr
    assert not (tmp_path / "x").exists()


@pytest.mark.parametrize(
    ("setting", "word"),
    [
        ("rank.policy=best-frist", 'did you mean "best-first"'),
        ("scope.hosts=10.0.0.0/99", r"scope\.hosts"),
        ("fetch.allow=everything", r"fetch\.allow"),
        ("fetch.delay=-1", r"fetch\.delay"),
        ("delay=1", r"table\.key=value"),
    ],
)
def test_set_values_are_validated_like_the_file(setting, word):
    with pytest.raises(ConfigError, match=word):
        parse_settings([setting])


def test_set_keys_are_written_with_their_comments(tmp_path):
    created = clew(
        "new", "wind", "--seed", "http://127.0.0.1:9/", "--contact", CONTACT, "--about", "of the",
        "--set", "fetch.proxy=http://127.0.0.1:8000", "--set", "fetch.delay=0", "--set", "parse.workers=2",
        "--set", "scope.exclude=*/login*,*/cart*", "--set", "goal.keep=0.25", "--no-check", cwd=tmp_path,
    )  # fmt: skip
    assert created.returncode == 0, created.stderr
    assert "every page is relevant" in created.stdout
    text = (tmp_path / "wind" / "clew.toml").read_text()
    assert "delay       = 0.0            # minimum seconds between" in text
    given = tomllib.loads(text)
    assert given["fetch"]["proxy"] == "http://127.0.0.1:8000"
    assert given["parse"] == {"workers": 2}
    assert given["scope"]["exclude"] == ["*/login*", "*/cart*"]
    assert load(tmp_path / "wind" / "clew.toml").goal.keep == 0.25


def test_every_key_can_be_written(tmp_path):
    text = template.written(contact=CONTACT, seeds=[], settings=dict.fromkeys(KEYS, "x # y"))
    given = tomllib.loads(text)
    assert {f"{table}.{key}" for table, keys in given.items() for key in keys} == set(KEYS)
    assert all(value == "x # y" for keys in given.values() for value in keys.values())
    assert template.count_keys(text) == len(KEYS)


def test_saved_pages_are_examples_and_give_seeds(tmp_path):
    saved = tmp_path / "saved pages"
    saved.mkdir()
    (saved / "a.html").write_text("<!-- saved from url=(0022)http://127.0.0.1:9/a?b&amp;c -->\n<p>wind")
    (saved / "b.html").write_text(
        "<link href='http://127.0.0.1:9/b' rel=canonical><meta property='og:url' content='http://x.org/'>"
    )
    (saved / "c.html").write_text("<p>from nowhere, <link rel=canonical href=/relative>")
    assert saved_page_urls(saved, Canon()) == ["http://127.0.0.1:9/a?b&c", "http://127.0.0.1:9/b"]
    created = clew("new", "wind", "--seed", "saved pages", "--contact", CONTACT, "--no-check", cwd=tmp_path)
    assert created.returncode == 0, created.stderr
    config = load(tmp_path / "wind" / "clew.toml")
    assert config.goal.good == [str(saved)]
    assert len(config.crawl.seeds) == 2
    (saved / "a.html").unlink()
    (saved / "b.html").unlink()
    lost = clew("new", "lost", "--seed", "saved pages", "--contact", CONTACT, cwd=tmp_path)
    assert lost.returncode == 2
    assert "do not contain their URLs" in lost.stderr


def test_answers_are_split_at_blanks_and_commas(tmp_path):
    wanted = ["https://a.org/x,y", "https://b.org", "c.org", "d.org"]
    assert split_urls("https://a.org/x,y, https://b.org c.org,d.org") == wanted
    assert split_urls("https://a.org/x,y,https://b.org,") == wanted[:2]
    assert split_urls("") == []
    spaced = tmp_path / "my seeds.txt"
    spaced.touch()
    assert split_urls(str(spaced)) == [str(spaced)]


# ---- shell completion --------------------------------------------------------------------------


def completed(shell, line, cwd):
    words = {"bash": {"COMP_WORDS": line, "COMP_CWORD": str(len(line.split(" ")) - 1)}}.get(
        shell, {"_TYPER_COMPLETE_ARGS": line, "_TYPER_COMPLETE_FISH_ACTION": "get-args"}
    )
    run = subprocess.run(
        [CLEW], cwd=cwd, env={**os.environ, **words, "_CLEW_COMPLETE": f"complete_{shell}"},
        capture_output=True, text=True, timeout=250, check=False,
    )  # fmt: skip
    assert not run.stderr
    return run.stdout


def test_shells_complete_folders_and_keys(tmp_path):
    template.write_new(tmp_path / "wind", contact=CONTACT, seeds=["https://a.org/"])
    (tmp_path / "other").mkdir()
    (tmp_path / "file").touch()
    assert completed("bash", "clew run ", tmp_path).split() == ["wind", "other/"]
    assert '"fetch.delay=1.0":"Minimum seconds between' in completed(
        "zsh", "clew plan wind --set fetch.de", tmp_path
    )
    assert completed("fish", "clew doctor w", tmp_path) == "wind\ta crawl\n"


def test_completions_have_descriptions(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "deep" / "er").mkdir(parents=True)
    (tmp_path / ".hidden").mkdir()
    assert folders("") == [("deep/", "")]
    assert folders("deep/") == [("deep/er/", "")]
    assert folders(".h") == [(".hidden/", "")]
    assert folders("no/where") == []
    assert "breadth" in dict(policies("b"))
    assert all(dict(policies("")).values())
    assert len(settings("")) == len(KEYS)
    assert settings("fetch.robots=") == [("fetch.robots=false", ""), ("fetch.robots=true", "")]
    assert ("goal.judge=words", "") in settings("goal.judge=w")
    assert settings("nowhere=") == []


def test_the_shell_is_recognised():
    shown = subprocess.run(
        ["bash", "-c", f"{CLEW} --show-completion; true"],
        capture_output=True, text=True, timeout=250, check=False,
    )  # fmt: skip
    assert "complete -o default -F _clew_completion clew" in shown.stdout, shown.stderr
