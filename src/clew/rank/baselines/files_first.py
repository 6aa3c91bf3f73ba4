"""Files first: extension-first that learns which files are data, and which pages link to them."""

import re

import numpy as np
from numpy.typing import NDArray

from clew import urls
from clew.domain.datafiles import kind_of
from clew.rank.shared.link_index import LinkIndex, grown
from clew.rank.shared.tagpath_clusters import TagPathClusters
from clew.types import Hashes, Ids, Links, Outcome, Scores

PRIOR = 0.3
"""New files that a page is expected to link to before a similar one was read: enough to be tried soon."""

WEIGHT = 2.0
"""Pages that the prior of a group counts for."""

MAX_FILES = 20
"""Files of one page that count: a list of thousands tells no more about similar pages."""

MIN_PAGES = 10
"""Minimum number of pages between two rescorings of all open links; more when there are many links."""

RESCORED_PER_PAGE = 2_000
"""Open links for each page read that may be scored again."""

MAX_GROUPS = 100_000
"""Maximum number of groups; further ones are merged into one group of each kind."""

_DIGITS = re.compile(r"\d+")
_MIN_CHANCE = 0.5


class FilesFirst:
    """Take data files first unless they never turn out to be data; then pages similar to those with files.

    The score of a link is its expected yield, in files per request. For a file that is the share of files of
    its kind on its host that were data; at first that is 1, as with `ext-first`. A page costs one request,
    and the files it links to one each: v / (1 + v), where v is the mean number of new files on similar
    pages, times the share of files of its host that were data. Pages of a host are similar if their links
    had the same tag path, if their URLs have the same folder except for digits, or if their links were found
    on pages that did, or did not, link to files. Rare groups are smoothed towards the host, rare hosts
    towards `PRIOR`.

    >>> from clew.testing import sample_outcome, sample_links
    >>> [f"{score:.2f}" for score in FilesFirst().score(sample_outcome(), sample_links(2))]
    ['0.23', '0.23']
    """

    def __init__(self) -> None:
        self._clusters = TagPathClusters()
        self._index = LinkIndex()
        self._groups: dict[object, int] = {}
        self._link_groups = np.empty(
            (0, 5), np.int32
        )  # three groups of pages, or one of files; pages of its host, files of it
        self._is_file = np.empty(0, bool)
        self._sums = np.empty(0)
        self._tries = np.empty(0)
        self._since = 0

    def score(self, source: Outcome, links: Links) -> Scores:
        before = len(self._index)
        rows = self._index.add(links.hashes)
        new = np.flatnonzero(rows >= before)
        self._link_groups, self._is_file = (
            _grown_table(self._link_groups, len(self._index)),
            grown(self._is_file, len(self._index)),
        )
        files = [kind_of(links.urls[at], links.types[at], links.anchors[at]) for at in new.tolist()]
        found = sum(sign.chance >= _MIN_CHANCE for sign in files)
        for at, sign in zip(new.tolist(), files, strict=True):
            row = rows[at]
            self._is_file[row] = sign.chance >= _MIN_CHANCE
            self._link_groups[row] = self._groups_of(
                links, at, sign.kind if self._is_file[row] else "", linking=found > 0
            )
        self._reward(source.page.url, min(found, MAX_FILES))
        return self._yields(rows)

    def learn(self, outcome: Outcome) -> None:
        """Count a file or page that was read; its links are counted when they are scored."""
        row = self._index.mark_fetched(urls.fingerprint(outcome.page.url))
        self._since += 1
        if row < 0:  # a seed, or the target of a redirect
            self._count(np.array(self._url_groups(outcome.page.url), np.int32), 0.0, 1)
        elif self._is_file[row]:
            self._count(self._link_groups[row, [0, 4]], outcome.verdict.value, 1)
        else:
            self._count(self._link_groups[row, :4], 0.0, 1)

    def rerank(self) -> tuple[Hashes, Scores] | None:
        if self._since < max(MIN_PAGES, len(self._index) / RESCORED_PER_PAGE):
            return None
        self._since = 0
        rows = self._index.unfetched_rows()
        return self._index.hashes[rows], self._yields(rows)

    def _reward(self, url: str, found: int) -> None:
        row = self._index.row(urls.fingerprint(url))
        if row < 0:
            self._count(np.array(self._url_groups(url), np.int32), found, 0)
        elif not self._is_file[row]:
            self._count(self._link_groups[row, :4], found, 0)

    def _count(self, groups: NDArray[np.int32], files: float, tries: int) -> None:
        self._sums[groups] += files
        self._tries[groups] += tries

    def _groups_of(self, links: Links, at: int, kind: str, *, linking: bool) -> tuple[int, ...]:
        """Return the groups of a link: three of pages, or one of files; all pages and files of its host."""
        host = urls.clock_key(links.origins[at])
        shape, pages = self._url_groups(links.urls[at])
        files = self._group(("files", host))
        if kind:
            return (self._group(("file", host, kind)),) * 3 + (pages, files)
        place = self._group(("place", host, self._clusters.cluster_of(links.paths[at])))
        return place, shape, self._group(("source", host, linking)), pages, files

    def _url_groups(self, url: str) -> tuple[int, int]:
        """Return the groups that follow from a URL alone: its folder, and its host under any scheme."""
        shape = _DIGITS.sub("0", url.partition("?")[0].rpartition("/")[0].partition("://")[2])
        return self._group(("shape", shape)), self._group(("pages", urls.clock_key(urls.origin(url))))

    def _group(self, key: tuple[str, *tuple[object, ...]]) -> int:
        if len(self._groups) >= MAX_GROUPS and key not in self._groups:
            key = key[:1]  # a site may have any number of folders
        number = self._groups.setdefault(key, len(self._groups))
        self._sums, self._tries = grown(self._sums, number + 1), grown(self._tries, number + 1)
        return number

    def _yields(self, rows: Ids | list[int]) -> Scores:
        """Return the expected files per request of each link."""
        of, files = self._link_groups[rows], self._is_file[rows]
        sums, tries = self._sums[of], self._tries[of]
        here, host = ((WEIGHT + sums[:, at]) / (WEIGHT + tries[:, at]) for at in (0, 4))  # data
        usual = (WEIGHT * PRIOR + sums[:, 3]) / (WEIGHT + tries[:, 3])  # new files on a page of this host
        likely = ((WEIGHT * usual[:, None] + sums[:, :3]) / (WEIGHT + tries[:, :3])).mean(axis=1)
        scores: NDArray[np.float64] = np.where(files, here, host * likely / (1 + likely))
        return np.clip(scores, 0, 1).astype(np.float32)


def _grown_table(table: NDArray[np.int32], size: int) -> NDArray[np.int32]:
    """Return a table with room for `size` rows; a quarter more than needed."""
    if size <= len(table):
        return table
    longer = np.zeros((size + size // 4 + 64, table.shape[1]), table.dtype)
    longer[: len(table)] = table
    return longer
