"""Which pages a person should be asked about: those whose answer would help most.

For each page that was judged and has no label:

    help = 0.5 doubt + 0.3 surprise + 0.2 reach

doubt     1 for a verdict at `goal.keep`, falling evenly to 0 at the far end of the scale
surprise  how far apart the page stands among all pages by its verdict and by the score of the link that
          led to it, both as shares of pages below it: 0 for the same place, 1 for the opposite end
reach     open links that stand on it, log(1 + n) by log(1 + the most on any page)

Places instead of plain numbers, because every policy has a scale of its own. The best page is chosen, then
the best of the rest, where a page counts half for each one of its host that was chosen before, and a page
whose text is nearly that of a chosen or labelled one does not count at all.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clew.store import read_sql

DOUBT, SURPRISE, REACH = 0.5, 0.3, 0.2
"""Weights of the three criteria; they add up to one."""

NEAR = 4
"""Bits in which the fingerprints of two texts differ at most when one answer does for both."""

EXCERPT = 360
"""Characters of a page that are shown: five lines of a terminal."""

_SHORTLIST = 400
_PAGES = """
SELECT pages.id, links.host, pages.score, verdict, fingerprint, url FROM pages JOIN links USING (id)
WHERE kind = 0 AND verdict NOT NULL AND NOT noindex AND duplicate_of IS NULL ORDER BY pages.id"""
_OPEN = "SELECT parent, count(*) FROM links WHERE state = 0 AND parent NOT NULL GROUP BY parent"
_LABELLED = "SELECT DISTINCT url FROM labels"
_PAGE = """
SELECT coalesce(title, ''), why, coalesce(text, '') FROM pages LEFT JOIN texts ON page = pages.id
WHERE pages.id = ?"""
_QUOTED = re.compile(r'["“]([^"“”]+)["”]')


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelQuestion:
    """A page to ask about: what it says, what is thought of it, and why the answer would help.

    `behind` counts the open links that stand on it, `score` is what its link promised.
    """

    url: str
    title: str
    excerpt: str
    verdict: float
    why: str
    score: float
    behind: int
    help: float
    because: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """Return it as plain values, for JSON or a data frame."""
        return asdict(self)


def ask(folder: Path, number: int = 10, *, keep: float = 0.5) -> list[LabelQuestion]:
    """Choose the pages whose answer would help most, the best first; fewer when there are no more."""
    rows = read_sql(folder, _PAGES)
    labelled = {url for (url,) in read_sql(folder, _LABELLED)}
    answered = [row[4] for row in rows if row[5] in labelled]
    rows = [row for row in rows if row[5] not in labelled]
    if not rows:
        return []
    behind = dict(read_sql(folder, _OPEN))
    scores, verdicts = (np.array([row[at] for row in rows], np.float64) for at in (2, 3))
    reach = np.array([behind.get(row[0], 0) for row in rows], np.float64)
    help = helpfulness(scores, verdicts, reach, keep)
    doubt, gaps = _doubt(verdicts, keep), _places(scores) - _places(verdicts)
    found = []
    for at in _spread(rows, help, number, answered):
        because = tuple(_because(float(doubt[at]), float(gaps[at]), int(reach[at]), keep))
        found.append(_question(folder, rows[at], float(help[at]), int(reach[at]), because))
    return found


def helpfulness(
    scores: NDArray[np.float64], verdicts: NDArray[np.float64], behind: NDArray[np.float64], keep: float
) -> NDArray[np.float64]:
    """Return for each page how much its answer would help: the sum that stands at the top of this module."""
    surprise = np.abs(_places(scores) - _places(verdicts))
    return DOUBT * _doubt(verdicts, keep) + SURPRISE * surprise + REACH * _log_share(behind)


def _doubt(verdicts: NDArray[np.float64], keep: float) -> NDArray[np.float64]:
    far = np.where(verdicts < keep, keep, 1 - keep)
    doubt: NDArray[np.float64] = 1 - np.abs(verdicts - keep) / np.maximum(far, 1e-9)
    return np.clip(doubt, 0, 1)


def _places(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return for each value the share of values below it; equal ones share the middle of their places."""
    _, which, counts = np.unique(values, return_inverse=True, return_counts=True)
    below = np.cumsum(counts) - counts
    places: NDArray[np.float64] = ((below + counts / 2) / len(values))[which.reshape(-1)]
    return places


def _log_share(counts: NDArray[np.float64]) -> NDArray[np.float64]:
    share: NDArray[np.float64] = np.log1p(counts) / max(1.0, float(np.log1p(counts.max())))
    return share


def _spread(
    rows: Sequence[tuple[Any, ...]], help: NDArray[np.float64], number: int, answered: list[int]
) -> list[int]:
    """Choose rows one after the other: spread over hosts, near-duplicates once."""
    left = np.argsort(-help, kind="stable")[: max(_SHORTLIST, 20 * number)].tolist()
    chosen: list[int] = []
    of_host: Counter[int] = Counter()
    seen = list(answered)
    while left and len(chosen) < number:
        best = max(left, key=lambda at: float(help[at]) * 0.5 ** of_host[rows[at][1]])
        left.remove(best)
        if any(((rows[best][4] ^ other) & (1 << 64) - 1).bit_count() <= NEAR for other in seen):
            continue
        chosen.append(best)
        of_host[rows[best][1]] += 1
        seen.append(rows[best][4])
    return chosen


def _because(doubt: float, gap: float, behind: int, keep: float) -> Iterator[str]:
    """Say in words what speaks for asking about a page."""
    if doubt >= 0.6:  # noqa: PLR2004
        yield f"its verdict lies close to the line ({keep:.2f})"
    if abs(gap) >= 0.4:  # noqa: PLR2004
        yield f"its link promised {'more' if gap > 0 else 'less'} than the page holds, beside other pages"
    if behind:
        yield f"{behind:,} open link{'s' * (behind != 1)} stand{'s' * (behind == 1)} on it"


def _question(
    folder: Path, row: tuple[Any, ...], help: float, behind: int, because: tuple[str, ...]
) -> LabelQuestion:
    id, _, score, verdict, _, url = row
    ((title, why, text),) = read_sql(folder, _PAGE, id)
    return LabelQuestion(
        url=url, title=title, excerpt=excerpt(text, _QUOTED.findall(why)), verdict=verdict, why=why,
        score=score, behind=behind, help=round(help, 4), because=because,
    )  # fmt: skip


def excerpt(text: str, words: Sequence[str], size: int = EXCERPT) -> str:
    """Return the part of a text that holds most of the words, or its beginning.

    >>> excerpt("Rain. " * 9 + "The lamp of the lighthouse turns. " + "Rain. " * 9, ["lighthouse"], 40)
    '… lamp of the lighthouse turns. Rain. …'
    """
    flat = " ".join(text.split())
    lower = flat.lower()
    if len(lower) != len(flat):  # some capitals have two small letters
        lower = flat
    found = [(match.start(), word) for word in words for match in re.finditer(re.escape(word.lower()), lower)]
    if not found or len(flat) <= size:
        return flat if len(flat) <= size else f"{_to_blank(flat[:size])} …"
    found.sort()
    start = max(found, key=lambda hit: (_distinct(found, hit[0], size), -hit[0]))[0]
    start = max(0, min(start - size // 2 + len(found[0][1]) // 2, len(flat) - size))
    cut = flat[start : start + size]
    if start:
        cut = f"… {cut.partition(' ')[2] if ' ' in cut[:40] else cut}"
    return cut if start + size >= len(flat) else f"{_to_blank(cut)} …"


def _to_blank(text: str) -> str:
    """Cut half a word off the end, where words have blanks between them."""
    whole = text.rpartition(" ")[0]
    return whole if len(text) - len(whole) < 40 else text  # noqa: PLR2004


def _distinct(found: list[tuple[int, str]], start: int, size: int) -> int:
    return len({word for at, word in found if start <= at < start + size // 2})
