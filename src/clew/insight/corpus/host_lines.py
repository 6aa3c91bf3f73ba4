"""Lines that many pages of a host share: menus, notices and signatures that are no part of a text."""

from collections import Counter
from collections.abc import Iterable

_FEW, _MANY, _SHARE = 4, 50, 0.1
_MOST = 400_000  # lines that are counted at once; those that were met once are forgotten beyond


class HostLines:
    """The lines that are repeated on pages of one host: on a tenth of them, at least 4, and always on 50."""

    def __init__(self, texts: Iterable[str]) -> None:
        counts: Counter[str] = Counter()
        pages = 0
        for text in texts:
            pages += 1
            counts.update(set(text.split("\n")))
            if len(counts) > _MOST:
                counts = Counter({line: count for line, count in counts.items() if count > 1})
        enough = max(_FEW, min(_MANY, pages * _SHARE))
        self.lines = {line for line, count in counts.items() if line and count >= enough}

    def removed(self, text: str, *, markdown: bool = False) -> tuple[str, int]:
        """Return a text without these lines, and how many they were; in Markdown they may have marks."""
        if not self.lines:
            return text, 0
        lines = text.split("\n")
        left = [line for line in lines if (_unmarked(line) if markdown else line) not in self.lines]
        return "\n".join(left), len(lines) - len(left)


def _unmarked(line: str) -> str:
    """Return a line of Markdown without the marks of a heading, a quotation or an item of a list."""
    return line.lstrip("#>-*+ ")
