"""Combine judges: `all` of them must agree, or `any` of them is enough."""

from clew import registry
from clew.config.judge_spec import JudgeSpec
from clew.contracts import Judge
from clew.domain.records import RecordTable
from clew.errors import ConfigError
from clew.registry import capabilities
from clew.types import Label, Page, Verdict


class AllOf:
    """Require all named judges: `all:place:jp,words` is a page on the topic with a postal address.

    The verdict is the lowest of theirs.
    """

    def __init__(
        self, *, of: str = "words", about: str = "", good: tuple[str, ...] = (), bad: tuple[str, ...] = ()
    ) -> None:
        self.of = of
        self.about = about
        self.good = good
        self.bad = bad
        self._judges: list[tuple[str, Judge]] = []
        self._table: RecordTable | None = None

    def use_table(self, table: RecordTable) -> None:
        """Pass the table of records to those of the judges that use one."""
        self._table = table

    def prepare(self) -> None:
        """Create the judges; raise a ConfigError for an unknown name."""
        names = JudgeSpec.parse(f"all:{self.of}").judges
        if not names:
            msg = 'a combination needs judges; write for example judge = "all:place:jp,words"'
            raise ConfigError(msg)
        self._judges = []
        for name in names:
            judge = registry.make("judge", str(name), about=self.about, good=self.good, bad=self.bad)
            if self._table is not None and (user := capabilities.of_judge(judge).table):
                user.use_table(self._table)
            capabilities.prepare(judge)
            self._judges.append((str(name), judge))

    @property
    def needs_whole_page(self) -> bool:
        """Whether one of the judges needs more than the stored text of a page."""
        return any(capabilities.of_judge(judge).needs_whole_page for _, judge in self._prepared_judges())

    @property
    def needs_terms(self) -> bool:
        """Whether one of the judges compares the terms of pages."""
        return any(capabilities.of_judge(judge).needs_terms for _, judge in self._prepared_judges())

    def judge(self, page: Page) -> Verdict:
        verdicts = [(name, judge.judge(page)) for name, judge in self._prepared_judges()]
        value = self._combine([verdict.value for _, verdict in verdicts])
        why = tuple(
            f"{name} {verdict.value:.2f}: {reason}" for name, verdict in verdicts for reason in verdict.why
        )
        return Verdict(value, why)

    def learn(self, label: Label, page: Page) -> None:
        """Pass the label to each judge."""
        for _, judge in self._prepared_judges():
            judge.learn(label, page)

    def _combine(self, values: list[float]) -> float:
        return min(values)

    def _prepared_judges(self) -> list[tuple[str, Judge]]:
        if not self._judges:
            self.prepare()
        return self._judges


class AnyOf(AllOf):
    """Require one of the named judges: `any:place:jp,place:de` is a page with an address in either country.

    The verdict is the highest.
    """

    def _combine(self, values: list[float]) -> float:
        return max(values)
