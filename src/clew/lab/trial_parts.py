"""Parts that only trials use: a guard that refuses nothing, a judge that knows the truth; what judges see."""

from dataclasses import dataclass

from clew.config.judge_spec import JudgeSpec
from clew.frontier import TrapGuard
from clew.lab.task import TaskTruth
from clew.lab.world import World
from clew.types import Label, Page, Verdict


class NoTrapGuard(TrapGuard):
    """A trap guard that refuses nothing and learns nothing."""

    def refusal(self, url: str) -> str:  # noqa: ARG002
        return ""

    def learn(self, *_: object, **__: object) -> int:
        return 0

    def learn_redirect(self, *_: object, **__: object) -> None:
        """Learn nothing."""


@dataclass(frozen=True, slots=True)
class PerfectJudge:
    """A judge that is never wrong, to measure rankers apart from judges."""

    truth: TaskTruth
    world: World

    def judge(self, page: Page) -> Verdict:
        pages = self.world.pages
        row = pages.find(page.url)
        return Verdict(self.truth.grade(pages.url(row)) if row >= 0 else 0.0, ("the label says so",))

    def learn(self, label: Label, page: Page) -> None:
        """Learn nothing."""


def goes_by_files(judge: object) -> bool:
    """Return whether a judge looks at the links of a page to files, of which an archive holds few.

    >>> goes_by_files("all:data,words"), goes_by_files("auto")
    (True, False)
    """
    return isinstance(judge, str) and JudgeSpec.parse(judge).has("data", "files")
