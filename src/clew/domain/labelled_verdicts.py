"""Propose another `goal.keep` when labels say that the present one is wrong.

What counts is the verdict that a page had before its label: afterwards the judge has learned it.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field

from clew import urls

LABELS = 10
"""Labels on judged pages from which on a proposal is made."""

EACH = 3
"""Labels of each kind that it takes."""

GAINED = 3
"""Labels that another threshold must put right beyond those that it puts wrong."""

DIGITS = 2

VERDICTS = "verdicts before labels"
"""The stored fact."""


def key_of(url: str) -> str:
    """Return what stands for a URL."""
    return f"{urls.fingerprint(url):x}"


@dataclass(slots=True)
class LabelledVerdicts:
    """Verdicts of pages before they were labelled, with the labels, by the hash of the URL.

    URLs themselves are not kept, so that nothing is left of a site that was forgotten.

    >>> known = LabelledVerdicts()
    >>> for n, (verdict, good) in enumerate([(0.1, False)] * 5 + [(0.45, True)] * 6 + [(0.9, True)]):
    ...     known.add(f"https://a.example/{n}", verdict, good=good)
    >>> known.proposal(0.5)
    (0.45, 12, 6)
    >>> known.proposal(0.3) is None
    True
    """

    pairs: dict[str, tuple[float, bool]] = field(default_factory=dict)
    proposed: float | None = None

    @classmethod
    def of(cls, facts: Mapping[str, str]) -> "LabelledVerdicts":
        """Read what an earlier run has stored."""
        stored = json.loads(facts.get(VERDICTS) or "{}")
        pairs = {
            key: (float(verdict), bool(good)) for key, (verdict, good) in stored.get("pairs", {}).items()
        }
        return cls(pairs, stored.get("proposed"))

    def packed(self) -> str:
        """Return everything as the text of a fact."""
        return json.dumps({"pairs": self.pairs, "proposed": self.proposed})

    def add(self, url: str, verdict: float, *, good: bool | None) -> None:
        """Add a label, or remove it; a label that changes keeps the verdict from before the first."""
        if good is None:
            self.pairs.pop(key_of(url), None)
        else:
            self.pairs[key_of(url)] = (self.pairs[key_of(url)][0] if url in self else verdict, good)

    def __contains__(self, url: str) -> bool:
        return key_of(url) in self.pairs

    def proposal(self, keep: float) -> tuple[float, int, int] | None:
        """Return a better threshold, the labels it agrees with, and those that `keep` agrees with; or None.

        Of thresholds that are equally good the one nearest to `keep` is taken.
        """
        labels = [good for _, good in self.pairs.values()]
        if len(labels) < LABELS or min(sum(labels), len(labels) - sum(labels)) < EACH:
            return None
        now = self._right(keep)
        verdicts = {round(verdict, DIGITS) for verdict, _ in self.pairs.values()}
        step = 10**-DIGITS
        tried = {round(verdict + side * step, DIGITS) for verdict in verdicts for side in (-1, 0, 1)}
        usable = [each for each in tried if 0 < each < 1]
        best = max(usable, key=lambda each: (self._right(each), -abs(each - keep)), default=keep)
        return (best, self._right(best), now) if self._right(best) - now >= GAINED else None

    def news(self, keep: float, folder: str) -> str:
        """Return a proposal as a sentence if it was not made before."""
        found = self.proposal(keep)
        if found is None or found[0] == self.proposed:
            return ""
        self.proposed, right, now = found
        return (
            f"goal.keep = {self.proposed:g} agrees with {right} of your {len(self.pairs)} labels,"
            f" {keep:g} with {now}; to change it: clew run {folder} --set goal.keep={self.proposed:g}"
        )

    def _right(self, keep: float) -> int:
        return sum((verdict >= keep) == good for verdict, good in self.pairs.values())
