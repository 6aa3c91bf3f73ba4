"""What is known of a link as a file: its kind, by address, type and words, and the files beside it."""

from collections.abc import Mapping
from functools import cached_property

import numpy as np

from clew.domain.datafiles import DATA, OTHER, KindSign, kind_of
from clew.rank.shared.token_stats import TokenStats, logit
from clew.types import FeatureGroup, Features, Links, Outcome

KNOWN = 0.5
"""What a page counts for whose files were all met before: half of one that names many new ones."""

LEAST = 0.5
"""The chance from which on a link is taken for a data file."""

SURE = 0.95
"""What a file promises where any file of its kind is wanted: some do not come."""

NONE = 0.01
"""What a file of another kind promises: it leads nowhere, but nothing is excluded."""

SLOTS = 1 << 22
"""Places in which it is noted that a file was met, 4 MB: two files that share one are taken for one."""

_BESIDE = ((10, "10 files or more"), (2, "2 to 9 files"), (1, "1 file"), (0, "no file"))


class FileFeatures:
    """Say of what kind a file is and whose, and of pages how many files stand beside the link.

    Files are expected to come and to be what they seem, so that they are taken at once; where they do not
    come, that is learned by kind and host, and a kind leans on a host on what it is worth everywhere.
    `of` names the kinds that are wanted, as in the judge `files:pdf+epub`; without it those that hold data.

    >>> from clew.testing import sample_outcome
    >>> from clew.types import Kind
    >>> witness, evidence = FileFeatures(), Evidence()
    >>> witness.prepare(evidence, 0.15)
    >>> links = Links.plain(["http://a.test/t.csv", "http://a.test/"], Kind.PAGE)
    >>> rows = witness.columns(sample_outcome(), links, evidence)
    >>> [[evidence.names[at][1] for at in row if at] for row in rows.tolist()]
    [['a csv file', 'csv files of a.test'], ['no file, and no file beside it']]
    """

    family = FeatureGroup("what kind of file it is", 2, 0.4)

    def __init__(self, *, of: str = "") -> None:
        self.of = of
        self._met = np.zeros(SLOTS, bool)
        self._new = 0  # files that the latest page was the first to name

    @cached_property
    def promises(self) -> Mapping[str, float]:
        """The kinds of files that are known, and the chance that one is wanted."""
        wanted = {kind.strip().lower(): SURE for kind in self.of.split("+")} if self.of else DATA
        other = dict.fromkeys({*OTHER, *DATA} - {"html"} - wanted.keys(), NONE)
        return other | {kind: max(LEAST, chance) for kind, chance in wanted.items()}

    def prepare(self, evidence: TokenStats, share: float) -> None:
        """Let every kind of file promise what is to be expected of it; `share` is what any link promises."""
        for kind, chance in self.promises.items():
            evidence.prior[evidence.meet("file", f"a {kind} file")] = logit(chance) - logit(share)

    def columns(self, source: Outcome, links: Links, evidence: TokenStats) -> Features:
        """Return what is said of links, as numbers."""
        told = np.zeros((len(links), self.family.columns), np.uint32)
        beside = sum(map(self._wanted, self._kinds(source.page.links)))
        page = f"no file, and {next(said for least, said in _BESIDE if beside >= least)} beside it"
        for at, kind in enumerate(self._kinds(links)):
            if kind in self.promises:
                any_host, host = f"a {kind} file", links.origins[at].partition("://")[2]
                told[at] = (
                    evidence.meet("file", any_host),
                    evidence.meet("file", f"{kind} files of {host}", any_host),
                )
            else:
                told[at, 0] = evidence.meet("file", page)
        return told

    def learn(self, outcome: Outcome) -> None:
        """Count the files that this page is the first to name."""
        links = outcome.page.links
        files = [at for at, kind in enumerate(self._kinds(links)) if self._wanted(kind)]
        places = np.unique(links.hashes[files] % np.uint64(SLOTS)).astype(np.int64)
        self._new = int((~self._met[places]).sum())
        self._met[places] = True

    def news(self, outcome: Outcome) -> float:
        """Return how much of the latest page counts: all of a file, of a page the more the more new files."""
        page = outcome.page
        if self._wanted(self._kind(kind_of(page.url, page.mime))):
            return 1.0
        return KNOWN + (1 - KNOWN) * self._new / (self._new + 1)

    def _wanted(self, kind: str) -> bool:
        return self.promises.get(kind, 0.0) >= LEAST

    def _kinds(self, links: Links) -> list[str]:
        told = zip(links.urls, links.types, links.anchors, strict=True)
        return [self._kind(kind_of(url, type, anchor)) for url, type, anchor in told]

    def _kind(self, sign: KindSign) -> str:
        """Return the kind of a file; none where data is wanted and a file of that name is rarely any."""
        return sign.kind if self.of or sign.chance >= LEAST or sign.kind in OTHER else ""
