"""The guide to a teacher, followed as printed: from a sentence to a corpus, with a local server of the protocol."""

import json
import re
import shlex
from pathlib import Path

import pytest

from clew.store import read_sql
from clew.store.teacher_log import TeacherLog
from tests.small_web import CONTACT, linked, serving
from tests.teacher.teacher_server import by_words, reply, teaching
from tests.test_usage_errors import run_here

GUIDE = Path(__file__).parents[2] / "docs" / "guides" / "teacher.md"
LOCAL = 'delay = 0.05\nallow = ["127.0.0.0/8"]'
PROPOSED = {
    "add": ["fresnel", "keeper", "lantern"],
    "strike": [],
    "examples": [],
    "criteria": ["A page on lenses."],
}


def printed(heading):
    """Return the commands of the first console block of a section."""
    section = GUIDE.read_text(encoding="utf-8").partition(f"## {heading}\n")[2]
    block = re.search(r"```console\n(.*?)```", section, re.DOTALL)
    return [shlex.split(line.removeprefix("$ clew ")) for line in block[1].splitlines()]


def settings_printed():
    """Return the second listing of clew.toml, that of a crawl with criteria."""
    return re.findall(r"```toml\n(.*?)```", GUIDE.read_text(encoding="utf-8"), re.DOTALL)[0]


def web_of_lights():
    """Return pages on lighthouses, with keepers or without, and on other things."""
    about = {
        "keeper": "lighthouse history keeper who kept the light at", "shop": "lighthouse souvenirs for sale in",
        "soup": "onion soup with bread from",
    }  # fmt: skip
    made = {
        f"/{kind}{n}": linked(text=f"{words} rock number{n} " * 5, title=f"{kind} {n}")
        for kind, words in about.items()
        for n in range(12)
    }
    return {"/": linked(*made, text="history of lighthouses, " * 5)} | made


def model(request, count):
    """Answer questions about pages by their words, and anything else with proposals."""
    if "=== DATA" in request["messages"][-1]["content"] and "relevant" in json.dumps(request):
        return by_words("keeper")(request, count)
    return reply(json.dumps(PROPOSED))


@pytest.fixture
def here(tmp_path, monkeypatch, capsys):
    """A function that types a command in an empty folder, with the URLs of the example replaced."""
    with serving(web_of_lights()) as web, teaching(model) as server:
        urls = {
            "https://www.example.org/": web.origin, "http://127.0.0.1:11434/v1": server.url,
            "you@example.org": CONTACT,
        }  # fmt: skip

        def typed(words):
            code, output, said = run_here(
                [urls.get(word, word) for word in words], tmp_path, monkeypatch, capsys
            )
            assert code == 0, f"clew {shlex.join(words)}: {said}{output}"
            if words[0] == "new":  # the address of a test is private
                path = tmp_path / words[1] / "clew.toml"
                text = path.read_text(encoding="utf-8").replace("delay       = 1.0", LOCAL)
                path.write_text(f"{text}\n[store]\nmin_free = 0\n", encoding="utf-8")
            return output

        yield tmp_path, typed, server


def test_the_way_from_a_sentence_to_a_corpus_is_as_printed(here):
    folder, typed, server = here
    outputs = [typed(words) for words in printed("From a sentence to a corpus")]
    log = TeacherLog(folder / "lights")
    assert server.asked
    assert 0 < log.spending().labels <= 40
    assert read_sql(folder / "lights", "SELECT count(*) FROM labels")[0][0]
    assert "label" in outputs[2]
    assert any((folder / "corpus").iterdir())


def test_proposals_are_listed_and_accepted_as_printed(here):
    folder, typed, _ = here
    for words in printed("From a sentence to a corpus")[:2]:
        typed(words)
    listed, accepted = (typed(words) for words in printed("Say the goal better"))
    assert "fresnel" in listed
    assert accepted
    assert "fresnel" in (folder / "lights" / "models" / "terms.tsv").read_text(encoding="utf-8")
