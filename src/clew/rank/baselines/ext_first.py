"""Extension-first: breadth-first that fetches links to data files at once."""

import numpy as np

from clew.domain.datafiles import kind_of
from clew.types import Links, Outcome, Scores

FILES, OTHERS = 1.0, 0.5


class ExtFirst:
    """Take links that look like data files before all others, and the others in the order they were found.

    It uses nothing but file names, which makes it the baseline for policies that look for files: whatever
    they learn, they must recognise extensions at least as well.

    >>> from clew.testing import sample_outcome, sample_links
    >>> ExtFirst().score(sample_outcome(), sample_links(2)).tolist()
    [0.5, 0.5]
    """

    def score(self, source: Outcome, links: Links) -> Scores:
        scores: Scores = np.sum(list(self.parts(source, links).values()), axis=0, dtype=np.float32)
        return scores

    def parts(self, source: Outcome, links: Links) -> dict[str, Scores]:  # noqa: ARG002 - by name only
        files = np.array(
            [kind_of(url, type).chance >= OTHERS for url, type in zip(links.urls, links.types, strict=True)],
            bool,
        )
        return {
            "the same for every link: the oldest comes first": np.full(len(links), OTHERS, np.float32),
            "a data file by its name": np.where(files, np.float32(FILES - OTHERS), np.float32(0)),
        }

    def learn(self, outcome: Outcome) -> None:
        """Learn nothing: scores depend on file names only."""
