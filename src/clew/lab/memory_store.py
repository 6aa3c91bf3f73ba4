"""A store in memory, for runs without a folder: nothing is stored at the end."""

from bisect import bisect_right
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from clew import urls
from clew.contracts import WaitingLink
from clew.lab.empty_store import EmptyControl, EmptyReader, EmptySearches, EmptyTable
from clew.types import (
    Ids,
    Kind,
    Link,
    Links,
    NewLinks,
    PageResult,
    Rule,
    ScoreParts,
    Scores,
    Verdict,
)

CLIP = 200
"""Characters stored of an anchor, as on disk."""

_KINDS = tuple(Kind)


@dataclass(frozen=True, slots=True)
class _Batch:
    """Links found together: one text for all URLs and one for all anchors, not an object for each."""

    parent: int
    depth: int
    hops: int
    rules_for: str
    urls: bytes
    anchors: bytes
    kinds: bytes
    scores: Scores
    lang: str = ""


class _LinkBatches:
    """Batches in the order of their first ids."""

    def __init__(self) -> None:
        self.firsts: list[int] = []
        self.batches: list[_Batch] = []

    def insert(self, first: int, batch: _Batch) -> None:
        """Add a batch whose first link has this id."""
        position = bisect_right(self.firsts, first)
        self.firsts.insert(position, first)
        self.batches.insert(position, batch)

    def find(self, id: int) -> tuple[_Batch, int]:
        """Return the batch of a link and its row there; raise `KeyError` when there is none."""
        position = bisect_right(self.firsts, id) - 1
        if position < 0:
            raise KeyError(id)
        batch, row = self.batches[position], id - self.firsts[position]
        if row >= len(batch.kinds):
            raise KeyError(id)
        return batch, row


class MemoryReader(EmptyReader):
    """Read links and facts of this run; there is nothing else."""

    def __init__(self, links: _LinkBatches) -> None:
        self.values: dict[str, str] = {}
        self._links = links

    def waiting_links(self, after: int, most: int) -> Sequence[WaitingLink]:
        """Return links found on pages, also closed ones; the frontier knows which are open."""
        found: list[WaitingLink] = []
        for first, batch in zip(self._links.firsts, self._links.batches, strict=True):
            if first + len(batch.kinds) <= after + 1 or not batch.parent or batch.hops:
                continue
            if found and len(found) + len(batch.kinds) > most:
                break
            anchors = batch.anchors.decode("utf-8", "surrogatepass").split("\n")
            found += ((first + row, anchor, batch.lang) for row, anchor in enumerate(anchors))
        return found

    def facts(self, *keys: str) -> Mapping[str, str]:
        """Return the facts set under these keys."""
        return {key: self.values[key] for key in keys if key in self.values}


class MemoryStore:
    """Store what `link` needs and nothing else: some 100 bytes a link, no pages and no texts.

    `refused` counts the links that were closed unfetched, by the word before the colon of the reason.
    """

    def __init__(self) -> None:
        self.refused: Counter[str] = Counter()
        self._links = _LinkBatches()
        self._tries: dict[int, int] = {}
        self.reader = MemoryReader(self._links)
        self.control = EmptyControl()
        self.table = EmptyTable()
        self.searches = EmptySearches()

    def open(self) -> None:
        """Do nothing: there is no file to open."""

    def link(self, id: int) -> Link:
        """Return a link; raise `KeyError` when there is none."""
        batch, row = self._links.find(id)
        url = batch.urls.split(b"\n", row + 1)[row].decode()
        return Link(
            id=id,
            url=url,
            origin=urls.origin(url),
            kind=_KINDS[batch.kinds[row]],
            parent=batch.parent,
            anchor=batch.anchors.split(b"\n", row + 1)[row].decode("utf-8", "surrogatepass"),
            depth=batch.depth,
            hops=batch.hops,
            tries=self._tries.get(id, 0),
            score=float(batch.scores[row]),
            rules_for=batch.rules_for,
        )

    def add_links(self, found: NewLinks, parent: int = 0) -> None:
        """Add links that were found on no page of this crawl; `parent` stands for their page, if any."""
        self._add_batch(found, parent)

    def add(self, result: PageResult) -> None:
        """Add the links of a page result, and count the attempt."""
        link = result.page.response.link
        if result.new_links is not None:
            self._add_batch(result.new_links, link.id, result.page.lang)
        self._tries[link.id] = link.tries + result.was_requested

    def _add_batch(self, found: NewLinks, parent: int, lang: str = "") -> None:
        links = found.links
        if not len(links):
            return
        batch = _Batch(
            parent=parent,
            depth=found.depth,
            hops=found.hops,
            rules_for=found.rules_for,
            urls="\n".join(links.urls).encode(),
            anchors=_joined(links),
            kinds=bytes(links.kinds),
            scores=found.scores,
            lang=lang,
        )
        self._links.insert(found.first, batch)
        self.refused.update(rule.partition(":")[0] for rule in found.refused if rule)

    def refuse(self, id: int, reason: str) -> None:  # noqa: ARG002 - only the reason is counted
        """Count a link that will not be fetched after all."""
        self.refused[reason.partition(":")[0]] += 1

    def revise(self, id: int, verdict: Verdict, relevant: bool) -> None:
        """Store nothing: a trace has the verdict of the time when a page was read."""

    def reopen(self, ids: Ids) -> None:
        """Remove reopened links from the count of refused ones."""
        self.refused["policy"] -= len(ids)

    def raise_scores(
        self,
        ids: Ids,
        scores: Scores,
        source: int = 0,
        parts: ScoreParts | None = None,
        links: Links | None = None,
    ) -> None:
        """Store nothing: `link` returns the first score, and no run restarts from memory."""

    def name_score_parts(self, names: Sequence[str]) -> None:
        """Store nothing: a run without a folder is never explained."""

    def add_rule(self, rule: Rule) -> None:
        """Store nothing: the engine has applied the rule already."""

    def save_trap_state(self, states: Mapping[str, str]) -> None:
        """Store nothing: the trap guard has its state in memory."""

    def set_fact(self, key: str, value: str) -> None:
        """Store a fact; `reader.facts` returns it."""
        self.reader.values[key] = value

    async def commit(self) -> None:
        """Do nothing: there is nothing safer than memory here."""

    async def aclose(self) -> None:
        """Do nothing: the garbage collector closes this one."""


def _joined(links: Links) -> bytes:
    clipped = "\n".join(anchor[:CLIP] for anchor in links.anchors)
    if clipped.count("\n") >= len(links.anchors):  # a line break inside an anchor would shift all others
        clipped = "\n".join(" ".join(anchor[:CLIP].split()) for anchor in links.anchors)
    return clipped.encode("utf-8", "surrogatepass")
