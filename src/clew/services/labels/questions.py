"""Choose the pages to ask the user about: those whose labels are most informative.

For each page that was judged and has no label:

    value = 0.5 uncertainty + 0.3 surprise + 0.2 reach

uncertainty  1 for a verdict at `goal.keep`, falling linearly to 0 at the ends of the scale
surprise     difference between the quantile of the page's verdict and the quantile of the score of the link
             that led to it: 0 for the same quantile, 1 for opposite ends
reach        its number of open links, log(1 + n) / log(1 + the maximum of all pages)

While fewer of the labelled pages are relevant than not, the value is 0.8 verdict + 0.2 reach: the first pages
of a crawl are rarely relevant, and a judge that is told only what is not wanted forgets what is.

Quantiles, because every policy has its own scale of scores. Pages are chosen greedily: the value is halved
for each page of the same host that was chosen before, and near-duplicates of chosen or labelled pages are
left out.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clew.contracts import LabelCandidate, StoredText
from clew.store import SqliteLabelReader

UNCERTAINTY, SURPRISE, REACH = 0.5, 0.3, 0.2
"""Weights of the three criteria; they add up to one."""

LIKELIHOOD = 1 - REACH
"""Weight of the verdict while relevant pages are sought."""

SOUGHT = "few of the labelled pages are relevant, and this one may be"
"""The reason for asking about a page with a high verdict."""

NEAR = 4
"""Maximum differing bits between the fingerprints of near-duplicate texts."""

EXCERPT = 360
"""Characters of a page that are shown: five lines of a terminal."""

_SHORTLIST = 400
_QUOTED = re.compile(r'["“]([^"“”]+)["”]')


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelQuestion:
    """A page to ask about: its text, its verdict, and why its label would help.

    `behind` is the number of open links on it, `score` the score of the link that led to it.
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


@dataclass(frozen=True, slots=True)
class ChosenPage:
    """A page to ask about, the value of its label, and why it would help."""

    page: LabelCandidate
    help: float
    because: tuple[str, ...]


def ask(folder: Path, number: int = 10, *, keep: float = 0.5) -> list[LabelQuestion]:
    """Choose the pages whose labels are most informative, best first; fewer if there are no more."""
    reader = SqliteLabelReader(folder)
    return [_question(each, reader.text(each.page.id)) for each in choose(reader.candidates(), number, keep)]


def choose(judged: Sequence[LabelCandidate], number: int, keep: float) -> list[ChosenPage]:
    """Choose among judged pages those whose labels are most informative, best first."""
    labelled = [page for page in judged if page.labelled]
    pages = [page for page in judged if not page.labelled]
    if not pages:
        return []
    scores = np.array([page.score for page in pages], np.float64)
    verdicts = np.array([page.verdict for page in pages], np.float64)
    open_links = np.array([page.open_links for page in pages], np.float64)
    seeking = 2 * sum(page.verdict >= keep for page in labelled) < len(labelled)
    help = (
        LIKELIHOOD * verdicts + REACH * _log_share(open_links)
        if seeking
        else helpfulness(scores, verdicts, open_links, keep)
    )
    uncertainty, gaps = _uncertainty(verdicts, keep), _quantiles(scores) - _quantiles(verdicts)
    return [
        ChosenPage(
            pages[i], float(help[i]),
            (
                *([SOUGHT] if seeking else []),
                *_reasons(float(uncertainty[i]), float(gaps[i]), pages[i].open_links, keep),
            ),
        )
        for i in _spread(pages, help, number, [page.fingerprint for page in labelled])
    ]  # fmt: skip


def helpfulness(
    scores: NDArray[np.float64], verdicts: NDArray[np.float64], behind: NDArray[np.float64], keep: float
) -> NDArray[np.float64]:
    """Return the value of each page's label: the sum given at the top of this module."""
    surprise = np.abs(_quantiles(scores) - _quantiles(verdicts))
    return UNCERTAINTY * _uncertainty(verdicts, keep) + SURPRISE * surprise + REACH * _log_share(behind)


def _uncertainty(verdicts: NDArray[np.float64], keep: float) -> NDArray[np.float64]:
    far = np.where(verdicts < keep, keep, 1 - keep)
    uncertainty: NDArray[np.float64] = 1 - np.abs(verdicts - keep) / np.maximum(far, 1e-9)
    return np.clip(uncertainty, 0, 1)


def _quantiles(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the quantile of each value: the share of values below it, with ties at their middle."""
    _, which, counts = np.unique(values, return_inverse=True, return_counts=True)
    below = np.cumsum(counts) - counts
    quantiles: NDArray[np.float64] = ((below + counts / 2) / len(values))[which.reshape(-1)]
    return quantiles


def _log_share(counts: NDArray[np.float64]) -> NDArray[np.float64]:
    share: NDArray[np.float64] = np.log1p(counts) / max(1.0, float(np.log1p(counts.max())))
    return share


def _spread(
    pages: Sequence[LabelCandidate], help: NDArray[np.float64], number: int, labelled: list[int]
) -> list[int]:
    """Choose pages greedily, spread over hosts and without near-duplicates."""
    left = np.argsort(-help, kind="stable")[: max(_SHORTLIST, 20 * number)].tolist()
    chosen: list[int] = []
    per_host: Counter[int] = Counter()
    fingerprints = list(labelled)
    while left and len(chosen) < number:
        best = max(left, key=lambda i: float(help[i]) * 0.5 ** per_host[pages[i].host])
        left.remove(best)
        fingerprint = pages[best].fingerprint
        if any(((fingerprint ^ other) & (1 << 64) - 1).bit_count() <= NEAR for other in fingerprints):
            continue
        chosen.append(best)
        per_host[pages[best].host] += 1
        fingerprints.append(fingerprint)
    return chosen


def _reasons(uncertainty: float, gap: float, behind: int, keep: float) -> Iterator[str]:
    """Yield the reasons for asking about a page."""
    if uncertainty >= 0.6:  # noqa: PLR2004
        yield f"its verdict is close to the threshold ({keep:.2f})"
    if abs(gap) >= 0.4:  # noqa: PLR2004
        ranks = ("high", "low") if gap > 0 else ("low", "high")
        yield "its link scored {}, its page was judged {}".format(*ranks)
    if behind:
        yield f"it has {behind:,} open link{'s' * (behind != 1)}"


def _question(chosen: ChosenPage, stored: StoredText) -> LabelQuestion:
    page = chosen.page
    return LabelQuestion(
        url=page.url, title=stored.title, excerpt=excerpt(stored.text, _QUOTED.findall(stored.why)),
        verdict=page.verdict, why=stored.why, score=page.score, behind=page.open_links,
        help=round(chosen.help, 4), because=chosen.because,
    )  # fmt: skip


def excerpt(text: str, words: Sequence[str], size: int = EXCERPT) -> str:
    """Return the part of a text that contains most of the words, or its beginning.

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
