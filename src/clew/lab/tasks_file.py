"""The tasks of a world: `tasks.json`, with the tables beside it.

A task is one of
    topic    {"topic", "keywords", "positive_labels", "example_pages", "seeds"}: pages that have a label
    pages    {"id", "question", "truth" or "positives": "labels.tsv, hits>=5"}: pages for which a rule holds
    sites    {"id", "kind": "sites", "question", "truth": "sites.tsv, column label"}: hosts marked 1 there
    records  {"id", "examples": [{column: value, …}, …]}: pages that hold a row of records.tsv, or are said
             to hold some in the column records_on_page of labels.tsv
"""

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

from clew import urls
from clew.errors import ConfigError
from clew.lab.labels import Row, by_rule, labelled, read_rows
from clew.lab.task import Graded, ListedTruth, RowTruth, Task

Entry: TypeAlias = dict[str, Any]

_TABLE = re.compile(r"^\s*(labels|sites)\.tsv[,\s]\s*")


@dataclass(slots=True)
class TaskFile:
    """The files beside the pages of a world, read once for all tasks; `notes` are messages to the user."""

    folder: Path
    canon: urls.Canon
    known: frozenset[int]
    plain: bool = False
    notes: list[str] = field(default_factory=list)
    labels: list[Row] = field(default_factory=list)
    seeds: list[str] = field(default_factory=list)
    pool: list[str] = field(default_factory=list)

    def read(self) -> list[Task]:
        """Return the valid tasks of the folder."""
        self.labels = read_rows(self.folder / "labels.tsv")
        self.seeds = _lines(self.folder / "seeds.txt")
        self.pool = _lines(self.folder / "urls.txt")
        self._note_unknown_labels()
        path = self.folder / "tasks.json"
        if not path.exists():
            return []
        try:
            content = json.loads(path.read_text("utf-8"))
            entries = content["tasks"]
        except (OSError, ValueError, KeyError, TypeError) as error:
            msg = f'{path} cannot be read: {error!r}; it should hold {{"tasks": [{{…}}, …]}}'
            raise ConfigError(msg) from None
        made = [self._task(content, entry) for entry in entries]
        return [task for task in made if task is not None]

    def canonical_urls(self, found: Iterable[str]) -> list[str]:
        """Return canonical URLs, each once."""
        made = []
        for url in found:
            text = "http:" + url[6:] if self.plain and url.startswith("https:") else url
            if canonical := self.canon(text):
                made.append(canonical)
        return list(dict.fromkeys(made))

    def _note_unknown_labels(self) -> None:
        rows = self.canonical_urls(row["url"] for row in self.labels if "url" in row)
        unknown = sum(urls.fingerprint(url) not in self.known for url in rows)
        if unknown:
            self.notes.append(
                f"{self.folder / 'labels.tsv'}: {unknown:,} of {len(rows):,} labels name pages that are not"
                " in the archive; the others are used"
            )

    def _task(self, content: Entry, entry: Entry) -> Task | None:
        name = str(entry.get("topic") or entry.get("id") or entry.get("question") or "nameless")
        kind, right, sites = self._right(content, entry)
        records = tuple(_record(row) for row in entry.get("examples") or ())
        good, bad = (
            tuple(self.canonical_urls(entry.get(key) or ())) for key in ("example_pages", "counter_examples")
        )
        examples = {urls.fingerprint(url) for url in (*good, *bad)}
        grades = {
            hash: 1.0
            for hash in map(urls.fingerprint, self.canonical_urls(right))
            if hash in self.known and hash not in examples
        }
        if not grades:
            self.notes.append(
                f"{self.folder / 'tasks.json'}: {name!r} is left out, none of its {len(right):,} relevant"
                " pages is in the archive beside the examples; look at its labels"
            )
            return None
        return Task(
            name=name,
            about=_about(entry),
            truth=Graded(grades),
            kind=kind,
            starts=self._starts(content, entry),
            good=good,
            bad=bad,
            records=records,
            rows=self._rows(records),
            sites=sites,
            flags=tuple(entry.get("flags") or ()),
        )

    def _rows(self, records: tuple[dict[str, str], ...]) -> RowTruth | None:
        """Return the true rows of records.tsv, in the columns of the examples."""
        columns = tuple(records[0]) if records else ()
        rows = read_rows(self.folder / "records.tsv") if columns else []
        found = [tuple(row.get(name, "") for name in columns) for row in rows]
        return ListedTruth.of(row for row in found if all(row)) if found else None

    def _right(self, content: Entry, entry: Entry) -> tuple[str, list[str], dict[str, bool]]:
        """Return kind, relevant URLs and relevant sites of a task."""
        where = str(self.folder / "tasks.json")
        if wanted := entry.get("positive_labels"):
            return str(entry.get("kind") or "topic"), labelled(self.labels, wanted), {}
        if entry.get("kind") == "sites":
            column = str(entry.get("truth", "")).rpartition("column ")[2] or "label"
            rows = read_rows(self.folder / "sites.tsv")
            sites = {row["host"]: row.get(column) == "1" for row in rows if "host" in row}
            return "sites", [row["url"] for row in self.labels if sites.get(row.get("host", ""))], sites
        if rule := entry.get("truth") or entry.get("positives"):
            return "pages", by_rule(self.labels, _TABLE.sub("", str(rule)), where), {}
        if entry.get("examples") or content.get("relation"):
            rows = read_rows(self.folder / "records.tsv")
            rows += [row for row in self.labels if row.get("records_on_page", "0") != "0"]
            return "records", [row.get("page_url") or row.get("url") or "" for row in rows], {}
        msg = f'{where}: task {entry.get("id")!r} defines no relevant pages; give it "positive_labels"'
        raise ConfigError(msg)

    def _starts(self, content: Entry, entry: Entry) -> dict[str, tuple[str, ...]]:
        named = entry.get("seeds") or content.get("seeds")
        seeds = named if isinstance(named, list) else self.seeds
        starts = {"seeds": tuple(self.canonical_urls(seeds))}
        for name, more in (entry.get("starts") or {}).items():
            starts[name] = tuple(self.canonical_urls(more))
        if self.pool:
            starts["pool"] = tuple(self.canonical_urls(self.pool))
        return starts


def _about(entry: Entry) -> str:
    if keywords := entry.get("keywords"):
        return " ".join(keywords)
    if examples := entry.get("examples"):
        return "; ".join(", ".join(_record(row).values()) for row in examples)
    return str(entry.get("about") or entry.get("question") or entry.get("topic") or "")


def _record(row: Entry) -> dict[str, str]:
    """Return an example row without its counts."""
    return {name: value for name, value in row.items() if isinstance(value, str)}


def _lines(path: Path) -> list[str]:
    if not path.exists():
        return []
    lines = path.read_text("utf-8", "replace").splitlines()
    return [line.split()[0] for line in lines if line.strip() and not line.startswith("#")]
