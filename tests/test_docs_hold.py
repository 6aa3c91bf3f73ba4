"""What is written down is so: commands can be typed, links lead somewhere, examples run."""

import ast
import re
import shlex
import subprocess
import sys
import tomllib

import pytest

import clew
from clew import config as configuration
from clew.config import KEYS, Config
from clew.frontier.robots import RobotsRules
from clew.lab.synthetic import Web, WebTruth
from tests.docs_kit import DOCS, PAGES, PARSER, ROOT, TEXTS, blocks, prose, short
from tests.small_web import CONTACT

# ---- what is written is so ------------------------------------------------------------------------


def _typed(text):
    """Return the lines a reader is told to type, whole, without remarks."""
    for block in blocks(text, "console"):
        joined = re.sub(r"\\\n\s*", " ", block)
        for line in re.findall(r"^\$ (.*)$", joined, re.MULTILINE):
            yield re.sub(r"\s{2,}#.*$", "", line)


def _listed(text):
    """Return the command lines of scripts and lists, without remarks."""
    for block in blocks(text, "sh", "bash", "text", "cron"):
        joined = re.sub(r"\\\n\s*", " ", block)
        for line in re.findall(r"^(?:.*&& )?(clew .*)$", joined, re.MULTILINE):
            yield re.sub(r"\s{2,}.*$", "", line)


def _spans(text):
    """Return the command lines within sentences."""
    return re.findall(r"(?<!`)`((?:[A-Z_]+=\S+ )?clew [a-z][^`\n]*)`", prose(text))


def _parsed(line):
    """Read a command line as the program would, without running it; return what is wrong with it.

    Places for the reader's own words are filled: N by a number, … by nothing.
    """
    words = shlex.split(re.split(r" [|>&]+ ?|;", line)[0].replace("[", "").replace("]", ""))
    while words and re.fullmatch(r"[A-Z_]+=\S*", words[0]):
        words = words[1:]
    words = ["7" if word == "N" else word for word in words[1:] if word != "…"]
    command, called = PARSER, "clew"
    while hasattr(command, "commands") and words and not words[0].startswith("-"):
        if words[0] not in command.commands:
            return f"there is no {called} {words[0]}"
        called += f" {words[0]}"
        command = command.commands[words.pop(0)]
    if hasattr(command, "commands"):
        return ""
    try:
        read = command.make_context(called, list(words))
    except Exception as error:
        message = error.format_message() if hasattr(error, "format_message") else repr(error)
        return "" if message.startswith("Missing") else message
    wrong = [word for word in read.params.get("setting") or [] if not _is_key(word.partition("=")[0])]
    return f"no key {wrong}" if wrong and "table.key" not in line else ""


def _is_key(name):
    return name in KEYS or name.startswith("rank.options.")


def test_the_parser_of_the_tests_knows_right_from_wrong():
    assert _parsed("clew run wind --pages 500 --set fetch.delay=2") == ""
    assert "--page" in _parsed("clew run wind --page 500")
    assert "rnu" in _parsed("clew rnu wind")
    assert "fetch.dealy" in _parsed("clew run wind --set fetch.dealy=2")
    assert _parsed("clew run wind --pages many")
    assert _parsed("PYTHONPATH=. clew run wind --policy my:Own") == ""


@pytest.mark.parametrize("page", PAGES, ids=short)
def test_every_command_line_can_be_typed(page):
    text = TEXTS[page]
    for line in [*_typed(text), *_listed(text), *_spans(text)]:
        if re.match(r"(?:[A-Z_]+=\S+ )?clew ", line):
            assert not (wrong := _parsed(line)), f"{short(page)}: {line}: {wrong}"


def test_the_synthetic_web_has_the_options_it_is_started_with():
    run = subprocess.run(
        [sys.executable, "-m", "clew.lab.synthetic", "--help"], capture_output=True, text=True, check=True
    )
    for page in PAGES:
        for line in re.findall(r"python -m clew\.lab\.synthetic ?([^`\n]*)", TEXTS[page]):
            for option in re.findall(r"--[a-z]+", line):
                assert option in run.stdout, f"{short(page)}: {option}"


def test_keys_named_in_prose_exist():
    for page, text in TEXTS.items():
        for word in re.findall(r"`([a-z]+\.[a-z_]+)(?: = [^`]*)?`", text):
            if word.partition(".")[0] in Config.model_fields and not word.endswith(
                (".md", ".py", ".db", ".toml", ".lock")
            ):
                assert word in KEYS or hasattr(clew.Crawl, word.partition(".")[2]), f"{short(page)}: {word}"


@pytest.mark.parametrize("page", PAGES, ids=short)
def test_every_toml_block_is_understood(page):
    for block in blocks(TEXTS[page], "toml"):
        tables = tomllib.loads(block)
        if set(tables) <= set(Config.model_fields):
            tables["crawl"] = {"contact": CONTACT} | tables.get("crawl", {})
            configuration.build(tables, short(page))


@pytest.mark.parametrize("page", PAGES, ids=short)
def test_every_python_block_compiles(page):
    for block in blocks(TEXTS[page], "python"):
        compile(block, short(page), "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)


def test_the_parts_of_the_guide_pass_their_examinations():
    """Run every block of the page in order: the examinations in it raise."""
    namespace = {}
    parts = blocks(TEXTS[DOCS / "extending.md"], "python")
    assert sum("check_" in block for block in parts) >= 5
    for block in parts:
        exec(compile(block, "docs/extending.md", "exec"), namespace)


def test_the_examples_of_robots_work():
    text = TEXTS[DOCS / "politeness.md"]
    rules = [
        RobotsRules.read(200, block, "clew") for block in blocks(text, "") if block.startswith("User-agent")
    ]
    slow, shut, some, alone = rules
    assert slow.delay == 10
    assert not slow.refusal("http://a.org/x")
    assert shut.refusal("http://a.org/x")
    for path in ("/search?q=1", "/report.pdf", "/list?sort=name"):
        assert some.refusal(f"http://a.org{path}"), path
    for path in ("/", "/search/help", "/report.pdf?page=2"):
        assert not some.refusal(f"http://a.org{path}"), path
    assert not alone.refusal("http://a.org/x")
    assert alone.delay == 2


def test_the_tutorial_shows_the_made_up_web_as_it_is():
    """When the synthetic web changes, what the tutorial shows is stale: run it again and paste what comes."""
    web = Web(20_000, seed=1)
    task = web.task("lighthouses")
    shown = "\n".join(blocks(TEXTS[DOCS / "tutorial.md"], "console"))
    assert f"{web.pages:,} pages on {len(web.home_urls()):,} hosts" in shown
    assert f"lighthouses, described as: {task.words} ({WebTruth(web).count(task)} relevant pages)" in shown
    assert all(seed in shown for seed in web.seeds("lighthouses", 4))
    elsewhere = ("http://127.0.0.1", "http://www.lighthouse-board.org")
    named = {url for url in re.findall(r"http://[^\s,;\"')…]+", shown) if not url.startswith(elsewhere)}
    assert len(named) > 8
    assert [url for url in named if web.respond(url if url.count("/") > 2 else f"{url}/").status >= 400] == []


# ---- links, files, order --------------------------------------------------------------------------


def _anchors(text):
    """Return what GitHub makes of the headings: small letters, blanks to dashes, signs dropped."""
    titles = re.findall(
        r"^#+ (.+)$", re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL), re.MULTILINE
    )
    return {
        re.sub(r"[^\w\- ]", "", re.sub(r"\[(.*?)\]\(.*?\)", r"\1", title).lower()).replace(" ", "-")
        for title in titles
    }


@pytest.mark.parametrize("page", [*PAGES, ROOT / "CHANGELOG.md"], ids=short)
def test_links_lead_somewhere(page):
    text = page.read_text("utf-8")
    for target, anchor in re.findall(r"\]\(([^)#:\s]*)(?:#([^)\s]*))?\)", prose(text)):
        there = (page.parent / target).resolve() if target else page
        assert there.exists(), f"{short(page)} links to {target}"
        if anchor and there.suffix == ".md":
            assert anchor in _anchors(there.read_text("utf-8")), f"{short(page)} links to {target}#{anchor}"


@pytest.mark.parametrize("page", PAGES, ids=short)
def test_files_that_are_named_exist(page):
    homes = (ROOT, page.parent, ROOT / "src" / "clew")
    for name in re.findall(r"`((?:[\w-]+/)+[\w.-]*\.(?:py|md|toml)|[a-z_]+\.py|[a-z]+/)`", TEXTS[page]):
        own = name in ("pages/", "models/", "derived/", "good/", "bad/", "my_module.py") or name.endswith(
            "clew.toml"
        )  # of a crawl, of the reader
        assert own or any((home / name).exists() for home in homes), f"{short(page)} names {name}"


def test_the_architecture_shows_every_package_and_layer():
    text = TEXTS[DOCS / "architecture.md"]
    contract = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"][
        "contracts"
    ]
    shown = blocks(text, "")[1]
    for layer in contract[0]["layers"]:
        assert layer in shown, f"the layers in docs/architecture.md lack {layer}"
        for name in re.findall(r"[a-z_]+", layer):
            assert re.search(rf"`{name}/?`", text), f"docs/architecture.md lacks {name}"
    for entry in (ROOT / "src" / "clew").iterdir():
        if not entry.name.startswith(("_", ".")) and entry.suffix in ("", ".py"):
            assert re.search(rf"^\|.*`{entry.stem}/?`", text, re.MULTILINE), f"no row for {entry.name}"


def test_the_glossary_is_in_order():
    terms = re.findall(r"^\| ([^|]+) \|", TEXTS[DOCS / "glossary.md"], re.MULTILINE)[1:]
    assert len(terms) > 60
    assert terms == sorted(terms, key=lambda term: term.lower().replace("-", ""))


def test_the_index_names_every_page():
    index = TEXTS[DOCS / "README.md"]
    for page in PAGES:
        if page.is_relative_to(DOCS) and page.parent.name != "adr" and page != DOCS / "README.md":
            assert f"({page.relative_to(DOCS)})" in index, f"docs/README.md does not name {page.name}"
