"""Files first: extension-first that learns which files come, and which pages link to them."""

import re

import numpy as np
from numpy.typing import NDArray

from clew import urls
from clew.domain.datafiles import kind_of
from clew.rank.shared.link_index import LinkIndex, grown
from clew.rank.shared.tagpath_clusters import TagPathClusters
from clew.types import Hashes, Ids, Links, Outcome, Scores

PRIOR = 0.3
"""New files that a page is thought to link to before one like it was read: enough to be tried soon."""

WEIGHT = 2.0
"""Pages that the prior of a group counts for."""

MOST = 20
"""Files of one page that count: a list of thousands says no more about its neighbours."""

EVERY = 10
"""Pages between two looks at all open links; more when there are many links."""

SHARE = 2_000
"""Open links for each page read that may be scored anew."""

GROUPS = 100_000
"""Groups that are told apart; what is met beyond them is one group of each sort."""

_DIGITS = re.compile(r"\d+")
_LEAST = 0.5


class FilesFirst:
    """Take data files at once unless they never come; then pages like those that linked to some.

    The score of a link is the yield expected of it, in files a request. For a file that is the share of
    files of its kind that came from its host and were data; at first that is 1, as with `ext-first`. A page
    costs one request, and the files it links to one each: v / (1 + v), where v is the number of new files
    that pages like it linked to, times the share of files that came from its host. Alike are pages of a
    host whose links stood in the same place (tag path), whose addresses have the same folder but for
    digits, or whose links were found on pages that linked to files, or on others; where little is known of
    them, all pages of the host count, and where little is known of it, `PRIOR`.

    >>> from clew.testing import sample_outcome, sample_links
    >>> [f"{score:.2f}" for score in FilesFirst().score(sample_outcome(), sample_links(2))]
    ['0.23', '0.23']
    """

    def __init__(self) -> None:
        self._places = TagPathClusters()
        self._met = LinkIndex()
        self._groups: dict[object, int] = {}
        self._of = np.empty(
            (0, 5), np.int32
        )  # three groups of pages, or one of files; pages of its host, files of it
        self._is_file = np.empty(0, bool)
        self._sums = np.empty(0)
        self._tries = np.empty(0)
        self._since = 0

    def score(self, source: Outcome, links: Links) -> Scores:
        before = len(self._met)
        rows = self._met.add(links.hashes)
        new = np.flatnonzero(rows >= before)
        self._of, self._is_file = _longer(self._of, len(self._met)), grown(self._is_file, len(self._met))
        files = [kind_of(links.urls[at], links.types[at], links.anchors[at]) for at in new.tolist()]
        found = sum(sign.chance >= _LEAST for sign in files)
        for at, sign in zip(new.tolist(), files, strict=True):
            row = rows[at]
            self._is_file[row] = sign.chance >= _LEAST
            self._of[row] = self._grouped(
                links, at, sign.kind if self._is_file[row] else "", linking=found > 0
            )
        self._reward(source.page.url, min(found, MOST))
        return self._yields(rows)

    def learn(self, outcome: Outcome) -> None:
        """Count a file that came, or a page that was read; its links are counted when they are scored."""
        row = self._met.mark_fetched(urls.fingerprint(outcome.page.url))
        self._since += 1
        if row < 0:  # a seed, or where a redirect led
            self._count(np.array(self._abroad(outcome.page.url), np.int32), 0.0, 1)
        elif self._is_file[row]:
            self._count(self._of[row, [0, 4]], outcome.verdict.value, 1)
        else:
            self._count(self._of[row, :4], 0.0, 1)

    def rerank(self) -> tuple[Hashes, Scores] | None:
        if self._since < max(EVERY, len(self._met) / SHARE):
            return None
        self._since = 0
        rows = self._met.unfetched_rows()
        return self._met.hashes[rows], self._yields(rows)

    def _reward(self, url: str, found: int) -> None:
        row = self._met.row(urls.fingerprint(url))
        if row < 0:
            self._count(np.array(self._abroad(url), np.int32), found, 0)
        elif not self._is_file[row]:
            self._count(self._of[row, :4], found, 0)

    def _count(self, groups: NDArray[np.int32], worth: float, tries: int) -> None:
        self._sums[groups] += worth
        self._tries[groups] += tries

    def _grouped(self, links: Links, at: int, kind: str, *, linking: bool) -> tuple[int, ...]:
        """Return the groups of a link: three of pages, or one of files; all pages and files of its host."""
        host = urls.clock_key(links.origins[at])
        shape, pages = self._abroad(links.urls[at])
        files = self._group(("files", host))
        if kind:
            return (self._group(("file", host, kind)),) * 3 + (pages, files)
        place = self._group(("place", host, self._places.cluster_of(links.paths[at])))
        return place, shape, self._group(("source", host, linking)), pages, files

    def _abroad(self, url: str) -> tuple[int, int]:
        """Return the groups that an address alone tells: its folder, and its host under any scheme."""
        shape = _DIGITS.sub("0", url.partition("?")[0].rpartition("/")[0].partition("://")[2])
        return self._group(("shape", shape)), self._group(("pages", urls.clock_key(urls.origin(url))))

    def _group(self, key: tuple[str, *tuple[object, ...]]) -> int:
        if len(self._groups) >= GROUPS and key not in self._groups:
            key = key[:1]  # a site may have folders without end
        number = self._groups.setdefault(key, len(self._groups))
        self._sums, self._tries = grown(self._sums, number + 1), grown(self._tries, number + 1)
        return number

    def _yields(self, rows: Ids | list[int]) -> Scores:
        """Return the files expected of each link, for each request that it takes."""
        of, files = self._of[rows], self._is_file[rows]
        sums, tries = self._sums[of], self._tries[of]
        here, host = ((WEIGHT + sums[:, at]) / (WEIGHT + tries[:, at]) for at in (0, 4))  # shares that come
        usual = (WEIGHT * PRIOR + sums[:, 3]) / (WEIGHT + tries[:, 3])  # new files on a page of this host
        likely = ((WEIGHT * usual[:, None] + sums[:, :3]) / (WEIGHT + tries[:, :3])).mean(axis=1)
        scores: NDArray[np.float64] = np.where(files, here, host * likely / (1 + likely))
        return np.clip(scores, 0, 1).astype(np.float32)


def _longer(table: NDArray[np.int32], size: int) -> NDArray[np.int32]:
    """Return a table with room for `size` rows; a quarter more than asked."""
    if size <= len(table):
        return table
    longer = np.zeros((size + size // 4 + 64, table.shape[1]), table.dtype)
    longer[: len(table)] = table
    return longer
