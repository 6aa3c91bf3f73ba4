"""How many labels a teacher may have given after so many pages: many early, when each teaches most."""

from math import log1p

FIRST = 10
"""Pages before the first question: with fewer there is nothing to choose from."""

USUAL_PAGES = 2_000
"""The length of a crawl without a page budget, for the pace alone."""


def labels_due(read: int, labels: int, pages: int) -> int:
    """Return how many of `labels` may have been asked for after `read` of `pages` pages.

    Equal numbers in equal steps of the logarithm of pages, all of them by half of the budget, and never more
    than half of the pages that were read.

    >>> [labels_due(read, 40, 2000) for read in (9, 10, 20, 100, 400, 1000)]
    [0, 5, 9, 20, 32, 40]
    """
    if read < FIRST:
        return 0
    due = labels * log1p(read / FIRST) / log1p((pages or USUAL_PAGES) / 2 / FIRST)
    return min(labels, read // 2, int(due))
