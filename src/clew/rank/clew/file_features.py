"""Features of links to files: the kind of a file, by URL, type and words, and the files on its page."""

from collections.abc import Mapping
from functools import cached_property

import numpy as np

from clew.domain.datafiles import DATA, OTHER, KindSign, kind_of
from clew.domain.learned_state import State, StateRead, dense, nested, part, sparse
from clew.rank.shared.token_stats import TokenStats, logit
from clew.types import FeatureGroup, Features, Links, Outcome

REPEATED = 0.5
"""What a page counts for whose files were all seen before: half of one that links to many new ones."""

MIN_CHANCE = 0.5
"""The probability from which a link counts as a data file."""

WANTED_CHANCE = 0.95
"""Prior of a file where any file of its kind is wanted: some requests fail."""

OTHER_CHANCE = 0.01
"""Prior of a file of another kind: it leads nowhere, but it is not discarded."""

SLOTS = 1 << 22
"""Slots in which files are marked as seen, 4 MB: two files with the same slot count as one."""

_ON_PAGE = ((10, "10 files or more"), (2, "2 to 9 files"), (1, "1 file"), (0, "no file"))


class FileFeatures:
    """Describe the kind and host of a file, and for links to pages how many files are on the source page.

    Files are expected to arrive and to be what they seem, so that they are fetched at once; where requests
    fail, that is learned by kind and host, and a kind on a host is smoothed towards that kind on all hosts.
    `of` names the kinds that are wanted, as in the judge `files:pdf+epub`; without it those that hold data.

    >>> from clew.testing import sample_outcome
    >>> from clew.types import Kind
    >>> features, stats = FileFeatures(), TokenStats()
    >>> features.prepare(stats, 0.15)
    >>> links = Links.plain(["http://a.test/t.csv", "http://a.test/"], Kind.PAGE)
    >>> rows = features.columns(sample_outcome(), links, stats)
    >>> [[stats.names[at][1] for at in row if at] for row in rows.tolist()]
    [['a csv file', 'csv files of a.test'], ['no file, and no file beside it']]
    """

    group = FeatureGroup("file type", 2, 0.4)

    def __init__(self, *, of: str = "") -> None:
        self.of = of
        self._seen = np.zeros(SLOTS, bool)
        self._new = 0  # files that the latest page was the first to link to

    @cached_property
    def priors(self) -> Mapping[str, float]:
        """The known kinds of files, and the prior probability that one is wanted."""
        wanted = {kind.strip().lower(): WANTED_CHANCE for kind in self.of.split("+")} if self.of else DATA
        other = dict.fromkeys({*OTHER, *DATA} - {"html"} - wanted.keys(), OTHER_CHANCE)
        return other | {kind: max(MIN_CHANCE, chance) for kind, chance in wanted.items()}

    def prepare(self, stats: TokenStats, share: float) -> None:
        """Set the prior of every kind of file; `share` is the base rate."""
        for kind, chance in self.priors.items():
            stats.prior[stats.register("file", f"a {kind} file")] = logit(chance) - logit(share)

    def columns(self, source: Outcome, links: Links, stats: TokenStats) -> Features:
        """Return the token ids of links."""
        rows = np.zeros((len(links), self.group.columns), np.uint32)
        on_page = sum(map(self._wanted, self._kinds(source.page.links)))
        page = f"no file, and {next(name for least, name in _ON_PAGE if on_page >= least)} beside it"
        for at, kind in enumerate(self._kinds(links)):
            if kind in self.priors:
                any_host, host = f"a {kind} file", links.origins[at].partition("://")[2]
                rows[at] = (
                    stats.register("file", any_host),
                    stats.register("file", f"{kind} files of {host}", any_host),
                )
            else:
                rows[at, 0] = stats.register("file", page)
        return rows

    def learn(self, outcome: Outcome) -> None:
        """Count the files that this page is the first to link to."""
        links = outcome.page.links
        files = [at for at, kind in enumerate(self._kinds(links)) if self._wanted(kind)]
        slots = np.unique(links.hashes[files] % np.uint64(SLOTS)).astype(np.int64)
        self._new = int((~self._seen[slots]).sum())
        self._seen[slots] = True

    def novelty(self, outcome: Outcome) -> float:
        """Return how much the latest page counts: a file in full, a page by the number of its new files."""
        page = outcome.page
        if self._wanted(self._kind(kind_of(page.url, page.mime))):
            return 1.0
        return REPEATED + (1 - REPEATED) * self._new / (self._new + 1)

    def learned_state(self) -> State:
        """Return which files were seen."""
        return nested(seen=sparse(self._seen))

    def restore_state(self, state: StateRead) -> None:
        """Continue with what `learned_state` returned."""
        dense(part(state, "seen"), self._seen)

    def _wanted(self, kind: str) -> bool:
        return self.priors.get(kind, 0.0) >= MIN_CHANCE

    def _kinds(self, links: Links) -> list[str]:
        columns = zip(links.urls, links.types, links.anchors, strict=True)
        return [self._kind(kind_of(url, type, anchor)) for url, type, anchor in columns]

    def _kind(self, sign: KindSign) -> str:
        """Return the kind of a file; none where data is wanted and a file of that name is rarely any."""
        return sign.kind if self.of or sign.chance >= MIN_CHANCE or sign.kind in OTHER else ""
