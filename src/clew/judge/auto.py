"""The `auto` judge: by the person's words as long as there is nothing else, by examples from then on."""

from pathlib import Path

from clew.judge.examples import Examples
from clew.judge.term_list import Term
from clew.judge.words import Words
from clew.types import Label, Page, Verdict


class Auto:
    """Judge by `words` until the first example or label, by `examples` and the words from then on.

    Three examples judge better than words alone on all six recorded webs but one (docs/lab/judges.md).

    >>> from clew.testing import sample_page
    >>> judge, page = Auto(about="fog signal"), sample_page(text="The fog signal of the lighthouse.")
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
        self._words = Words(about=about)
        self._examples = Examples(about=about, good=good, bad=bad)

    @property
    def learned(self) -> int:
        return self._examples.learned

    def prepare(self) -> None:
        """Read the examples that lie on this computer."""
        self._examples.prepare()

    def judge(self, page: Page) -> Verdict:
        if self._examples.shown or (self.good and not self.about):
            return self._examples.judge(page)
        self._examples.see(page)
        return self._words.judge(page)

    def learn(self, label: Label, page: Page) -> None:
        self._examples.learn(label, page)

    def forget(self, url: str) -> None:
        """Take back what was learned from a page."""
        self._examples.forget(url)

    def proposal(self) -> list[Term]:
        """Return the terms that count, strongest first."""
        return self._examples.proposal()

    def save(self, folder: Path) -> None:
        self._examples.save(folder)

    def load(self, folder: Path) -> None:
        self._examples.load(folder)
