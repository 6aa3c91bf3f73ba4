"""What engine and services read from the database of a crawl."""

from collections.abc import Iterator, Sequence

from clew.contracts import HostStats, JudgedPage, RescoreSource, WaitingLink
from clew.store import judged_pages, loading, queries, rescore_source
from clew.store.connections import Connections
from clew.store.labels import label_stamp, read_labels, read_rules
from clew.store.rejudge import DEFERRED, read_judged
from clew.types import Ids, Label, Page, Rule

_WAITING = """
SELECT links.id, ifnull(anchor, ''), ifnull(pages.lang, '') FROM links LEFT JOIN pages ON pages.id = parent
WHERE links.id > ? AND parent NOT NULL AND hops = 0 AND kind != 1
AND (state = 0 OR (state = 3 AND reason LIKE 'policy:%')) ORDER BY links.id LIMIT ?"""


class SqliteReader:
    """Read committed data.

    `labels`, `label_stamp`, `rules`, `judged`, `waiting_links` and `deferred_ids` share the connection of the
    thread that opened the store. All others open a connection of their own: call them from any thread.
    """

    def __init__(self, connections: Connections) -> None:
        self._connections = connections
        self._folder = connections.folder

    def labels(self, since: float) -> list[Label]:
        """Return the labels given after `since`, oldest first."""
        with self._connections.errors():
            return read_labels(self._connections.reader, since)

    def label_stamp(self) -> tuple[int, float]:
        """Return two numbers that change whenever a label is added or removed."""
        with self._connections.errors():
            return label_stamp(self._connections.reader)

    def rules(self, after: int) -> list[Rule]:
        """Return the rules with ids above `after`, oldest first."""
        with self._connections.errors():
            return read_rules(self._connections.reader, after)

    def judged(self, urls: Sequence[str]) -> list[Page]:
        """Return the judged pages of these URLs: title, text and language."""
        with self._connections.errors():
            return [page for pages in read_judged(self._connections.reader, list(urls)) for page in pages]

    def waiting_links(self, after: int, most: int) -> list[WaitingLink]:
        """Return links with ids above `after` that are open or deferred by a policy."""
        with self._connections.errors():
            return self._connections.reader.execute(_WAITING, (after, most)).fetchall()

    def deferred_ids(self) -> list[int]:
        """Return the ids of links that a policy deferred."""
        with self._connections.errors():
            return [id for (id,) in self._connections.reader.execute(DEFERRED)]

    def link_sources(self) -> Ids:
        """Return by link id the page that each was found on, past redirects and feeds; 0 if there is none."""
        with self._connections.errors():
            return loading.link_sources(self._connections.reader)

    def pages_by_url(self, urls: Sequence[str]) -> list[JudgedPage]:
        """Return the judged pages of these canonical URLs, with the open links on them."""
        return judged_pages.read_by_url(self._folder, urls)

    def pages_by_id(self, ids: Sequence[int]) -> list[JudgedPage]:
        """Return the judged pages of these links, without the links on them."""
        return judged_pages.read_by_id(self._folder, ids)

    def pages_after(self, id: int, most: int) -> list[JudgedPage]:
        """Return up to `most` judged pages with larger ids, in their order, without their links."""
        return judged_pages.read_after(self._folder, id, most)

    def facts(self, *keys: str) -> dict[str, str]:
        """Return the facts stored under these keys; missing ones are left out."""
        return queries.read_facts(self._folder, keys)

    def host_stats(self, keep: float) -> list[HostStats]:
        """Return for each origin that has open or fetched pages how its pages were judged."""
        return queries.read_host_stats(self._folder, keep)

    def seed_links(self, depth: int) -> list[tuple[int, int, int]]:
        """Return the open links up to a depth, each with its depth and the longest list of its page."""
        return queries.read_seed_links(self._folder, depth)

    def redirected_seeds(self) -> list[str]:
        """Return the URLs that seeds redirect to."""
        return queries.read_redirected_seeds(self._folder)

    def labelled_verdicts(self, why: str) -> dict[str, bool]:
        """Return pages whose verdict has this reason, by URL, and whether the verdict is positive."""
        return queries.read_labelled_verdicts(self._folder, why)

    def last_settings(self) -> str | None:
        """Return the configuration of the last run as JSON; None before the first run."""
        return queries.read_last_settings(self._folder)

    def rescore_sources(self, first: int, raised: int) -> Iterator[RescoreSource]:
        """Yield open links by the page that gave them their score, with that page and its verdict.

        Only links with ids from `first` on, and those whose score was raised after raise number `raised`.
        """
        return rescore_source.read_sources(self._folder, first, raised)

    def page_links(self) -> Iterator[RescoreSource]:
        """Yield every judged page with the links that were first found on it."""
        return rescore_source.read_page_links(self._folder)

    def last_raised(self) -> int:
        """Return the number of the last raised score."""
        return rescore_source.last_raised(self._folder)
