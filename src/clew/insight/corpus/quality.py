"""Rules by which a text is worth keeping: they look at letters and lines, not at words of one language."""

import re

from clew.insight.corpus.options import DropReason

TOKENS_ARE = (
    "a token is a word, a letter of Chinese, Japanese or Korean, or a punctuation mark"
    " (regular expression [CJK]|[word characters]+|[other])"
)
_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af"
_TOKEN = re.compile(rf"[{_CJK}]|[^\W{_CJK}]+|[^\w\s]")
_WORD = re.compile(rf"[{_CJK}]|[^\W{_CJK}]+")
_SENTENCE = re.compile(r"[.!?。！？।؟…]")
_LETTERS = 0.6  # of all characters but white space
_REPEATED = 0.4  # of all lines
_FEW_LINES = 5


def token_count(text: str) -> int:
    """Count tokens by `TOKENS_ARE`.

    >>> token_count("It's 9 o'clock."), token_count("潮の満ち干")
    (8, 5)
    """
    return len(_TOKEN.findall(text))


def quality_fault(text: str, min_words: int) -> str:
    """Return the reason for which a text is not worth keeping, or an empty string."""
    if len(_WORD.findall(text)) < min_words:
        return DropReason.SHORT
    visible = "".join(text.split())
    if sum(map(str.isalpha, visible)) < _LETTERS * len(visible):
        return DropReason.SYMBOLS
    lines = text.split("\n")
    if len(lines) >= _FEW_LINES and len(set(lines)) < (1 - _REPEATED) * len(lines):
        return DropReason.REPETITIVE
    return "" if _SENTENCE.search(text) else DropReason.NO_SENTENCES
