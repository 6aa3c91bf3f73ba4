"""What queries brought: which of them named a link first, how often it was named, what came of it."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from clew.queries import Asked, unseen


@dataclass(slots=True)
class Brought:
    """Credit each link to the query that named it first.

    `found` counts how many queries named it: what came again and again says that little is left to find.
    """

    owners: dict[int, Asked] = field(default_factory=dict)
    found: Counter[int] = field(default_factory=Counter)
    relevant: set[int] = field(default_factory=set)
    rows: dict[int, Asked] = field(default_factory=dict)
    written: dict[int, int] = field(default_factory=dict)

    def enter(self, ids: Iterable[int], asked: Asked, links: Iterable[int]) -> None:
        """Take the links a query named; `ids` are its rows in the log, one for each engine."""
        self.rows.update(dict.fromkeys(ids, asked))
        for link in set(links):
            if link:
                self.found[link] += 1
                self.owners.setdefault(link, asked)

    def read(self, link: int, relevant: bool) -> None:
        """Note that a page was read, if a query had named it."""
        if (asked := self.owners.get(link)) is not None:
            asked.read += 1
            asked.relevant += relevant
            if relevant:
                self.relevant.add(link)

    def move(self, link: int, target: int) -> None:
        """Let the target of a redirect stand for the address that was named."""
        if target and link in self.owners:
            self.owners.setdefault(target, self.owners[link])
            self.found[target] += self.found.pop(link, 1)

    def unseen(self) -> float:
        """Estimate how many relevant pages the engines know that no query has brought."""
        return unseen(self.found, self.relevant)

    def news(self) -> Mapping[int, int]:
        """Return, by rows of the log, the relevant pages brought so far where that has changed."""
        now = {id: asked.relevant for id, asked in self.rows.items()}
        changed = {id: number for id, number in now.items() if self.written.get(id) != number}
        self.written = now
        return changed
