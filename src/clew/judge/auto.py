"""The `auto` judge: keywords until there are examples or labels, then keywords and examples."""

import math
from pathlib import Path

from clew.judge.examples import ExamplesJudge
from clew.judge.term_list import Term
from clew.judge.words import WordsJudge
from clew.types import Label, Page, Verdict


class AutoJudge:
    """Judge by `words` until the first example or label, by `words` and `examples` together from then on.

    On a sample of pages three examples judge better than words alone (docs/lab/judges.md). But a crawl
     starts on few sites: peculiarities of the examples' site may be mistaken for the topic, and a list of
    links to relevant pages need not be similar to them. So both judges are used. The verdict is the square
    root of the mean of the two: pages are ordered by their mean, and pages on the topic start at a mean of
    a quarter. That held on each of six recorded webs, within a tenth. It is not a probability: small
    verdicts are too high. With a calibrated curve `ariadne`, which learns from small verdicts, found a
    tenth less.

    Without words only the examples are used.

    >>> from clew.testing import sample_page
    >>> judge, page = AutoJudge(about="fog signal"), sample_page(text="The fog signal of the lighthouse.")
    >>> judge.judge(page).why
    ('"signal" 1×', '"fog" 1×')
    >>> judge.learn(Label("https://a.test/", True, 0.0), page)
    >>> judge.judge(page).why[0].partition(":")[0]
    'like your examples'
    """

    def __init__(self, *, about: str = "", good: tuple[str, ...] = (), bad: tuple[str, ...] = ()) -> None:
        self.about = about
        self.good = good
        self.bad = bad
        self._words = WordsJudge(about=about)
        self._examples = ExamplesJudge(about=about, good=good, bad=bad)

    @property
    def learned(self) -> int:
        return self._examples.learned

    def prepare(self) -> None:
        """Read the examples that are local files."""
        self._examples.prepare()

    def judge(self, page: Page) -> Verdict:
        if not self.about and (self._examples.has_examples or self.good):
            return self._examples.judge(page)
        by_words = self._words.judge(page)
        if not self._examples.has_examples:
            self._examples.add_other(page)
            return by_words
        by_examples = self._examples.judge(page)
        value = math.sqrt((by_words.value + by_examples.value) / 2)
        return Verdict(value, (*by_examples.why, *(why for why in by_words.why if why.startswith('"'))))

    def learn(self, label: Label, page: Page) -> None:
        self._examples.learn(label, page)

    def forget_label(self, url: str) -> None:
        """Undo what was learned from a page."""
        self._examples.forget_label(url)

    def propose_terms(self) -> list[Term]:
        """Return the terms with a weight, strongest first."""
        return self._examples.propose_terms()

    def save(self, folder: Path) -> None:
        self._examples.save(folder)

    def load(self, folder: Path) -> None:
        self._examples.load(folder)
