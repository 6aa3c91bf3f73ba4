"""Judge pages: by the user's own label where there is one, else by the judge."""

from collections.abc import Callable
from dataclasses import dataclass, field

from clew.contracts import Extractor, Judge
from clew.engine.relevance import Relevance
from clew.registry import capabilities
from clew.registry.capabilities import JudgeCapabilities
from clew.types import Label, Page, Record, Verdict

LABELLED = "you said so"
"""The reason of a verdict that is the user's own label."""


@dataclass(slots=True, kw_only=True)
class Evaluation:
    """Judge and extractor with the user's labels.

    `labels` are the user's answers by URL, of clew.toml and of `clew label`. `abilities` says what the judge
    can do beyond its contract.
    """

    judge: Judge
    extractor: Extractor
    relevance: Relevance
    wall: Callable[[], float]
    labels: dict[str, bool] = field(default_factory=dict)
    abilities: JudgeCapabilities = field(init=False)

    def __post_init__(self) -> None:
        self.abilities = capabilities.of_judge(self.judge)

    def evaluate(self, page: Page) -> tuple[Verdict, bool, tuple[Record, ...]]:
        """Extract records, learn from a labelled page, and judge; return verdict, relevance and records."""
        records = tuple(self.extractor.extract(page))
        if page.url in self.labels:
            self.teach(page)
        return *self.rejudge(page), records

    def evaluate_again(self, page: Page) -> tuple[Verdict, bool, tuple[Record, ...]]:
        """Do the same with a new version of a page; the judge has learned from a labelled one before."""
        records = tuple(self.extractor.extract(page))
        return *self.rejudge(page), records

    def teach(self, page: Page) -> None:
        """Let the judge learn from a page that the user has labelled."""
        self.judge.learn(Label(page.url, self.labels[page.url], self.wall()), page)

    def verdict_on(self, page: Page) -> Verdict:
        """Judge a page; the user's own label comes before the judge."""
        label = self.labels.get(page.url)
        return self.judge.judge(page) if label is None else Verdict(float(label), (LABELLED,))

    def rejudge(self, page: Page) -> tuple[Verdict, bool]:
        """Judge a page once more; return the verdict and whether the page is relevant."""
        verdict = self.verdict_on(page)
        return verdict, self.relevance(page, verdict)

    def set_labels(self, labels: dict[str, bool]) -> None:
        """Let these labels hold from now on."""
        self.labels = labels

    def replace_judge(self, judge: Judge) -> None:
        """Go on with another judge, one that has learned nothing yet."""
        self.judge = judge
        self.abilities = capabilities.of_judge(judge)
