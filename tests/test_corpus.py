"""The corpus of a crawl: what is left out and why, shards that other programs open, and exports that were killed."""

import json
import random
import signal
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from backports import zstd

import clew
from clew.errors import ConfigError
from clew.insight.corpus import CorpusOptions, DropReason, export_corpus
from clew.insight.corpus.host_lines import HostLines
from clew.insight.corpus.near_duplicates import letter_runs, resemblance
from clew.insight.corpus.reservations import AiRules, reserved_by_headers
from clew.insight.corpus.shards import ShardWriter
from clew.parse.extractor import EXTRACTOR
from tests.small_web import CONTACT, QUICK, linked, serving

WORDS = [
    "tide",
    "harbour",
    "lamp",
    "keeper",
    "stair",
    "evening",
    "water",
    "boat",
    "rope",
    "sailor",
    "storm",
    "window",
    "letter",
    "winter",
    "morning",
    "island",
    "channel",
    "signal",
    "compass",
    "engine",
    "market",
    "street",
    "garden",
    "bridge",
    "village",
    "teacher",
]
NOTICE = "All times on these pages are those of the harbour office and without warranty."
FEW_WORDS = CorpusOptions(min_words=20)


def story(seed: int, sentences: int = 12) -> str:
    dice = random.Random(seed)
    return " ".join(f"The {' '.join(dice.choices(WORDS, k=9))} is not what it was." for _ in range(sentences))


def page(text: str, head: str = "") -> str:
    return (
        f"<html lang=en><head><title>Page</title>{head}</head><body><main><h1>A story</h1><p>{text}</p>"
        f"<p>{NOTICE}</p></main></body></html>"
    )


PAGES: dict[str, object] = {
    "/robots.txt": "User-agent: GPTBot\nDisallow: /private\n",
    "/one": page(story(1), "<link rel=license href=https://creativecommons.org/licenses/by/4.0/>"),
    "/two": page(story(2), "<meta name=author content='A. Moon'>"),
    "/again": page(story(1)),
    "/nearly": page(story(2).replace("The", "A", 1)),
    "/noai": page(story(3), "<meta name=robots content='noai, noimageai'>"),
    "/tdm": page(story(4), "<meta name=tdm-reservation content=1>"),
    "/header": (200, {"X-Robots-Tag": "noai"}, page(story(5)).encode()),
    "/private/x": page(story(6)),
    "/noindex": page(story(7), "<meta name=robots content=noindex>"),
    "/short": page("Too little."),
    "/other": page(story(8)),
}


@pytest.fixture(scope="module")
def crawl_folder(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("crawl")
    with serving({"/": linked(*(path for path in PAGES if path != "/robots.txt")), **PAGES}) as web:
        clew.Crawl(folder, seeds=[f"{web.origin}/"], contact=CONTACT, settings=QUICK).run()
    return folder


def rows(target: Path) -> list[dict]:
    found = []
    for path in sorted((target / "data").glob("*.jsonl.zst")):
        found += [json.loads(line) for line in zstd.decompress(path.read_bytes()).splitlines()]
    return found


def paths(found: list[dict]) -> list[str]:
    return sorted("/" + row["url"].split("/", 3)[3] for row in found)


def test_every_page_that_is_left_out_is_counted_with_its_reason(crawl_folder, tmp_path):
    made = export_corpus(crawl_folder, tmp_path / "corpus", FEW_WORDS)
    found = rows(tmp_path / "corpus")
    kept = paths(found)
    assert len(kept) == made.texts == 3
    assert "/other" in kept
    assert len({"/one", "/again"} & set(kept)) == len({"/two", "/nearly"} & set(kept)) == 1
    assert {name: count for name, count in made.dropped.items() if count} == {
        DropReason.EXACT: 1,
        DropReason.NEAR: 1,
        DropReason.RESERVED: 4,
        DropReason.NOINDEX: 1,
        DropReason.SHORT: 1,
        DropReason.NO_SENTENCES: 1,
    }
    assert made.tokens == sum(row["tokens"] for row in found)
    assert {row["extractor"] for row in found} == {EXTRACTOR}
    assert all(NOTICE not in row["text"] for row in found)
    readme = (tmp_path / "corpus/README.md").read_text()
    assert "path: data/*.jsonl.zst" in readme
    assert f"| {DropReason.RESERVED} | 4 |" in readme
    assert "| texts | 3 |" in readme


@pytest.mark.parametrize(
    ("robots", "refused"),
    [
        ("User-agent: *\nContent-Signal: search=yes, ai-train=no\nAllow: /", ["/a", "/open/b"]),
        ("User-Agent: *\r\ncontent-usage: Train-AI=N\r\n", ["/a", "/open/b"]),
        ("User-agent: *\nContent-Usage: train-ai=n\nContent-Usage: /open/ train-ai=y", ["/a"]),
        ("User-agent: *\nContent-Usage: /open train-genai=n\nAllow: /", ["/open/b"]),
        ("User-agent: *\nContent-Usage: train-ai=y\nContent-Usage: train-ai=n", ["/a", "/open/b"]),
        ("User-agent: *\nContent-Signal: search=yes, ai-train=yes\nAllow: /", []),
        ("User-agent: *\nContent-Usage: search=n\nAllow: /", []),
        ("# Content-Signal: ai-train=no\nUser-agent: *\nAllow: / # Content-Usage: train-ai=n", []),
        ("User-agent: CCBot\nDisallow: /open", ["/open/b"]),
    ],
)
def test_what_a_robots_txt_says_about_training_is_honoured(robots, refused):
    rules = AiRules(robots)
    assert [path for path in ("/a", "/open/b") if rules.refuses(f"http://a.example{path}")] == refused


@pytest.mark.parametrize(
    ("name", "value", "reserved"),
    [
        ("content-usage", "train-ai=n, search=y", True),
        ("content-signal", "search=yes,ai-train=no", True),
        ("content-usage", "train-ai=y", False),
        ("content-usage", "search=n", False),
        ("tdm-reservation", "1", True),
        ("tdm-reservation", "0", False),
        ("x-robots-tag", "somebot: noai, noimageai", True),
    ],
)
def test_headers_reserve_a_page(name, value, reserved):
    assert reserved_by_headers({name: [value]}) is reserved


def test_reservations_are_a_choice(crawl_folder, tmp_path):
    options = CorpusOptions(min_words=20, honour_reservations=False)
    made = export_corpus(crawl_folder, tmp_path / "corpus", options)
    assert DropReason.RESERVED not in made.dropped
    assert {"/noai", "/tdm", "/header", "/private/x"} <= set(paths(rows(tmp_path / "corpus")))


def test_languages_and_verdicts_are_filters(crawl_folder, tmp_path):
    made = export_corpus(crawl_folder, tmp_path / "de", CorpusOptions(min_words=20, languages=("de",)))
    assert (made.texts, made.shards) == (0, 0)
    assert made.dropped[DropReason.LANGUAGE] > 5


def test_parquet_has_the_same_rows(crawl_folder, tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    export_corpus(crawl_folder, tmp_path / "a", FEW_WORDS)
    export_corpus(crawl_folder, tmp_path / "b", CorpusOptions(min_words=20, format="parquet"))
    assert parquet.read_table(tmp_path / "b/data/train-00000.parquet").to_pylist() == rows(tmp_path / "a")


def test_an_export_that_was_killed_continues_and_gives_what_one_call_gives(
    crawl_folder, tmp_path, monkeypatch
):
    options = CorpusOptions(min_words=20, honour_reservations=False, shard_bytes=1_000)
    whole = export_corpus(crawl_folder, tmp_path / "whole", options)
    assert whole.shards >= 4
    finish = ShardWriter.finish

    for last in range(whole.shards):

        def die(self, number, last=last):
            if number == last:
                raise KeyboardInterrupt
            return finish(self, number)

        monkeypatch.setattr(ShardWriter, "finish", die)
        with pytest.raises(KeyboardInterrupt):
            export_corpus(crawl_folder, tmp_path / "killed", options)
    monkeypatch.setattr(ShardWriter, "finish", finish)
    again = export_corpus(crawl_folder, tmp_path / "killed", options)
    assert again == whole
    assert rows(tmp_path / "killed") == rows(tmp_path / "whole")
    assert (tmp_path / "killed/README.md").read_text() == (tmp_path / "whole/README.md").read_text()
    assert export_corpus(crawl_folder, tmp_path / "killed", options) == whole


KILLED = """
import os, signal, sys
from pathlib import Path
from clew.insight.corpus import CorpusOptions, export_corpus
from clew.insight.corpus.shards import ShardWriter

finish, after = ShardWriter.finish, sys.argv[4] == "after"

def die(self, number):
    if number == int(sys.argv[3]) and not after:
        os.kill(os.getpid(), signal.SIGKILL)
    name = finish(self, number)
    if number == int(sys.argv[3]):
        os.kill(os.getpid(), signal.SIGKILL)
    return name

ShardWriter.finish = die
options = CorpusOptions(min_words=20, honour_reservations=False, shard_bytes=1_000)
export_corpus(Path(sys.argv[1]), Path(sys.argv[2]), options)
"""


@pytest.mark.parametrize("when", ["before", "after"])
def test_kill_9_while_a_shard_is_written_costs_nothing(crawl_folder, tmp_path, when):
    options = CorpusOptions(min_words=20, honour_reservations=False, shard_bytes=1_000)
    whole = export_corpus(crawl_folder, tmp_path / "whole", options)
    for shard in (0, 2):
        command = [sys.executable, "-c", KILLED, crawl_folder, tmp_path / "killed", str(shard), when]
        assert subprocess.run(command, check=False).returncode == -signal.SIGKILL
    assert export_corpus(crawl_folder, tmp_path / "killed", options) == whole
    names = [path.name for path in sorted((tmp_path / "killed/data").iterdir())]
    assert names == [path.name for path in sorted((tmp_path / "whole/data").iterdir())]
    assert rows(tmp_path / "killed") == rows(tmp_path / "whole")


LOADED = """
import json, os, sys
os.environ.update(HF_HOME=sys.argv[2], HF_HUB_OFFLINE="1", HF_DATASETS_OFFLINE="1")
from datasets import load_dataset

print(json.dumps(load_dataset(sys.argv[1], split="train").to_list(), default=str))
"""


@pytest.mark.skipif(
    find_spec("datasets") is None,
    reason="NO DATASETS: that load_dataset opens a corpus is not tested; pip install datasets, then again",
)
@pytest.mark.parametrize("format", ["jsonl", "parquet"])
def test_load_dataset_opens_a_corpus(crawl_folder, tmp_path, format):
    export_corpus(crawl_folder, tmp_path / "plain", FEW_WORDS)
    export_corpus(crawl_folder, tmp_path / "corpus", CorpusOptions(min_words=20, format=format))
    command = [sys.executable, "-c", LOADED, tmp_path / "corpus", tmp_path / "cache"]
    answer = subprocess.run(command, check=True, capture_output=True, text=True)
    found = json.loads(answer.stdout.splitlines()[-1])
    wanted = rows(tmp_path / "plain")
    assert [(row["url"], row["text"]) for row in found] == [(row["url"], row["text"]) for row in wanted]
    assert found[0].keys() == wanted[0].keys()


def test_another_folder_or_other_options_are_refused(crawl_folder, tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/file").write_text("x")
    with pytest.raises(ConfigError, match="not empty"):
        export_corpus(crawl_folder, tmp_path / "mine", FEW_WORDS)
    export_corpus(crawl_folder, tmp_path / "corpus", FEW_WORDS)
    with pytest.raises(ConfigError, match="other options"):
        export_corpus(crawl_folder, tmp_path / "corpus", CorpusOptions(min_words=30))


def test_the_command_says_what_was_left_out(crawl_folder, tmp_path):
    target = tmp_path / "corpus"
    command = [
        sys.executable,
        "-m",
        "clew",
        "export",
        str(crawl_folder),
        str(target),
        "--corpus",
        "--min-words",
        "20",
    ]
    made = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert made.startswith("wrote 3 texts with")
    assert f"left out: 4 {DropReason.RESERVED}" in made


def test_resemblance_is_high_for_small_changes_in_any_script_and_low_otherwise():
    one, other = story(1, 60), story(2, 60)
    changed = one.replace("tide", "ebb", 2)
    assert resemblance(letter_runs(one), letter_runs(changed)) > 0.85
    assert resemblance(letter_runs(one), letter_runs(other)) < 0.4
    japanese = "潮は一日に二度変わり、灯台守は毎晩階段を登った。" * 3 + "港の水は朝に戻り、船は島へ向かう。"
    assert resemblance(letter_runs(japanese), letter_runs(japanese + "窓の外は冬だ。")) > 0.6


def test_lines_of_a_host_need_several_pages():
    texts = [f"Story {number}\nNotice" for number in range(5)]
    lines = HostLines(texts)
    assert lines.removed("Story 1\nNotice\nEnd") == ("Story 1\nEnd", 1)
    assert HostLines(texts[:3]).removed("Story 1\nNotice") == ("Story 1\nNotice", 0)
