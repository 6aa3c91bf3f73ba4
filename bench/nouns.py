"""Measure which English words are taken for nouns, on lines whose nouns are marked by hand.

    python -m bench.nouns

Every second line of tests/text/english_nouns.txt: the others were looked at while the rules were written. Writes the
data of docs/text.md and docs/papers.md.
"""

import re
from collections.abc import Callable
from pathlib import Path

from bench.figures import publish
from clew.domain.text.english import english_noun, nouns_in_context
from clew.domain.text.lexicon import has_lexicon, lexicon
from docs.figures import Table

MARKED = Path("tests/text/english_nouns.txt")
_WORD = re.compile(r"([^\W\d_]+)(\*?)")


def marked_lines() -> list[list[tuple[str, bool]]]:
    """Return the words of each line, each with whether it is a noun."""
    lines = [line for line in MARKED.read_text().splitlines() if line and not line.startswith("#")]
    return [[(word, bool(star)) for word, star in _WORD.findall(line)] for line in lines]


def by_word(words: list[str]) -> list[str]:
    """Return the nouns of a line, each word by itself."""
    return [
        word
        for at, word in enumerate(words)
        if len(word) > 1 and english_noun(word, at > 0 and word[0].isupper())
    ]


def in_context(words: list[str]) -> list[str]:
    """Return the nouns of a line by the words around them."""
    return [word for _, word in nouns_in_context(words, capitals=True)]


def accuracy(find: Callable[[list[str]], list[str]], lines: list[list[tuple[str, bool]]]) -> tuple[str, str]:
    """Return precision and recall."""
    right = found = true = 0
    for line in lines:
        missing = [word for word, noun in line if noun]
        true += len(missing)
        for word in find([word for word, _ in line]):
            found += 1
            if word in missing:
                missing.remove(word)
                right += 1
    return f"{right / found:.2f}", f"{right / true:.2f}"


def main() -> None:
    test = marked_lines()[1::2]
    rows = [
        ("lexicon, in its sentence", *accuracy(in_context, test)),
        ("lexicon, word by word", *accuracy(by_word, test)),
    ]
    has_lexicon.cache_clear()
    lexicon.cache_clear()
    lexicon.__wrapped__.__globals__["has_lexicon"] = lambda: False  # as if HanTa were not installed
    rows.append(("endings alone", *accuracy(by_word, test)))
    publish(
        {"nouns-english": Table(("nouns", "precision", "recall"), tuple(rows))},
        "python -m bench.nouns",
        words=sum(map(len, test)),
    )


if __name__ == "__main__":
    main()
