"""What is computed of every page beyond its text and links; parts of a crawl that need more ask for it."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ParseOptions:
    """What the parser computes.

    `layout` estimates the positions of links in a browser, at a quarter to a half more work on a page;
    without it x and y are counted from tags. `markup` fills `Page.markup`. `terms` counts the terms of the
    page, `tokens` hashes the words of link texts and URLs; without them those who need them compute them.
    `text` names who extracts the main text ("clew", "trafilatura"). With `new_words` a word behind the tokens
    is reported by the first page that has it and not by others: enough for a crawl, which remembers them.
    """

    layout: bool = True
    markup: bool = False
    terms: bool = True
    tokens: bool = True
    text: str = "clew"
    new_words: bool = False


DEFAULT_OPTIONS = ParseOptions()
