"""What goes into a corpus, and the reasons for which pages are left out."""

from dataclasses import dataclass

SHARD_BYTES = 256_000_000
"""Bytes of text in a shard."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CorpusOptions:
    """What goes into a corpus.

    `languages` are two-letter codes, empty for all. `min_verdict` leaves out pages below it, and those that
    were not judged if it is above 0. `honour_reservations` leaves out pages whose owners ask not to be used
    for training. `text` is the form of the texts: plain, markdown or markdown-no-links. `similar` is
    the share of common letter runs from which a page is a near-duplicate.
    """

    format: str = "jsonl"
    languages: tuple[str, ...] = ()
    only_relevant: bool = False
    min_verdict: float = 0.0
    min_words: int = 50
    honour_reservations: bool = True
    text: str = "plain"
    similar: float = 0.8
    shard_bytes: int = SHARD_BYTES


class DropReason:
    """Why a page is not in the corpus; every page is counted under the first reason that holds."""

    NOINDEX = "asked not to be indexed (noindex)"
    NO_TEXT = "no text"
    NOT_RELEVANT = "not relevant"
    VERDICT = "verdict too low"
    LANGUAGE = "other language"
    RESERVED = "rights reserved (noai, TDM reservation, preferences about training, robots.txt)"
    SHORT = "too short"
    SYMBOLS = "mostly symbols and digits"
    REPETITIVE = "mostly repeated lines"
    NO_SENTENCES = "no sentence"
    EXACT = "exact duplicate"
    NEAR = "near-duplicate"
    ALL = (
        NOINDEX, NO_TEXT, NOT_RELEVANT, VERDICT, LANGUAGE, RESERVED, SHORT, SYMBOLS, REPETITIVE, NO_SENTENCES,
        EXACT, NEAR,
    )  # fmt: skip
