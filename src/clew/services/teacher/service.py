"""The teacher beside a running crawl: asks about the most informative pages, at a pace that falls."""

import asyncio
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

from clew.domain.teacher_trust import Trust
from clew.domain.text import printable
from clew.engine.engine import Engine
from clew.engine.events import Events
from clew.errors import StoreError
from clew.services.labels import choose
from clew.services.teacher.pace import labels_due
from clew.services.teacher.prompts import PageQuestion
from clew.services.teacher.teacher import FLIPPED, Teacher, TeacherStopped
from clew.store import SqliteLabelReader
from clew.store.teacher_answers import StoredAnswer
from clew.types import PageResult

MAX_FAILURES = 5
"""Calls without an answer in a row after which the teacher is not asked again in this run."""

_WORDS = {True: "yes", False: "no", None: "unsure"}


@dataclass(slots=True, kw_only=True)
class TeacherService:
    """Ask one question at a time, in a task of its own; the crawl never waits for an answer.

    Answers are labels in the store like those of a person, and applied by the same listener.
    """

    folder: Path
    teacher: Teacher
    engine: Engine
    events: Events
    _read: asyncio.Event = field(default_factory=asyncio.Event)
    _task: "asyncio.Task[None] | None" = None
    _failures: int = 0
    _distrusted: tuple[bool, bool] = (False, False)

    async def start(self) -> None:
        """Let the answers of earlier runs hold as labels, and begin to ask."""
        if self.teacher.log.exists:
            await asyncio.to_thread(self.teacher.recover)
            self._say_trust(await self.teacher.sync_labels())
        self._read.set()
        self._task = asyncio.create_task(self._work())

    def on_result(self, result: PageResult) -> None:
        """Look whether a question is due, after each page."""
        if result.is_page:
            self._read.set()

    async def close(self) -> None:
        """Stop asking; a call under way is recorded as broken off."""
        if self._task:
            self._task.cancel()
            await asyncio.wait([self._task])
        await self.teacher.chat.aclose()

    async def _work(self) -> None:
        """Ask whenever a question is due, until the budget is spent. The crawl loop reports store errors."""
        with suppress(StoreError):
            try:
                while self._failures < MAX_FAILURES:
                    await self._read.wait()
                    self._read.clear()
                    while self._failures < MAX_FAILURES and await self._ask_next():
                        pass
                self.events.notify(f"the teacher is not asked again in this run: {MAX_FAILURES} calls failed")
            except TeacherStopped as error:
                self.events.notify(f"the teacher has stopped: {error}", teacher="stopped")

    async def _ask_next(self) -> bool:
        """Ask about one page if that is due; return whether there may be another."""
        table, config = self.teacher.table, self.teacher.config
        spent = await asyncio.to_thread(self.teacher.log.spending)
        if spent.labels >= table.labels:
            raise TeacherStopped(f"its {table.labels:,} labels are used up")  # noqa: EM102
        if spent.labels >= labels_due(self.engine.totals.pages, table.labels, config.crawl.pages):
            return False
        asked = await asyncio.to_thread(self.teacher.log.asked)
        page = await asyncio.to_thread(next_page, self.folder, asked, config.goal.keep)
        if page is None:
            return False
        answer, cause = await self.teacher.ask_page(page)
        if answer is None:
            self._failures += 1
            self.events.notify(f"the teacher gave no answer about {_short(page.url)}: {cause}", teacher=cause)
            return True
        self._failures = 0
        trust = await self.teacher.sync_labels()
        self._say(answer)
        self._say_trust(trust)
        return True

    def _say(self, answer: StoredAnswer) -> None:
        word, reason = _WORDS[answer.relevant], answer.reason or "no reason given"
        flip = {"flip": True} if answer.reason == FLIPPED else {}
        self.events.notify(
            f"teacher on {_short(answer.url)}: {word} — {reason}",
            teacher=word, url=answer.url, reason=answer.reason, **flip,
        )  # fmt: skip

    def _say_trust(self, trust: Trust) -> None:
        """Say once when labels of a kind are set aside, and when they hold again."""
        now = not trust.yes.holds, not trust.no.holds
        for kind, before, after in zip(("yes", "no"), self._distrusted, now, strict=True):
            agreement = trust.yes if kind == "yes" else trust.no
            if after != before:
                did = "are set aside" if after else "hold again"
                pages = agreement.same + agreement.other
                self.events.notify(
                    f'labels "{kind}" of the teacher {did}: you agreed on {agreement.same} of {pages} pages'
                )
        self._distrusted = now


def next_page(folder: Path, asked: set[str], keep: float) -> PageQuestion | None:
    """Return the page whose label is most informative, among those that nobody was asked about."""
    reader = SqliteLabelReader(folder)
    pages = [replace(page, labelled=page.labelled or page.url in asked) for page in reader.candidates()]
    for chosen in choose(pages, 1, keep):
        page, stored = chosen.page, reader.text(chosen.page.id)
        return PageQuestion(url=page.url, title=stored.title, text=stored.text, verdict=page.verdict)
    return None


def _short(url: str) -> str:
    return printable(url.partition("://")[2], 100)
