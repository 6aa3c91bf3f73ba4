"""A finished crawl as a world: its responses, seeds and verdicts, and the user's labels."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from pathlib import Path

from clew import urls
from clew.config import load
from clew.errors import ConfigError
from clew.lab.task import Graded, Task
from clew.store import read_sql
from clew.store.folder import DATABASE, PAGES

RELEVANT = "relevant"
"""The label of pages that were relevant in the crawl, or that the user labelled good."""

_VERDICTS = (
    "SELECT url, verdict, relevant FROM pages JOIN links USING (id)"
    " WHERE kind = 0 AND redirect IS NULL AND status BETWEEN 200 AND 299 ORDER BY id"
)
_ANSWERS = (
    "SELECT warc_file, warc_offset, warc_length FROM pages"
    " WHERE warc_file IS NOT NULL ORDER BY warc_file, warc_offset"
)
_LABELS = "SELECT url, good FROM labels ORDER BY at, id"
_SEEDS = "SELECT url FROM links WHERE parent IS NULL AND kind = 0 AND depth = 0 ORDER BY id"


@dataclass(frozen=True, slots=True)
class Finished:
    """A finished crawl: seeds, labels by URL, and the goal."""

    seeds: list[str]
    labels: dict[str, list[str]]
    about: str
    good: list[str]
    bad: list[str]


def is_crawl(path: Path) -> bool:
    """Tell a crawl folder by its database."""
    return (path / DATABASE).is_file()


def crawl_files(folder: Path) -> tuple[tuple[Path, int | None], ...]:
    """Return the WARC files of a crawl, each with the end of what was committed."""
    rows = read_sql(folder, "SELECT name, length FROM warcs ORDER BY name")
    return tuple((folder / PAGES / name, length) for name, length in rows)


def crawl_task(folder: Path, known: frozenset[int]) -> Task:
    """Make a task of a crawl's goal; relevant are its relevant pages without those that the user rejected."""
    crawl = _finished(folder)
    examples = {urls.fingerprint(url) for url in (*crawl.good, *crawl.bad)}
    relevant = (urls.fingerprint(url) for url, labels in crawl.labels.items() if RELEVANT in labels)
    return Task(
        name=crawl.about or folder.name,
        about=crawl.about,
        truth=Graded({hash: 1.0 for hash in relevant if hash in known and hash not in examples}),
        kind="crawl",
        starts={"seeds": tuple(crawl.seeds)},
        good=tuple(crawl.good),
        bad=tuple(crawl.bad),
    )


def record(crawl: Path, world: Path) -> int:
    """Turn the crawl in one folder into a world in another; return the number of its responses."""
    if not is_crawl(crawl):
        msg = f"{crawl} holds no {DATABASE}; name the folder of a crawl that was run"
        raise ConfigError(msg)
    if world.exists() and any(world.iterdir()):
        msg = f"{world} is not empty; name a new folder for the world"
        raise ConfigError(msg)
    world.mkdir(parents=True, exist_ok=True)
    crawl_facts = _finished(crawl)
    count = 0
    with (world / "pages.warc.gz").open("wb") as out:
        for member in _members(crawl):
            out.write(member)
            count += 1
    lines = (f"{url}\t{','.join(labels)}\n" for url, labels in crawl_facts.labels.items())
    (world / "labels.tsv").write_text("".join(lines), "utf-8")
    (world / "seeds.txt").write_text("".join(f"{url}\n" for url in crawl_facts.seeds), "utf-8")
    task = {
        "topic": crawl_facts.about or crawl.name, "about": crawl_facts.about, "kind": "crawl",
        "positive_labels": [RELEVANT], "example_pages": crawl_facts.good, "counter_examples": crawl_facts.bad,
        "seeds": crawl_facts.seeds,
    }  # fmt: skip
    tasks = json.dumps({"world": world.name, "tasks": [task]}, ensure_ascii=False, indent=1)
    (world / "tasks.json").write_text(tasks + "\n", "utf-8")
    return count


def _members(crawl: Path) -> Iterator[bytes]:
    """Yield the responses of a crawl as they are in its files; damage is counted when the world is opened."""
    for name, rows in groupby(read_sql(crawl, _ANSWERS), itemgetter(0)):
        path = crawl / PAGES / name
        try:
            with path.open("rb") as file:
                for _, offset, length in rows:
                    file.seek(offset)
                    yield file.read(length)
        except OSError as error:
            msg = f"{path} cannot be read: {error.strerror}; the crawl needs it, put it back"
            raise ConfigError(msg) from None


def _finished(folder: Path) -> Finished:
    canon = urls.Canon()
    labels: dict[str, list[str]] = {}
    for url, verdict, relevant in read_sql(folder, _VERDICTS):
        labels[url] = ["judged"] if verdict is not None else []
        if relevant:
            labels[url].append(RELEVANT)
    for labelled_url, good_label in read_sql(folder, _LABELS):
        url = canon(labelled_url) or labelled_url
        others = [label for label in labels.get(url, []) if label not in {RELEVANT, "good", "bad"}]
        labels[url] = [*others, *((RELEVANT, "good") if good_label else ("bad",))]
    goal = _goal(folder)
    good, bad = ([url for text in texts if "://" in text and (url := canon(text))] for texts in goal[1:])
    seeds = [url for (url,) in read_sql(folder, _SEEDS)]
    return Finished([url for url in seeds if url not in good] or seeds, labels, goal[0], good, bad)


def _goal(folder: Path) -> tuple[str, list[str], list[str]]:
    """Return the goal of the crawl: of its last run, or from its file."""
    rows = read_sql(folder, "SELECT settings FROM runs ORDER BY id DESC LIMIT 1")
    if rows:
        goal = json.loads(rows[0][0]).get("goal", {})
        return goal.get("about", ""), goal.get("good", []), goal.get("bad", [])
    config = load(folder / "clew.toml")
    return config.goal.about, config.goal.good, config.goal.bad
