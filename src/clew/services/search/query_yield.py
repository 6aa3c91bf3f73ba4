"""What queries brought: which of them named a link first, and what came of it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from clew.services.search.query_choice import AskedQuery


@dataclass(slots=True)
class QueryYield:
    """Credit each link to the query that named it first; remember who else named it.

    `named` are the queries that named a link which had been met before.
    """

    owners: dict[int, AskedQuery] = field(default_factory=dict)
    named: dict[int, list[AskedQuery]] = field(default_factory=dict)
    rows: dict[int, AskedQuery] = field(default_factory=dict)
    written: dict[int, int] = field(default_factory=dict)
    good: set[int] = field(default_factory=set)

    def enter(self, ids: Iterable[int], asked: AskedQuery, new: Iterable[int], old: Iterable[int]) -> None:
        """Take the links a query named, `old` ones met before; `ids` are its rows in the log."""
        self.rows.update(dict.fromkeys(ids, asked))
        for link in new:
            self.owners.setdefault(link, asked)
        for link in old:
            self.named.setdefault(link, []).append(asked)
            asked.known_relevant += link in self.good

    def read(self, link: int, relevant: bool) -> None:
        """Note what came of a link."""
        if (asked := self.owners.get(link)) is not None:
            asked.read += 1
            asked.relevant += relevant
        if relevant:
            self.good.add(link)
            for asked in self.named.get(link, ()):
                asked.known_relevant += 1

    def move(self, link: int, target: int) -> None:
        """Let the target of a redirect stand for the address that was named."""
        if target and link in self.owners:
            self.owners.setdefault(target, self.owners[link])
        if target and link in self.named:
            self.named.setdefault(target, self.named[link])

    def news(self) -> Mapping[int, int]:
        """Return, by rows of the log, the relevant pages brought so far where that has changed."""
        now = {id: asked.relevant for id, asked in self.rows.items()}
        changed = {id: number for id, number in now.items() if self.written.get(id) != number}
        self.written = now
        return changed
