"""Tokens of the crawl path: inlinks, pages since the last relevant one, and the previous page.

Model files contain these tokens, and their ids are hashes of their text, so the tokens themselves stay as
they are; explanations show their `display_name`.
"""

from clew.rank.shared.inlinks import LEVELS

MAX_SINCE = 5
"""Pages since the last relevant one that are told apart."""

VERDICT_STEPS = 5
"""Steps in which the verdict on the previous page is told apart."""


def since_relevant_token(pages: int) -> str:
    """Return the token for a number of pages since the last relevant one.

    >>> [display_name(since_relevant_token(pages)) for pages in (0, 1, 9)]
    ['source page is relevant', '1 page since the last relevant one', '5+ pages since the last relevant one']
    """
    if not pages:
        return "on a good page"
    return f"{_many_pages(pages)} since a good one"


def previous_page_token(step: int) -> str:
    """Return the token for the verdict on the previous page, in steps from 0."""
    return f"the page before judged {step / VERDICT_STEPS:.1f}"


def inlinks_token(magnitude: int, level: int) -> str:
    """Return the token for inlinks: the binary logarithm of their number, and the level of their verdicts."""
    pages = "1 page points" if not magnitude else f"{1 << magnitude} or more pages point"
    return f"{pages} to it, judged {level / LEVELS:.1f}"


def display_name(token: str) -> str:
    """Return a token as explanations show it; all others are shown as they are."""
    return _DISPLAY.get(token, token)


def _many_pages(pages: int) -> str:
    return f"{min(pages, MAX_SINCE)}{'+' * (pages > MAX_SINCE)} pages" if pages > 1 else "1 page"


def _display_names() -> dict[str, str]:
    names = {since_relevant_token(0): "source page is relevant"}
    for pages in range(1, MAX_SINCE + 2):
        names[since_relevant_token(pages)] = f"{_many_pages(pages)} since the last relevant one"
    for step in range(VERDICT_STEPS):
        names[previous_page_token(step)] = f"verdict {step / VERDICT_STEPS:.1f} on the previous page"
    for magnitude in range(LEVELS):
        inlinks = "1 inlink" if not magnitude else f"{1 << magnitude} or more inlinks"
        for level in range(LEVELS):
            names[inlinks_token(magnitude, level)] = f"{inlinks}, mean verdict {level / LEVELS:.1f}"
    return names


_DISPLAY = _display_names()
